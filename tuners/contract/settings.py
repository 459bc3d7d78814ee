"""What the settings of all tuners share: how they are shown, and checks."""

from __future__ import annotations

import inspect
import math

from hopefear.base.texts import shortened


class Settings:
    """Settings that a constructor takes and stores under their names."""

    def __repr__(self) -> str:
        """Name the settings that are not as by default: ``Mira(C=0.05)``."""
        shown = []
        for name, parameter in inspect.signature(type(self)).parameters.items():
            text, default = repr(getattr(self, name, parameter.default)), repr(parameter.default)
            if text != default:
                shown.append(f"{name}={shortened(text)}")
        return f"{type(self).__name__}({', '.join(shown)})"


def check_at_least(owner: object, **lowest: float) -> None:
    """Raise ValueError where an attribute of `owner` is below its lowest value, or no number."""
    for name, least in lowest.items():
        if not getattr(owner, name) >= least:
            raise ValueError(f"{name} must be at least {least}, got {getattr(owner, name)}")


def check_finite(name: str, value: float, *, above: bool = False) -> None:
    """Raise ValueError where a value is infinite, no number, below 0 or, with `above`, 0."""
    if not (value > 0 if above else value >= 0) or not value < math.inf:
        raise ValueError(f"{name} must be {'above' if above else 'at least'} 0 and finite, got {value}")
