"""Rows of a plan that a Transformer translates, alone or in a consensus with the forest."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from support.transformers import WORDS, need_neural, trained

from hopefear.base import InputError
from hopefear.decoder import Decoder, ScoredTexts, combine
from hopefear.experiments import Experiment, read_plan
from hopefear.experiments.results import read_order
from hopefear.experiments.runs.corpora import in_drawn_order
from hopefear.neural import TranslationModel
from hopefear.tuners.transformer import FineTuningSettings

SOURCES = ["casa gato libro mesa", "perro casa mesa gato"]
RIGHT = [" ".join(WORDS[word] for word in source.split(" ")) for source in SOURCES]
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

[systems."fine-tuned"]
transformer = "nmt"
fine_tuning = "rate=0.01 steps=20"

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
    (tmp_path / "reference").write_text("".join(f"{line}\n" for line in RIGHT))
    (tmp_path / "plan.toml").write_text(PLAN)
    return tmp_path


def test_the_rows_are_what_the_model_and_the_consensus_say(folder: Path) -> None:
    from hopefear.tuners.transformer.fine_tuning import FineTuning

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
    learning = FineTuning(folder / "nmt", FineTuningSettings(rate=0.01, steps=20))
    first = learning.model().translate(SOURCES[:1])[0][0].text
    learning.learn(SOURCES[0], RIGHT[0])
    second = learning.model().translate(SOURCES[1:])[0][0].text
    assert found == {"Transformer": alone, "consensus": both, "fine-tuned": [first, second]}


def test_fine_tuning_takes_documents_in_the_order_of_the_seed(folder: Path) -> None:
    (folder / "documents").write_text("one\ntwo\n")
    seed = next(seed for seed in range(10) if in_drawn_order([1, 2], seed) == [1, 0])
    plan = PLAN.replace('source = "in"', 'source = "in"\ndocuments = "documents"')
    (folder / "plan.toml").write_text(f'{plan}systems = ["fine-tuned"]\nseeds = [{seed}]\n')
    (run,) = Experiment(read_plan(folder / "plan.toml", folder / "out"), folder / "out").run()
    assert read_order(folder / "out", run) == [1, 0]
    _, last = (folder / "out" / "cells" / run.cell / "test.txt").read_text("utf-8").splitlines()
    assert last == TranslationModel(folder / "nmt").translate(SOURCES[1:])[0][0].text


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        (
            'transformer = "nmt"\nconsensus',
            "consensus",
            "systems.consensus.consensus: expected the key transformer beside consensus, got none",
        ),
        (
            'transformer = "nmt"\nfine_tuning',
            "fine_tuning",
            "systems.fine-tuned.fine_tuning: expected the key transformer beside fine_tuning, got none",
        ),
        (
            "consensus = true",
            'consensus = true\nfine_tuning = ""',
            "systems.consensus.consensus: expected either consensus or fine_tuning, got both",
        ),
        (
            "steps=20",
            "steps=0",
            "systems.fine-tuned.fine_tuning: steps",
        ),
        (
            "steps=20",
            "step=20",
            "systems.fine-tuned.fine_tuning: FineTuningSettings: unknown setting step",
        ),
    ],
)
def test_wrong_systems_are_refused(folder: Path, right: str, wrong: str, message: str) -> None:
    path = folder / "plan.toml"
    path.write_text(PLAN.replace(right, wrong))
    with pytest.raises(InputError, match=re.escape(message)):
        read_plan(path, folder / "out")
