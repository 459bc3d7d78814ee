"""What a line of input may hold."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from hopefear.decoder import Segment
from hopefear.decoder.lengths import MAX_WORDS, check_length

from ..command import option


@dataclass(frozen=True, kw_only=True)
class Limits:
    """The options that limit lines of input."""

    grammars_under: Path | None = option(
        'Refuse lines whose <seg grammar="...">, or src_tree, names a file outside this folder.',
        metavar="FOLDER",
        default=None,
        shown="any file",
    )
    max_words: int = option(
        "The most words in a sentence, or edges in a lattice; a longer one is wrong input.",
        default=MAX_WORDS,
        min=1,
    )

    def check(self, segments: Iterable[Segment]) -> None:
        """Refuse segments that are too long."""
        for segment in segments:
            check_length(segment, self.max_words)
