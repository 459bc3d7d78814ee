"""Checks of settings that tuners share."""

from __future__ import annotations

import math


def check_at_least(owner: object, **lowest: float) -> None:
    """Raise ValueError where an attribute of `owner` is below its lowest value, or no number."""
    for name, least in lowest.items():
        if not getattr(owner, name) >= least:
            raise ValueError(f"{name} must be at least {least}, got {getattr(owner, name)}")


def check_finite(name: str, value: float, *, above: bool = False) -> None:
    """Raise ValueError where a value is infinite, no number, below 0 or, with `above`, 0."""
    if not (value > 0 if above else value >= 0) or not value < math.inf:
        raise ValueError(f"{name} must be {'above' if above else 'at least'} 0 and finite, got {value}")
