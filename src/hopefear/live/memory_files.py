"""Files of translation memories, taken in by a system."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from hopefear.base.progress import progress_bar
from hopefear.base.texts import split_words
from hopefear.decoder import Segment
from hopefear.grammars.extractor import POST_EDIT_SUPPORT
from hopefear.grammars.symmetrisation import Link
from hopefear.grammars.written_text import with_fixed_links
from hopefear.text import TextSystem

from .aligner import LONGEST
from .events import sides
from .memory_index import MemoryEntry, MemoryIndex
from .session_text import SessionText, SharedText

if TYPE_CHECKING:
    from hopefear.text.memory import TextPair


def read_memories(paths: Iterable[Path], system: TextSystem | None, text: SharedText | None) -> MemoryIndex:
    """Read memories, align their pairs, and let them join a text."""
    index = MemoryIndex()
    # Without a text that grows, the pairs are counted in one of their own.
    counted = text or SharedText.empty(features=[POST_EDIT_SUPPORT])
    for path in paths:
        pairs = read_pairs(path, system)
        shown = progress_bar(pairs, len(pairs), name=f"reading {path.name}", unit="pair")
        for entry in aligned_entries(shown, system, counted):
            index.add(entry)
            if entry.links:
                counted.add(entry.source, entry.target, entry.links)
    index.catch_up()
    return index


def read_pairs(path: Path, system: TextSystem | None) -> list[TextPair]:
    """Read the pairs of a memory; there is at least one."""
    from hopefear.text.memory import read_memory  # imports the formats of documents, a leaf

    return list(read_memory(path, None if system is None else system.languages))


def aligned_entries(
    pairs: Iterable[TextPair], system: TextSystem | None, text: SharedText | SessionText
) -> Iterator[MemoryEntry]:
    """Iterate over pairs as entries; each is aligned by what a text has when it comes."""
    for pair in pairs:
        entry = _entry(pair, system, text)
        if entry is not None:
            yield entry


def _entry(pair: TextPair, system: TextSystem | None, text: SharedText | SessionText) -> MemoryEntry | None:
    segment = Segment(split_words(pair.source), id=pair.where, references=(pair.target,))
    as_written = None
    if system is not None:
        segment = system.prepare(replace(segment, text=pair.source))
        as_written = (pair.source, pair.target)
    source, target = sides(segment)
    if not source or not target:
        return None
    links: list[Link] = []
    if max(len(source), len(target)) <= LONGEST:
        links = text.align(source, target)
        if system is not None and segment.written is not None:
            links = with_fixed_links(links, segment.written.links[0])
    return MemoryEntry(source, target, tuple(links), as_written)
