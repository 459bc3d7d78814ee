"""``--annotation``: annotations of one's own in every command that reads sentences."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.command import call

from hopefear.grammars.sample import sample_path

MODULE = """
import numpy as np
from hopefear import EdgeFeatures, FeatureTable


class Noted(EdgeFeatures):
    fires = ("Noted_*",)

    def fire(self, edges, segment):
        name = "Noted_" + str(segment.annotations["mood"])
        return FeatureTable.from_dense((name,), np.ones((len(edges), 1)))
"""
SENTENCES = b"y dijo dios .\nluz .\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "noted_moods.py").write_text(MODULE, "utf-8")
    (tmp_path / "moods").write_text("glad\nsad\n", "utf-8")
    (tmp_path / "dev.es").write_bytes(SENTENCES)
    (tmp_path / "dev.en").write_text("and god said .\nlight .\n", "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


MODEL = ["-c", str(sample_path() / "cdec.ini"), "-w", str(sample_path() / "weights.init")]
NOTED = ["--feature", "noted_moods:Noted"]


def test_decode(folder: Path) -> None:
    done = call(["decode", *MODEL, *NOTED, "--annotation", "mood=moods", "-k", "1"], SENTENCES, folder)
    assert done.returncode == 0, done.stderr
    first, second = done.stdout.decode().splitlines()
    assert "Noted_glad=" in first and "Noted_sad=" in second
    own = call(["decode", *MODEL, *NOTED, "-k", "1"], b'<seg mood="calm">luz .</seg>\n', folder)
    assert b"Noted_calm=" in own.stdout


def test_a_bad_line_is_the_only_error(folder: Path) -> None:
    source = b"luz .\n<seg id='1\n"
    skips = ["--on-error", "skip", "--errors", "bad.tsv"]
    done = call(["decode", *MODEL, *NOTED, "--annotation", "mood=moods", *skips], source, folder)
    assert b"moods" not in done.stderr, done.stderr
    assert len((folder / "bad.tsv").read_text("utf-8").splitlines()) == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "no annotation mood: expected --annotation mood=FILE, there is none"),
        (["--annotation", "mod=moods"], "no annotation mood: expected --annotation mood=FILE, near: mod"),
        (["--annotation", "moods"], "expected --annotation NAME=FILE, got 'moods'"),
        (["--annotation", "a=moods", "--annotation", "a=dev.en"], "expected --annotation a=FILE once"),
        (["--annotation", "mood=one"], "one:2: expected the annotation mood of sentence 2, got the end"),
        (["--annotation", "mood=three"], "three:3: expected 2 lines, one a segment, got more"),
    ],
)
def test_what_is_wrong_is_told(folder: Path, options: list[str], message: str) -> None:
    (folder / "one").write_text("glad\n")
    (folder / "three").write_text("glad\n" * 3)
    done = call(["decode", *MODEL, *NOTED, *options], SENTENCES, folder)
    assert done.returncode != 0 and message in done.stderr.decode()


def test_tune_records_the_file_and_resumes_only_with_the_same(folder: Path) -> None:
    files = ["-s", "dev.es", "-r", "dev.en", "--annotation", "mood=moods"]
    dev = ["--dev-source", "dev.es", "--dev-reference", "dev.en", "--dev-annotation", "mood=moods"]
    command = ["tune", *MODEL, *NOTED, *files, *dev, "--tuner", "Mira", "--passes", "1", "-o", "run"]
    done = call(command, b"", folder)
    assert done.returncode == 0, done.stderr
    assert "Noted_" in (folder / "run" / "weights.final").read_text("utf-8")
    (session,) = json.loads((folder / "run" / "run.json").read_text("utf-8"))["sessions"]
    assert [fact["path"] for fact in session["files"]["annotation"]] == ["moods"]
    (folder / "moods").write_text("sad\nglad\n", "utf-8")
    again = call([*command, "--resume"], b"", folder)
    assert "the files of --annotation have changed" in again.stderr.decode()
