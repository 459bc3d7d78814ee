"""Online tuners that follow the gradient of a loss, by any step rule."""

from __future__ import annotations

import inspect
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from hopefear.decoder import Hypotheses, Segment, Weights

from ..contract import State, Step, load_features, setting
from ..solvers import STEP_RULES, Sparse, StepRule
from .online import OnlineTuner
from .run import Progress

_OPTIONS = ("l1", "l2", "delta")
"""Settings of some rules only."""


@dataclass(kw_only=True, eq=False, repr=False)
class GradientTuner(OnlineTuner):
    """What tuners by gradient share; an algorithm gives `_gradient` and what `OnlineTuner` asks for.

    Parameters
    ----------
    rule : {"sgd", "adagrad", "rda"}
        How far an update goes, see `hopefear.tuners.solvers.step_rules`.
    rate : float
        η of the rule.
    l2, l1, delta : float
        Of the rules "sgd", "rda", and both "adagrad" and "rda"; with another rule they must be at their
        defaults. An average of weights is never sparse: with `l1`, `average` should be "none".
    """

    STEP_SIZE: ClassVar[str] = "rate"

    rule: str = setting("sgd", choices=STEP_RULES)
    rate: float = 0.01
    l2: float = 0.0
    l1: float = 0.0
    delta: float = 1e-6

    _step_rule: StepRule | None = field(default=None, init=False)

    @abstractmethod
    def _gradient(self, batch: Sequence[Hypotheses], weights: NDArray[np.float64]) -> tuple[Sparse, float]:
        """Give features, all different, with the gradient of a batch's loss by them, and the loss."""

    def _check_settings(self) -> None:
        super()._check_settings()
        self._make_rule()

    def _make_rule(self) -> StepRule:
        kind = STEP_RULES[self.rule]
        known = inspect.signature(kind).parameters
        own = inspect.signature(type(self)).parameters
        for name in _OPTIONS:
            if name not in known and getattr(self, name) != own[name].default:
                raise ValueError(
                    f"rule {self.rule!r} has no setting {name}, got {name}={getattr(self, name)}"
                )
        return kind(**{name: getattr(self, name) for name in known})

    def _rule_settings(self) -> dict[str, Any]:
        """Give the settings of the rule that a resumed run must share."""
        return {name: repr(getattr(self, name)) for name in ("rule", "rate", *_OPTIONS)}

    def _start(self, corpus: Sequence[Segment]) -> None:
        self._step_rule = self._make_rule()

    def _own_state(self, weights: Weights) -> State:
        assert self._step_rule is not None
        size = len(weights)
        saved = self._step_rule.get_state().items()
        return {
            "facts": {},
            "arrays": {f"rule_{name}": x if name == "counts" else x[:size] for name, x in saved},
        }

    def _set_own_state(self, state: State, weights: Weights) -> None:
        assert self._step_rule is not None
        numbers = load_features(state["arrays"]["names"], weights)
        rule = {name.removeprefix("rule_"): values for name, values in state["arrays"].items()}
        self._step_rule.set_state(rule, numbers)

    def _step(self, batch: Sequence[Hypotheses], weights: NDArray[np.float64]) -> Step:
        assert self._step_rule is not None
        (features, gradient), loss = self._gradient(batch, weights)
        return Step(*self._step_rule.step(features, gradient, weights), loss, 1)

    def _learned(self, progress: Progress, weights: Weights) -> NDArray[np.float64]:
        learned = super()._learned(progress, weights)
        if self.average == "none" and self._step_rule is not None:
            features, change = self._step_rule.settle(learned)
            learned[features] += change
            weights.array[features] = learned[features]
        return learned
