"""Run plugins inside cdec; the library calls the methods of `Session`."""

from __future__ import annotations

import math
import traceback
from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from hopefear._native import name_fault
from hopefear.base import ForeignCode, InputError, PluginError
from hopefear.base.texts import BLANK
from hopefear.decoder import FeatureError, Lattice, Segment, parse_line
from hopefear.plugins.levels import Plugin, check_attributes
from hopefear.plugins.plugin_file import read_plugins
from hopefear.plugins.table import FeatureTable

from ..live_weights import LiveWeightsReader, NameFile
from .ahead import Ahead, Parsed
from .batches import Answers, EdgeValues, KnownRule, RecordingEdges, Rules
from .settings import BridgeSettings, SelectedNames
from .states import Ngrams, Stateful, States

Source = Sequence[Sequence[tuple[str, int]]]
"""A column of (word, distance) for each position."""


class Session:
    """The plugins of one feature function of cdec."""

    def __init__(self, arguments: str) -> None:
        settings = BridgeSettings.read(arguments)
        plugins = read_plugins(settings.config, prepare=True)
        self.attributes = tuple(settings.attributes)
        selection, known = settings.selection()
        self._settings, self._selected = settings, SelectedNames(selection, known)
        self._annotations, self._last = settings.annotations(), -1
        self._segment = Segment(())
        for name, plugin in plugins:
            if plugin.level == "list":
                message = f"{name} needs whole translations, which cdec does not show: use hopefear decode"
                raise InputError(message, path=settings.config)
        self._rule_plugins: list[tuple[str, Any]] = [each for each in plugins if each[1].level == "rule"]
        self._edge_plugins: list[tuple[str, Any]] = [each for each in plugins if each[1].level == "edge"]
        self._stateful = [
            (name, self._with_states(name, plugin))
            for name, plugin in plugins
            if plugin.level in ("n-gram", "state")
        ]
        self._ahead: Ahead | None = None
        if settings.parse_ahead is not None:
            if self._stateful:
                message = f"{self._stateful[0][0]} has states: expected no --parse-ahead"
                raise InputError(message, path=settings.config)
            again = [plugin for _, plugin in read_plugins(settings.config, prepare=False)]
            self._ahead = Ahead(settings.parse_ahead, again, selection, known)
            self.attributes = (*dict.fromkeys((*self.attributes, "grammar")),)  # which has rules
        self.has_edge_features = bool(self._edge_plugins)
        self.has_states = bool(self._stateful)
        self.is_live = settings.live_weights is not None
        self._live: LiveWeightsReader | None = None
        self._names: NameFile | None = None
        if settings.live_weights is not None:
            self._live = LiveWeightsReader(settings.live_weights)
            self._names = NameFile(settings.live_weights)
            self._names.clear()
        self._texts: dict[int, str] = {}
        self._length = 0
        self._states: list[tuple[Hashable, ...]] = []
        self._numbers: dict[tuple[Hashable, ...], int] = {}
        self._answers: list[Answers] = []

    def begin(self, number: int, source: Source, attributes: Mapping[str, str]) -> dict[str, float]:
        """Begin a sentence."""
        tag = "".join(f' {name}="{value}"' for name, value in _quotable(attributes).items())
        where = f"cdec's sentence {number}"
        segment = parse_line(f'<seg id="{number}"{tag}></seg>', index=number, where=where)
        if all(len(arcs) == 1 and arcs[0][1] == 1 for arcs in source):
            segment = replace(segment, tokens=tuple(arcs[0][0] for arcs in source))
        else:
            segment = replace(segment, tokens=None, lattice=Lattice([list(arcs) for arcs in source]))
        if number <= self._last:  # files of annotations are read forwards
            self._annotations = self._settings.annotations()
        self._last = number
        self._segment, self._length = self._annotations.attach(segment), len(source)
        self._answers = [Answers() for _ in self._edge_plugins]
        self._states.clear()
        self._numbers.clear()
        for _, stateful in self._stateful:
            stateful.begin(self._segment)
        return self._live.read() if self._live is not None else {}

    def parse(self) -> Parsed | None:
        """Return what fires on the edges of the sentence, if they are to be known before cdec makes them."""
        parsed = None if self._ahead is None else self._ahead.parse(self._segment)
        if parsed is not None and self._names is not None:
            self._names.add(parsed.names)
        return parsed

    def rule(
        self,
        number: int,
        lhs: int,
        source: bytes,
        target: bytes,
        alignment: bytes,
        values: Mapping[str, float],
        texts: Mapping[int, str],
    ) -> KnownRule:
        """Show a rule to the plugins."""
        self._texts.update(texts)
        left, right, links = (np.frombuffer(numbers, np.int32) for numbers in (source, target, alignment))
        rules = Rules(number, lhs, left, right, links.reshape(-1, 2), values, self._texts)
        rule = KnownRule(number, lhs)
        for name, plugin in self._rule_plugins:
            _add(rule.features, self._features(name, self._ask(name, plugin, "fire", rules)))
        for name, edge_plugin in self._edge_plugins:
            attributes = self._ask(name, edge_plugin, "rule_attributes", rules)
            check_attributes(attributes, 1, name)
            rule.attributes.append(int(attributes[0]))
        for name, stateful in self._stateful:
            with self._faults(name):
                rule.seen.append(stateful.rule(rules))
        return rule

    def on_span(self, rule: KnownRule, begin: int, end: int, tails: bytes) -> dict[str, float]:
        """Return the features that a rule fires on a span, in addition to those that it always fires."""
        features: dict[str, float] = {}
        for (name, plugin), attribute, answers in zip(
            self._edge_plugins, rule.attributes, self._answers, strict=True
        ):
            values = EdgeValues(rule.number, attribute, rule.category, (begin, end), tails)
            answer = answers.find(values)
            if answer is None:
                edge = RecordingEdges(values, self._length)
                answer = self._features(name, self._ask(name, plugin, "fire", edge, self._segment))
                answers.keep(values, edge.seen, answer)
            _add(features, answer)
        return features

    def join(
        self, rule: KnownRule, begin: int, end: int, tails: bytes, states: bytes
    ) -> tuple[dict[str, float], int]:
        """Return the features that an edge fires with the states of its tails, and the state of its head."""
        features: dict[str, float] = {}
        below = [self._states[number] for number in np.frombuffer(states, np.int32).tolist()]
        heads = []
        for index, (name, stateful) in enumerate(self._stateful):
            tail_states = [state[index] for state in below]
            with self._faults(name):
                fired, state = stateful.join(rule, rule.seen[index], (begin, end, tails), tail_states)
            _add(features, fired)
            heads.append(state)
        return features, self._number(tuple(heads))

    def finish(self, begin: int, end: int, state: int) -> dict[str, float]:
        """Return the features that the edge into the goal fires, above a node with a span and a state."""
        features: dict[str, float] = {}
        span = begin, end, np.array([begin, end], np.int16).tobytes()
        for (name, stateful), tail in zip(self._stateful, self._states[state], strict=True):
            with self._faults(name):
                fired = stateful.finish(span, tail)
            _add(features, fired)
        return features

    def _with_states(self, name: str, plugin: Any) -> Stateful:
        ask = partial(self._ask, name, plugin)
        with self._faults(name):
            if plugin.level == "n-gram":
                return Ngrams(plugin, name, ask, self._chosen)
            return States(plugin, name, ask, partial(self._features, name))

    def _number(self, state: tuple[Hashable, ...]) -> int:
        number = self._numbers.setdefault(state, len(self._states))
        if number == len(self._states):
            self._states.append(state)
        return number

    @contextmanager
    def _faults(self, name: str) -> Iterator[None]:
        """Report what is wrong with an answer of a plugin."""
        try:
            yield
        except InputError:
            raise
        except (TypeError, ValueError) as error:
            message = f"{name} on sentence {self._segment.number}: {error}"
            raise PluginError(message, path=self._segment.where) from error

    def _ask(self, name: str, plugin: Plugin, method: str, *arguments: Any) -> Any:
        def as_error(what: str) -> PluginError:
            message = f"{name}: failed on sentence {self._segment.number}: {what}"
            return PluginError(message, path=self._segment.where)

        with ForeignCode(type(plugin), as_error, InputError):
            return getattr(plugin, method)(*arguments)

    def _features(self, name: str, table: Any) -> dict[str, float]:
        if not isinstance(table, FeatureTable):
            message = f"{name}: must give a FeatureTable, got {type(table).__name__}"
            raise PluginError(message, path=self._segment.where)
        if (fault := _fault(table)) is not None:
            table.check(1, f"{name} on sentence {self._segment.number}")
            raise PluginError(f"{name} on sentence {self._segment.number}: {fault}", path=self._segment.where)
        return self._chosen(table.features_of(0))

    def _chosen(self, fired: Mapping[str, float]) -> dict[str, float]:
        """Return the features that are selected, and note their names."""
        features = self._selected.of(fired)
        if self._names is not None:
            self._names.add(features)
        return features


def _add(features: dict[str, float], more: Mapping[str, float]) -> None:
    for name, value in more.items():
        features[name] = features.get(name, 0.0) + value


def _fault(table: FeatureTable) -> str | None:
    """Check the row of one item only, because the names may be all names that a plugin has ever made."""
    try:
        items = table.indptr.size - 1 if table.row is None else table.row.size
        if items != 1:
            return f"1 row was expected, got {items}"
        for name, value in table.features_of(0).items():
            if fault := name_fault(name):
                return f"a feature name {fault}, got {name!r}"
            if not math.isfinite(value):
                return f"the value of {name} must be finite, got {value}"
    except (AttributeError, IndexError, TypeError, ValueError) as error:
        return f"{type(error).__name__}: {error}"
    return None


def describe(error: BaseException) -> str:
    """Describe an error: bad input in one line, an unexpected error of a plugin with its traceback."""
    cause = error.__cause__ if isinstance(error, (PluginError, FeatureError)) else None
    if isinstance(error, InputError) and (cause is None or isinstance(cause, InputError)):
        return str(error)
    return "".join(traceback.format_exception(error)).rstrip(BLANK)


def _quotable(attributes: Mapping[str, str]) -> dict[str, str]:
    return {name: value.replace('"', "&quot;") for name, value in attributes.items()}
