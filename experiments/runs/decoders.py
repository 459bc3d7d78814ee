"""The decoders of a cell, which share one vector of weights."""

from __future__ import annotations

import atexit
from functools import lru_cache
from pathlib import Path

from hopefear.base import InputError
from hopefear.decoder import Decoder, Weights, read_config
from hopefear.grammars.built import Build
from hopefear.plugins import create

from ..plan import SentenceSet, System


class Decoders:
    """The decoders of a system, made once for all sets that the same models translate.

    Parameters
    ----------
    system : System
        The system, which gives the feature functions.
    weights : Weights
        The weights of all decoders, not copied.
    """

    def __init__(self, system: System, weights: Weights) -> None:
        self._system, self._weights = system, weights
        self._made: dict[tuple[Path | None, Path | None, int], Decoder] = {}

    def of(self, sentences: SentenceSet) -> Decoder:
        """Return the decoder of a set; errors as in `make_decoder`."""
        models = sentences.config, sentences.build, sentences.fold
        if models not in self._made:
            self._made[models] = make_decoder(self._system, sentences, self._weights)
        return self._made[models]


def make_decoder(system: System, sentences: SentenceSet, weights: Weights) -> Decoder:
    """Make the decoder of a system for a set.

    Parameters
    ----------
    weights : Weights
        The decoder's weights, not copied.

    Raises
    ------
    InputError
        A file is wrong, or the set's build has no such fold.
    """
    if sentences.build is None:
        assert sentences.config is not None
        config = read_config(sentences.config)
        config.passes[0].features += system.features
        config.share_grammars = True  # a cell is a process, and there may be many of them at a time
        return Decoder(config, weights=weights)
    features = [create(line, base=sentences.build) for line in system.features]
    build = _open(sentences.build)
    if sentences.fold == 0:
        return build.decoder(weights=weights, features=features)
    if sentences.fold > len(build.folds):
        raise InputError(
            f"expected at least {sentences.fold} folds, got {len(build.folds)}", path=sentences.build
        )
    return build.folds[sentences.fold - 1].decoder(weights=weights, features=features)


def initial_weights(system: System, sentences: SentenceSet) -> Weights:
    """Read the weights that a system starts from.

    Raises
    ------
    InputError
        The system has no initial weights, or the file is malformed.
    """
    path = system.weights
    if path is None:
        build = sentences.build
        config = _open(build).config if build is not None else read_config(sentences.config or "")
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
def _open(folder: Path) -> Build:
    """Open a build, and keep its rule extractor for later cells in this process."""
    return Build.open(folder)


# Later, while the interpreter shuts down, native objects can no longer be freed and are reported as leaks.
atexit.register(_open.cache_clear)
