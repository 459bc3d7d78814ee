"""The text of a system as sentence pairs with links, a part of it held out."""

from __future__ import annotations

from collections.abc import Iterator

from hopefear.base.lines import each_line
from hopefear.base.texts import split_words
from hopefear.decoder.lengths import LongSentences
from hopefear.grammars.alignment import parse_links
from hopefear.grammars.built import Build

from .examples import Pair


def read_pairs(system: Build, max_words: int) -> dict[int, Pair]:
    """Read the sentence pairs that have links, by their places in the text from 0."""
    long = LongSentences(max_words)
    pairs = {
        place: pair
        for place, pair in enumerate(_pairs(system))
        if pair.links and not long.leave_out(len(pair.source), len(pair.target))
    }
    long.warn()
    return pairs


def _pairs(system: Build) -> Iterator[Pair]:
    _, _, alignment = system.texts
    for number, lines in enumerate(zip(*map(each_line, system.texts), strict=True), 1):
        source, target = split_words(lines[0]), split_words(lines[1])
        lengths = len(source), len(target)
        where = f"{alignment}:{number}"
        if system.reverse:
            links = [(i, j) for j, i in parse_links(lines[2], words=lengths[::-1], where=where)]
        else:
            links = parse_links(lines[2], words=lengths, where=where)
        yield Pair(source, target, links)
