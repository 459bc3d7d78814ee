"""Annotations of other words than a system's tokens, such as a parser's own, brought to the tokens.

The words and the tokens are of one sentence as written, and meet at its characters.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from .conllu import DependencyParse, depths
from .trees import Constituent, Tree, format_tree
from .written import Written

Span = tuple[int, int]

_BLANKS = re.compile(r"\s+")


class Misfit(Exception):
    """The words are not those of the sentence."""

    def __init__(self, expected: str, got: str) -> None:
        super().__init__(expected, got)
        self.expected, self.got = expected, got


@dataclass(frozen=True)
class WordPlaces:
    """Which words and which tokens of a sentence share characters."""

    of_token: tuple[int, ...]
    of_word: tuple[int | None, ...]

    @classmethod
    def find(cls, words: Sequence[str], written: Written, plain: Callable[[str], str]) -> WordPlaces:
        """Find the words in a sentence. Blanks are ignored."""
        try:
            places = _places(words, written.text, range(len(written.text)), plain)
        except Misfit as misfit:
            inside = (i for begin, end in written.places for i in range(begin, end))
            try:
                places = _places(words, written.text, inside, plain)
            except Misfit:
                raise misfit from None
        return cls._of(places, written.places)

    @classmethod
    def _of(cls, words: Sequence[Span], tokens: Sequence[Span]) -> WordPlaces:
        of_token, of_word = [(0, -1)] * len(tokens), list[tuple[int, int | None]]([(0, None)] * len(words))
        word = token = 0
        while word < len(words) and token < len(tokens):
            (a, b), (c, d) = words[word], tokens[token]
            shared = min(b, d) - max(a, c)
            if shared > of_token[token][0]:
                of_token[token] = shared, word
            if shared > of_word[word][0]:
                of_word[word] = shared, token
            if b <= d:
                word += 1
            else:
                token += 1
        word_of_token, before = list[int](), 0
        for _, word in of_token:  # a token of blanks, such as an odd control character, is like its neighbour
            before = max(word, before)
            word_of_token.append(before)
        return cls(tuple(word_of_token), tuple(token for _, token in of_word))

    def tags(self, tags: Sequence[str], heads: Sequence[int] | None = None) -> tuple[str, ...]:
        """Return a tag for each token: that of its word, of several words that of their head."""
        return tuple(tags[word] for word in self._chosen(heads))

    def heads(self, heads: Sequence[int]) -> tuple[int, ...]:
        """Return the head of each token, from 1; 0 for a root.

        The tokens of one word depend on the one that is most of it. Heads lead to roots as before.
        """
        token_heads = []
        for token, word in enumerate(self._chosen(heads)):
            if self.of_word[word] == token:
                word = heads[word] - 1
                while word >= 0 and self.of_word[word] is None:
                    word = heads[word] - 1
            head = self.of_word[word] if word >= 0 else None
            token_heads.append(0 if head is None else head + 1)
        return tuple(token_heads)

    def parse(self, parse: DependencyParse, tokens: Sequence[str]) -> DependencyParse:
        """Return a parse of the tokens."""
        return replace(
            parse,
            words=tuple(tokens),
            tags=None if parse.tags is None else self.tags(parse.tags, parse.heads),
            heads=None if parse.heads is None else self.heads(parse.heads),
        )

    def tree(self, tree: Tree, tokens: Sequence[str]) -> str:
        """Return a tree over the tokens; a part of speech of a word is that of all of its tokens."""
        constituents = []
        for label, begin, end in tree.constituents:
            first, last = (bisect_left(self.of_token, word) for word in (begin, end))
            if first < last:
                constituents.append(Constituent(label, first, last))
        return format_tree(tokens, constituents)

    def _chosen(self, heads: Sequence[int] | None) -> list[int]:
        """Choose a word for each token: of those that are most in it, the one nearest to a root."""
        depth = [0] * len(self.of_word) if heads is None else depths(heads)
        chosen = list(self.of_token)
        is_chosen = [self.of_word[word] == token for token, word in enumerate(chosen)]
        for word, token in enumerate(self.of_word):
            if token is not None and (not is_chosen[token] or depth[word] < depth[chosen[token]]):
                chosen[token], is_chosen[token] = word, True
        return chosen


def _places(
    words: Sequence[str], text: str, offsets: Iterable[int], plain: Callable[[str], str]
) -> list[Span]:
    """Find words in the characters of a text at some offsets, without blanks."""
    characters = [(c, i) for i in offsets if not text[i].isspace() for c in text[i].casefold()]
    line, position, spans = "".join(c for c, _ in characters), 0, list[Span]()
    for number, word in enumerate(words, 1):
        forms = (_BLANKS.sub("", form) for form in (word.casefold(), plain(word)))
        form = next((form for form in forms if line.startswith(form, position)), None)
        if not form:
            rest = text[characters[position][1] :] if position < len(line) else ""
            raise Misfit(repr(rest[: len(word)]) if rest else "no more words", f"{word!r} as word {number}")
        end = position + len(form)
        spans.append((characters[position][1], characters[end - 1][1] + 1))
        position = end
    if position < len(line):
        raise Misfit(repr(text[characters[position][1] :][:20]), "the end of the words")
    return spans
