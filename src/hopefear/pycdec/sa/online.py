"""Counts of links that grow sentence by sentence, ``cdec.sa.online``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import groupby

from hopefear._native import parse_links
from hopefear.base import InputError
from hopefear.base.files import write_packed
from hopefear.base.lines import read_lines, together
from hopefear.base.texts import is_whole, split_words
from hopefear.pycdec.sa.bitext import bitext_lines
from hopefear.pycdec.text import FilePath, as_path, as_text

NULL_WORD = "NULL"
"""The word that unlinked words are linked to."""


class Bilex:
    """Counts of links."""

    def __init__(self, in_f: FilePath | None = None) -> None:
        self.f: Counter[str] = Counter()
        self.e: Counter[str] = Counter()
        self.fe: Counter[tuple[str, str]] = Counter()
        if in_f:
            self.read(in_f)

    def get_score(self, f: str | bytes, e: str | bytes, dir: int) -> float | None:
        """Return p(e|f) for `dir` 0, p(f|e) for 1; None for words never linked."""
        return self.p_fe(f, e) if dir == 0 else self.p_ef(e, f)

    def p_fe(self, f: str | bytes, e: str | bytes) -> float | None:
        """Return the share of the links of `f` that lead to `e`."""
        return get_score_multilex(f, e, 0, [self])

    def p_ef(self, e: str | bytes, f: str | bytes) -> float | None:
        """Return the share of the links of `e` that lead to `f`."""
        return get_score_multilex(f, e, 1, [self])

    def update(
        self, f_words: Iterable[str | bytes], e_words: Iterable[str | bytes], links: Iterable[tuple[int, int]]
    ) -> None:
        """Add the links of a sentence pair."""
        sources, targets, links = [*map(as_text, f_words)], [*map(as_text, e_words)], list(links)
        for i, j in links:
            if i >= len(sources) or j >= len(targets):
                sizes = f"{len(sources)} and {len(targets)} words"
                raise InputError(f"expected links of sentences of {sizes}, got {i}-{j}")
        pairs = [(sources[i], targets[j]) for i, j in links]
        linked_f, linked_e = {i for i, _ in links}, {j for _, j in links}
        pairs += [(NULL_WORD, word) for j, word in enumerate(targets) if j not in linked_e]
        pairs += [(word, NULL_WORD) for i, word in enumerate(sources) if i not in linked_f]
        for f, e in pairs:
            self.f[f] += 1
            self.e[e] += 1
            self.fe[f, e] += 1

    def add_bitext(
        self,
        alignment_f: FilePath,
        text_f: FilePath,
        target_text_f: FilePath | None = None,
    ) -> None:
        """Add the links of a parallel text: two files, or one of lines ``source ||| target``."""
        sides = (
            [bitext_lines(text_f, None), bitext_lines(target_text_f, None)]
            if target_text_f
            else [bitext_lines(text_f, "source"), bitext_lines(text_f, "target")]
        )
        paths = [as_path(path) for path in (text_f, target_text_f or text_f, alignment_f)]
        for source, target, (where, line) in together(paths, *sides, read_lines(paths[-1])):
            try:
                self.update(split_words(source), split_words(target), parse_links(line))
            except ValueError as error:
                raise InputError(str(error), path=where) from None

    def write(self, out_f: FilePath) -> None:
        """Write the counts, compressed if the name ends in ``.gz``: source words, target words, pairs."""
        parts = [
            "".join(f"{word} {count}\n" for word, count in sorted(self.f.items())),
            "".join(f"{word} {count}\n" for word, count in sorted(self.e.items())),
            "".join(f"{f} {e} {count}\n" for (f, e), count in sorted(self.fe.items())),
        ]
        write_packed(as_path(out_f), "".join(part + "\n" for part in parts).encode())

    def read(self, in_f: FilePath) -> None:
        """Read the counts of a file of `write`."""
        blocks = [
            list(block) for full, block in groupby(read_lines(as_path(in_f)), lambda x: bool(x[1])) if full
        ]
        if len(blocks) != 3:
            raise InputError(f"expected three blocks of counts, got {len(blocks)}", path=as_path(in_f))
        for table, block, size in zip((self.f, self.e, self.fe), blocks, (1, 1, 2), strict=True):
            for where, line in block:
                *words, count = split_words(line)
                if len(words) != size or not is_whole(count):
                    expected = "two words and a count" if size == 2 else "a word and a count"
                    raise InputError(f"expected {expected}, got {line[:80]!r}", path=where)
                table[words[0] if size == 1 else tuple(words)] = int(count)  # type: ignore[index]


def get_score_multilex(f: str | bytes, e: str | bytes, dir: int, bilex_list: Iterable[Bilex]) -> float | None:
    """Return `Bilex.get_score` of the sums of several counts."""
    f, e = as_text(f), as_text(e)
    links = total = 0
    for bilex in bilex_list:
        links += bilex.fe[f, e]
        total += bilex.e[e] if dir else bilex.f[f]
    return links / total if links else None
