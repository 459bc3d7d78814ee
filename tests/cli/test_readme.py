"""What the README shows works."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

from support import CHECKOUT
from support.pages import blocks, commands
from typer.testing import CliRunner

from hopefear.cli import app

README = CHECKOUT / "README.md"


READ = {"-c", "-w", "-i", "-s", "-t", "-r", "--source", "--reference", "--against"}
"""Options whose values are files that a command reads."""
WRITTEN = {"-o", "--output", ">", "--save-weights"}
"""What stands before files and folders that a command writes."""
ANNOTATIONS = {"--trees", "--conllu"}
"""What stands before files that `annotate` writes, and others read."""


def test_files_are_in_the_sample_or_declared_or_made_by_a_command_before(sample):
    text = " ".join(README.read_text("utf-8").split())
    (declared,) = re.findall(r"The names ([^.]*(?:\.\w[^.]*)*) stand for your own files", text)
    own = set(re.findall(r"`([^`]+)`", declared))
    made, needed = set(), set()
    for words in commands(README):
        for before, word in pairwise(words):
            first = word.split("/")[0]
            if before in WRITTEN or (words[0] == "annotate" and before in ANNOTATIONS):
                made.add(first)
            elif before in {*READ, *ANNOTATIONS, "<"} and first not in made and not (sample / word).exists():
                needed.add(word)
    assert needed <= own
    assert own <= {word for words in commands(README) for word in words}


def test_the_commands_run_on_the_sample(sample, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for path in sample.iterdir():
        if path.name.startswith(("dev.", "test.")):
            lines = path.read_text("utf-8").splitlines(keepends=True)[:4]
            (tmp_path / path.name).write_text("".join(lines), "utf-8")
        else:
            shutil.copy(path, tmp_path)
    with (tmp_path / "written.ini").open("a") as ini:
        ini.write(re.search(r"```\n((feature_function=.*\n)+)```", README.read_text("utf-8"))[1])
    ran = []
    for words in commands(README):
        if "--cluster" in words or not ({"written.ini", "score"} & {*words}):
            continue
        given = words[: words.index("<")] if "<" in words else words
        if words[0] in ("decode", "score"):
            given = [*given, "-i", words[words.index("<") + 1] if "<" in words else os.devnull]
        done = CliRunner().invoke(app, given)
        assert done.exit_code == 0, done.output
        if ">" in words:
            Path(words[words.index(">") + 1]).write_text(done.stdout, "utf-8")
        ran.append(words[0])
    assert ran == ["decode", "tune", "decode", "score", "explain", "decode"]
    assert (tmp_path / "learned").exists()
    assert len((tmp_path / "tuned").read_text("utf-8").splitlines()) == 4


def test_the_plugin_of_ten_lines(toy, run):
    (plugin,) = (block for block in blocks(README, "python") if "EdgeFeatures" in block)
    assert len([line for line in plugin.splitlines() if line and not line.startswith("#")]) <= 10
    (toy / "spanlength.py").write_text(plugin)
    with (toy / "cdec.ini").open("a") as ini:
        ini.write("feature_function=spanlength:SpanLength\n")
    line = run("decode", "-c", "cdec.ini", "-w", "weights", "-k", 1, text="la casa\n").stdout
    # The two words, the glue rule over the first, the glue rule over both.
    assert "Span_1=3 Span_2=1 " in line


def test_the_python_example(tmp_path):
    (example,) = (block for block in blocks(README, "python") if "Decoder" in block)
    done = subprocess.run([sys.executable, "-c", example], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == 4
    assert "LanguageModel" in done.stdout
