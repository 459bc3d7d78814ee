"""A rescoring pass: the feature functions of a cdec.ini, and the search with them."""

from __future__ import annotations

import inspect
import os
import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from hopefear import _native
from hopefear.base.errors import ForeignCode, InputError, InvalidConfig
from hopefear.base.texts import BLANK, first_word, split_words
from hopefear.plugins import CompiledStateFeatures, Segment

from .cdec_functions import plugins_of
from .config import PASSES, Config, Pass
from .context import ExtraScorer
from .eviction import CacheEviction
from .features import EdgeLevel, RuleLevel, StatelessLevels
from .glossary import GLOSSARY
from .list_features import ListLevel, WordFeatures, rescored_list
from .plugin_features import FeatureError, PluginFeatures
from .state_features import CompiledStateLevel, NgramLevel, StateLevel
from .weights import Weights

LANGUAGE_MODEL = "KLanguageModel"
"""The feature function of n-gram models."""

JOINT_MODEL = "JointModel"
"""The feature function of neural joint models."""

RULE_FUNCTIONS = ("WordPenalty", "SourceWordPenalty")
"""The engine's own functions of rules."""

ENGINE_FUNCTIONS = (LANGUAGE_MODEL, JOINT_MODEL, *RULE_FUNCTIONS)
"""The engine's own feature functions that users name in a cdec.ini."""


def is_rule_function(name: str) -> bool:
    """Tell whether a feature function is one of the engine's own functions of rules."""
    return _rule_function(name, _native.Weights()) is not None


def _rule_function(name: str, weights: _native.Weights) -> _native.RuleFunction | None:
    """Return the engine's own function of rules; none has a name beyond ASCII."""
    return _native.rule_function(name, weights) if name.isascii() else None


LANGUAGE_FEATURE = "LanguageModel"
"""The feature of an n-gram model that has no name of its own."""


MODELS: Mapping[str, tuple[str, str]] = {
    LANGUAGE_MODEL: ("[-x] [-n NAME] [-m MAP]", LANGUAGE_FEATURE),
    JOINT_MODEL: ("[-n NAME]", JOINT_MODEL),
}
"""The options of the functions that read models, and the features of models without a name."""


class ModelArguments(NamedTuple):
    """The arguments of a function that reads a model."""

    path: str
    name: str
    class_map: str
    markers: bool

    @classmethod
    def read(cls, function: str, arguments: str) -> ModelArguments:
        """Read the options of one of `MODELS`, and the path of the model behind them."""
        options, feature = MODELS[function]
        try:
            words = iter(shlex.split(arguments))
        except ValueError as error:
            raise InvalidConfig(f"{function}: {arguments}: {str(error).lower()}") from None
        options_taken = dict(re.findall(r"\[(-\w) ?(\w*)\]", options))
        settings: dict[str, str] = {}
        for word in words:
            value = word
            if takes := options_taken.get(word, ""):
                value = next(words, "")
                if not value:
                    raise InvalidConfig(f"{function}: expected a value after {word}")
                if takes == "NAME" and len(split_words(value)) != 1:
                    message = f"expected a name without spaces after {word}, got {value!r}"
                    raise InvalidConfig(f"{function}: {message}")
            elif word not in options_taken and (word.startswith("-") or "PATH" in settings):
                raise InvalidConfig(f"{function}: expected {options} PATH, got {word!r}")
            settings[word if word in options_taken else "PATH"] = value
        if not settings.get("PATH"):
            raise InvalidConfig(f"{function}: expected the path of a model, got nothing")
        return cls(settings["PATH"], settings.get("-n", feature), settings.get("-m", ""), "-x" in settings)

    def check_files(self, base: Path) -> None:
        """Check that the files exist."""
        for file in filter(None, (self.path, self.class_map)):
            if not (base / file).is_file():
                raise InputError("no such file", path=base / file)


def is_own_function(line: str) -> bool:
    """Tell whether a line names a feature function of the engine, one of rules or one that reads a model."""
    name, _ = first_word(line)
    return name in MODELS or is_rule_function(name)


class Searched(NamedTuple):
    """What a search has found: a forest, or the list of its best translations and the whole forest."""

    forest: _native.Forest
    whole: _native.Forest | None


class RescoringPass:
    """The feature functions of one rescoring pass, ready for use."""

    def __init__(
        self,
        engine: _native.Engine,
        features: PluginFeatures,
        config: Config,
        suffix: str,
        table_entries: int,
    ) -> None:
        self._engine = engine
        self._config, self._suffix = config, suffix
        self._settings = settings = config.passes[PASSES.index(suffix)]
        self._functions: list[_native.RuleFunction] = []
        self._scorers: list[_native.StatefulScorer] = []
        self.joint_models: list[tuple[str, _native.StatefulScorer]] = []
        self.ngram_features: list[str] = []
        self._ngram_models: list[tuple[str, _native.StatefulScorer]] = []
        self._stateless = StatelessLevels(features, engine.lasting_rules)
        self.state_levels: list[NgramLevel | StateLevel] = []
        self._list_levels: list[ListLevel] = []
        self._search_weights: dict[str, float] = {}
        self._word_features = {features.weights.id(GLOSSARY)} if config.glossaries else set[int]()
        self._plugin_features = features
        self.eviction = CacheEviction(
            None if features.selection.keeps_all else table_entries, engine.lasting_rules
        )
        self.plugins: list[Any] = []
        self._features = self.weights = features.weights
        for line in settings.features:
            with config.naming(f"feature_function{suffix} {line}"):
                self._add(line)

    def read_weights(self, before: RescoringPass) -> None:
        """Read the weights of a later pass; without weights of its own, it uses those of the pass before."""
        self.weights = before.weights
        if self._settings.weights is not None:
            self.weights = self._features.sibling(np.zeros(0))
            with self._config.naming(f"weights{self._suffix} {self._settings.weights}"):
                self.weights.read(self._settings.weights)

    def nonzero_weights(self) -> Iterator[str]:
        """Name the weights that are not 0, of the pass and of the search that finds its lists."""
        yield from self.weights.nonzero()
        yield from (name for name, value in self._search_weights.items() if value)

    @property
    def ngram_model(self) -> _native.StatefulScorer | None:
        """The first n-gram model; None without one."""
        return self._scorers[0] if self._scorers else None

    def unigrams(self, words: Sequence[str]) -> list[float]:
        """Return log10 of the probabilities of words by the first n-gram model; empty without a model."""
        return _native.unigrams(self._scorers[0], list(words)) if self._scorers else []

    @property
    def empty(self) -> bool:
        """Whether the configuration has no options for this pass."""
        return self._settings == Pass()

    def add(self, feature: Any) -> None:
        """Add a feature function: a line as after ``feature_function=``, a plugin, or a plugin's class."""
        if isinstance(feature, str):
            try:
                self._add(feature.strip(BLANK))
            except InputError as error:
                if error.path is not None:
                    raise
                raise InvalidConfig(str(error), path="features") from None
        else:
            plugin = _plugin_of(feature)
            self.add_plugin(plugin, type(plugin).__name__)

    def add_plugin(self, plugin: Any, name: str) -> None:
        """Add a feature extractor."""
        with ForeignCode(
            type(plugin), lambda what: FeatureError(f"plugin {name}: cannot be prepared: {what}"), InputError
        ):
            self._prepare(plugin, name)

    def _prepare(self, plugin: Any, name: str) -> None:
        plugin.prepare()
        self.plugins.append(plugin)
        features = self._plugin_features
        running: NgramLevel | StateLevel | RuleLevel | EdgeLevel | ListLevel
        if plugin.level == "n-gram":
            running = NgramLevel(plugin, name, features, self._engine.lasting_rules)
            self.state_levels.append(running)
        elif plugin.level == "state":
            kind = CompiledStateLevel if isinstance(plugin, CompiledStateFeatures) else StateLevel
            running = kind(plugin, name, features)
            self.state_levels.append(running)
        elif plugin.level == "list":
            running = ListLevel(plugin, name, features)
            self._list_levels.append(running)
            if plugin.search_weights is not None:
                self._read_search_weights(plugin.search_weights)
        elif plugin.level == "edge":
            running = self._stateless.add_edge_plugin(plugin, name)
        else:
            running = self._stateless.add_rule_plugin(plugin, name)
        self.eviction.add(running)

    def _read_search_weights(self, path: Path) -> None:
        weights = Weights()
        weights.read(path)
        named = dict(weights)
        if self._search_weights and self._search_weights != named:
            raise InputError("expected the same weights of the search for all lists of a pass", path=path)
        self._search_weights = named

    def _add(self, line: str) -> None:
        name, arguments = first_word(line)
        first = len(self._features)
        function = _rule_function(name, self._features.native)
        if name == LANGUAGE_MODEL:
            self._add_language_model(arguments)
        elif name == JOINT_MODEL:
            self._add_joint_model(arguments)
        elif function is not None:
            if arguments:
                raise InvalidConfig(f"{name} takes no arguments, got {arguments!r}")
            self._functions.append(function)
            self._word_features.add(self._features.id(name))
        else:
            for plugin_name, plugin in plugins_of(line, self._config.base, also=ENGINE_FUNCTIONS):
                self.add_plugin(plugin, plugin_name)
            return
        self._plugin_features.of_model(range(first, len(self._features)), f"the function {name}")

    def _add_language_model(self, arguments: str) -> None:
        path, name, class_map, markers = settings = ModelArguments.read(LANGUAGE_MODEL, arguments)
        base = self._config.base
        settings.check_files(base)
        model = self._engine.language_model(
            os.fspath(base / path),
            class_map=os.fspath(base / class_map) if class_map else "",
            explicit_markers=markers,
            feature=self._features.id(name),
        )
        self._scorers.append(model)
        self.ngram_features.append(name)
        if not markers:
            self._ngram_models.append((name, model))
        unknown = self._features.id(f"{name}_OOV")
        self._functions.append(_native.unknown_words(model, unknown))
        self._word_features |= {self._features.id(name), unknown}

    def _add_joint_model(self, arguments: str) -> None:
        settings = ModelArguments.read(JOINT_MODEL, arguments)
        base = self._config.base
        settings.check_files(base)
        model = self._engine.joint_model(
            os.fspath(base / settings.path), feature=self._features.id(settings.name)
        )
        self.joint_models.append((settings.name, model))

    def sentence_models(self, extra: Sequence[ExtraScorer] = ()) -> list[tuple[str, _native.StatefulScorer]]:
        """List what reads whole sentences, each behind the name of its feature."""
        more = [(scorer.feature, scorer.scorer) for scorer in extra if _native.reads_sentences(scorer.scorer)]
        return [*self._ngram_models, *more]

    @contextmanager
    def fired(
        self, forest: _native.Forest, segment: Segment, extra: Sequence[ExtraScorer] = ()
    ) -> Iterator[Callable[[Weights], Searched]]:
        """Fire the features, and give what searches the forest with weights of the decoder's features."""
        if self._functions:
            _native.add_rule_functions(forest, self._functions)
        if self._suffix == PASSES[0]:
            self._plugin_features.of_sentence(forest, segment)
        with self.eviction.sentence():
            self._stateless.add(forest, segment)
            yield partial(self._searched, forest, segment, extra)

    def _searched(
        self, forest: _native.Forest, segment: Segment, extra: Sequence[ExtraScorer], chosen: Weights
    ) -> Searched:
        extra = [extra_scorer for extra_scorer in extra if chosen[extra_scorer.feature]]
        replaced = [extra_scorer.replaces for extra_scorer in extra]
        scorers = [*self._scorers, *(model for _, model in self.joint_models if model not in replaced)]
        scorers += [level.scorer(forest, segment) for level in self.state_levels]
        scorers += [extra_scorer.scorer for extra_scorer in extra]
        searching = chosen
        if self._search_weights:
            searching = chosen.snapshot().overlay(self._search_weights)
        weights = searching.native
        forest.reweight(weights)
        if scorers:
            limit = 0 if self._settings.strategy == "full" else self._settings.pop_limit
            forest = _native.rescore(forest, scorers, weights, pop_limit=limit)
            self._plugin_features.look()
        if self._settings.beam_prune or self._settings.density_prune:
            forest = _native.prune(
                forest, beam=self._settings.beam_prune, density=self._settings.density_prune
            )
        if not self._list_levels:
            return Searched(forest, None)
        words = WordFeatures(self._word_features, partial(self._with_words, weights))
        listed = rescored_list(forest, self._list_levels, segment, chosen, words)
        return Searched(forest, None) if listed is None else Searched(listed, forest)

    def _with_words(self, weights: _native.Weights, listed: _native.Forest) -> _native.Forest:
        """Fire what only the words of translations decide."""
        if self._functions:
            _native.add_rule_functions(listed, self._functions)
        return _native.rescore(listed, self._scorers, weights, pop_limit=0) if self._scorers else listed


def _plugin_of(feature: Any) -> Any:
    """Return the plugin itself, or an instance of the class, made without arguments."""
    if not hasattr(feature, "level"):
        wanted = "a line such as 'SoftSyntax --granularity coarse', a plugin or a plugin's class"
        raise InvalidConfig(f"expected {wanted}, got {feature!r}", path="features")
    if not isinstance(feature, type):
        return feature
    needed = [
        each.name
        for each in inspect.signature(feature).parameters.values()
        if each.default is each.empty and each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)
    ]
    name = feature.__name__
    if needed:
        example = f"{name}({', '.join(f'{each}=...' for each in needed)})"
        raise InvalidConfig(f"the class {name} needs arguments: give a plugin, {example}", path="features")
    with ForeignCode(feature, lambda what: InvalidConfig(f"{name}: cannot be made: {what}", path="features")):
        return feature()
