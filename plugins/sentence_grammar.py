"""Rules for one sentence or a few, in memory: from an extractor directly to the decoder."""

from __future__ import annotations

import gzip
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NoReturn

import numpy as np

from hopefear import _native
from hopefear.base.errors import InputError
from hopefear.base.files import written_whole


@dataclass(frozen=True, slots=True)
class RuleText:
    """A rule as text.

    Attributes
    ----------
    lhs : str
        Category.
    source : tuple
        Words, and (category, index from 1) for nonterminals.
    target : tuple
        Words, and the index of the source nonterminal from 1.
    features : dict of str to float
    alignment : tuple of pairs of int
    """

    lhs: str
    source: tuple[str | tuple[str, int], ...]
    target: tuple[str | int, ...]
    features: dict[str, float]
    alignment: tuple[tuple[int, int], ...]

    @property
    def source_side(self) -> str:
        """The source side as in a grammar file."""
        return " ".join(item if isinstance(item, str) else f"[{item[0]},{item[1]}]" for item in self.source)

    @property
    def target_side(self) -> str:
        """The target side as in a grammar file."""
        return " ".join(item if isinstance(item, str) else f"[{item}]" for item in self.target)

    def __str__(self) -> str:
        """Write the rule as a line of a grammar file."""
        features = " ".join(f"{name}={value:.6g}" for name, value in self.features.items())
        alignment = " ".join(f"{i}-{j}" for i, j in self.alignment)
        columns = (f"[{self.lhs}]", self.source_side, self.target_side, features)
        return " ||| ".join((*columns, *([alignment] if alignment else [])))


Rule = tuple[Sequence[str | int], Sequence[str | int], Sequence[float], Sequence[tuple[int, int]]]
"""Both sides of a rule, words and indices of nonterminals from 1; values of features; links of symbols."""


class SentenceGrammar:
    """A grammar that belongs to no decoder: any decoder can use it for a sentence.

    The grammar cannot be changed. Its length is the number of rules. Iteration yields `RuleText`; rules
    with the same source side are neighbours.

    Parameters
    ----------
    native : _native.SentenceGrammar
        The native grammar, made by an extractor.
    """

    def __init__(self, native: _native.SentenceGrammar) -> None:
        self.native = native

    @classmethod
    def of(cls, features: Sequence[str], rules: Iterable[Rule], *, any_span: bool = False) -> SentenceGrammar:
        """Make a grammar of rules.

        Parameters
        ----------
        features : sequence of str
            Names.
        rules : iterable of (source, target, values, links)
            Both sides: words, and indices of nonterminals from 1, which are in order on the source side;
            a value for each feature; source and target position of linked words, from 0. A side has at most
            255 symbols.
        any_span : bool
            Whether the rules may cover more words than the limit of a decoder.

        Raises
        ------
        ValueError
            A rule is none.
        """
        given = [(list(f), list(e), list(values), list(links)) for f, e, values, links in rules]
        return cls(_native.SentenceGrammar(list(features), given, any_span))

    def __len__(self) -> int:
        return len(self.native)

    def __iter__(self) -> Iterator[RuleText]:
        return map(self._rule, range(len(self)))

    def having(self, feature: str) -> Iterator[RuleText]:
        """Iterate over the rules in which a feature is not 0."""
        column = self.native.features.index(feature)
        return map(self._rule, np.flatnonzero(self.native.values[:, column]).tolist())

    def _rule(self, index: int) -> RuleText:
        category = self.native.category
        source, target, values, alignment = self.native.rule(index)
        return RuleText(
            category,
            tuple((category, symbol) if isinstance(symbol, int) else symbol for symbol in source),
            target,
            dict(zip(self.native.features, values, strict=True)),
            alignment,
        )

    def __repr__(self) -> str:
        return f"<SentenceGrammar of {len(self)} rules>"

    def __reduce__(self) -> NoReturn:
        """Refuse to be pickled."""
        raise InputError(
            "a SentenceGrammar cannot be sent to another process: write it to a file, and send the path"
        )

    def text(self) -> str:
        """Return the rules in cdec's form, one a line: ``lhs ||| source ||| target ||| features ||| links``.

        Numbers have 12 digits, as in the output of cdec's extractor.
        """
        return self.native.text()

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write a complete grammar file, compressed if its name ends in ``.gz``.

        Raises
        ------
        OSError
            The file cannot be written.
        """
        text = self.text().encode()
        with written_whole(path) as part:
            part.write_bytes(gzip.compress(text, 4, mtime=0) if os.fspath(path).endswith(".gz") else text)
