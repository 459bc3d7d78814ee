"""n-grams of the translation (cdec's ``NgramFeatures``; Watanabe et al. 2007)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from hopefear._native import name_part_fault
from hopefear.base.lines import each_line
from hopefear.base.texts import split_words
from hopefear.plugins import (
    InputError,
    NgramFeatures,
    PluginError,
    RuleBatch,
    RuleStrings,
    TokenType,
    WordTable,
    growing,
)

PREFIXES = ("U:", "B:", "T:", "4:", "5:")
"""First parts of names by order, as in cdec."""


@dataclass(kw_only=True, eq=False)
class TargetNgrams(NgramFeatures):
    """The n-grams of one order of the translation, under the names of cdec's ``NgramFeatures``.

    ``B:die_Katze`` for order 2, ``T:<s>_die_Katze`` for order 3; values are counts. Equal signs and
    semicolons turn into underscores. A plugin has one order; `AllNgrams` is cdec's own, with all orders.

    Parameters
    ----------
    order : int
        n, from 1 to 5.
    types : sequence of TokenType or str
        How words are written; each type has its own n-grams, equal names fire once.
    boundaries : bool
        Whether ``<s>`` is before and ``</s>`` after the translation.
    """

    fires: ClassVar[tuple[str, ...]] = tuple(f"{prefix}*" for prefix in PREFIXES)

    order: int = 3
    types: Sequence[TokenType | str] = ("surface",)
    boundaries: bool = True

    def __post_init__(self) -> None:
        is_valid = 1 <= self.order <= len(PREFIXES)  # `prepare` refuses others
        self.prefix = PREFIXES[self.order - 1] if is_valid else ""
        self.patterns = tuple((kind,) * self.order for kind in range(len(self.types)) if is_valid)

    def prepare(self) -> None:
        """Check the arguments and read the types' files."""
        if not self.prefix:
            name = type(self).__name__
            raise PluginError(f"{name}: order must be 1 to {len(PREFIXES)}, got {self.order}")
        super().prepare()

    def strings(self, rules: RuleBatch) -> RuleStrings:
        """Return the rules' target sides."""
        words = self._words.ids(rules, rules.target)
        symbols = np.where(rules.target > 0, words, rules.target - 1)
        return RuleStrings(self._words, rules.target_indptr, symbols)

    @growing
    def _words(self) -> WordTable:
        return WordTable(self.types)


@dataclass(kw_only=True, eq=False)
class TargetBigrams(TargetNgrams):
    """The bigrams of the translation (Watanabe et al. 2007): `TargetNgrams` of order 2."""

    fires: ClassVar[tuple[str, ...]] = ("B:*",)

    order: int = field(default=2, init=False)


@dataclass(kw_only=True, eq=False)
class AllNgrams(NgramFeatures):
    """The n-grams of all orders up to n of the translation: cdec's ``NgramFeatures``.

    ``U:Katze``, ``B:die_Katze``, ``T:sieht_die_Katze``; values are counts. ``</s>`` counts as a word. ``<s>``
    is in bigrams if n is 2 and in no n-grams if n is 3 or more, as in cdec. Equal signs and semicolons turn
    into underscores. cdec's feature ``Malformed`` for sentence markers within a translation does not fire.

    Parameters
    ----------
    order : int
        n, from 1 to 5; cdec's ``-o``.
    name : str
        Prefix of all names; cdec's ``-n``.
    unigrams, bigrams, trigrams, fourgrams, fivegrams : str
        The prefix of each order, after `name`; cdec's ``-U``, ``-B``, ``-T``, ``-4``, ``-5``.
    separator : str
        The text between words; cdec's ``-S``.
    clusters : Path or str, optional
        A file with lines ``cluster word``; words turn into their clusters, or into ``<unk>``; cdec's ``-c``.
    explicit_markers : bool
        The rules have ``<s>`` and ``</s>``, so none are added; cdec's ``-x``. As in cdec, n-grams that end at
        the first n - 1 words of a translation that does not begin with ``<s>`` do not fire.
    """

    fires: ClassVar[tuple[str, ...]] = ("*",)
    spellings: ClassVar[Mapping[str, str]] = {
        "-U": "unigrams",
        "-B": "bigrams",
        "-T": "trigrams",
        "-4": "fourgrams",
        "-5": "fivegrams",
        "-S": "separator",
        "-x": "explicit_markers",
    }

    order: int = 3
    name: str = ""
    unigrams: str = PREFIXES[0]
    bigrams: str = PREFIXES[1]
    trigrams: str = PREFIXES[2]
    fourgrams: str = PREFIXES[3]
    fivegrams: str = PREFIXES[4]
    separator: str = "_"
    clusters: Path | str | None = None
    explicit_markers: bool = False

    def __post_init__(self) -> None:
        every = self.unigrams, self.bigrams, self.trigrams, self.fourgrams, self.fivegrams
        self.prefix, self.prefixes = self.name, every[: max(self.order, 0)]
        self.boundaries = not self.explicit_markers
        self.begins = 1 if self.order == 2 else 0

    def prepare(self) -> None:
        """Check the arguments and read the clusters."""
        if not 1 <= self.order <= len(PREFIXES):
            raise PluginError(f"NgramFeatures: order must be 1 to {len(PREFIXES)}, got {self.order}")
        for text in filter(None, (self.name, *self.prefixes, self.separator)):
            if fault := name_part_fault(text):
                raise PluginError(f"NgramFeatures: a part of a name {fault}, got {text!r}")
        _ = self._cluster_of
        super().prepare()

    def strings(self, rules: RuleBatch) -> RuleStrings:
        """Return the rules' target sides."""
        symbols = np.where(rules.target > 0, self._numbers(rules), rules.target - 1)
        indptr = rules.target_indptr
        if self.explicit_markers:  # as often as in front of a string that is given its markers
            (begin,) = self._words.numbers(["<s>"]).tolist()
            times = np.where(symbols == begin, self.order - 1, 1)
            indptr = np.concatenate([[0], np.cumsum(times)]).astype(np.int32)[indptr]
            symbols = symbols.repeat(times)
        return RuleStrings(self._words, indptr, symbols)

    def _numbers(self, rules: RuleBatch) -> NDArray[np.int32]:
        clusters = self._cluster_of
        if clusters is None:
            return self._words.ids(rules, rules.target)
        symbols, at = np.unique(rules.target, return_inverse=True)
        words = [rules.symbol(symbol) if symbol > 0 else "" for symbol in symbols.tolist()]
        return self._words.numbers([clusters.get(word, "<unk>") for word in words])[at]

    @cached_property
    def _cluster_of(self) -> dict[str, str] | None:
        if self.clusters is None:
            return None
        clusters: dict[str, str] = {}
        for number, line in enumerate(each_line(self.clusters), 1):
            if line and not line.startswith("#"):
                fields = split_words(line)
                if len(fields) < 2:
                    message = f"expected a cluster and a word, got {line[:80]!r}"
                    raise InputError(message, path=self.clusters, line=number)
                clusters[fields[1]] = fields[0]
        return clusters | {"<s>": "<s>", "</s>": "</s>"}

    @growing
    def _words(self) -> WordTable:
        return WordTable(("surface",))
