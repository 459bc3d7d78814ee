"""What `check_tuner` says about tuners that break the contract."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from hopefear.tuners import (
    Hypotheses,
    Mira,
    OnlineTuner,
    Oracle,
    SearchSpace,
    Step,
    TuningError,
    array,
    check_oracle,
    check_tuner,
    setting,
)
from hopefear.tuners.oracles import create_oracle
from hopefear.tuners.oracles.catalogue import oracles


@dataclass(kw_only=True, eq=False, repr=False)
class Positional(Mira):
    def __init__(self, C: float = 0.01) -> None:
        super().__init__(C=C)


@dataclass(kw_only=True, eq=False, repr=False)
class Converting(Mira):
    def __post_init__(self) -> None:
        self.C = float(self.C)


class WithoutDefault(Mira):
    def __init__(self, *, C: float) -> None:
        super().__init__(C=C)


@dataclass(kw_only=True, eq=False, repr=False)
class Unchecked(Mira):
    momentum: float = setting(0.5, least=0, below=1)

    def _check_settings(self) -> None:
        """Forget the constraints."""


@dataclass(kw_only=True, eq=False, repr=False)
class Wrong(Mira):
    passes: int = 0


@dataclass(frozen=True)
class Numbers:
    """Of features, which it does not say."""

    features: np.ndarray = array("i8", init=True)
    values: np.ndarray = array(init=True)


@dataclass(kw_only=True, eq=False, repr=False)
class Steps(OnlineTuner):
    """Steps from the best to the hope, whose examples cannot be sent."""

    EXAMPLE = Numbers

    def example(self, found: Any, space: Any, memory: Any) -> Numbers:
        """Return the difference."""
        hope, best = (one.translations.take([0]) for one in (found.hope, found.best))
        numbers = np.append(hope.features, best.features).astype(np.int64)
        return Numbers(numbers, np.append(hope.values, -best.values))

    def update(self, batch: Any, weights: Any, memory: Any) -> Step:
        change = np.zeros(len(weights))
        for one in batch:
            np.add.at(change, one.features, one.values)
        features = np.flatnonzero(change)
        return Step(features, change[features], hinge=0.0, steps=1)


@dataclass(kw_only=True, eq=False, repr=False)
class Changing(Mira):
    def fit(self, *given: Any, **options: Any) -> Changing:
        super().fit(*given, **options)
        self.C /= 2
        return self


@dataclass(kw_only=True, eq=False, repr=False)
class Naming(Mira):
    def fit(self, *given: Any, **options: Any) -> Naming:
        self.started = True
        super().fit(*given, **options)
        return self


@pytest.mark.parametrize(
    ("tuner", "message"),
    [
        (Positional, "check stores: parameter C is not keyword-only"),
        (Converting, "check stores: TypeError: "),
        (lambda: WithoutDefault(C=1.0), "check stores: parameter C has no default"),
        (Unchecked, r"check settings: parameter passes must be at least 1, but check\(\) accepts nan"),
        (Wrong, "check settings: ValueError: passes must be at least 1, got 0"),
        (Changing, "check learned: fit changes the setting C"),
        (Steps, "check parallel: TuningError: Numbers: expected an array .* with of_features=True, got none"),
        (Naming, "check learned: fit adds started, whose name must end in _"),
    ],
)
def test_a_tuner_that_breaks_the_contract_is_refused(tuner: Any, message: str) -> None:
    with pytest.raises(TuningError, match=f"^[A-Z][A-Za-z]+: {message}"):
        check_tuner(tuner)


def test_a_setting_of_a_subclass_is_checked_as_declared() -> None:
    @dataclass(kw_only=True, eq=False, repr=False)
    class Own(Mira):
        passes: int = 3
        momentum: float = setting(0.5, least=0, below=1)
        first: int | None = setting(None, least=2)

    assert repr(Own(momentum=0.25)) == "Own(momentum=0.25)"
    Own(first=2, average="none").check()
    for settings, message in (
        ({"passes": 0}, "passes must be at least 1, got 0"),
        ({"momentum": 1}, "momentum must be at least 0 and below 1, got 1"),
        ({"first": 1}, "first must be at least 2, got 1"),
        ({"passes": None}, "passes must be at least 1, got None"),
        ({"decay": 2}, "decay must be from 0 to 1, got 2"),
        ({"average": "some"}, "average must be one of last, all, none, got 'some'"),
        ({"C": float("inf")}, "C must be above 0 and finite, got inf"),
    ):
        with pytest.raises(ValueError, match=message):
            Own(**settings).check()  # type: ignore[arg-type]


class WithinReach(Oracle):
    """Hope and fear among the best by the model."""

    def __init__(self, *, k: int = 20) -> None:
        self.k = k

    def find(self, space: SearchSpace) -> Hypotheses | None:
        best = space.best(self.k)
        return Hypotheses(space.segment, best=best, hope=best.ranked(0.0, 1), fear=best)


class Finding(WithinReach):
    def find(self, space: SearchSpace) -> Hypotheses | None:
        raise LookupError("no hope")


class Nothing(WithinReach):
    def find(self, space: SearchSpace) -> Hypotheses | None:
        return None


class Empty(WithinReach):
    def find(self, space: SearchSpace) -> Hypotheses | None:
        best = space.best(self.k)
        return Hypotheses(space.segment, best=best, hope=best.take([]), fear=best)


class Counting(WithinReach):
    seen = 0

    def find(self, space: SearchSpace) -> Hypotheses | None:
        Counting.seen += 1
        best = space.best(self.k)
        return Hypotheses(space.segment, best=best.take(range(1 + Counting.seen % 3)), hope=best, fear=best)


class Halving(WithinReach):
    def __init__(self, *, k: int = 20) -> None:
        self.k = k // 2


class Unready(WithinReach):
    def prepare(self) -> None:
        raise ValueError("k must be even")


class Bound(WithinReach):
    def __init__(self, *, k: int = 20) -> None:
        super().__init__(k=k)
        self.choose = lambda best: best


@pytest.mark.parametrize(
    ("oracle", "message"),
    [
        (
            Finding(),
            r"answers: .*Finding, sentence 1: LookupError: no hope \(\S*test_checking.py:\d+, in find\)",
        ),
        (Nothing(), "answers: found nothing for any sentence"),
        (Empty(), "answers: .*find must return at least one translation as hope, got none"),
        (Counting(), "repeats: a copy finds other translations"),
        (Halving(), r"stores: TypeError: .* \(\S*test_checking.py:\d+, in __init__\)"),
        (Unready(), "prepare: .*k must be even"),
        (Bound(), "processes: "),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Oracle) else "",
)
def test_an_oracle_that_breaks_the_contract_is_refused(oracle: Oracle, message: str) -> None:
    with pytest.raises(TuningError, match=f"^{type(oracle).__name__}: check {message}"):
        check_oracle(oracle)


@pytest.mark.parametrize("name", oracles.known())
def test_built_in_oracles_pass(name: str) -> None:
    check_oracle(create_oracle(name))
    check_oracle(WithinReach())
