"""What the README shows works."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from itertools import pairwise

from support import CHECKOUT
from support.pages import blocks, commands
from support.world import configure

README = CHECKOUT / "README.md"


READ = {"-c", "-w", "-i", "-s", "-t", "-r", "--source", "--reference", "--against"}
"""Options whose values are files that a command reads."""
WRITTEN = {"-o", "--output", ">", "--save-weights"}
"""What stands before files and folders that a command writes."""
OWN = {"train.es", "train.en"}
"""Files of the reader."""
ANNOTATIONS = {"--trees", "--conllu"}
"""What stands before files that `annotate` writes, and others read."""


def test_files_are_in_the_sample_or_made_by_a_command_before(sample):
    made, needed = set(re.findall(r"cp written.ini (\S+)", README.read_text("utf-8"))), set()
    for words in commands(README):
        for before, word in pairwise(words):
            first = word.split("/")[0]
            if before in WRITTEN or (words[0] == "annotate" and before in ANNOTATIONS):
                made.add(first)
            elif before in {*READ, *ANNOTATIONS, "<"} and first not in made and not (sample / word).exists():
                needed.add(word)
    assert needed <= OWN


def test_the_first_hour(sample, tmp_path):
    """The commands for the sample run in their order, by bash, in an empty home."""
    shipped = tmp_path / "grammars" / "samples"
    shipped.mkdir(parents=True)
    for path in sample.iterdir():
        if path.name.startswith(("dev.", "test.")):
            lines = path.read_text("utf-8").splitlines(keepends=True)[:4]
            (shipped / path.name).write_text("".join(lines), "utf-8")
        else:
            shutil.copy(path, shipped)
    text = README.read_text("utf-8")
    features = re.search(r"```\n((feature_function=.*\n)+)```", text)[1]
    copy, commands_of_sample, live = (
        block for block in blocks(README, "") if block.startswith("cp -r") or ".ini -w" in block
    )
    learn = live.replace("\nhopefear serve", " < test.es.written > live")  # a server does not end
    assert learn != live
    script = f"set -e\nhopefear() {{ '{sys.executable}' -m hopefear \"$@\"; }}\n{copy}"
    script += f"cat >> features.ini <<'END'\n{features}END\n{commands_of_sample}{learn}"
    environment = {**os.environ, "HOME": str(tmp_path)}
    done = subprocess.run(
        ["bash", "-c", script], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert re.search(r"BLEU .*, baseline .*, p = ", done.stdout)
    made = tmp_path / "first"
    for name in ("run/report.html", "why.html", "learned"):
        assert (made / name).stat().st_size
    for name in ("tuned", "baseline"):
        assert len((made / name).read_text("utf-8").splitlines()) == 4


def test_the_plugin_of_ten_lines(toy, run):
    (plugin,) = (block for block in blocks(README, "python") if "EdgeFeatures" in block)
    assert len([line for line in plugin.splitlines() if line and not line.startswith("#")]) <= 10
    (toy / "spanlength.py").write_text(plugin)
    configure(toy, "feature_function=spanlength:SpanLength")
    line = run("decode", "-c", "cdec.ini", "-w", "weights", "-k", 1, text="la casa\n").stdout
    # The two words, the glue rule over the first, the glue rule over both.
    assert "Span_1=3 Span_2=1 " in line


def test_the_python_example(tmp_path):
    (example,) = (
        block for block in blocks(CHECKOUT / "docs" / "use" / "text.md", "python") if "Decoder" in block
    )
    done = subprocess.run([sys.executable, "-c", example], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == 5
    assert done.stdout.startswith("And God called to the light day. ['And', ")
    assert done.stdout.count("LanguageModel") == 3


def test_the_first_script_of_pycdec_runs_on_the_sample(tmp_path):
    first, *_ = blocks(CHECKOUT / "docs" / "use" / "pycdec.md", "python")
    done = subprocess.run([sys.executable, "-c", first], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "god said" in done.stdout and "PassThrough" not in done.stdout
