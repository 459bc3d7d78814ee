"""A fault in a tuner, a metric or an oracle of somebody else is one line with the line of its author."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hopefear import Decoder, Segment
from hopefear.base import InputError
from hopefear.decoder import Weights
from hopefear.metrics import Bleu, MetricError, PreparedReferences, Statistics, Tokens
from hopefear.runs import learn, naming
from hopefear.tuners import Mira, Pro, TuningError, fact
from hopefear.tuners.catalogue import make_tuner
from hopefear.tuners.contract import RunFiles
from hopefear.tuners.online import Example
from hopefear.tuners.parallel.messages import pack

HERE = r"\(\S*test_authors_code.py:\d+, in "
CORPUS = [Segment("a", id=3, references=("b",)), Segment("a a", id=4, index=1, references=("b b",))]


def decoder() -> Decoder:
    grammar = "[X] ||| a ||| b ||| p=1\n[X] ||| a ||| c ||| q=1\n"
    segment_rules = Decoder(formalism="scfg", weights={"p": -1.0, "q": 0.5})
    translate = segment_rules.translate
    segment_rules.translate = lambda source, *more, **options: translate(source, grammar)  # type: ignore[method-assign]
    return segment_rules


class Update(Mira):
    def update(self, batch: Any, weights: Any, memory: Any) -> Any:
        return np.zeros(3)[7]


class NoStep(Mira):
    def update(self, batch: Any, weights: Any, memory: Any) -> Any:
        return None


class Extracts(Mira):
    def example(self, found: Any, space: Any, memory: Any) -> Any:
        raise KeyError("lesson")


class Optimize(Pro):
    def optimize(self, pool: Any, weights: Any, rng: Any) -> Any:
        return weights + "x"


@pytest.mark.parametrize(
    ("tuner", "message"),
    [
        (Update(), rf"^Update, segment 4: IndexError: .* {HERE}update\)$"),
        (NoStep(), r"^NoStep, segment 4: TypeError: update must return a Step, got NoneType"),
        (Extracts(), rf"^Extracts, segment 3: KeyError: 'lesson' {HERE}example\)$"),
        (Optimize(), rf"^Optimize, pass 1: .*Error: .* {HERE}optimize\)$"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_fault_of_a_tuner(tuner: Any, message: str) -> None:
    with pytest.raises(TuningError, match=message):
        tuner.fit(decoder(), CORPUS)


class Init(Mira):
    def init(self) -> Any:
        return {}["state"]


class Fit(Mira):
    def fit(self, decoder: Any, corpus: Any, **options: Any) -> Any:
        return super().fit(decoder, corpus[:, 1], **options)


class Begin(Mira):
    def begin(self, training: Any, document: Any, memory: Any) -> None:
        raise LookupError("nothing")


def test_a_fault_where_a_tuner_is_made() -> None:
    with pytest.raises(InputError, match=rf"^Init: KeyError: 'state' {HERE}init\)$"):
        make_tuner(f"{__name__}:Init")


@pytest.mark.parametrize(
    ("tuner", "message"),
    [
        (Fit(), rf"^Fit: TypeError: list indices must be integers .* {HERE}fit\)$"),
        (Begin(), rf"^Begin: LookupError: nothing {HERE}begin\)$"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_fault_anywhere_in_a_run(tuner: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=message), naming(type(tuner).__name__):
        learn(RunFiles(tmp_path), tuner, decoder(), CORPUS, resume=False)


class BadReferences(PreparedReferences):
    def compare(self, hypothesis: Tokens) -> Statistics:
        return np.array([{}[word] for word in hypothesis])


@dataclass(frozen=True)
class Bad(Bleu):
    def compile(self, references: Sequence[Tokens]) -> PreparedReferences:
        return BadReferences()


@dataclass(frozen=True)
class BadScores(Bleu):
    def formula(self, stats: Statistics) -> Statistics:
        raise ZeroDivisionError("no words")


def test_a_fault_of_a_metric() -> None:
    with pytest.raises(
        MetricError, match=rf"^metric BadReferences: KeyError: 'b' {HERE}<listcomp>\)|compare\)$"
    ):
        Bad().stats("b", ["b"])
    with pytest.raises(
        MetricError, match=rf"^metric BadScores: ZeroDivisionError: no words {HERE}formula\)$"
    ):
        Pro(metric=BadScores()).fit(decoder(), CORPUS)


@pytest.mark.parametrize(
    ("line", "setting", "message"),
    [
        (
            "Mira",
            "oracle=KBestLocal --k 0",
            "^oracle KBestLocal: k must be at least 1, got 0",
        ),
        ("Mira", "oracle=KBestLocal --q 0", "^KBestLocal: unknown argument --q"),
        ("Pro", "oracle=KBestLocal", "^Pro takes no oracle: expected no --oracle, or another tuner"),
    ],
)
def test_what_is_wrong_with_an_oracle_is_not_blamed_on_the_tuner(
    line: str, setting: str, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        make_tuner(line, [setting])


@dataclass
class Unnumbered:
    slope: float = fact(0.0)


def test_an_example_without_features_is_refused() -> None:
    with pytest.raises(
        TuningError, match=r"^Unnumbered: expected an array .* with of_features=True, got none"
    ):
        pack(Example(3, 0.0, Unnumbered()), Weights())
