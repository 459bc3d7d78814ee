from __future__ import annotations

from pathlib import Path

import pytest

from hopefear.base import InputError
from hopefear.experiments.plan.plan import Preparation
from hopefear.experiments.runs.preparation import LOCK, prepare


def preparation(text: Path, order: int) -> Preparation:
    words = ("ngrams", "--text", str(text), "--order", str(order), "--discount-fallback", "0.5 1 1.5")
    return Preparation("lm.arpa", (*words, "--use", "ours", "-o", "{output}"))


@pytest.mark.slow
def test_a_command_is_run_once_whatever_folder_its_output_is_in(tmp_path, monkeypatch):
    text = tmp_path / "text"
    text.write_text("a b c\nb c a\n")
    monkeypatch.chdir(tmp_path)
    for folder in (Path("out/prepared"), tmp_path / "whole"):
        made = folder / "lm.arpa"
        prepare(folder, preparation(text, 1))
        assert "ngram 1=" in made.read_text() and "ngram 2=" not in made.read_text()
        made.write_text("as it was")
        prepare(folder, preparation(text, 1))
        assert made.read_text() == "as it was"
        prepare(folder, preparation(text, 2))
        assert "ngram 2=" in made.read_text()
        kept = sorted(path.name for path in folder.iterdir() if path.name != LOCK)
        assert kept == ["lm.arpa", "lm.arpa.command"]


def test_experiments_share_a_folder_by_a_link(tmp_path):
    text = tmp_path / "text"
    text.write_text("a b c\nb c a\n")
    prepare(tmp_path / "first", preparation(text, 1))
    (tmp_path / "first" / "lm.arpa").write_text("as it was")
    (tmp_path / "second").symlink_to(tmp_path / "first")
    prepare(tmp_path / "second", preparation(text, 1))
    assert (tmp_path / "first" / "lm.arpa").read_text() == "as it was"


@pytest.mark.slow
def test_what_another_command_left_half_done_is_not_taken(tmp_path):
    text = tmp_path / "text"
    text.write_text("a b c\nb c a\n")
    prepare(tmp_path, preparation(text, 1))
    with pytest.raises(InputError, match=r"hopefear ngrams .*: ended with status 2"):
        prepare(tmp_path, preparation(tmp_path / "none", 1))
    (tmp_path / "lm.arpa").write_text("half")  # as a command would that is killed
    prepare(tmp_path, preparation(text, 1))
    assert "ngram 1=" in (tmp_path / "lm.arpa").read_text()
