"""A decoder whose sessions have rules and an n-gram model of corrections."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from hopefear import _native
from hopefear.base import InputError
from hopefear.decoder import Config, Decoder, Segment, Weights
from hopefear.decoder.glossary import GLOSSARY
from hopefear.grammars.built import DESCRIPTION, Build, make_extractor
from hopefear.grammars.extractor import CDEC_FEATURES, CHIANG_FEATURES, POST_EDIT_FEATURES

from .active_corrections import ActiveCorrections
from .corrections_model import POST_EDIT_MODEL
from .expert_weights import ExpertWeights
from .joint_model_cache import POST_EDIT_JOINT
from .memory import MEMORY
from .memory_files import read_memories
from .memory_index import MemoryIndex
from .session_text import SessionText, SharedText

_UNIFORM = -5.0
"""log10 of the probability of every word, if the decoder has no n-gram model."""


class AdaptingDecoder(Decoder):
    """A decoder with features for rules and an n-gram model of corrections, which its sessions have.

    If the configuration is that of a folder that ``hopefear build`` made, the rules of each sentence are
    extracted from the system's parallel text and the corrections together, and the grammar of the
    configuration is not read. Otherwise rules from the corrections alone are used beside the grammar.

    The decoder is what was loaded. What a session learns is in the session, and is given to each translation
    as its context; see `LiveSession`.

    Parameters
    ----------
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
    system_text : SessionText or None
        The same text without corrections.
    grows_model : bool
        Whether the n-gram model grows.
    joint_models : dict of str to StatefulScorer
        The joint models that have caches, by the features of the caches.
    memory : MemoryIndex or None
        What the files of memories have.
    remembers : bool
        Whether memories, of files and of sessions, give rules.
    expert_weights : ExpertWeights
        The weights that each session begins with.

    Raises
    ------
    InputError
        As in `Decoder` and `Build.open`; and, where rules grow, a session parses or translates a lattice.
    """

    def __init__(
        self, config: Config, *, rules: bool, model: bool, memories: Sequence[Path] = (), **options: Any
    ) -> None:
        self.text: SharedText | None = None
        self.grows_model = False
        self.joint_models: dict[str, _native.StatefulScorer] = {}
        self.remembers = rules or bool(memories)
        build = None
        if rules and (config.base / DESCRIPTION).is_file():
            build = Build.open(config.base)
            config = replace(config, grammars=[])
        super().__init__(config, **options)
        if build is not None:
            self.text = _text_of(build)
        elif rules:
            features_of_model = set(super().model_features())
            features = [name for name in (*CDEC_FEATURES, *CHIANG_FEATURES) if name in features_of_model]
            counts = _native.GrammarCounts(self._engine)
            self.text = SharedText.empty(counts, features=[*features, *POST_EDIT_FEATURES])
        if rules:
            self.weights.intern_all([*POST_EDIT_FEATURES])
        self.grows_model = model
        if model:
            self.weights.id(POST_EDIT_MODEL)
        joint = self._passes[0].joint_models if rules and model else []
        self.joint_models = {POST_EDIT_JOINT + name: scorer for name, scorer in joint}
        self._joint_features = {POST_EDIT_JOINT + name: name for name, _ in joint}
        self.weights.intern_all([*self.joint_models])
        self.weights.intern_all([GLOSSARY, MEMORY] if self.remembers else [GLOSSARY])
        self.memory: MemoryIndex | None = None
        if memories:
            self.memory = read_memories(memories, self.text_system, self.text)
        self.system_text = None if self.text is None else SessionText(self.text, ActiveCorrections())
        self.expert_weights = self.expert_weights_of(self.weights)

    def expert_weights_of(self, weights: Weights) -> ExpertWeights:
        """Return what a session begins with that has other weights of the decoder's features."""
        ngrams = self._passes[0].ngram_features[:1]
        return ExpertWeights(weights, ngrams[0] if ngrams else None, self._joint_features)

    @property
    def ngram_model(self) -> _native.StatefulScorer | None:
        """The first n-gram model of the configuration; None without one."""
        return self._passes[0].ngram_model

    def background(self, words: Sequence[str]) -> list[float]:
        """Return log10 of the probabilities of words, by the first n-gram model of the configuration."""
        return self._passes[0].unigrams(words) or [_UNIFORM] * len(words)

    def model_features(self, segment: Segment | None = None) -> list[str]:
        """List the features of the model, those of rules and of the n-gram model that grow included."""
        names = super().model_features(segment)
        if self.text is not None:
            names += self.text.extractor.features
        if self.grows_model:
            names += [POST_EDIT_MODEL, *self.joint_models]
        names.append(GLOSSARY)
        return [*names, MEMORY] if self.remembers else names

    def _constructor(self) -> Callable[[], Decoder]:
        raise InputError("a decoder that adapts to corrections cannot be sent to another process")


def _text_of(build: Build) -> SharedText:
    """Read the parallel text of a build, to which corrections are added."""
    bitext = build.read_text()
    features = [*build.extraction.get("features", CDEC_FEATURES), *POST_EDIT_FEATURES]
    settings = {"features": features, "corrections_from": len(bitext), "corrections_apart": True}
    return SharedText(make_extractor(bitext, {**build.extraction, **settings}))


def adapting(rules: bool, model: bool, memories: Sequence[Path] = ()) -> Callable[..., AdaptingDecoder]:
    """Return what makes an adapting decoder from the arguments of a `Decoder`."""

    def make(config: Config | Path, **options: Any) -> AdaptingDecoder:
        from hopefear.decoder import read_config

        settings = config if isinstance(config, Config) else read_config(config)
        return AdaptingDecoder(settings, rules=rules, model=model, memories=memories, **options)

    return make
