"""The decoder: makes forests from a cdec.ini and weights."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from hopefear import _native
from hopefear.base.errors import InputError, InvalidConfig, ParseFailed
from hopefear.base.texts import expect_several, first_word, shortened
from hopefear.parallel import Named, Replica, in_threads
from hopefear.plugins import Lattice, Plugin, Segment, SentenceGrammar
from hopefear.plugins.levels import fired_names
from hopefear.text import TextSystem

from .compiled import engine_without_grammars, make_engine
from .confidence import Confidence
from .config import PASSES, Config, make_config, parse_config, read_config
from .context import NO_CONTEXT, Context
from .eviction import TABLE_ENTRIES, TableReport
from .feature_account import FamilyReport, Fired
from .forest_input import read_forest_input
from .glossary import GLOSSARY, Glossary
from .hard_terms import HardTerm, with_hard_terms
from .hypergraph import Hypergraph
from .lengths import MAX_WORDS, check_length
from .marked_input import marked_input, with_terms
from .plugin_features import PluginFeatures
from .reading import Reading, TextOfSentence
from .rescoring import RescoringPass
from .selection import FeatureSelection, read_selection
from .translator import Delta, Translator
from .weights import Weights, set_priors

_LATTICE_COST = re.compile(r"LatticeCost_\d+")


class Decoder(Translator, Replica):
    """A decoder for hierarchical phrase-based translation: a `Translator` of forests.

    A pickled decoder is loaded as a replica: a decoder with the same configuration and plugins and with a
    replica of the weights. The replicas of a machine share the memory of the grammars.

    Parameters
    ----------
    config : str or Path, optional
        A Path, or a string without a line break that names a file, is the file of a cdec.ini. Any other
        string is the text of a cdec.ini. Without `config`, give the options by name.
    weights : Weights, path or mapping, optional
        Overrides the file that the configuration names.
    features : sequence of str, plugin or plugin class
        Feature functions in addition to those of the configuration. A string is a name with arguments, as
        after ``feature_function=`` in a cdec.ini: ``"SoftSyntax --granularity coarse"``; paths are relative
        to the configuration's folder. A class is instantiated without arguments.
    selection : FeatureSelection, optional
        Which features of plugins fire, and under which names. The default is the selection of the weights.
    max_words : int
        The largest number of words in a sentence, or of edges in a lattice; a longer input is an error.
    table_entries : int
        With a selection, the tables that a plugin keeps of words and names are reset when they have more
        entries than this number and four for each rule of the grammars.
    options
        Options of a cdec.ini; a list if an option is repeated.

    Raises
    ------
    InvalidConfig
        An option is unknown or wrong (the error names file and line), or an item of `features` is not a
        feature function.
    InputError
        A grammar, a weights file or a model cannot be read (the error names file and line), or the features
        of the weights have another hashing.
    """

    tells_plugins: ClassVar[bool] = True

    def __init__(
        self,
        config: str | Path | Config | None = None,
        *,
        weights: Weights | str | os.PathLike[str] | dict[str, float] | None = None,
        features: Sequence[Any] = (),
        selection: FeatureSelection | None = None,
        max_words: int = MAX_WORDS,
        table_entries: int = TABLE_ENTRIES,
        **options: Any,
    ) -> None:
        self.max_words = max_words
        self.table_entries = table_entries
        self.config = _configuration(config, options)
        self.weights = weights if isinstance(weights, Weights) else Weights()
        c = self.config
        self.text_system = None
        if c.text is not None:
            with c.naming(f"text {c.text}"):
                self.text_system = TextSystem.load(c.text)
        self.glossary = Glossary.of_files(c.glossaries, c, self.text_system)
        self.terms = Glossary.of_files(c.terms, c, self.text_system)
        path = c.passes[0].weights if weights is None else weights
        stored = read_selection(path) if isinstance(path, (str, os.PathLike)) else self.weights.selection
        self.selection = selection or stored or FeatureSelection()
        if stored is not None:
            self.selection.check_agrees(stored, path if isinstance(path, (str, os.PathLike)) else None)
        self.weights.selection = self.selection
        self.confidence = Confidence.beside(path if isinstance(path, (str, os.PathLike)) else None)
        self._plugin_features = PluginFeatures(self.weights, self.selection)
        known = len(self.weights)
        self._engine = make_engine(c, self.weights)
        self._plugin_features.of_model(range(known, len(self.weights)), "the grammars")
        self._passes = [
            RescoringPass(self._engine, self._plugin_features, c, suffix, table_entries) for suffix in PASSES
        ]
        self._passes = self._passes[:1] + [p for p in self._passes[1:] if not p.empty]
        expect_several("features", features)
        self._given = tuple(features)
        for feature in self._given:
            self._passes[0].add(feature)
        if self.glossary is not None:
            self.weights.id(GLOSSARY)
        # The names of weights come last: the features before them are those of the model itself.
        self._own = range(known, len(self.weights))
        if isinstance(path, dict):
            self.weights.update(path)
        elif path is not None and not isinstance(path, Weights):
            with c.naming(f"weights {path}"):
                self.read_weights(path)
        if c.formalism == "rescore":
            _refuse_source_plugins((plugin for each in self._passes for plugin in each.plugins), c)
        for before, features_of_pass in pairwise(self._passes):
            features_of_pass.read_weights(before)
        if self.glossary is not None:
            # Passes with weights of their own have priors of their own.
            priors = {self.weights.id(GLOSSARY): Glossary.PRIOR}
            for weights in {id(each.weights): each.weights for each in self._passes}.values():
                set_priors(weights.array, priors)

    def __repr__(self) -> str:
        """Show the configuration, the grammars, the feature functions and some weights."""
        c = self.config
        lines = [first_word(line)[0] for each in c.passes for line in each.features]
        grammars = shortened(", ".join(path.name for path in c.grammars)) or "no grammar"
        features = shortened(", ".join([*lines, *map(_name_of, self._given)])) or "no feature functions"
        rules = f"{self._engine.lasting_rules} rules of {grammars}"
        return f"<{type(self).__name__} of {c.path}: {rules}; {features}; {self.weights!r}>"

    @property
    def formalism(self) -> str:
        """The formalism: ``scfg``, or ``rescore`` if the input names forests."""
        return self.config.formalism

    @property
    def plugins(self) -> list[Any]:
        """The feature extractors of all passes."""
        return [plugin for features in self._passes for plugin in features.plugins]

    @property
    def last_weights(self) -> Weights:
        """The weights of the last rescoring pass, by which forests are scored."""
        return self._passes[-1].weights

    def read_weights(self, path: str | os.PathLike[str], scaling: float = 1.0) -> None:
        """Set the weights in a file in cdec's format, multiplied by `scaling`."""
        self.weights.read(path, scaling=scaling)

    def parse(
        self,
        source: str | Lattice | Segment,
        grammar: str | SentenceGrammar = "",
        *,
        context: Context = NO_CONTEXT,
    ) -> Hypergraph:
        """Return the translation forest before rescoring: it has only the features of grammars.

        Parameters
        ----------
        grammar : str or SentenceGrammar
            Rules for this sentence only, in cdec's text form or as an extractor gives them.
        context : Context
            What the parser may use beside what the decoder has loaded.

        Raises
        ------
        ParseFailed
            No derivation covers the input.
        InputError
            A grammar of the segment cannot be read, the input has more than `max_words` words, or there is
            not enough memory for it.
        """
        segment = self.segment(source)
        weights = context.weights or self.weights
        with self.attempting(segment):
            forest = self._parse(segment, grammar, context)
            forest.reweight(weights.native)
            return self._hypergraph(forest, segment, weights, context)

    def translate(
        self,
        source: str | Lattice | Segment,
        grammar: str | SentenceGrammar = "",
        *,
        reference: str | Lattice | None = None,
        terms: Mapping[str, str | Sequence[str]] | None = None,
        context: Context = NO_CONTEXT,
    ) -> Hypergraph:
        """Translate a sentence or lattice.

        Parameters
        ----------
        grammar : str or SentenceGrammar
            Rules for this sentence only, in cdec's text form or as an extractor gives them.
        reference : str or Lattice, optional
            Forced decoding: keep only derivations whose target words are a path of the reference.
        terms : mapping of str to str or sequence of str, optional
            Translations of words as they are written: each derivation uses one of them wherever the sentence
            has these words.
        context : Context
            What the translation may use beside what the decoder has loaded.

        Returns
        -------
        Hypergraph
            The forest after all rescoring passes.

        Raises
        ------
        ParseFailed
            No derivation covers the input or yields the reference.
        InputError
            A plugin failed, an annotation does not fit the sentence, the input has more than `max_words`
            words, or there is not enough memory for it.
        """
        segment = self.segment(source)
        if terms is not None:
            segment = with_terms(segment, Glossary.of_terms(terms, self.text_system), self.text_system)
        with self.attempting(segment), self._parsed(segment, grammar, reference, context) as search:
            translated = search(context.weights or self.weights)
            if segment.prefix is None:
                return translated
            return translated.completer().after(segment.prefix, whole_words=True).forest

    def segment(self, source: str | Lattice | Segment) -> Segment:
        """Return a segment with the tokens that the system sees: of text as written, if it has languages."""
        segment = Segment.from_input(source)
        if self.text_system is not None:
            segment = self.text_system.prepare(segment)
        return with_terms(segment, self.terms, self.text_system)

    def _hypergraph(
        self, forest: _native.Forest, segment: Segment, weights: Weights, context: Context
    ) -> Hypergraph:
        text = None
        if self.text_system is not None and segment.written is not None:
            text = TextOfSentence(self.text_system, segment.written)
        first, *others = self._passes
        models = first.sentence_models(context.scorers)
        models += [model for features in others for model in features.sentence_models()]
        return Hypergraph(forest, weights, Reading(text), confidence=self.confidence, models=models)

    @contextmanager
    def parsed(
        self, source: str | Lattice | Segment, *, context: Context = NO_CONTEXT
    ) -> Iterator[Callable[[Weights], Hypergraph]]:
        """Parse a sentence once, and give what searches its forest with other weights, as often as wanted.

        The weights are of the features of the decoder's weights. The passes after the first keep weights that
        their configuration gives. Errors are those of `translate`.
        """
        segment = self.segment(source)
        with self.attempting(segment), self._parsed(segment, "", None, context) as search:
            yield search

    @contextmanager
    def _parsed(
        self,
        segment: Segment,
        grammar: str | SentenceGrammar,
        reference: str | Lattice | None,
        context: Context,
    ) -> Iterator[Callable[[Weights], Hypergraph]]:
        forest = self._parse(segment, grammar, context)
        if reference is not None:
            weights = context.weights or self.weights
            narrowed = Hypergraph(forest, weights)
            forest.reweight(weights.native)
            if not narrowed.intersect(reference):
                raise ParseFailed(
                    f"no derivation of sentence {segment.number} yields its reference", path=segment.where
                )
            forest = narrowed.native
        first, *others = self._passes

        def search(weights: Weights) -> Hypergraph:
            rescored, whole = fired(weights)
            for features in others:
                used = weights if features.weights is self.weights else features.weights
                with features.fired(rescored, segment) as again:
                    rescored, whole = again(used)
            self._plugin_features.count(rescored)
            found = self._hypergraph(rescored, segment, weights, context)
            return found if whole is None else replace(found, whole=replace(found, native=whole))

        with first.fired(forest, segment, context.scorers) as fired:
            yield search

    def translate_all(
        self, sources: Iterable[str | Lattice | Segment], *, threads: int = 1
    ) -> Iterator[Hypergraph]:
        """Translate several sources in parallel threads; the results keep the order.

        Raises
        ------
        InputError
            `sources` is one text (raised at once), or a sentence cannot be translated (raised at its result).
        """
        expect_several("sources", sources)
        return _translated(self.translate, sources, threads)

    def feature_report(self) -> list[FamilyReport]:
        """Count the features that each plugin fired in the sentences translated so far.

        The counts include the features fired by replicas in other processes, which report them with the
        results of their tasks.
        """
        return self._plugin_features.report()

    def table_report(self) -> list[TableReport]:
        """Count the entries of the tables that plugins keep of words and names, one row for each plugin."""
        return [report for each in self._passes for report in each.eviction.report()]

    def delta(self) -> Delta | None:
        """Return what fired and what was skipped since the last call; None if nothing was."""
        fired, failures = self._plugin_features.delta(), self.take_failures()
        return Delta(fired, failures) if fired is not None or failures else None

    def fired(self) -> Fired:
        """Return all features that plugins fired so far, for `merge` of a decoder that continues the work."""
        return self._plugin_features.total()

    def merge(self, delta: Delta) -> None:
        """Take what a replica of this decoder tells, or an earlier decoder.

        Features are added to `feature_report`; skipped sentences go to `on_error`.
        """
        super().merge(delta)
        if delta.fired is not None:
            self._plugin_features.merge(delta.fired)

    def of_plugins(self, features: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Mark the features that come from plugins, not from the model itself.

        Parameters
        ----------
        features : array of int32, shape (n,)
            Feature numbers of a k-best list of this decoder.

        Returns
        -------
        array of bool, shape (n,)
        """
        return self._plugin_features.owns(features)

    def families(self, features: NDArray[np.int32]) -> list[str]:
        """Name the plugin that fired each feature; "" for the features of the model itself.

        Parameters
        ----------
        features : array of int32, shape (n,)
            Numbers of features that have fired.
        """
        return self._plugin_features.families(features)

    def model_features(self, segment: Segment | None = None) -> list[str]:
        """List the features of grammars and of the engine's feature functions; see `Translator`."""
        names = [self.weights.name(feature) for feature in self._own]
        if segment is not None and segment.grammars:
            seen = Weights()
            bare = replace(self.config, glue=False, pass_through=False, extra_pass_through_features=0)
            engine = engine_without_grammars(bare, seen)
            for grammar in segment.grammars:
                with _naming_input(segment):
                    engine.read_sentence_grammar(grammar)
            names += [name for name, _ in seen]
        return names

    def unmatched_weights(self, segment: Segment | None = None) -> list[str]:
        """List the weights other than 0 whose names no feature of this decoder can have.

        The features of sentences' own grammars are unknown. If a plugin does not declare the names that it
        fires, the list is empty. Names that a `Weights` had before the decoder was made from it count as
        known.

        Parameters
        ----------
        segment : Segment, optional
            The features of its own grammars are also known.

        Raises
        ------
        InputError
            A grammar of the segment cannot be read.
        """
        if self.config.formalism == "rescore":
            return []  # the features of forests are unknown
        patterns = [_LATTICE_COST.pattern, f"H{self.selection.hash_bits}#.*"]
        for plugin in self.plugins:
            pattern = fired_names(plugin)
            if pattern is None:
                return []
            patterns.append(pattern.pattern)
        possible = re.compile("|".join(f"(?:{pattern})" for pattern in patterns), re.DOTALL)
        names = {*self.model_features(segment), *map(self.weights.name, range(self._own.start))}
        weights = {name: None for rescoring in self._passes for name in rescoring.nonzero_weights()}
        return [name for name in weights if name not in names and not possible.fullmatch(name)]

    def _factory(self) -> Callable[[], Decoder]:
        make = self._constructor()
        if self.selection.frozen:
            known = Named.of(self.weights, np.arange(len(self.weights), dtype=np.int32))
            make = partial(_made_knowing, known, self.weights, make)
        # A replica whose deltas nobody merges raises its errors: they would be lost.
        return partial(_made_collecting, make) if self.on_error is not None and self.sends_deltas else make

    def _constructor(self) -> Callable[[], Decoder]:
        return partial(
            type(self),
            self.config.sharing_grammars(),
            weights=self.weights,
            features=self._given,
            selection=self.selection,
            max_words=self.max_words,
            table_entries=self.table_entries,
        )

    def _parse(self, segment: Segment, grammar: str | SentenceGrammar, context: Context) -> _native.Forest:
        if self.config.formalism == "rescore":
            return read_forest_input(self._engine, segment)
        check_length(segment, self.max_words)
        try:
            with _naming_input(segment):
                source, terms = self._input(segment, grammar, context)
                forest = self._engine.parse(source)
                if terms:
                    weights = context.weights or self.weights
                    forest = with_hard_terms(forest, terms, weights.native)
        except InputError as error:
            if error.path is not None:
                raise
            raise InputError(str(error), path=segment.where) from None
        except ValueError as error:  # rules that the parser cannot use
            message = str(error)
            if segment.grammars:  # files that the input names, of which no error tells anything
                message = message.partition(" through category ")[0]
            raise InputError(message, path=segment.where) from None
        if len(forest.node_category) == 0:
            marks = " with its marks" if segment.marks else ""
            raise ParseFailed(f"no derivation covers sentence {segment.number}{marks}", path=segment.where)
        return forest

    def _input(
        self, segment: Segment, grammar: str | SentenceGrammar, context: Context
    ) -> tuple[_native.Input, list[HardTerm]]:
        terms: list[HardTerm] = []
        if segment.tokens is not None and segment.marks:
            source, terms = marked_input(segment)
        elif segment.tokens is not None:
            try:
                source = _native.Input.from_tokens(list(segment.tokens))
            except TypeError:
                raise InputError("expected words in valid Unicode text") from None
        else:
            assert segment.lattice is not None
            source = _native.Input(len(segment.lattice))
            for start, column in enumerate(segment.lattice):
                for arc in column:
                    names, values = list(arc.features), list(arc.features.values())
                    source.add_arc(start, start + arc.distance, arc.word, names, values)
        if segment.grammars:
            source.grammar_paths = list(segment.grammars)
        extra = (rules for grammars in context.grammars for rules in grammars.grammars(segment))
        for rules in (*_rules_of(segment, self.glossary), *extra):
            source.add_grammar(rules.native)
        if isinstance(grammar, SentenceGrammar):
            source.add_grammar(grammar.native)
        else:
            try:
                source.grammar_text = grammar
            except TypeError:
                raise InputError("expected a grammar in valid Unicode text") from None
        return source, terms


def _rules_of(segment: Segment, glossary: Glossary | None) -> list[SentenceGrammar]:
    """Return the rules of a segment's own, and those of a glossary."""
    rules = [] if segment.rules is None else [segment.rules]
    return rules if glossary is None else [*rules, *glossary.grammars(segment)]


def _translated(
    translate: Callable[[Segment], Hypergraph], sources: Iterable[str | Lattice | Segment], threads: int
) -> Iterator[Hypergraph]:
    segments = (Segment.from_input(source, index=i) for i, source in enumerate(sources))
    with in_threads(threads) as executor:
        yield from executor.map(translate, segments)


def _refuse_source_plugins(plugins: Iterable[Plugin], config: Config) -> None:
    for plugin in plugins:
        if plugin.level in ("edge", "list"):
            message = f"{_name_of(plugin)} sees the source sentence, which a forest does not have"
            raise InvalidConfig(f"{message}: expected formalism = scfg", path=config.path)


@contextmanager
def _naming_input(segment: Segment) -> Iterator[None]:
    """Name the line of input in an error about one of its grammars as a whole."""
    try:
        yield
    except InputError as error:
        if error.path not in segment.grammars or error.line is not None:
            raise
        message = str(error).removeprefix(f"{error.path}: ")
        raise InputError(f"grammar {error.path}: {message}", path=segment.where) from None


def _name_of(feature: Any) -> str:
    """Return the name of a feature function of a decoder."""
    if isinstance(feature, str):
        return first_word(feature)[0]
    return str((feature if isinstance(feature, type) else type(feature)).__name__)


def _made_collecting(make: Callable[[], Decoder]) -> Decoder:
    decoder = make()
    decoder.collect_failures()
    return decoder


def _made_knowing(known: Named, weights: Weights, make: Callable[[], Decoder]) -> Decoder:
    """Make a decoder in which only features fire that the weights name, even with weight 0."""
    known.numbers(weights)
    return make()


def _configuration(config: str | Path | Config | None, options: dict[str, Any]) -> Config:
    if config is None:
        settings = [
            (name, str(value).lower() if isinstance(value, bool) else str(value), None)
            for name, values in options.items()
            for value in (values if isinstance(values, (list, tuple)) else [values])
        ]
        return make_config(settings, path="the options")
    if options:
        raise InvalidConfig(f"expected a configuration or options by name, got both: {', '.join(options)}")
    if isinstance(config, Config):
        return config
    if isinstance(config, Path) or ("\n" not in config and ("=" not in config or os.path.isfile(config))):
        return read_config(config)
    return parse_config(config)
