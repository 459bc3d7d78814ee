"""How derivations read: their words, and the text that somebody would write."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hopefear import _native
from hopefear.base.texts import BLANK, split_words, word_places
from hopefear.plugins.written import Written
from hopefear.text import Restored, TextSystem

Derivation = NDArray[np.int32]
"""A derivation: its edges in preorder, tails in the order of the rule's source side."""


class TextOfSentence(NamedTuple):
    """What the text of a system knows about the translations of one sentence."""

    system: TextSystem
    written: Written

    def restore(self, words: Sequence[str], links: Sequence[tuple[int, int]]) -> Restored:
        """Make text of target words and their links with source words."""
        return self.system.restore(words, links, self.written)

    def read(self, translation: str, *, is_open: bool = False) -> list[tuple[str, tuple[int, int]]]:
        """List the target words of a translation, and where each is written."""
        missing = self._missing(translation) if is_open else ""
        read = self.system.read_target(translation + missing, self.written)
        places = [(begin, min(end, len(translation))) for begin, end in read.places]
        return list(zip(read.tokens, places, strict=True))

    def _missing(self, translation: str) -> str:
        """Return what is missing of a piece that stays, if a translation ends with its beginning."""
        last = translation[-1:]
        for piece in sorted(self.written.contents.values(), key=len, reverse=True):
            for length in range(len(piece) - 1, 0, -1):
                if piece[length - 1] != last or not translation.endswith(piece[:length]):
                    continue
                before = translation[: len(translation) - length]
                if before[-1:] in BLANK:
                    return piece[length:]
        return ""


@dataclass(frozen=True)
class Reading:
    """How the derivations of a forest read.

    Attributes
    ----------
    text : TextOfSentence or None
        What makes text of translations; None if the sentence was given as words.
    """

    text: TextOfSentence | None = None

    def words(self, native: _native.Forest, derivation: Derivation) -> str:
        """Return the target words of a derivation."""
        return _native.target_text(native, derivation)

    def links(self, native: _native.Forest, derivation: Derivation) -> list[tuple[int, int]]:
        """List the links of source words and of `words`."""
        return links_of_rules(native, derivation)

    def score(self, native: _native.Forest, derivation: Derivation) -> float:
        """Return the score of a derivation."""
        return _native.score(native, derivation)

    def confidences(
        self, native: _native.Forest, derivation: Derivation, confidences: list[float]
    ) -> list[float]:
        """Return the confidence of each of `words` by that of each target word of a derivation."""
        return confidences

    def restored(self, native: _native.Forest, derivation: Derivation) -> Restored:
        """Return the translation of a derivation as somebody would write it."""
        words = split_words(self.words(native, derivation))
        return self.restore(words, [] if self.text is None else self.links(native, derivation))

    def restore(self, words: Sequence[str], links: Sequence[tuple[int, int]]) -> Restored:
        """Return target words, which may be no derivation's, as somebody would write them."""
        if self.text is not None:
            return self.text.restore(words, links)
        text = " ".join(words)
        return Restored(text, (), word_places(text))


def links_of_rules(native: _native.Forest, derivation: Derivation) -> list[tuple[int, int]]:
    """List the links of source and target words in a derivation, by the alignments of its rules."""
    edges = derivation.tolist() if isinstance(derivation, np.ndarray) else list(derivation)
    spans, heads = native.node_span, native.edge_head
    tails, first_tail = native.edge_tails, native.edge_tails_indptr
    local_rule = native.edge_local_rule
    rules = [native.rule(int(local_rule[edge])) for edge in edges]
    children, sizes, pending = list[list[int]](), [0] * len(edges), list[int]()
    for k in range(len(edges) - 1, -1, -1):  # preorder from the back: children come first
        count = sum(not isinstance(symbol, str) for symbol in rules[k][1])
        if len(pending) < count:
            raise ValueError("expected the edges of a derivation, each before those of its parts")
        tails_of_rule = [pending.pop() for _ in range(count)]
        children.append(tails_of_rule)
        sizes[k] = sum(
            1 if isinstance(symbol, str) else sizes[tails_of_rule[symbol - 1]] for symbol in rules[k][2]
        )
        pending.append(k)
    children.reverse()
    begins, links = [0] * len(edges), list[tuple[int, int]]()
    for k, edge in enumerate(edges):
        _, source, target, _, _, alignment = rules[k]
        target_position, places = begins[k], dict[int, int]()
        for index, symbol in enumerate(target):
            if isinstance(symbol, str):
                places[index] = target_position
                target_position += 1
            else:
                begins[children[k][symbol - 1]] = target_position
                target_position += sizes[children[k][symbol - 1]]
        if not alignment:
            continue
        source_position, sources = int(spans[heads[edge]][0]), dict[int, int]()
        own_tails = iter(tails[first_tail[edge] : first_tail[edge + 1]])
        for index, item in enumerate(source):
            if isinstance(item, str):
                sources[index] = source_position
                source_position += 1
            else:
                source_position = int(spans[next(own_tails)][1])
        links += [(sources[f], places[e]) for f, e in alignment if f in sources and e in places]
    return sorted(links)
