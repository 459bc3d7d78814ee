"""Oracles by name."""

from __future__ import annotations

from pathlib import Path

from hopefear.base.catalogue import Catalogue, method_fault

from .search_space import Oracle


def _complaint(found: type) -> str:
    return method_fault(found, {"prepare": (), "find": ("space",)})


oracles: Catalogue[Oracle] = Catalogue("oracle", "hopefear.oracles", _complaint)
"""Oracles by name; packages add oracles in the entry point group ``hopefear.oracles``."""


def create_oracle(line: str, *, base: Path | None = None) -> Oracle:
    """Make the oracle of a line ``NAME arguments``; see `Catalogue.create`."""
    return oracles.create(line, base=base)
