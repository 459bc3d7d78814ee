"""Rules of one sentence, or of a few, in memory: straight from an extractor to the decoder."""

from __future__ import annotations

import gzip
import os
from collections.abc import Iterator
from typing import NoReturn

from . import _native
from .errors import InputError
from .files import written_whole
from .hypergraph import RuleText


class SentenceGrammar:
    """A grammar that belongs to no decoder: any decoder takes it with a sentence.

    It cannot be changed. Its length is the number of its rules; going through it gives each as `RuleText`,
    those of one source side one after the other.

    Parameters
    ----------
    native : _native.SentenceGrammar
        As an extractor makes it.
    """

    def __init__(self, native: _native.SentenceGrammar) -> None:
        self.native = native

    def __len__(self) -> int:
        return len(self.native)

    def __iter__(self) -> Iterator[RuleText]:
        category, names = self.native.category, self.native.features
        for index in range(len(self)):
            source, target, values, alignment = self.native.rule(index)
            yield RuleText(
                category,
                tuple((category, symbol) if isinstance(symbol, int) else symbol for symbol in source),
                target,
                dict(zip(names, values, strict=True)),
                alignment,
            )

    def __repr__(self) -> str:
        return f"<SentenceGrammar of {len(self)} rules>"

    def __reduce__(self) -> NoReturn:
        """Refuse to be pickled.

        Raises
        ------
        InputError
            Always.
        """
        raise InputError("a SentenceGrammar stays in its process: write it, and send its path")

    def text(self) -> str:
        """Give the rules in cdec's form, a line each: ``lhs ||| source ||| target ||| features ||| links``.

        Numbers have 12 digits, as those of cdec's extractor.
        """
        return self.native.text()

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write a grammar file whole, packed if its name ends in ``.gz``.

        Raises
        ------
        OSError
            The file cannot be written.
        """
        text = self.text().encode()
        with written_whole(path) as part:
            part.write_bytes(gzip.compress(text, 4, mtime=0) if os.fspath(path).endswith(".gz") else text)
