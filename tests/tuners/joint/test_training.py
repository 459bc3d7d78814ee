"""Joint models as PyTorch has them, and as the search has them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.joint_derivations import all_translations
from support.world import write_parallel_text

from hopefear.base import InputError
from hopefear.decoder import Decoder
from hopefear.tuners.joint import JointSettings, Pair

GRAMMAR = """\
[X] ||| veo ||| i see ||| p=1 ||| 0-0 0-1
[X] ||| busco ||| i seek ||| p=1 ||| 0-1
[X] ||| la [X,1] ||| the [1] ||| p=1 ||| 0-0
[X] ||| casa ||| house ||| p=1 ||| 0-0
[X] ||| casa ||| table ||| p=2
[X] ||| roja ||| red ||| p=1 ||| 0-0
[X] ||| roja ||| old ||| p=2 ||| 0-0
[X] ||| [X,1] roja ||| red [1] ||| p=2 ||| 1-0
[X] ||| [X,1] [X,2] ||| [2] [1] ||| p=3
[X] ||| y [X,1] ||| and so [1] ||| p=1 ||| 0-0
"""


@pytest.fixture(autouse=True)
def torch() -> Any:
    """Import PyTorch when a test begins, not while tests are collected."""
    return pytest.importorskip("torch", reason="needs PyTorch")


def trained(folder: Path, passes: int, **settings: Any) -> Any:
    import torch

    from hopefear.tuners.joint.training import JointTraining

    torch.set_num_threads(1)  # the network is small
    write_parallel_text(folder, 60)
    columns = [(folder / f"train.{end}").read_text().splitlines() for end in ("f", "e", "align")]
    pairs = [
        Pair(f.split(), e.split(), [(int(i), int(j)) for i, j in (link.split("-") for link in links.split())])
        for f, e, links in zip(*columns, strict=True)
    ]
    sizes = {"history": 2, "around": 1, "embedding": 8, "first": 16, **settings}
    training = JointTraining(pairs[:50], pairs[50:], JointSettings(**sizes), "the text")
    training.reports = []
    training.run(passes, folder / "joint.hfn", folder / "checkpoint", training.reports.append)
    return training


@pytest.mark.parametrize(
    "variant", [{}, {"second": 16, "dropout": 0.5}, {"right_to_left": True}, {"history": 0}]
)
def test_the_search_has_the_probabilities_of_pytorch(tmp_path: Path, variant: dict[str, Any]) -> None:
    training = trained(tmp_path, 1, **variant)
    history, right_to_left = training.settings.history, training.settings.right_to_left
    f_words, e_words = list(training.source.words), list(training.target.words)

    @cache
    def output(before: tuple[str, ...], source: tuple[str, ...], at: int) -> Any:
        padded = ["<s>", "<s>", *source, "</s>", "</s>"]
        window = [f_words.index(each) if each in f_words else 0 for each in padded[at + 1 : at + 4]]
        history = [e_words.index(each) if each in e_words else 0 for each in before]
        return training.log_probabilities(np.array([window], np.int32), np.array([history], np.int32))[0]

    def probability(before: Sequence[str], word: str, source: Sequence[str], at: int) -> float:
        found = output(tuple(before), tuple(source), at)
        return float(found[e_words.index(word) if word in e_words else 0])

    (tmp_path / "grammar").write_text(GRAMMAR)
    lines = "formalism=scfg\ngrammar=grammar\nadd_pass_through_rules=true\nintersection_strategy=full\n"
    (tmp_path / "plain.ini").write_text(lines)
    (tmp_path / "cdec.ini").write_text(f"{lines}feature_function=JointModel joint.hfn\n")
    weights = {"p": -0.5, "JointModel": 0.7}
    seen = 0
    for sentence in ("veo la casa roja", "busco casa y casa"):
        plain = Decoder(tmp_path / "plain.ini", weights=weights).translate(sentence)
        expected = all_translations(
            plain, sentence.split(), history, 0.7, probability, right_to_left=right_to_left
        )
        forest = Decoder(tmp_path / "cdec.ini", weights=weights).translate(sentence)
        found = sorted((forest.text(d), forest.score(d)) for d in forest.derivations(1 << 20))
        assert [text for text, _ in found] == [text for text, _ in expected]
        assert [score for _, score in found] == pytest.approx([score for _, score in expected], abs=1e-4)
        seen += len(found)
    assert seen >= 100


def test_it_learns_what_the_text_says_and_stays_normalised(tmp_path: Path) -> None:
    first, *_, last = trained(tmp_path, 25, rate=0.005, batch=64).reports
    # Of the words, only "house", "red" and so on are left to the source; each is determined by it.
    assert last.perplexity < 1.3 < 5 < first.perplexity
    assert last.normaliser < 0.2


def test_dropout_makes_learning_harder_and_is_off_where_the_network_is_measured(tmp_path: Path) -> None:
    *_, plain = trained(tmp_path, 25, rate=0.005, batch=64).reports
    training = trained(tmp_path, 25, rate=0.005, batch=64, dropout=0.5)
    assert plain.loss < training.reports[-1].loss
    words = np.array([[1, 2, 3]], np.int32), np.array([[1, 2]], np.int32)
    assert np.array_equal(training.log_probabilities(*words), training.log_probabilities(*words))


@pytest.mark.parametrize("dropout", [0.0, 0.5])
def test_a_training_goes_on_as_if_it_had_not_been_stopped(tmp_path: Path, dropout: float) -> None:
    from hopefear.tuners.joint.training import JointTraining

    for name in ("whole", "parts"):
        (tmp_path / name).mkdir()
    whole = trained(tmp_path / "whole", 4, dropout=dropout)
    trained(tmp_path / "parts", 2, dropout=dropout)
    again = trained(tmp_path / "parts", 0, dropout=dropout)
    again.resume(tmp_path / "parts" / "checkpoint")
    again.run(4, tmp_path / "parts" / "joint.hfn", tmp_path / "parts" / "checkpoint", lambda report: None)
    for name in ("joint.hfn", "checkpoint"):
        assert (tmp_path / "parts" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    other = JointSettings(**{**vars(whole.settings), "seed": 1})
    pair = Pair(["a"], ["b"], [(0, 0)])
    with pytest.raises(InputError, match="expected a training with seed 1, got 0"):
        JointTraining([pair], [pair], other, "the text").resume(tmp_path / "whole" / "checkpoint")


def test_units_that_the_file_cannot_have_are_refused() -> None:
    with pytest.raises(InputError, match="second must be a multiple of 16, got 8"):
        JointSettings(second=8)
    with pytest.raises(InputError, match="history must be from 0 to 16, got 17"):
        JointSettings(history=17)
