"""What is written for a line of input, wherever it is translated."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from hopefear.decoder import Decoder, InputError, Lattice, ParseFailed, Segment, WorkerDied
from hopefear.decoder.lines import BadLine

from .output import Output


class Answer(NamedTuple):
    """The lines of a sentence, why it has no translation, and what went wrong with it where it is skipped."""

    text: str
    problem: str | None = None
    skipped: tuple[Segment | BadLine, InputError] | None = None


@dataclass(frozen=True)
class Answering:
    """Answers one line of input; it may be called in another process.

    Attributes
    ----------
    decoder : Decoder
        Translates.
    output : Output
        Says what is written of a translation.
    skip : bool
        Whether lines that are bad, or that something fails on, are skipped; else they raise.
    """

    decoder: Decoder
    output: Output
    skip: bool = False

    def __call__(self, segment: Segment | InputError) -> Answer:
        """Translate a segment.

        Raises
        ------
        InputError
            The line is bad, or a plugin failed on it, and nothing is skipped.
        """
        if isinstance(segment, BadLine) and self.skip:
            return Answer(self.output.nothing, skipped=(segment, segment))
        if isinstance(segment, InputError):
            raise segment
        if segment.length == 0:
            return Answer(self.output.nothing)
        try:
            forest = self.decoder.translate(segment, reference=forced_reference(segment))
            return Answer(self.output.render(segment, forest))
        except ParseFailed as error:
            return Answer(self.output.nothing, problem=str(error))
        except InputError as error:
            if not self.skip:
                raise
            return Answer(self.output.nothing, skipped=(segment, error))

    def lost(self, segment: Segment | InputError, died: WorkerDied) -> Answer:
        """Answer a segment that workers died of.

        Raises
        ------
        WorkerDied
            It was not the segment's fault.
        """
        if not isinstance(segment, Segment):
            raise died
        error = died.blame(segment)
        if self.skip:
            return Answer(self.output.nothing, skipped=(segment, error))
        return Answer(self.output.nothing, problem=str(error))


def forced_reference(segment: Segment) -> str | Lattice | None:
    """Give what the translation must yield: a sentence or a lattice, None where all is allowed.

    Raises
    ------
    InputError
        There are several references, or the lattice is malformed.
    """
    if not segment.references:
        return None
    if len(segment.references) > 1:
        raise InputError("expected one reference to force, or --learn; got several", path=segment.where)
    (reference,) = segment.references
    if not reference.startswith("((("):
        return reference
    try:
        return Lattice.from_plf(reference)
    except InputError as error:
        raise InputError(str(error), path=segment.where) from None
