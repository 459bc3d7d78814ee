"""Hiero rules for a sentence, extracted at translation time (Lopez 2007; Chiang 2007)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hopefear import _native
from hopefear.base.signatures import check_exports
from hopefear.base.texts import expect_several
from hopefear.decoder import SentenceGrammar
from hopefear.parallel import Replica

from .bitext import Bitext

CDEC_FEATURES = (
    "EgivenFCoherent",
    "SampleCountF",
    "CountEF",
    "MaxLexFgivenE",
    "MaxLexEgivenF",
    "IsSingletonF",
    "IsSingletonFE",
)
"""The features of cdec's extractor."""

CHIANG_FEATURES = ("LogProbEgivenF", "LogProbFgivenE", "LogLexEgivenF", "LogLexFgivenE")
"""The features of Chiang (2007, section 4): log p(e|f), log p(f|e) and the logs of both lexical weights."""

POST_EDIT_SUPPORT = "PostEditSupport"
"""The feature of rules that corrections gave (Denkowski, Dyer and Lavie 2014)."""

POST_EDIT_ONLY = "PostEditOnly"
"""The feature of rules that the text does not give, although it has their source words."""

POST_EDIT_NEW = "PostEditNew"
"""The feature of rules with a source word that the text does not have."""

POST_EDIT_SHARE = "PostEditShare"
"""The feature of how the corrections alone would translate a source side."""

POST_EDIT_FEATURES = (POST_EDIT_SUPPORT, POST_EDIT_ONLY, POST_EDIT_NEW, POST_EDIT_SHARE)
"""The features of what corrections add to the rules of a text."""

Side = Sequence[str | int]
"""A side of a rule: words, and numbers of nonterminals from 1."""

_MOST = 1 << 30  # maximum of samples, and of rules of a source side


@dataclass(frozen=True)
class Exclusion:
    """Sentence pairs of a text to leave out, made by `GrammarExtractor.exclusion`."""

    native: _native.Exclusion
    bitext: Bitext
    sentences: Sequence[int]


class GrammarExtractor(Replica):
    """Extracts the rules that a sentence needs from a parallel text, with the limits of cdec's extractor.

    A pattern is a sequence of the sentence's words with gaps. The extractor finds the occurrences of each
    pattern in the text, with a suffix array for patterns without gaps, and the rules of each occurrence.
    Rules are those of Chiang (2007, section 3), with the restriction of Lopez (2007): of the possible
    nonterminals at an end of a source side, only the smallest that makes a phrase pair. A rule has its most
    frequent alignment. Words that a grammar file cannot represent (``|||`` and words in square brackets) are
    in no rule.

    Parameters
    ----------
    bitext : Bitext
        The parallel text.
    max_symbols : int
        Maximal number of words and nonterminals of a source side.
    max_nonterminals : int
        Maximal number of nonterminals of a rule, at most 3.
    max_span : int
        Maximal number of words of an initial phrase, on each side; at most 255.
    min_gap : int
        Minimal number of source words of a nonterminal.
    tight : bool
        Whether phrases begin and end with linked words; else unlinked words may join them.
    samples : int
        Maximal number of occurrences of a pattern that are used, evenly spread over the text.
    features : sequence of str
        Names from `CDEC_FEATURES`, `CHIANG_FEATURES` and `POST_EDIT_FEATURES`. Below, samples are the
        occurrences of the source side's words that were used, and count is the number of them that gave the
        rule. If phrases are not tight, an occurrence may give a rule several times, because an unlinked word
        may belong to a nonterminal or not; each time counts, as in cdec's extractor.

        - ``EgivenFCoherent``: -log10(count / samples); ``SampleCountF``: log10(1 + samples); ``CountEF``:
          log10(1 + count).
        - ``MaxLexFgivenE``: the sum over source words f of -log10 of the best p(f|e) of a target word e or
          the empty word, 99 if all are 0; ``MaxLexEgivenF`` the other way round. These probabilities are
          relative frequencies of links; an unlinked word counts as linked to the empty word.
        - ``IsSingletonF``: 1 if the source side was extracted once; ``IsSingletonFE``: 1 if the rule was.
        - ``LogProbEgivenF``: ln of the rule's share of the extractions for its source side.
        - ``LogProbFgivenE``: ln of count, scaled up from the samples to all occurrences, over the occurrences
          of the target side's words; at most 0.
        - ``LogLexEgivenF``: ln of the product over target words of the mean of p(e|f) over their links
          (Koehn, Och and Marcu 2003); ``LogLexFgivenE`` the other way round.
        - ``PostEditSupport``: 1 if one of the extractions that count was from a correction;
          ``PostEditOnly``: 1 if all were, and the text has the rule's source words; ``PostEditNew``: 1 if all
          were, and it lacks one of them. ``PostEditShare``: log10(1/2 + 1/2 · q / p), where p is
          count / samples and q the rule's share of what corrections extract for the source side; 0 if they
          extract nothing.
    top : int, optional
        Number of rules to keep for each source side, the most frequent first, ties in alphabetical order; all
        if None.
    corrections_from : int, optional
        Sentence pairs of the text from this index on are corrections: of their occurrences of a pattern, the
        latest `samples` are used in addition to those of the text before; by default there are none.
    corrections_apart : bool
        Whether the text's rules stay what they are without corrections, with the same features. What
        corrections add is then in the features of `POST_EDIT_FEATURES`, and in more rules.

    Attributes
    ----------
    features : tuple of str
        The names of the features.

    Raises
    ------
    ValueError
        An argument is out of range, or a feature is unknown or stands twice.
    """

    def __init__(
        self,
        bitext: Bitext,
        *,
        max_symbols: int = 5,
        max_nonterminals: int = 2,
        max_span: int = 15,
        min_gap: int = 1,
        tight: bool = True,
        samples: int = 300,
        features: Sequence[str] = CDEC_FEATURES,
        top: int | None = None,
        corrections_from: int | None = None,
        corrections_apart: bool = False,
    ) -> None:
        expect_several("features", features)
        if twice := [name for name, count in Counter(features).items() if count > 1]:
            raise ValueError(f"expected each feature once, got {twice[0]} again")
        for name, value in (("samples", samples), ("top", top)):
            if value is not None and not 1 <= value <= _MOST:
                raise ValueError(f"{name} must be from 1 to {_MOST}, got {value}")
        if corrections_from is not None and corrections_from < 0:
            raise ValueError(f"corrections_from must be at least 0, got {corrections_from}")
        self.bitext = bitext
        self._settings: dict[str, Any] = {
            "features": list(features),
            "max_symbols": max_symbols,
            "max_nonterminals": max_nonterminals,
            "max_span": max_span,
            "min_gap": min_gap,
            "tight": tight,
            "samples": samples,
            "corrections_from": corrections_from,
            "corrections_apart": corrections_apart,
        }
        self._top = top
        self.features = tuple(features)
        self._native = _native.GrammarExtractor(bitext.native, **self._settings, top=top or 0)
        self._nothing = Exclusion(_native.Exclusion(), bitext, ())

    def grammar(self, tokens: Sequence[str], *, exclude: Iterable[int] | Exclusion = ()) -> SentenceGrammar:
        """Extract the rules that a sentence can use, including rules with nonterminals at their ends.

        `exclude` leaves out sentence pairs, by their indices in the text: the grammar is exactly that of the
        text without them, with its samples, counts and lexical probabilities. Each call reads the links of
        these pairs; for many pairs, make an `exclusion` once. Several threads may call this method.
        """
        if isinstance(tokens, str):
            raise TypeError("expected words, got a string")
        if not isinstance(exclude, Exclusion):
            exclude = self.exclusion(exclude)
        if exclude.bitext is not self.bitext:
            raise ValueError("expected sentence pairs of the extractor's own text, got those of another")
        return SentenceGrammar(self._native.grammar(list(tokens), exclude.native))

    def exclusion(self, sentences: Iterable[int]) -> Exclusion:
        """Prepare to leave out sentence pairs, such as a fold, from many grammars of this extractor."""
        kept = sentences if isinstance(sentences, range) else tuple(sentences)
        return Exclusion(self._native.exclusion(list(kept)), self.bitext, kept) if kept else self._nothing

    def growing_exclusion(self) -> Exclusion:
        """Prepare to leave out pairs that `exclude` adds later, in one thread of this process."""
        return Exclusion(_native.Exclusion(), self.bitext, ())

    def exclude(self, exclusion: Exclusion, sentence: int) -> None:
        """Let a `growing_exclusion` leave out one more sentence pair, which it does not yet leave out."""
        if exclusion.bitext is not self.bitext:
            raise ValueError("expected sentence pairs of the extractor's own text, got those of another")
        self._native.exclude(exclusion.native, sentence)

    def withdraw(self, exclusion: Exclusion, rules: Iterable[tuple[Side, Side]]) -> None:
        """Let a `growing_exclusion` leave out rules where corrections give them, and no others any more.

        A rule is also left out if it holds a withdrawn one: the symbols of the withdrawn rule stand together
        on either side, and no link leads from them to other words. What the text before the corrections gives
        stays.
        """
        if exclusion.bitext is not self.bitext:
            raise ValueError("expected sentence pairs of the extractor's own text, got those of another")
        self._native.withdraw(exclusion.native, [(list(source), list(target)) for source, target in rules])

    def link_counts(
        self,
        source: Sequence[str],
        target: Sequence[str],
        *,
        exclude: Exclusion | None = None,
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Count the links of pairs of words, of source words and of target words in the text.

        The empty word, which a word without a link counts as linked to, is the last row and column.
        """
        excluded = self._nothing if exclude is None else exclude
        return self._native.link_counts(list(source), list(target), excluded.native)

    def add(self, source: Sequence[str], target: Sequence[str], links: Iterable[tuple[int, int]]) -> None:
        """Add a sentence pair, with links of positions from 0, for later grammars of all extractors."""
        for words in (source, target):
            if isinstance(words, str):
                raise TypeError("expected words, got a string")
        self._native.add(list(source), list(target), list(links))

    def cut(self, sentences: int) -> None:
        """Remove the corrections from an index on; exclusions of these pairs must not be used afterwards."""
        self._native.cut(sentences)

    def _factory(self) -> Callable[[], GrammarExtractor]:
        return partial(GrammarExtractor, self.bitext, **self._settings, top=self._top)


check_exports(__name__)
