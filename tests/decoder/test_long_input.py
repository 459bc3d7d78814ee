"""Input of many words: memory grows with the number of words, not with its square."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from hopefear.grammars.sample import sample_path

WORDS = 20_000

DECODE = f"""
import resource
from pathlib import Path
from hopefear import Decoder

sample = Path({str(sample_path())!r})
words = (sample / "dev.es").read_text("utf-8").split()
decoder = Decoder(sample / "cdec.ini", weights=sample / "weights.init")
forest = decoder.translate(" ".join((words * 6)[:{WORDS}]))
print(len(forest.viterbi().split()), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
"""


def test_a_sentence_of_20000_words_takes_less_than_a_gigabyte(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", DECODE], capture_output=True, text=True, timeout=300, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    words, megabytes = map(int, done.stdout.split())
    assert words > WORDS // 2
    assert megabytes < 1000
