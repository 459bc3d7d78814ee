"""A rescoring pass: the feature functions of a cdec.ini, and the search with them."""

from __future__ import annotations

import inspect
import os
import shlex
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from hopefear import _native
from hopefear.base.errors import ForeignCode, InputError, InvalidConfig
from hopefear.plugins import Segment

from .cdec_functions import plugins_of
from .config import PASSES, Config, Pass
from .features import EdgeLevel, FeatureError, RuleLevel, StatelessLevels
from .plugin_features import PluginFeatures
from .state_features import NgramLevel, StateLevel
from .turnover import Turnover
from .weights import Weights

LANGUAGE_MODEL = "KLanguageModel"
"""The feature function of n-gram models."""

ENGINE_FUNCTIONS = (LANGUAGE_MODEL, "WordPenalty", "SourceWordPenalty")
"""The engine's own feature functions that users name in a cdec.ini."""


def is_rule_function(name: str) -> bool:
    """Tell whether a feature function is one of the engine's own functions of rules."""
    return _native.rule_function(name, _native.Weights()) is not None


class LanguageModelArguments(NamedTuple):
    """The arguments of `LANGUAGE_MODEL`.

    Attributes
    ----------
    path : str
        The file of the model.
    name : str
        The name of the feature.
    class_map : str
        The file that maps words to classes; empty for none.
    markers : bool
        Whether the target sides of rules contain sentence markers.
    """

    path: str
    name: str = "LanguageModel"
    class_map: str = ""
    markers: bool = False

    @classmethod
    def read(cls, arguments: str) -> LanguageModelArguments:
        """Read the arguments.

        Raises
        ------
        InvalidConfig
            The arguments are not ``[-x] [-n NAME] [-m MAP] PATH``.
        """
        path, name, class_map, markers = "", "LanguageModel", "", False
        try:
            words = iter(shlex.split(arguments))
        except ValueError as error:
            raise InvalidConfig(f"KLanguageModel: {arguments}: {str(error).lower()}") from None
        for word in words:
            if word == "-x":
                markers = True
            elif word in ("-n", "-m"):
                value = next(words, None)
                if value is None:
                    raise InvalidConfig(f"KLanguageModel: expected a value after {word}")
                if not value or (word == "-n" and len(value.split()) != 1):
                    raise InvalidConfig(
                        f"KLanguageModel: expected a name without spaces after {word}, got {value!r}"
                    )
                name, class_map = (value, class_map) if word == "-n" else (name, value)
            elif word.startswith("-") or path:
                raise InvalidConfig(f"KLanguageModel: expected [-x] [-n NAME] [-m MAP] PATH, got {word!r}")
            else:
                path = word
        if not path:
            raise InvalidConfig("KLanguageModel: expected the path of a model, got nothing")
        return cls(path, name, class_map, markers)

    def check_files(self, base: Path) -> None:
        """Check that the files exist.

        Parameters
        ----------
        base : Path
            The folder for relative paths.

        Raises
        ------
        InputError
            A file does not exist.
        """
        for file in filter(None, (self.path, self.class_map)):
            if not (base / file).is_file():
                raise InputError("no such file", path=base / file)


class RescoringPass:
    """The feature functions of one rescoring pass, ready for use.

    Parameters
    ----------
    engine : _native.Engine
        The finished engine, so that models know its vocabulary.
    features : PluginFeatures
        The features of the decoder and its weights. A later pass may have its own weights file.
    config : Config
        The configuration.
    suffix : str
        The suffix of the pass's options, one of `PASSES`.
    table_entries : int
        Entries that the tables of a plugin may have, if some features of plugins are dropped or hashed.

    Attributes
    ----------
    plugins : list
        The plugins of the pass.
    guests : list of (str, StatefulScorer)
        Scorers that the owner of the decoder may change between two sentences, each with the name of its
        feature. One whose weight is 0 takes no part.
    weights : Weights
        The weights; those of the decoder until `read_weights` is called.
    ngram_features : list of str
        The names of the features of n-gram models, in the order of their lines.

    Raises
    ------
    InputError
        A feature function, a model or a weights file is wrong; the error names file and line.
    """

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
        self.ngram_features: list[str] = []
        self._stateless = StatelessLevels(features, engine.lasting_rules)
        self._state_levels: list[NgramLevel | StateLevel] = []
        self.guests: list[tuple[str, _native.StatefulScorer]] = []
        self._plugin_features = features
        self.turnover = Turnover(
            None if features.selection.keeps_all else table_entries, engine.lasting_rules
        )
        self.plugins: list[Any] = []
        self._features = self.weights = features.weights
        for line in settings.features:
            with config.naming(f"feature_function{suffix} {line}"):
                self._add(line)

    def read_weights(self, before: RescoringPass) -> None:
        """Read the weights of a later pass; without weights of its own, it uses those of the pass before.

        Raises
        ------
        InputError
            The weights file is wrong; the error names file and line.
        """
        self.weights = before.weights
        if self._settings.weights is not None:
            self.weights = self._features.sibling(np.zeros(0))
            with self._config.naming(f"weights{self._suffix} {self._settings.weights}"):
                self.weights.read(self._settings.weights)

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
        """Add a feature function: a line as after ``feature_function=``, a plugin, or a plugin's class.

        Raises
        ------
        InvalidConfig
            The feature function is none of these, or cannot be made.
        InputError
            A file that it names cannot be read.
        """
        if isinstance(feature, str):
            try:
                self._add(feature.strip())
            except InputError as error:
                if error.path is not None:
                    raise
                raise InvalidConfig(str(error), path="features") from None
        else:
            plugin = _plugin_of(feature)
            self.add_plugin(plugin, type(plugin).__name__)

    def add_plugin(self, plugin: Any, name: str) -> None:
        """Add a feature extractor.

        Raises
        ------
        InputError
            The plugin cannot be prepared.
        """
        with ForeignCode(
            type(plugin), lambda what: FeatureError(f"plugin {name}: cannot be prepared: {what}"), InputError
        ):
            self._prepare(plugin, name)

    def _prepare(self, plugin: Any, name: str) -> None:
        if hasattr(plugin, "prepare"):
            plugin.prepare()
        self.plugins.append(plugin)
        features = self._plugin_features
        level: NgramLevel | StateLevel | RuleLevel | EdgeLevel
        if hasattr(plugin, "strings"):
            level = NgramLevel(plugin, name, features, self._engine.lasting_rules)
            self._state_levels.append(level)
        elif hasattr(plugin, "state_size"):
            level = StateLevel(plugin, name, features)
            self._state_levels.append(level)
        else:
            level = self._stateless.add_plugin(plugin, name)
        self.turnover.add(level)

    def _add(self, line: str) -> None:
        name, _, arguments = line.partition(" ")
        function = _native.rule_function(name, self._features.native)
        if name == LANGUAGE_MODEL:
            self._add_language_model(arguments)
        elif function is not None:
            if arguments.strip():
                raise InvalidConfig(f"{name} takes no arguments, got {arguments!r}")
            self._functions.append(function)
        else:
            for plugin_name, plugin in plugins_of(line, self._config.base, also=ENGINE_FUNCTIONS):
                self.add_plugin(plugin, plugin_name)

    def _add_language_model(self, arguments: str) -> None:
        path, name, class_map, markers = given = LanguageModelArguments.read(arguments)
        base = self._config.base
        given.check_files(base)
        model = self._engine.language_model(
            os.fspath(base / path),
            class_map=os.fspath(base / class_map) if class_map else "",
            explicit_markers=markers,
            feature=self._features.id(name),
        )
        self._scorers.append(model)
        self.ngram_features.append(name)
        self._functions.append(_native.unknown_words(model, self._features.id(f"{name}_OOV")))

    def rescore(self, forest: _native.Forest, segment: Segment) -> _native.Forest:
        """Fire the features, and rescore the forest with the features that have a state."""
        with self.fired(forest, segment) as search:
            return search(self.weights)

    @contextmanager
    def fired(
        self, forest: _native.Forest, segment: Segment
    ) -> Iterator[Callable[[Weights], _native.Forest]]:
        """Fire the features, and give what searches the forest with weights of the decoder's features."""
        if self._functions:
            _native.add_rule_functions(forest, self._functions)
        with self.turnover.sentence():
            self._stateless.add(forest, segment)
            yield partial(self._searched, forest, segment)

    def _searched(self, forest: _native.Forest, segment: Segment, given: Weights) -> _native.Forest:
        scorers = [*self._scorers, *(level.scorer(forest, segment) for level in self._state_levels)]
        scorers += [scorer for name, scorer in self.guests if given[name]]
        weights = given.native
        forest.reweight(weights)
        if scorers:
            limit = 0 if self._settings.strategy == "full" else self._settings.pop_limit
            forest = _native.rescore(forest, scorers, weights, pop_limit=limit)
        if self._settings.beam_prune or self._settings.density_prune:
            forest = _native.prune(
                forest, beam=self._settings.beam_prune, density=self._settings.density_prune
            )
        return forest


def _plugin_of(feature: Any) -> Any:
    """Return the plugin itself, or an instance of the class, made without arguments."""
    if not callable(getattr(feature, "fire", None)) and not callable(getattr(feature, "strings", None)):
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
