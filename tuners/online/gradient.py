"""Online tuners that follow the gradient of a loss, by any step rule."""

from __future__ import annotations

import inspect
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from hopefear.base.arrays import Floats

from ..contract import Step, setting
from ..solvers import STEP_RULES, Sparse, StepRule
from .online import OnlineTuner

_OPTIONS = ("l1", "l2", "delta")
"""Settings of some rules only."""


@dataclass(kw_only=True, eq=False, repr=False)
class GradientTuner(OnlineTuner):
    """What tuners by gradient share; an algorithm defines `gradient` in place of `update`.

    Parameters
    ----------
    rule : {"sgd", "adagrad", "rda"}
        How far an update goes, see `hopefear.tuners.solvers.step_rules`.
    rate : float
        η of the rule.
    l2, l1, delta : float
        Of the rules "sgd", "rda", and both "adagrad" and "rda"; with another rule they must be at their
        defaults. An average of weights is never sparse: with `l1`, `average` should be "none". With
        `families`, they are settings of families.
    """

    STEP_SIZE: ClassVar[str | None] = "rate"

    rule: str = setting("sgd", choices=STEP_RULES)
    rate: float = 0.01
    l2: float = setting(0.0, unless="families")
    l1: float = setting(0.0, unless="families")
    delta: float = 1e-6

    @abstractmethod
    def gradient(self, batch: Sequence[Any], weights: Floats) -> tuple[Sparse, float]:
        """Return features, all different, with the gradient of a batch's loss by them, and the loss."""

    def init(self) -> StepRule:
        """Return the rule, which keeps sums over past gradients."""
        kind = STEP_RULES[self.rule]
        known = inspect.signature(kind).parameters
        own = inspect.signature(type(self)).parameters
        for name in _OPTIONS:
            if name not in known and getattr(self, name) != own[name].default:
                raise ValueError(
                    f"rule {self.rule!r} has no setting {name}, got {name}={getattr(self, name)}"
                )
        return kind(**{name: getattr(self, name) for name in known})

    def update(self, batch: Sequence[Any], weights: Floats, memory: StepRule) -> Step:
        """Return the change by the rule."""
        (features, gradient), loss = self.gradient(batch, weights)
        return Step(*memory.step(features, gradient, weights), loss, 1)

    def settle(self, weights: Floats, memory: StepRule) -> None:
        """Shrink the weights as far as it is due."""
        features, change = memory.settle(weights)
        weights[features] += change

    def _check_settings(self) -> None:
        super()._check_settings()
        if self.families is not None and self.rule == "rda":
            raise ValueError("rule 'rda' computes weights from sums of gradients: families need another rule")
        self.init()
