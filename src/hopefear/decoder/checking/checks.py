"""`check_plugin`: a suite of checks for every plugin, built-in or external.

1. ``declared``: `hopefear.plugins.check_class` accepts the class.
2. ``answers``: the plugin answers for rules and edges of many kinds, in arrays of the right types and shapes,
   and repeated calls give equal answers.
3. ``kept``: the plugin keeps no array of a batch, and leaves its earlier answers as they are.
4. ``goal``: at the goal, a plugin with state does not take the last rule for the rule of number -1.
5. ``empty``: the plugin answers for empty batches.
6. ``lattice``: the plugin answers for a lattice, or refuses it with an `InputError`.
7. ``order``: the features do not depend on earlier sentences.
8. ``threads``: the features do not depend on sentences that are decoded at the same time.
9. ``processes``: the features do not depend on the process.

The decoder itself refuses names that a plugin does not declare or that are the model's.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise, zip_longest
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hopefear import _native
from hopefear.base import ForeignCode, InputError, PluginError
from hopefear.base.texts import expect_several, first_word
from hopefear.plugins import (
    EdgeBatch,
    FeatureTable,
    Plugin,
    RuleStrings,
    Segment,
    StateBatch,
    check_class,
)
from hopefear.plugins.levels import check_attributes, check_states
from hopefear.plugins.table import as_int32

from .fresh_process import PluginRecipe, derivations_elsewhere
from .material import GRAMMAR, SEGMENTS, Derivations, EmptyBatch, Material, derivations, repeat_rule

_THREADS, _ROUNDS = 4, 6
_HASH_SEED = 1313


def check_plugin(
    plugin: Plugin | str | Any,
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
    for check in checks.in_this_process():
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
        self.arrays: list[tuple[NDArray[Any], NDArray[Any]]] = []

    def in_this_process(self) -> list[Callable[[], None]]:
        """List the checks that need no other process."""
        return [self.answers, self.kept, self.goal, self.empty, self.lattice, self.order, self.threads]

    def answers(self) -> None:
        named = {"__module__": type(self.plugin).__module__}  # messages name the plugin's own file
        watched = type(self.name, (_Watched,), named)(self.plugin, self.arrays)
        self.known = self.decode(self.material.segments, plugin=watched)

    def kept(self) -> None:
        for array, before in self.arrays:
            if not np.array_equal(array, before):
                raise PluginError("an array of an earlier answer is changed later: return a copy")
        self.arrays.clear()
        for name, value in vars(self.plugin).items():
            several = [*value.values()] if isinstance(value, dict) else value
            for each in (value, *(several if isinstance(several, (list, tuple)) else ())):
                if isinstance(each, (EdgeBatch, StateBatch, _native.RuleBatch)) or _is_view(each):
                    raise PluginError(f"{name} keeps an array of a batch, and so a whole forest: keep a copy")

    def goal(self) -> None:
        if self.plugin.level != "state":
            return
        for rule in range(_REPEATED):
            decoder = self.material.decoder(self.plugin)
            repeat_rule(decoder, rule)
            others = [derivations(forest) for forest in decoder.translate_all(self.material.segments)]
            self.compare(others, "if begin gets a rule again behind the last: local_rule is -1 at the goal;")

    def empty(self) -> None:
        plugin: Any = self.plugin
        segment = self.material.segments[0]
        batch = EmptyBatch(len(segment.tokens or ()), getattr(plugin, "state_size", 0))
        watched = _Watched(plugin, [])
        if plugin.level == "n-gram":
            watched.strings(batch)
        elif plugin.level == "rule":
            watched.fire(batch)
        elif plugin.level == "edge":
            watched.rule_attributes(batch)
            watched.fire(batch, segment)
        elif plugin.level == "list":
            watched.fire([], segment)
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
                    what = f"sentence {segment.number} ({' '.join(segment.tokens or ())})"
                    raise PluginError(f"{what} gets different features {when}: {_difference(before, after)}")


_REPEATED = 8  # rules


def _is_view(value: Any) -> bool:
    """Tell whether an array's memory belongs to the engine."""
    while isinstance(value, np.ndarray) and isinstance(value.base, np.ndarray):
        value = value.base
    owner = value.base if isinstance(value, np.ndarray) else None
    return isinstance(owner, memoryview) and type(owner.obj).__module__ == "nanobind"


class _Watched:
    """Wraps a plugin, checks its answers and keeps them."""

    def __init__(self, plugin: Any, kept: list[tuple[NDArray[Any], NDArray[Any]]]) -> None:
        self._plugin, self._kept = plugin, kept

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._plugin, name)
        check = _ANSWERS.get(name)
        return value if check is None else partial(self._ask, name, value, check)

    def _ask(self, name: str, call: Callable[..., Any], check: Callable[..., None], *shown: Any) -> Any:
        answer = call(*shown)
        check(answer, len(shown[0]), name, self._plugin)
        self._kept += [(array, array.copy()) for array in _arrays(answer)]
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
    rows = np.repeat(np.arange(len(table.indptr) - 1), np.diff(table.indptr))
    cells = sorted({*zip(rows.tolist(), table.columns.tolist(), strict=True)})
    if not isinstance(table.names, (tuple, list)):
        return  # a table of words can have equal names: those of words without a class
    for (row, feature), count in Counter((row, table.names[column]) for row, column in cells).most_common(1):
        if count > 1:
            raise PluginError(f"{name} returns a table whose row {row} has {count} columns named {feature}")


def _check_strings(answer: Any, items: int, name: str, plugin: Any) -> None:
    if not isinstance(answer, RuleStrings):
        raise PluginError(f"{name} must return RuleStrings, got {_type_name(answer)}")
    answer.check(items, name)


def _check_attributes(answer: Any, items: int, name: str, plugin: Any) -> None:
    check_attributes(as_int32(answer), items, _type_name(plugin))


_ANSWERS: dict[str, Callable[..., None]] = {
    "fire": _check_fire,
    "strings": _check_strings,
    "rule_attributes": _check_attributes,
}


def _arrays(answer: Any) -> list[NDArray[Any]]:
    """List the arrays of an answer."""
    if isinstance(answer, tuple):
        return [array for each in answer for array in _arrays(each)]
    fields = ("indptr", "columns", "values", "row", "symbols")
    several = (answer, *(getattr(answer, field, None) for field in fields))
    return [each for each in several if isinstance(each, np.ndarray)]


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
