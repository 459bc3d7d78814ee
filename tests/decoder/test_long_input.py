"""Input of many words: memory grows with the number of words, not with its square, and may run out."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from support.waiting import PATIENCE

from hopefear.grammars.sample import sample_path

WORDS = 20_000

DECODE = f"""
import re
from pathlib import Path
from hopefear import Decoder

sample = Path({str(sample_path())!r})
words = (sample / "dev.es").read_text("utf-8").split()
decoder = Decoder(sample / "cdec.ini", weights=sample / "weights.init")
forest = decoder.translate(" ".join((words * 6)[:{WORDS}]))
# Of this program alone: ru_maxrss also counts the process that started it.
peak = re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1]
print(len(forest.viterbi().split()), int(peak) // 1024)
"""


def printed(program: str, folder: Path) -> str:
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, cwd=folder)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells the most memory of a program")
def test_a_sentence_of_20000_words_takes_less_than_a_gigabyte(tmp_path: Path) -> None:
    words, megabytes = map(int, printed(DECODE, tmp_path).split())
    assert words > WORDS // 2
    assert megabytes < 1000


STARVED = f"""
import resource
from pathlib import Path
from hopefear import Decoder
from hopefear.base import InputError

sample = Path({str(sample_path())!r})
lines = (sample / "dev.es").read_text("utf-8").splitlines()
decoder = Decoder(sample / "cdec.ini", weights=sample / "weights.init", features=["RuleIndicators"])
answers = [decoder.translate(line).viterbi() for line in lines[:20]]
for megabytes in (0.5, 1, 2, 4, 8, 16):
    there = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (there + int(megabytes * 2**20), before[1]))
    try:
        decoder.translate(" ".join(lines[:50]))
    except InputError as error:
        print(error)
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)
    assert answers == [decoder.translate(line).viterbi() for line in lines[:20]]
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits the memory of a process")
def test_a_decoder_goes_on_where_memory_ran_out(tmp_path: Path) -> None:
    failed = printed(STARVED, tmp_path).splitlines()
    assert len(failed) >= 4
    assert all(line.startswith("the input: not enough memory for sentence 1, which has ") for line in failed)
