"""The output for a line of input, in this process or in a worker."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from hopefear.base import InputError
from hopefear.decoder import Hypergraph, Lattice, Segment, Translator, attempt
from hopefear.parallel import WorkerDied
from hopefear.plugins.corpus import BadLine

from .output import Output


class Decoded(NamedTuple):
    """The output lines of a sentence, and what is to be told of it."""

    text: str
    problem: str | None = None
    skipped: tuple[Segment | BadLine, InputError] | None = None
    complaints: tuple[str, ...] = ()


@dataclass(frozen=True)
class Answering:
    """Translates one line of input, in this process or in a worker."""

    decoder: Translator
    output: Output
    skip: bool = False

    def __call__(self, segment: Segment | InputError) -> Decoded:
        """Translate a segment."""
        if isinstance(segment, BadLine) and self.skip:
            return Decoded(self.output.nothing(segment, str(segment)), skipped=(segment, segment))
        if isinstance(segment, InputError):
            raise segment
        if segment.length == 0:
            return Decoded(self.output.nothing(segment))
        try:
            with attempt(self.decoder, segment) as work:
                forest = self.decoder.translate(segment, reference=forced_reference(segment)).forest
                chosen = self.output.chosen(forest)
                text = self.output.render(segment, forest, chosen)
                return Decoded(text, complaints=_complaints(segment, chosen))
            problem = str(work.failure)
            return Decoded(self.output.nothing(segment, problem), problem=problem)
        except InputError as error:
            if not self.skip:
                raise
            return Decoded(self.output.nothing(segment, str(error)), skipped=(segment, error))

    def lost(self, segment: Segment | InputError, died: WorkerDied) -> Decoded:
        """Answer a segment on which workers died."""
        if not isinstance(segment, Segment):
            raise died
        error = died.blame(segment)
        if self.skip:
            return Decoded(self.output.nothing(segment, str(error)), skipped=(segment, error))
        return Decoded(self.output.nothing(segment, str(error)), problem=str(error))


def _complaints(segment: Segment, forest: Hypergraph) -> tuple[str, ...]:
    """Say what the best translation could not keep of text as written."""
    written = segment.written
    if written is None or not (written.contents or written.pairs):
        return ()
    return tuple(f"{segment.where}: {what}" for what in forest.restored().complaints)


def forced_reference(segment: Segment) -> str | Lattice | None:
    """Return the reference of forced decoding, a sentence or a lattice; None without a reference."""
    if not segment.references:
        return None
    if len(segment.references) > 1:
        raise InputError(
            "expected one reference for forced decoding, or --learn; got several references",
            path=segment.where,
        )
    (reference,) = segment.references
    if not reference.startswith("((("):
        return reference
    try:
        return Lattice.from_plf(reference)
    except InputError as error:
        raise InputError(str(error), path=segment.where) from None
