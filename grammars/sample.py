"""The sample model of the package, and the book that shows what corrections teach."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from hopefear.base.signatures import check_exports


def sample_path() -> Path:
    """Return the folder of the sample model, which its ``README.md`` describes."""
    return Path(str(files("hopefear.grammars") / "samples"))


def book_path() -> Path:
    """Return the folder of a book with names that its system's text lacks; its ``README.md`` describes it."""
    return Path(str(files("hopefear.grammars") / "book"))


check_exports(__name__)
