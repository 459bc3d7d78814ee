"""Word-aligned parallel text in memory, for the extraction of rules."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from functools import partial

from hopefear import _native
from hopefear.base import InputError
from hopefear.base.signatures import check_exports
from hopefear.parallel import Replica

LONGEST = 65_535
"""The maximal number of words of a sentence."""


class Bitext(Replica):
    """A word-aligned parallel text; once it is read, only a `GrammarExtractor` adds to it."""

    def __init__(self, native: _native.Bitext, files: Callable[[], Bitext] | None = None) -> None:
        self.native = native
        self._files, self._pairs = files, len(native)

    def __len__(self) -> int:
        return len(self.native)

    def source(self, sentence: int) -> tuple[str, ...]:
        """Return the source words of a sentence pair, by its index in the text."""
        return tuple(self.native.source(self._checked(sentence)))

    def target(self, sentence: int) -> tuple[str, ...]:
        """Return the target words of a sentence pair, by its index in the text."""
        return tuple(self.native.target(self._checked(sentence)))

    def _checked(self, sentence: int) -> int:
        if not 0 <= sentence < len(self):
            raise IndexError(f"expected a sentence pair from 0 to {len(self)} exclusive, got {sentence}")
        return sentence

    @classmethod
    def read(
        cls,
        source: str | os.PathLike[str],
        target: str | os.PathLike[str],
        alignment: str | os.PathLike[str],
        *,
        reverse: bool = False,
    ) -> Bitext:
        """Read a parallel text and its word alignment."""
        native = _native.Bitext()
        native.read(os.fspath(source), os.fspath(target), os.fspath(alignment), reverse)
        return cls(native, partial(cls.read, source, target, alignment, reverse=reverse))

    @classmethod
    def from_pairs(
        cls, pairs: Iterable[tuple[Sequence[str], Sequence[str], Iterable[tuple[int, int]]]]
    ) -> Bitext:
        """Make a parallel text of source words, target words and links (source, target) from 0."""
        native = _native.Bitext()
        for source, target, links in pairs:
            for words in (source, target):
                if isinstance(words, str):
                    raise TypeError("expected words, got a string")
            native.add(list(source), list(target), list(links))
        return cls(native)

    def _factory(self) -> Callable[[], Bitext]:
        if self._files is None or len(self) != self._pairs:
            raise InputError("expected a parallel text from files, unchanged, to send it to another process")
        return partial(_read_again, self._files, len(self))


def _read_again(files: Callable[[], Bitext], pairs: int) -> Bitext:
    bitext = files()
    if len(bitext) != pairs:
        raise InputError(f"expected {pairs} sentence pairs, got {len(bitext)}: the parallel text has changed")
    return bitext


def check_files(
    source: str | os.PathLike[str],
    target: str | os.PathLike[str],
    alignment: str | os.PathLike[str] | None = None,
    *,
    reverse: bool = False,
) -> int:
    """Check the files of a parallel text as `Bitext.read` does, without keeping the text."""
    links = None if alignment is None else os.fspath(alignment)
    return _native.check_bitext(os.fspath(source), os.fspath(target), links, reverse)


check_exports(__name__)
