"""The material of `check_plugin`: a small grammar, sentences with annotations, and empty batches."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hopefear.base.read_only import read_only
from hopefear.plugins import Lattice, Segment

from ..decoder import Decoder
from ..glossary import GLOSSARY
from ..hypergraph import Hypergraph
from ..rescoring import JOINT_MODEL, LANGUAGE_FEATURE, RULE_FUNCTIONS
from ..state_features import StateLevel

# Ambiguous, with rules that have no target words, rules of three nonterminals, rules without alignment,
# names that need escaping, and words that are not ASCII.
GRAMMAR = """\
[X] ||| la ||| the ||| p=1 ||| 0-0
[X] ||| la ||| ||| p=3
[X] ||| casa ||| house ||| p=1 ||| 0-0
[X] ||| casa ||| home ||| p=2
[NP] ||| la casa ||| the house ||| p=2 ||| 0-0 1-1
[X] ||| [NP,1] ||| [NP,1] ||| p=1
[X] ||| [X,1] roja ||| red [X,1] ||| p=1 ||| 1-0
[X] ||| [X,1] [X,2] ||| [X,2] [X,1] ||| p=2
[X] ||| niño = 7 ||| boy ; 7 ||| p=1 ||| 0-0 1-1 2-2
[X] ||| [X,1] de [X,2] y [X,3] ||| [X,3] and [X,1] [X,2] ||| p=1 ||| 3-1
"""

SEGMENTS = (
    Segment(
        ("la", "casa", "roja"),
        tree="(NP (DT la) (NN casa) (ADJP (JJ roja)))",
        references=("the red house", "a red home"),
        tags=("DT", "NN", "JJ"),
        dependencies=(2, 0, 2),
        classes=("1", "2", "3"),
    ),
    Segment(
        ("casa",),
        tree="(S (NP (NN casa)))",
        references=("house",),
        tags=("NN",),
        dependencies=(0,),
        classes=("2",),
    ),
    Segment(
        ("la", "xyzzy", "roja"),
        tree="(S (NP (DT la) (NN xyzzy)) (VP (VB roja)))",
        references=("the red xyzzy",),
        tags=("DT", "NN", "VB"),
        dependencies=(2, 3, 0),
        classes=("1", "9", "3"),
    ),
    Segment(
        ("casa", "de", "casa", "y", "roja"),
        tree="(NP (NP (NN casa)) (PP (IN de) (NP (NN casa) (CC y) (JJ roja))))",
        references=("red and house home",),
        tags=("NN", "IN", "NN", "CC", "JJ"),
        dependencies=(0, 3, 1, 5, 3),
        classes=("2", "4", "2", "4", "3"),
    ),
    Segment(
        ("niño", "=", "7", "la"),
        tree="(S (NP (NN niño)) (VP (SYM =) (QP (CD 7)) (DT la)))",
        references=("boy ; 7",),
        tags=("NN", "SYM", "CD", "DT"),
        dependencies=(2, 0, 2, 3),
        classes=("2", "5", "6", "1"),
    ),
)
"""Sentences of one file; `Material` sets `index` and `id`."""

LATTICE = (
    (("la", 1), ("casa", 2)),
    (("casa", 1), ("roja", 1)),
)

MOST = 2000
"""Maximal number of derivations of a sentence that are compared."""

Derivations = list[tuple[str, str, tuple[tuple[str, float], ...]]]
"""Target words, source tree and features of a forest's derivations, in an order independent of ties."""


@dataclass(frozen=True)
class Material:
    """A grammar and sentences."""

    grammar: str
    segments: tuple[Segment, ...]

    @property
    def lattice(self) -> Segment:
        """A lattice of words of the built-in grammar; unknown words pass through."""
        index = len(self.segments)
        return Segment(None, Lattice(LATTICE), id=index, index=index, references=("the house",))

    def decoder(self, *plugins: Any) -> Decoder:
        """Make a decoder that searches forests exhaustively."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "grammar"
            path.write_text(self.grammar, "utf-8")
            decoder = Decoder(
                formalism="scfg",
                grammar=str(path),
                add_pass_through_rules=True,
                intersection_strategy="full",
                weights={"p": -1.0, "Glue": -0.5},
                feature_function=[*RULE_FUNCTIONS],
                features=plugins,
            )
        for name in (LANGUAGE_FEATURE, f"{LANGUAGE_FEATURE}_OOV", JOINT_MODEL, GLOSSARY):
            decoder._plugin_features.of_model([decoder.weights.id(name)], "the model")
        return decoder


def repeat_rule(decoder: Decoder, rule: int) -> None:
    """Let plugins with state get a rule again behind the last one."""
    for level in decoder._passes[0].state_levels:
        if isinstance(level, StateLevel):
            level.repeated = rule


def derivations(forest: Hypergraph) -> Derivations:
    """Return a forest's derivations, with values to nine digits."""
    return sorted(
        (
            forest.text(derivation),
            forest.trees(derivation)[0],
            tuple((name, _nine_digits(value)) for name, value in forest.features(derivation).items()),
        )
        for derivation in forest.derivations(MOST)
    )


@lru_cache(maxsize=10_000)
def _nine_digits(value: float) -> float:
    return float(f"{value:.9g}")


class EmptyBatch:
    """A batch without rules and edges."""

    vocabulary = 0
    first_own_symbol = 1
    _PAIRS = ("alignment", "span", "tail_span")

    def __init__(self, source_length: int, state_size: int) -> None:
        self.source_length = source_length
        self.tail_state = read_only(np.zeros((0, state_size), np.int64))
        self.nonterminals = read_only(np.zeros((0, 5), np.int32))
        self.is_goal = read_only(np.zeros(0, np.bool_))

    def __len__(self) -> int:
        return 0

    @property
    def group(self) -> NDArray[np.int64]:
        """The edges' groups: an empty array."""
        return read_only(np.zeros(0, np.int64))

    @property
    def groups(self) -> EmptyBatch:
        """The groups: empty as well."""
        return self

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if name in self._PAIRS:
            return read_only(np.zeros((0, 2), np.int32))
        return read_only(np.zeros(1 if name.endswith("indptr") else 0, np.int32))

    def with_attributes(self, change: object) -> EmptyBatch:
        """Return the batch: there are no attributes."""
        return self

    def symbol(self, symbol: int, /) -> str:
        """Raise IndexError: there are no symbols."""
        raise IndexError(f"there is no symbol {symbol} in an empty batch")

    def feature_values(self, name: str, /) -> NDArray[np.float64]:
        """Return an empty array."""
        return read_only(np.zeros(0))

    def indicator_names(self, prefix: str = "") -> Sequence[str]:
        """Return an empty list."""
        return ()
