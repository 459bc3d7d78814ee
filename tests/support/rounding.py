"""Weights that are equal but for rounding."""

from __future__ import annotations

from collections.abc import Mapping

import pytest


def are_equal_but_for_rounding(one: Mapping[str, float], other: Mapping[str, float]) -> bool:
    """Compare what two runs learned whose rules have different numbers.

    Values are added up in the order of these numbers, so that what is 0 in one run may be 1e-16 in the other.
    Of two translations with equal scores the one counts that comes first by these numbers, so that two rules
    that are always used together may share their weight in another way.
    """
    zeros = dict.fromkeys(one.keys() | other.keys(), 0.0)
    return {**zeros, **one} == pytest.approx({**zeros, **other}, rel=1e-3, abs=1e-3)
