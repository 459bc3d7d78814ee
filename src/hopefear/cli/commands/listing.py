"""``hopefear list``: the names that options and files can use, with a description of each."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from enum import Enum
from typing import Annotated, Any

import typer

from ..errors import refusing, warn
from .plugins import entries, summary


class Kind(str, Enum):
    """A kind of named objects."""

    plugins = "plugins"
    tuners = "tuners"
    learners = "learners"
    metrics = "metrics"
    oracles = "oracles"
    plans = "plans"


_USED = {
    Kind.plugins: "feature_function=NAME in a cdec.ini, --feature NAME",
    Kind.tuners: "hopefear tune --tuner NAME",
    Kind.learners: "hopefear decode --learn NAME",
    Kind.metrics: "hopefear tune --metric NAME, hopefear score --metric NAME",
    Kind.oracles: "hopefear tune --oracle NAME",
    Kind.plans: "hopefear experiment NAME",
}


@refusing
def list_names(
    kind: Annotated[
        Kind | None,
        typer.Argument(help="The kind to list.", show_default="all kinds"),
    ] = None,
) -> None:
    """List plugins, tuners, learners, metrics, oracles and plans, with a description in one line.

    Learners are the tuners that hopefear decode --learn takes. hopefear plugins also shows the arguments of
    plugins, metrics and oracles, and the features that plugins fire.

    For example:

      hopefear list

      hopefear list tuners
    """
    for number, each in enumerate(Kind if kind is None else [kind]):
        lines = dict(described(each))
        width = max(map(len, lines), default=0)
        if kind is None:
            print("\n" * (number > 0) + f"{each.value}: {_USED[each]}")
        for name, text in lines.items():
            print("  " * (kind is None) + f"{name:{width}}  {text}")


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
    """Give the names of a kind, sorted, with descriptions; standard error gets what cannot be loaded."""
    from hopefear.base import InputError
    from hopefear.base.catalogue import Catalogue
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


FeatureOption = Annotated[
    list[str] | None,
    typer.Option(
        "--feature",
        help='Add a feature function: "NAME arguments"; may repeat.',
        autocompletion=completing(Kind.plugins),
    ),
]
