"""``hopefear list``: the names that options and files can use, with a description of each."""

from __future__ import annotations

from ..command import argument, command
from ..names import NamedKind, described

_USED = {
    NamedKind.plugins: "feature_function=NAME in a cdec.ini, --feature NAME",
    NamedKind.tuners: "hopefear tune --tuner NAME",
    NamedKind.learners: "hopefear decode --learn NAME",
    NamedKind.metrics: "hopefear tune --metric NAME, hopefear score --metric NAME",
    NamedKind.oracles: "hopefear tune --oracle NAME",
    NamedKind.plans: "hopefear experiment NAME",
}


@command
def list_names(
    kind: NamedKind | None = argument("The kind to list.", default=None, shown="all kinds"),
) -> None:
    """List plugins, tuners, learners, metrics, oracles and plans, with a description in one line.

    Learners are the tuners that hopefear decode --learn takes. hopefear plugins also shows the arguments of
    plugins, metrics and oracles, and the features that plugins fire.

    For example:

      hopefear list

      hopefear list tuners
    """
    for number, each in enumerate(NamedKind if kind is None else [kind]):
        lines = dict(described(each))
        width = max(map(len, lines), default=0)
        if kind is None:
            print("\n" * (number > 0) + f"{each.value}: {_USED[each]}")
        for name, text in lines.items():
            print("  " * (kind is None) + f"{name:{width}}  {text}")
