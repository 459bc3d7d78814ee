"""The decoders of a cell, which share one vector of weights."""

from __future__ import annotations

import atexit
from functools import lru_cache
from pathlib import Path
from typing import Any

from hopefear.base import InputError
from hopefear.decoder import Config, Decoder, Translator, Weights, read_config
from hopefear.decoder.rescoring import is_own_function
from hopefear.grammars.built import Build
from hopefear.live import AdaptingDecoder
from hopefear.plugins import create
from hopefear.text import TextSystem

from ..plan import PlanSystem, SentenceSet, TunerChoice


class Decoders:
    """The decoders of a system, made once for all sets that the same models translate."""

    def __init__(self, system: PlanSystem, weights: Weights, tuner: TunerChoice) -> None:
        self._system, self._weights, self._tuner = system, weights, tuner
        self._made: dict[tuple[object, ...], Translator] = {}

    def of(self, sentences: SentenceSet) -> Translator:
        """Return the decoder of a set; errors as in `make_decoder`."""
        text = sentences.text, sentences.pop_limit, sentences.neighbours
        models = sentences.config, sentences.build, sentences.fold, *text
        if models not in self._made:
            if self._tuner.live is None:
                self._made[models] = make_decoder(self._system, sentences, self._weights)
            else:
                adapt = self._tuner.adapt
                self._made[models] = _make_adapting(self._system, sentences, self._weights, adapt)
        return self._made[models]


def make_decoder(system: PlanSystem, sentences: SentenceSet, weights: Weights) -> Translator:
    """Make the decoder of a system for a set."""
    if sentences.build is None:
        return Decoder(_config(system, sentences), weights=weights)
    build, base = open_build(sentences.build), sentences.build

    def features() -> list[Any]:
        # The engine's own functions stay lines: a fold has models of its own.
        return [line if is_own_function(line) else create(line, base=base) for line in system.features]

    if sentences.text:
        return build.leaving_out(
            weights=weights,
            features=features,
            neighbours=sentences.neighbours,
            pop_limit=sentences.pop_limit,
        )
    if sentences.fold == 0:
        return build.decoder(weights=weights, features=features())
    if sentences.fold > len(build.folds):
        raise InputError(
            f"expected at least {sentences.fold} folds, got {len(build.folds)}", path=sentences.build
        )
    return build.folds[sentences.fold - 1].decoder(weights=weights, features=features())


def _make_adapting(
    system: PlanSystem, sentences: SentenceSet, weights: Weights, adapt: tuple[str, ...]
) -> AdaptingDecoder:
    """Make the decoder of a live session for a set; as `make_decoder`."""
    if sentences.fold or sentences.text:
        raise InputError(
            "expected no fold for a live session, which uses the whole text", path=sentences.build
        )
    config = _config(system, sentences)
    return AdaptingDecoder(config, rules="rules" in adapt, model="lm" in adapt, weights=weights)


def _config(system: PlanSystem, sentences: SentenceSet) -> Config:
    """Read the configuration of a set, and add the feature functions of a system."""
    if sentences.build is not None:
        config = open_build(sentences.build).config
    else:
        assert sentences.config is not None
        config = read_config(sentences.config)
    config.passes[0].features += system.features
    config.share_grammars = True  # a cell is a process, and there may be many of them at a time
    return config


def text_system(sentences: SentenceSet) -> TextSystem | None:
    """Return what the system of a set knows about text as written; None if its texts are tokens."""
    if sentences.build is not None:
        config = open_build(sentences.build).config
    elif sentences.config is not None and sentences.config.exists():  # a table of a set needs none
        config = read_config(sentences.config)
    else:
        return None
    if config.text is None:
        return None
    with config.naming(f"text {config.text}"):
        return TextSystem.load(config.text)


def initial_weights(system: PlanSystem, sentences: SentenceSet) -> Weights:
    """Read the weights that a system starts from."""
    path = system.weights
    if path is None:
        build = sentences.build
        config = open_build(build).config if build is not None else read_config(sentences.config or "")
        own = config.passes[0].weights
        if own is None:
            raise InputError(
                f"system {system.name}: expected weights to start from, in this file or in the plan",
                path=sentences.config or build,
            )
        path = Path(own)
    weights = Weights()
    weights.read(path)
    return weights


@lru_cache(maxsize=1)
def open_build(folder: Path) -> Build:
    """Open a build, and keep its rule extractor for later cells in this process."""
    return Build.open(folder)


# Later, while the interpreter shuts down, native objects can no longer be freed and are reported as leaks.
atexit.register(open_build.cache_clear)
