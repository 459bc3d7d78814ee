"""Names that options and files can use, with a description of each, and their completion in a shell."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from enum import Enum
from typing import Any

from hopefear.base import InputError
from hopefear.base.catalogue import Catalogue

from .entries import entries, summary
from .errors import warn


class Kind(str, Enum):
    """A kind of named objects."""

    plugins = "plugins"
    tuners = "tuners"
    learners = "learners"
    metrics = "metrics"
    oracles = "oracles"
    plans = "plans"


def completing(kind: Kind) -> Callable[[str], list[tuple[str, str]]]:
    """Make the function that completes names in a shell; only for names of plugins, case counts."""

    def complete(incomplete: str) -> list[tuple[str, str]]:
        typed = len(incomplete)
        return [
            (incomplete + name[typed:] if kind is not Kind.plugins else name, text)
            for name, text in described(kind)
            if name[:typed].lower() == incomplete.lower()
        ]

    return complete


def described(kind: Kind) -> Iterator[tuple[str, str]]:
    """Yield the names of a kind, sorted, with descriptions; standard error gets what cannot be loaded."""
    from hopefear.experiments.plan.plan_file import known_plans, plan_title
    from hopefear.metrics.catalogue import metrics
    from hopefear.tuners.catalogue import known_learners, tuners
    from hopefear.tuners.oracles.catalogue import oracles

    if kind is Kind.plugins:
        yield from sorted((entry.name, entry.summary) for entry in entries("feature"))
        return
    if kind is Kind.plans:
        yield from ((name, plan_title(path)) for name, path in known_plans().items())
        return
    catalogues: dict[Kind, Catalogue[Any]] = {Kind.metrics: metrics, Kind.oracles: oracles}
    catalogue = catalogues.get(kind, tuners)
    for name in known_learners() if kind is Kind.learners else catalogue.known():
        try:
            yield name, summary(inspect.getdoc(catalogue.find(name)) or "")
        except InputError as error:
            warn(str(error))
