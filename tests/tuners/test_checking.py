"""What `check_tuner` says about tuners that break the contract."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from hopefear.tuners import Mira, TuningError, check_tuner, setting


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
