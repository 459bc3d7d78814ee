"""A decoder whose rules and n-gram model grow with a translator's corrections."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from hopefear import _native
from hopefear.base import InputError
from hopefear.decoder import Config, Decoder, Segment, SentenceGrammar
from hopefear.decoder.glossary import GLOSSARY, Glossary
from hopefear.decoder.rescoring import Guest
from hopefear.decoder.weights import set_priors
from hopefear.grammars.built import DESCRIPTION, Build, make_extractor
from hopefear.grammars.extractor import (
    CDEC_FEATURES,
    CHIANG_FEATURES,
    POST_EDIT_FEATURES,
    POST_EDIT_NEW,
    POST_EDIT_ONLY,
    POST_EDIT_SHARE,
    POST_EDIT_SUPPORT,
)
from hopefear.grammars.grammar_files import sentence
from hopefear.grammars.symmetrisation import Link

from .aligner import LinkCounts, align_pair
from .memory import MEMORY, MEMORY_PRIOR
from .memory_files import read_memories
from .memory_index import MemoryIndex
from .own_text import OwnText, SharedText

POST_EDIT_MODEL = "PostEditModel"
"""The feature of the n-gram model of corrections."""

POST_EDIT_JOINT = "PostEdit"
"""What the name of the feature of a joint model's cache begins with; the name of the joint model follows."""

NEVER = -1e4
"""The weight of a feature that no derivation is to have if there is another one."""

_LEAST = 0.1
"""The weight of `POST_EDIT_MODEL` at first, if no n-gram model of the configuration has a positive one."""

_SHARE = 0.2
"""The weight of `POST_EDIT_SHARE` at first, for a weight of 1 of the n-gram model."""

_UNIFORM = -5.0
"""log10 of the probability of every word, if the decoder has no n-gram model."""


class Guide(Protocol):
    """What gives rules for a segment."""

    def grammars(self, segment: Segment) -> list[SentenceGrammar]:
        """Return the rules as grammars."""


class AdaptingDecoder(Decoder):
    """A decoder with rules and an n-gram model from corrections, beside those of its configuration.

    If the configuration is that of a folder that ``hopefear build`` made, the rules of each sentence are
    extracted from the system's parallel text and the corrections together, and the grammar of the
    configuration is not read. Otherwise rules from the corrections alone are used beside the grammar.

    The decoder belongs to one session at a time; see `LiveSession`.

    Parameters
    ----------
    config : Config
        The configuration.
    rules, model : bool
        Whether rules and the n-gram model grow; if both do, the caches of joint models do, too.
    memories : sequence of Path
        Files of translation memories: sentences that they have, or nearly have, are translated as there. If
        rules grow, the pairs join the parallel text.
    options
        As for `Decoder`.

    Attributes
    ----------
    text : SharedText or None
        The parallel text; None if no rules grow.
    grows_model : bool
        Whether the n-gram model grows.
    joint_models : list of StatefulScorer
        The joint models that have caches.
    session : object
        The session that the decoder works for; None before the first one.
    memory : MemoryIndex or None
        What the files of memories have.
    first_weights : array of float64, shape (features,)
        The weights that each session begins with; see `adapted` and `untouched`.

    Raises
    ------
    InputError
        As in `Decoder` and `Build.open`; and in `parse` and `translate`, the input is a lattice and rules
        grow.
    """

    def __init__(
        self, config: Config, *, rules: bool, model: bool, memories: Sequence[Path] = (), **options: Any
    ) -> None:
        self.text: SharedText | None = None
        self._attached: OwnText | None = None
        self._guides: Sequence[Guide] = ()
        self._remembers = rules or bool(memories)
        self._grammar_counts: _native.GrammarCounts | None = None
        build = None
        if rules and (config.base / DESCRIPTION).is_file():
            build = Build.open(config.base)
            config = replace(config, grammars=[])
        super().__init__(config, **options)
        if build is not None:
            self.text = _text_of(build)
        elif rules:
            own = set(self.model_features())
            features = [name for name in (*CDEC_FEATURES, *CHIANG_FEATURES) if name in own]
            self.text = SharedText.empty(features=[*features, *POST_EDIT_FEATURES])
            self._grammar_counts = _native.GrammarCounts(self._engine)
        if rules:
            self.weights.intern_all([*POST_EDIT_FEATURES])
        self.grows_model = model
        self._model_feature = self.weights.id(POST_EDIT_MODEL) if model else 0
        grow = self._passes[0].joint_models if rules and model else []
        self.joint_models = [scorer for _, scorer in grow]
        self._joint_features = {POST_EDIT_JOINT + name: name for name, _ in grow}
        self.weights.intern_all([*self._joint_features])
        self.weights.intern_all([GLOSSARY, MEMORY] if self._remembers else [GLOSSARY])
        self.memory: MemoryIndex | None = None
        if memories:
            self.memory = read_memories(memories, self)
        self.session: object = None
        self.first_weights = self.weights.array.copy()

    def attach(
        self,
        own: OwnText | None,
        model: _native.GrowingModel | None,
        guides: Sequence[Guide] = (),
        caches: Sequence[_native.JointCache] = (),
    ) -> None:
        """Let the text and the n-gram model of a session take part in the following translations.

        The guides give rules for each segment: the session's memory and glossary. The caches are those of
        `joint_models`; or there are none.
        """
        self._attached, self._guides = own, guides
        first = self._passes[0]
        first.guests.clear()
        if model is not None:
            scorer = _native.growing_model_scorer(model, self._model_feature)
            first.guests.append(Guest(POST_EDIT_MODEL, scorer))
        for cache, joint, name in zip(caches, self.joint_models, self._joint_features, strict=False):
            scorer = _native.cached_joint_model(joint, cache, self.weights.id(name))
            first.guests.append(Guest(name, scorer, instead_of=joint))

    @property
    def ngram_model(self) -> _native.StatefulScorer | None:
        """The first n-gram model of the configuration; None without one."""
        return self._passes[0].ngram_model

    def untouched(self) -> NDArray[np.float64]:
        """Return the first weights without corrections and memories: their rules take no part."""
        return self._without([POST_EDIT_ONLY, POST_EDIT_NEW, MEMORY])

    def certain(self) -> NDArray[np.float64]:
        """Return the first weights without corrections, but for what follows from them for certain.

        These are rules for source words that the system does not know, and those of a memory.
        """
        return self._without([POST_EDIT_ONLY])

    def _without(self, features: Sequence[str]) -> NDArray[np.float64]:
        """Return the first weights; no rule with one of the features takes part."""
        growing = (POST_EDIT_SUPPORT, POST_EDIT_SHARE, POST_EDIT_MODEL, *self._joint_features)
        values = dict.fromkeys(growing, 0.0)
        values |= dict.fromkeys(features, NEVER)
        weights = self._first()
        for name in filter(self.weights.__contains__, values):
            weights[self.weights.id(name)] = values[name]
        return weights

    def adapted(self) -> NDArray[np.float64]:
        """Return the first weights; what corrections add has weights that were measured, where it has none.

        The model of the corrections is a part of an interpolated model, so it begins with the weight of the
        n-gram model that it is interpolated with; `PostEditShare`, a log10 of probabilities as well, with a
        part of this weight. So does the cache of a joint model begin with the weight of that model. All are
        within their bounds.
        """
        weights = self._first()
        names = self._passes[0].ngram_features[:1]
        ngrams = max([*(weights[self.weights.id(name)] for name in names), 0.0]) or _LEAST
        for name, part in ((POST_EDIT_MODEL, 1.0), (POST_EDIT_SHARE, _SHARE)):
            if name in self.weights and not weights[feature := self.weights.id(name)]:
                weights[feature] = part * ngrams
        for name, joint in self._joint_features.items():
            if not weights[feature := self.weights.id(name)]:
                weights[feature] = max(weights[self.weights.id(joint)], 0.0)
        self.keep_bounds(weights)
        return weights

    def keep_bounds(self, weights: NDArray[np.float64]) -> None:
        """Bring weights of what corrections add that are out of their bounds back to them.

        What a correction gave is no worse for it: `PostEditSupport` is at least 0. The cache of a joint model
        has this model as its prior, and counts no more than the model: a greater weight would pay twice.
        """
        if POST_EDIT_SUPPORT in self.weights:
            support = self.weights.id(POST_EDIT_SUPPORT)
            weights[support] = max(weights[support], 0.0)
        for name, joint in self._joint_features.items():
            cache = self.weights.id(name)
            weights[cache] = min(weights[cache], max(weights[self.weights.id(joint)], 0.0))

    def _first(self) -> NDArray[np.float64]:
        """Return the first weights with priors of glossary and memory; 0 for features that came later."""
        weights = np.zeros(len(self.weights))
        weights[: len(self.first_weights)] = self.first_weights
        priors = ((GLOSSARY, Glossary.PRIOR), (MEMORY, MEMORY_PRIOR))
        set_priors(weights, {self.weights.id(name): times for name, times in priors if name in self.weights})
        return weights

    def background(self, words: Sequence[str]) -> list[float]:
        """Return log10 of the probabilities of words, by the first n-gram model of the configuration."""
        return self._passes[0].unigrams(words) or [_UNIFORM] * len(words)

    def align(self, own: OwnText, source: Sequence[str], target: Sequence[str]) -> list[Link]:
        """Find the links of a correction."""
        return self.align_by(own.link_counts, source, target)

    def align_by(self, counted: LinkCounts, source: Sequence[str], target: Sequence[str]) -> list[Link]:
        """Find the links of a sentence pair from counts of links, and from those of the grammar's rules."""
        counts = [counted]
        if self._grammar_counts is not None:
            counts.append(lambda source, target: self._links_of_rules(list(source), list(target)))
        return align_pair(source, target, counts)

    def _links_of_rules(self, source: list[str], target: list[str]) -> Any:
        assert self._grammar_counts is not None
        return self._grammar_counts.counts(source, target)

    def model_features(self, segment: Segment | None = None) -> list[str]:
        """List the features of the model, those of rules and of the n-gram model that grow included."""
        names = super().model_features(segment)
        if self.text is not None:
            names += self.text.extractor.features
        if getattr(self, "grows_model", False):
            names += [POST_EDIT_MODEL, *self._joint_features]
        names.append(GLOSSARY)
        return [*names, MEMORY] if self._remembers else names

    def _rules_of(self, segment: Segment) -> list[SentenceGrammar]:
        rules = super()._rules_of(segment)
        for guide in self._guides:
            rules += guide.grammars(segment)
        if self._attached is None:
            return rules
        learned = self._attached.grammar(sentence(segment))
        if self._grammar_counts is not None:
            learned = SentenceGrammar(self._grammar_counts.added_to(learned.native))
        return [*rules, learned]

    def _constructor(self) -> Callable[[], Decoder]:
        raise InputError("a decoder that adapts to corrections cannot be sent to another process")


def _text_of(build: Build) -> SharedText:
    """Read the parallel text of a build, to which corrections are added."""
    bitext = build.read_text()
    features = [*build.extraction.get("features", CDEC_FEATURES), *POST_EDIT_FEATURES]
    own = {"features": features, "corrections_from": len(bitext), "corrections_apart": True}
    settings = {**build.extraction, **own}
    return SharedText(make_extractor(bitext, settings))


def adapting(rules: bool, model: bool, memories: Sequence[Path] = ()) -> Callable[..., AdaptingDecoder]:
    """Return what makes an adapting decoder from the arguments of a `Decoder`."""

    def make(config: Config | Path, **options: Any) -> AdaptingDecoder:
        from hopefear.decoder import read_config

        settings = config if isinstance(config, Config) else read_config(config)
        return AdaptingDecoder(settings, rules=rules, model=model, memories=memories, **options)

    return make
