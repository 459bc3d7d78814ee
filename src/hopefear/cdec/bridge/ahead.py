"""What plugins fire on the edges that cdec is about to make: hopefear's engine parses each sentence first.

cdec asks a feature function about one edge at a time. The engine makes the same edges from the same grammars,
so that the plugins are asked about all edges of a sentence at once, as in hopefear's own decoder.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hopefear import _native
from hopefear.base import InputError
from hopefear.decoder import Decoder, FeatureSelection, Segment, Weights, attempt, read_config
from hopefear.decoder.config import Pass
from hopefear.plugins import EdgeBatch
from hopefear.plugins.levels import Plugin

_LONGEST = 1 << 30  # words of a sentence: how long it may be is cdec's matter


class Parsed(NamedTuple):
    """The edges of a sentence, and what they fire, as arrays of int32 and float64 in bytes."""

    symbols: bytes
    texts: list[str]
    rules: tuple[bytes, ...]
    edges: tuple[bytes, ...]
    new: bytes
    names: list[str]
    fired: tuple[bytes, ...]


class Ahead:
    """Parses sentences with the grammars of a cdec.ini, and asks plugins of rules and edges."""

    def __init__(
        self, config: Path, plugins: Iterable[Plugin], selection: FeatureSelection, known: Weights | None
    ) -> None:
        read = read_config(config)
        if read.formalism != "scfg":
            raise InputError(f"expected formalism = scfg, got {read.formalism}", path=config)
        read = replace(read, passes=[Pass() for _ in read.passes])
        self._decoder = Decoder(
            read, weights={}, features=list(plugins), selection=selection, max_words=_LONGEST
        )
        for name, _ in known or ():
            self._decoder.weights.id(name)
        self._told = np.zeros(0, bool)  # by number of the feature

    def parse(self, segment: Segment) -> Parsed | None:
        """Return the edges of a sentence; None if there is no derivation."""
        with attempt(self._decoder, segment) as work:
            forest = self._decoder.translate(segment).native
        if work.failure is not None:
            return None
        indptr, features, values = forest.edge_features()
        of_plugins = self._decoder.of_plugins(features)
        edges = EdgeBatch(forest)
        indptr = np.concatenate([[0], np.cumsum(of_plugins)])[indptr[: len(edges) + 1]]
        features, values = features[of_plugins][: indptr[-1]], values[of_plugins][: indptr[-1]]
        new = self._new(features)
        rules = _native.RuleBatch(
            forest, np.arange(len(forest.rules), dtype=np.int32), self._decoder.weights.native
        )
        words = rules.target[rules.target > 0]
        symbols = np.unique(np.concatenate([-rules.lhs, rules.source, words]))
        return Parsed(
            _ints(symbols),
            [rules.symbol(symbol) for symbol in symbols.tolist()],
            tuple(
                _ints(array)
                for array in (
                    -rules.lhs,
                    rules.source_indptr,
                    rules.source,
                    rules.target_indptr,
                    rules.target,
                )
            ),
            tuple(
                _ints(array)
                for array in (
                    forest.edge_local_rule[: len(edges)],
                    edges.span,
                    edges.tail_indptr,
                    edges.tail_span,
                )
            ),
            _ints(new),
            [self._decoder.weights.name(feature) for feature in new.tolist()],
            (_ints(indptr), _ints(features), np.ascontiguousarray(values, np.float64).tobytes()),
        )

    def _new(self, features: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return those features that were not given before."""
        count = len(self._decoder.weights)
        if count > len(self._told):
            self._told = np.concatenate([self._told, np.zeros(count, bool)])
        fired = np.zeros(count, bool)
        fired[features] = True
        new = np.flatnonzero(fired & ~self._told[:count]).astype(np.int32)
        self._told[new] = True
        return new


def _ints(array: NDArray[np.integer]) -> bytes:
    return np.ascontiguousarray(array, np.int32).tobytes()
