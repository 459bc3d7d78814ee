"""What a page of the documentation shows, against what is printed."""

from __future__ import annotations

import re

import pytest

NUMBER = re.compile(r"-?\d+(?:[.,]\d+)*")
SIMILAR = 1e-3


def assert_alike(shown: str, printed: str, varies: bool, where: str) -> None:
    context = f"{where}: the page shows\n{shown}\nand this is what was printed:\n{printed}"
    assert NUMBER.sub("#", " ".join(shown.split())) == NUMBER.sub("#", " ".join(printed.split())), context
    if not varies:
        pair = (
            [float(number.replace(",", "")) for number in NUMBER.findall(text)] for text in (shown, printed)
        )
        for one, other in zip(*pair, strict=True):
            assert one == pytest.approx(other, rel=SIMILAR), context
