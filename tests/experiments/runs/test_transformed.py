"""Rows of a plan that a Transformer translates, alone or in a consensus with the forest."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.transformers import WORDS, need_neural, trained

from hopefear.base import InputError
from hopefear.decoder import Decoder, ScoredTexts, combine
from hopefear.experiments import Experiment, read_plan
from hopefear.neural import TranslationModel

SOURCES = ["casa gato libro mesa", "perro casa mesa gato"]
PLAN = """\
title = "A Transformer"

[sets.test]
config = "cdec.ini"
source = "in"
references = ["reference"]

[systems.Transformer]
transformer = "nmt"

[systems.consensus]
transformer = "nmt"
consensus = true

[tuners]
untuned = "none"

[[runs]]
tune = ["test"]
test = ["test"]
"""


@pytest.fixture(name="folder")
def folder_of_a_system(tmp_path: Path) -> Path:
    need_neural()
    trained(tmp_path / "nmt", 12, count=60, width=16, inner=32, average=0.9)
    grammar = (f"[X] ||| {f} ||| {e} ||| p=-{len(e)}\n" for f in WORDS for e in WORDS.values())
    (tmp_path / "grammar").write_text("".join(grammar))
    (tmp_path / "weights").write_text("p 1\n")
    (tmp_path / "cdec.ini").write_text("formalism=scfg\ngrammar=grammar\nweights=weights\n")
    (tmp_path / "in").write_text("".join(f"{source}\n" for source in SOURCES))
    right = (" ".join(WORDS[word] for word in source.split(" ")) for source in SOURCES)
    (tmp_path / "reference").write_text("".join(f"{line}\n" for line in right))
    (tmp_path / "plan.toml").write_text(PLAN)
    return tmp_path


def test_the_rows_are_what_the_model_and_the_consensus_say(folder: Path) -> None:
    runs = Experiment(read_plan(folder / "plan.toml", folder / "out"), folder / "out").run()
    model, decoder = TranslationModel(folder / "nmt"), Decoder(folder / "cdec.ini")
    alone = [found[0].text for found in model.translate(SOURCES)]
    lists = [
        ScoredTexts([each.text for each in found], [each.log_probability for each in found])
        for found in model.translate(SOURCES, n_best=20)
    ]
    both = [
        combine([said, decoder.translate(source).forest]) for source, said in zip(SOURCES, lists, strict=True)
    ]
    found = {
        run.system: (folder / "out" / "cells" / run.cell / "test.txt").read_text("utf-8").splitlines()
        for run in runs
    }
    assert found == {"Transformer": alone, "consensus": both}


def test_a_consensus_needs_a_transformer(folder: Path) -> None:
    path = folder / "plan.toml"
    path.write_text(PLAN.replace('transformer = "nmt"\nconsensus', "consensus"))
    with pytest.raises(InputError, match="expected the key transformer beside consensus, got none"):
        read_plan(path, folder / "out")
