"""Parallel text as cdec's extractor holds it: words by number, links, lexical probabilities.

The compiled form of a text is the text itself, one sentence per line, where cdec writes arrays of numbers.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from io import StringIO

from hopefear._native import parse_links
from hopefear.base import InputError
from hopefear.base.files import write_packed
from hopefear.base.lines import read_lines
from hopefear.base.texts import split_words
from hopefear.pycdec.sa.bitext import bitext_lines
from hopefear.pycdec.sa.online import Bilex
from hopefear.pycdec.text import FilePath, as_path, as_text


class _Compiled(ABC):
    """What is written as a text, which is its compiled form, too."""

    @abstractmethod
    def write_text(self, filename: FilePath) -> None:
        """Write the text."""

    def write_binary(self, filename: FilePath) -> None:
        """Write the compiled form, which is the text."""
        self.write_text(filename)


class DataArray(_Compiled):
    """The words of a text by number.

    Its length is the number of words and ends of lines; item `loc` is the word at a place.
    """

    def __init__(
        self,
        from_binary: FilePath | None = None,
        from_text: FilePath | None = None,
        side: str | bytes | None = None,
        use_sent_id: bool = False,
    ) -> None:
        self.word2id = {"END_OF_FILE": 0, "END_OF_LINE": 1}
        self.id2word = ["END_OF_FILE", "END_OF_LINE"]
        self.data: list[int] = []
        self.sent_id: list[int] = []
        self.sent_index: list[int] = []
        if from_binary:
            self._read(_compiled_lines(from_binary))
        elif from_text:
            self._read(bitext_lines(from_text, side))

    def _read(self, lines: Iterable[str]) -> None:
        for number, line in enumerate(lines):
            self.sent_index.append(len(self.data))
            self.data.extend(map(self.get_id, split_words(line)))
            self.data.append(1)
            self.sent_id.extend([number] * (len(self.data) - len(self.sent_id)))
        self.sent_index.append(len(self.data))
        self.data.append(0)

    def __len__(self) -> int:
        return len(self.data)

    def __getitem__(self, loc: int) -> str:
        return self.id2word[self.data[loc]]

    def get_id(self, word: str | bytes) -> int:
        """Return the number of a word, a new one if the word is new."""
        word = as_text(word)
        if word not in self.word2id:
            self.word2id[word] = len(self.id2word)
            self.id2word.append(word)
        return self.word2id[word]

    def get_sentence(self, i: int) -> list[str]:
        """Return the words of a sentence and ``END_OF_LINE``."""
        return [self[loc] for loc in range(self.sent_index[i], self.sent_index[i + 1])]

    def get_sentence_id(self, i: int) -> int:
        """Return the sentence of a place."""
        return self.sent_id[i]

    def get_sentence_bounds(self, loc: int) -> tuple[int, int]:
        """Return where the sentence of a place begins, and where the next one does."""
        sentence = self.sent_id[loc]
        return self.sent_index[sentence], self.sent_index[sentence + 1]

    def write_text(self, filename: FilePath) -> None:
        """Write the text, one sentence per line."""
        text = StringIO()
        for i in range(len(self.sent_index) - 1):
            text.write(" ".join(self.get_sentence(i)[:-1]) + "\n")
        write_packed(as_path(filename), text.getvalue().encode())


class SuffixArray(_Compiled):
    """The source side of a parallel text; `GrammarExtractor` makes the index itself."""

    def __init__(
        self,
        from_binary: FilePath | None = None,
        from_text: FilePath | None = None,
        side: str | bytes | None = None,
    ) -> None:
        self.darray = DataArray(from_binary, from_text, side)

    def write_text(self, filename: FilePath) -> None:
        """Write the text, one sentence per line."""
        self.darray.write_text(filename)


class Alignment(_Compiled):
    """The word alignment of a parallel text."""

    def __init__(self, from_binary: FilePath | None = None, from_text: FilePath | None = None) -> None:
        self._sentences: list[list[tuple[int, int]]] = []
        name = from_binary or from_text
        path = as_path(name) if name else None
        for number, line in enumerate(_compiled_lines(path) if path else (), 1):
            try:
                self._sentences.append(parse_links(line))
            except ValueError as error:
                raise InputError(str(error), path=path, line=number) from None

    def __len__(self) -> int:
        """Count the sentence pairs."""
        return len(self._sentences)

    def alignment(self, i: int) -> list[tuple[int, int]]:
        """Return the links (source, target) of a sentence pair."""
        return list(self._sentences[i])

    def get_sent_links(self, sent_id: int) -> list[int]:
        """Return the links of a sentence pair as a flat list of source and target positions."""
        return [position for link in self._sentences[sent_id] for position in link]

    def write_text(self, filename: FilePath) -> None:
        """Write the links, one sentence pair per line."""
        lines = (" ".join(f"{i}-{j}" for i, j in links) + "\n" for links in self._sentences)
        write_packed(as_path(filename), "".join(lines).encode())


class BiLex(_Compiled):
    """Lexical probabilities: relative frequencies of links; an unlinked word is linked to ``NULL``."""

    def __init__(
        self,
        from_text: FilePath | None = None,
        from_data: bool = False,
        from_binary: FilePath | None = None,
        earray: DataArray | None = None,
        fsarray: SuffixArray | None = None,
        alignment: Alignment | None = None,
    ) -> None:
        self._scores: dict[tuple[str, str], tuple[float, float]] = {}
        if from_data:
            if earray is None or fsarray is None or alignment is None:
                raise ValueError("from_data needs earray, fsarray and alignment")
            self._count(fsarray.darray, earray, alignment)
        elif path := from_binary or from_text:
            self._read(path)
        self._sources = {f for f, _ in self._scores}
        self._targets = {e for _, e in self._scores}

    def _count(self, source: DataArray, target: DataArray, alignment: Alignment) -> None:
        sizes = len(source.sent_index) - 1, len(target.sent_index) - 1, len(alignment)
        if len(set(sizes)) > 1:
            raise InputError(
                "expected as many source as target sentences and alignments, got {}, {} and {}".format(*sizes)
            )
        counts = Bilex()
        for i in range(len(alignment)):
            words = source.get_sentence(i)[:-1], target.get_sentence(i)[:-1]
            counts.update(*words, alignment.alignment(i))
        self._scores = {(f, e): (n / counts.f[f], n / counts.e[e]) for (f, e), n in counts.fe.items()}

    def _read(self, path: FilePath) -> None:
        for where, line in read_lines(as_path(path)):
            try:
                f, e, first, second = split_words(line)
                self._scores[f, e] = float(first), float(second)
            except ValueError:
                message = f"expected source target p(target|source) p(source|target), got {line[:80]!r}"
                raise InputError(message, path=where) from None

    def contains_f_word(self, fword: str | bytes) -> bool:
        """Tell whether a source word has an entry."""
        return as_text(fword) in self._sources

    def contains_e_word(self, eword: str | bytes) -> bool:
        """Tell whether a target word has an entry."""
        return as_text(eword) in self._targets

    def get_score(self, fword: str | bytes, eword: str | bytes, col: int) -> float | None:
        """Return p(target|source) for `col` 0 and p(source|target) for 1; None for words never linked."""
        scores = self._scores.get((as_text(fword), as_text(eword)))
        return None if scores is None else scores[col]

    def write_text(self, filename: FilePath) -> None:
        """Write the entries as lines ``source target p(target|source) p(source|target)``."""
        lines = (
            f"{f} {e} {first!r} {second!r}\n" for (f, e), (first, second) in sorted(self._scores.items())
        )
        write_packed(as_path(filename), "".join(lines).encode())


def _compiled_lines(path: FilePath) -> Iterator[str]:
    """Iterate over the lines of a compiled text; cdec's own binary form is refused."""
    path = as_path(path)
    try:
        for _, line in read_lines(path):
            yield line
    except InputError as error:
        if "byte" not in str(error):
            raise
        message = "expected a file that hopefear.pycdec.sa.compile wrote; compile the text again"
        raise InputError(message, path=path) from None
