"""`check_plugin`: a suite of checks for every plugin, built-in or external.

1. ``declared``: `hopefear.plugins.check_class` accepts the class.
2. ``answers``: the plugin answers for rules and edges of many kinds, in arrays of the right types and shapes,
   and repeated calls give equal answers.
3. ``names``: the features that fire match `Plugin.fires`, if it is not empty.
4. ``empty``: the plugin answers for empty batches.
5. ``lattice``: the plugin answers for a lattice, or refuses it with an `InputError`.
6. ``order``: the features do not depend on earlier sentences.
7. ``threads``: the features do not depend on sentences that are decoded at the same time.
8. ``processes``: the features do not depend on the process.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise, zip_longest
from pathlib import Path
from typing import Any

import numpy as np

from hopefear.base import ForeignCode, InputError, PluginError
from hopefear.base.texts import expect_several, first_word
from hopefear.plugins import (
    FeatureTable,
    Plugin,
    RuleStrings,
    Segment,
    check_class,
)
from hopefear.plugins.levels import check_attributes, check_states, fired_names

from .fresh_process import PluginRecipe, derivations_elsewhere
from .material import GRAMMAR, SEGMENTS, Derivations, EmptyBatch, Material, derivations

_THREADS, _ROUNDS = 4, 6
_HASH_SEED = 1313


def check_plugin(
    plugin: Plugin | str,
    *,
    base: Path | None = None,
    grammar: str | None = None,
    segments: Sequence[Segment] | None = None,
    processes: bool = True,
) -> None:
    """Check that a plugin has the properties that the decoder and the tuners rely on.

    Parameters
    ----------
    plugin : Plugin or str
        An instance, or name and arguments as in a cdec.ini line, see `hopefear.plugins.create`.
    base : Path, optional
        The folder that paths in such a line are relative to.
    grammar : str, optional
        Lines of a grammar file, for a plugin that does not fire on the built-in toy grammar.
    segments : sequence of Segment, optional
        Sentences with annotations, in place of the five built-in sentences. The grammar should have at most a
        few hundred derivations of each. `index` and `id` are set to 0, 1 and so on.
    processes : bool
        Whether to compare with a fresh process, which must be able to import the plugin's class.

    Raises
    ------
    PluginError
        ``NAME: check CHECK: what is wrong``.

    Examples
    --------
    >>> check_plugin("StructuralDistortion --no-glue")
    """
    if segments is not None:
        expect_several("segments", segments)
    name = (isinstance(plugin, str) and first_word(plugin)[0]) or _type_name(plugin)
    recipe = None
    if isinstance(plugin, str):
        recipe = PluginRecipe(line=plugin, base=base)
        with _check(name, "declared"):
            plugin = recipe.make()
    with _check(name, "declared"):
        check_class(type(plugin), name)
    numbered = (replace(s, id=i, index=i) for i, s in enumerate(SEGMENTS if segments is None else segments))
    checks = _Checks(plugin, name, Material(GRAMMAR if grammar is None else grammar, tuple(numbered)))
    for check in (checks.answers, checks.names, checks.empty, checks.lattice, checks.order, checks.threads):
        with _check(name, check.__name__, type(plugin)):
            check()
    if processes:
        with _check(name, "processes", type(plugin)):
            checks.processes(recipe or PluginRecipe.of(plugin))


class _Checks:
    """The checks of a plugin whose class is accepted."""

    def __init__(self, plugin: Plugin, name: str, material: Material) -> None:
        self.plugin, self.name, self.material = plugin, name, material
        self.known: list[Derivations] = []

    def answers(self) -> None:
        named = {"__module__": type(self.plugin).__module__}  # messages name the plugin's own file
        watched = type(self.name, (_Watched,), named)(self.plugin)
        self.known = self.decode(self.material.segments, plugin=watched)

    def names(self) -> None:
        patterns = self.plugin.fires
        fits = fired_names(self.plugin)
        if not patterns or fits is None:
            return
        fired = {name for listed in self.known for _, _, features in listed for name, _ in features}
        for name in sorted(fired - self.material.own_names()):
            if not fits.fullmatch(name):
                raise PluginError(f"feature {name} matches none of the names in fires: {', '.join(patterns)}")

    def empty(self) -> None:
        plugin: Any = self.plugin
        segment = self.material.segments[0]
        batch = EmptyBatch(len(segment.tokens or ()), getattr(plugin, "state_size", 0))
        watched = _Watched(plugin)
        if plugin.level == "n-gram":
            watched.strings(batch)
        elif plugin.level == "rule":
            watched.fire(batch)
        elif plugin.level == "edge":
            watched.rule_attributes(batch)
            watched.fire(batch, segment)
        else:
            watched.fire(batch, plugin.begin(batch, segment))

    def lattice(self) -> None:
        try:
            self.decode([self.material.lattice])
        except InputError as error:
            if _is_crash(error):
                raise

    def order(self) -> None:
        self.compare(self.decode(self.material.segments[::-1])[::-1], "after the other sentences")

    def threads(self) -> None:
        before = sys.getswitchinterval()
        sys.setswitchinterval(1e-5)
        try:
            results = self.decode(self.material.segments * _ROUNDS, threads=_THREADS)
        finally:
            sys.setswitchinterval(before)
        for begin in range(0, len(results), len(self.known)):
            self.compare(results[begin : begin + len(self.known)], f"in {_THREADS} threads")

    def processes(self, recipe: PluginRecipe) -> None:
        self.compare(derivations_elsewhere([recipe], self.material, _HASH_SEED), "in a fresh process")

    def decode(
        self, segments: Sequence[Segment], *, plugin: Any = None, threads: int = 1
    ) -> list[Derivations]:
        forests = self.material.decoder(plugin or self.plugin).translate_all(segments, threads=threads)
        return [derivations(forest) for forest in forests]

    def compare(self, others: list[Derivations], when: str) -> None:
        """Raise PluginError if derivations differ from those of the first run."""
        for segment, first, second in zip(self.material.segments, self.known, others, strict=True):
            for before, after in zip_longest(first, second):
                if before != after:
                    what = f"segment {segment.id} ({' '.join(segment.tokens or ())})"
                    raise PluginError(f"{what} gets different features {when}: {_difference(before, after)}")


class _Watched:
    """Wraps a plugin and checks its answers."""

    def __init__(self, plugin: Any) -> None:
        self._plugin = plugin

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._plugin, name)
        check = _ANSWERS.get(name)
        return value if check is None else partial(self._ask, name, value, check)

    def _ask(self, name: str, call: Callable[..., Any], check: Callable[..., None], *shown: Any) -> Any:
        answer = call(*shown)
        check(answer, len(shown[0]), name, self._plugin)
        again = call(*shown)
        if not _same(answer, again):
            raise PluginError(f"{name} returns another result when it is called again")
        return again


def _check_fire(answer: Any, items: int, name: str, plugin: Any) -> None:
    table = answer
    if plugin.level == "state":
        check_states(answer, items, plugin.state_size, name)
        table, _ = answer
    if not isinstance(table, FeatureTable):
        raise PluginError(f"{name} must return a FeatureTable, got {_type_name(table)}")
    table.check(items, name)


def _check_strings(answer: Any, items: int, name: str, plugin: Any) -> None:
    if not isinstance(answer, RuleStrings):
        raise PluginError(f"{name} must return RuleStrings, got {_type_name(answer)}")
    answer.check(items, name)


def _check_attributes(answer: Any, items: int, name: str, plugin: Any) -> None:
    check_attributes(answer, items, _type_name(plugin))


_ANSWERS: dict[str, Callable[..., None]] = {
    "fire": _check_fire,
    "strings": _check_strings,
    "rule_attributes": _check_attributes,
}


def _same(first: Any, second: Any) -> bool:
    if isinstance(first, tuple) and isinstance(second, tuple):
        return len(first) == len(second) and all(map(_same, first, second))
    if isinstance(first, FeatureTable):
        items = len(first.indptr) - 1 if first.row is None else len(first.row)
        if not isinstance(second, FeatureTable):
            return False
        second.check(items, "again")
        return all(first.features_of(item) == second.features_of(item) for item in range(items))
    if isinstance(first, RuleStrings):
        return isinstance(second, RuleStrings) and _spelled(first) == _spelled(second)
    return np.array_equal(first, second)


def _spelled(strings: RuleStrings) -> list[list[Any]]:
    symbols = [strings.units[symbol] if symbol >= 0 else symbol for symbol in strings.symbols.tolist()]
    bounds = strings.indptr.tolist()
    return [symbols[begin:end] for begin, end in pairwise(bounds)]


def _difference(one: Any, other: Any) -> str:
    if one is None or other is None or one[:2] != other[:2]:
        return "their derivations differ"
    before, after = dict(one[2]), dict(other[2])
    values = ((name, before.get(name, 0.0), after.get(name, 0.0)) for name in sorted({*before, *after}))
    name, first, second = next(item for item in values if item[1] != item[2])
    return f"{name} of {one[1]} is {first:g} at first, then {second:g}"


def _is_crash(error: BaseException) -> bool:
    """Tell whether an error was caused by an exception in the plugin that is not a deliberate refusal."""
    cause = error.__cause__
    return cause is not None and not isinstance(cause, InputError)


def _type_name(value: Any) -> str:
    return type(value).__name__


def _check(name: str, check: str, owner: type[Any] = object) -> ForeignCode:
    return ForeignCode(owner, lambda what: PluginError(f"{name}: check {check}: {what}"))
