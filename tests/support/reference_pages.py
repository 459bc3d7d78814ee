"""The pages of the reference that `docs/reference.py` makes from the code."""

from __future__ import annotations

import re
import sys
from functools import cache

from . import CHECKOUT

sys.path.insert(0, str(CHECKOUT / "docs"))
import reference


@cache
def page(name: str) -> str:
    """Return a page of the reference."""
    return reference.PAGES[name]()


def sections(name: str) -> dict[str, str]:
    """Return the sections of a page by their headings."""
    heads = re.split(r"^##+ (.*)$", page(name), flags=re.MULTILINE)
    return dict(zip(heads[1::2], heads[2::2], strict=True))


def rows(section: str) -> dict[str, list[str]]:
    """Return the cells of each row of the tables of a section, by the first one without its marks."""
    lines = re.findall(r"^\|.*\|$", section, re.MULTILINE)
    cells = [re.split(r"(?<!\\) ?\| ?", line)[1:-1] for line in lines]
    return {first.strip("`"): others for first, *others in cells}
