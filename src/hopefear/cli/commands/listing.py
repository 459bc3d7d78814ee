"""``hopefear list``: the names that options and files can use, with a description of each."""

from __future__ import annotations

import textwrap

from hopefear.base import InputError

from ..command import argument, command
from ..names import WITH_ARGUMENTS, NamedKind, described, entries_of, settings_of, show

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
    name: str | None = argument("A name to describe.", default=None, shown="all names"),
) -> None:
    """List plugins, tuners, learners, metrics, oracles and plans, with a description in one line.

    Learners are the tuners that hopefear decode --learn takes. With a name, the settings of a tuner are
    listed, or the arguments of a plugin, metric or oracle, and the features that a plugin fires.

    For example:

      hopefear list

      hopefear list tuners

      hopefear list tuners Mira
    """
    if kind is not None and name is not None:
        if kind in WITH_ARGUMENTS:
            show(entries_of(name))
        elif kind is NamedKind.plans:
            raise InputError(f"expected a kind other than plans to describe {name}")
        else:
            _show_settings(name)
        return
    for number, each in enumerate(NamedKind if kind is None else [kind]):
        lines = dict(described(each))
        width = max(map(len, lines), default=0)
        if kind is None:
            print("\n" * (number > 0) + f"{each.value}: {_USED[each]}")
        for name, text in lines.items():
            print("  " * (kind is None) + f"{name:{width}}  {text}")


def _show_settings(name: str) -> None:
    summary, rows = settings_of(name)
    print(f"{name}: {summary}\n\nSettings, each --set NAME=VALUE:")
    width = max((len(row[0]) for row in rows), default=0)
    for setting, default, allowed, meaning in rows:
        print(f"  {setting:{width}}  default: {default}" + (f"; {allowed}" if allowed else ""))
        print(
            textwrap.fill(meaning, 100, initial_indent=" " * (width + 4), subsequent_indent=" " * (width + 4))
        )
