"""What is not installed is named before a command does any work, with the command that installs it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from support.world import write_parallel_text
from typer.testing import CliRunner

from hopefear.cli import app

ALIGN = 'pip install "hopefear[align]"'
CLUSTER = 'pip install "hopefear[cluster]"'
LIVE = 'pip install "hopefear[live]"'
NEURAL = 'pip install "hopefear[neural]"'
LINK_PARSER = "apt-get install link-grammar"


@pytest.mark.parametrize(
    ("missing", "advice", "command"),
    [
        ("eflomal", ALIGN, "build -s train.f -t train.e -i test.f -o system --discount-fallback"),
        ("eflomal", ALIGN, "align -s none -t none -o out"),
        ("ray", CLUSTER, "decode -c none --cluster local:2"),
        ("ray", CLUSTER, "extract -s none -t none -a none -i none -o out --cluster local:2"),
        ("ray", CLUSTER, "tune -c none -s none -r none -o out --cluster local:2"),
        ("ray", CLUSTER, "hols none -s none -r none -o out --cluster local:2"),
        ("ray", CLUSTER, "experiment none -o out --cluster local:2"),
        ("fastapi", LIVE, "serve -c none --state out"),
        ("uvicorn", LIVE, "serve -c none --state out"),
        ("torch", NEURAL, "train-joint none -o out"),
        ("torch", NEURAL, "train-transformer none -o out"),
        ("ctranslate2", NEURAL, "train-transformer none -o out"),
        ("ctranslate2", NEURAL, "decode-transformer none"),
        ("spacy", "pip install spacy", "annotate -i none --conllu out --spacy es_core_news_sm"),
        ("stanza", "pip install stanza", "annotate -i none --conllu out --stanza es"),
        ("link-parser", LINK_PARSER, "annotate -i none --trees out"),
    ],
)
def test_named_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, missing: str, advice: str, command: str
) -> None:
    monkeypatch.chdir(tmp_path)
    write_parallel_text(tmp_path)
    monkeypatch.setitem(sys.modules, missing, None)
    for module in ("joint.training", "transformer.training", "contract.network_training"):  # import torch
        monkeypatch.delitem(sys.modules, f"hopefear.tuners.{module}", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    done = CliRunner().invoke(app, command.split())
    assert done.exit_code == 2, done.output
    # The files called none are missing, too: they were not yet looked for.
    assert advice in done.output.splitlines()[-1] and "none" not in done.output
    assert "n-gram" not in done.output
    assert not (tmp_path / "out").exists() and not list(tmp_path.glob("system/[!s]*"))
