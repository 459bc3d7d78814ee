"""Write a large parallel text for benchmarks: python benchmarks/large_text.py --help."""

from __future__ import annotations

import argparse
import gzip
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from random import Random

from extract import TEXTS, files

Links = list[tuple[int, int]]
Pair = tuple[list[str], list[str], Links]

CHANGED = 0.25
"""How many of the word pairs of a copy become others."""

NEW = 0.2
"""How many of the changed rare word pairs become words that no other copy has."""

RARE = 2
"""The most occurrences of a rare word."""


def read(name: str) -> list[Pair]:
    """Read the pairs of a task's text, with their links source-target."""
    paths, reverse = files(name)
    with ExitStack() as stack:
        lines = zip(
            *(stack.enter_context(gzip.open(path, "rt", encoding="utf-8")) for path in paths), strict=True
        )
        return [(source.split(), target.split(), _links(links, reverse)) for source, target, links in lines]


def _links(line: str, reverse: bool) -> Links:
    links = [tuple(map(int, link.split("-"))) for link in line.split()]
    return [(j, i) if reverse else (i, j) for i, j in links]


def _alone(links: Links) -> Links:
    """Return the links of two words that have no other link."""
    sources, targets = (Counter(link[side] for link in links) for side in (0, 1))
    return [(i, j) for i, j in links if sources[i] == targets[j] == 1]


def grown(pairs: list[Pair], draw: Random) -> Iterator[Pair]:
    """Iterate over the pairs of a text, and over copies of it without end, in which words are others.

    Of two words that are linked to each other alone, a quarter becomes another such pair of the text, whose
    source word is about as frequent: the numbers of occurrences have as many binary digits. So the longer a
    phrase is, the fewer copies have it, and words keep their frequencies. Some rare words become new ones, so
    the vocabulary grows.
    """
    yield from pairs
    counts = Counter(word for source, _, _ in pairs for word in source)
    alone = [_alone(links) for _, _, links in pairs]
    drawn: dict[int, list[tuple[str, str]]] = {}
    for (source, target, _), links in zip(pairs, alone, strict=True):
        for i, j in links:
            drawn.setdefault(counts[source[i]].bit_length(), []).append((source[i], target[j]))
    copy = 1
    while True:
        for (source, target, links), those in zip(pairs, alone, strict=True):
            words = [*source], [*target]
            for i, j in those:
                if draw.random() < CHANGED:
                    found = counts[source[i]]
                    words[0][i], words[1][j] = draw.choice(drawn[found.bit_length()])
                    if found <= RARE and draw.random() < NEW:
                        words[0][i], words[1][j] = f"{words[0][i]}{copy}", f"{words[1][j]}{copy}"
            yield *words, links
        copy += 1


def write(pairs: Iterable[Pair], folder: Path) -> None:
    """Write a text and its alignment: ``source.gz``, ``target.gz`` and ``links.gz``."""
    folder.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        opened = (
            stack.enter_context(gzip.open(folder / f"{name}.gz", "wt", compresslevel=1, encoding="utf-8"))
            for name in ("source", "target", "links")
        )
        sources, targets, alignment = opened
        for source, target, links in pairs:
            sources.write(f"{' '.join(source)}\n")
            targets.write(f"{' '.join(target)}\n")
            alignment.write(f"{' '.join(f'{i}-{j}' for i, j in links)}\n")


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(
        description="Write a large parallel text with its alignment, for hopefear build: a task's text, and "
        "copies of it in which a quarter of the words that are linked one to one are others, as frequent."
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--task", choices=TEXTS, default="bible es-en")
    parser.add_argument("--pairs", type=int, default=1_000_000)
    given = parser.parse_args()
    write(islice(grown(read(given.task), Random(1)), given.pairs), given.folder)


if __name__ == "__main__":
    main()
