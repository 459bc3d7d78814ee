"""The case of words that corrections teach."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from hopefear.text import TextSystem
from hopefear.text.case import places_inside

from .active_corrections import ActiveCorrections
from .corrections import Correction
from .part import CorrectionsPart


class SessionCase(CorrectionsPart):
    """The text system of a session, which writes new words as most corrections do.

    A word that the system writes with capitals stays so. Of other words, a form with capitals counts inside a
    sentence, unless it translates a word in small letters, as a title does. Systems whose tokens have their
    case learn it with rules.
    """

    def __init__(self, text: TextSystem, active: ActiveCorrections) -> None:
        self._system = text
        super().__init__(active)

    def clear(self) -> None:
        """Begin with the forms that the system knows."""
        casing = self._system.target.casing
        self._forms = dict(casing.forms)
        casing = replace(casing, forms=self._forms)
        self.text = replace(self._system, target=replace(self._system.target, casing=casing))
        self._counts = dict[str, Counter[str]]()  # of the forms of words, by the word in small letters

    def add(self, correction: Correction) -> None:
        """Count the forms of a correction."""
        self._count(correction, 1)

    def remove(self, correction: Correction) -> None:
        """Count the forms of a correction no more."""
        self._count(correction, -1)

    def _count(self, correction: Correction, times: int) -> None:
        if correction.written is None:
            return
        source, target = correction.written
        _, written = self._system.reads(source)
        read = self._system.read_target(target, written)
        if (len(written.tokens), len(read.tokens)) != (len(correction.source), len(correction.target)):
            return  # a unit of a document that keeps more pieces
        small = {e for f, e in correction.links if written.tokens[f].islower()}
        words = [target[begin:end] for begin, end in read.places]
        for index in places_inside(words):
            casing, word = self._system.target.casing, words[index]
            low = casing.lower(word)
            if low in casing.forms or (word != low and index in small):
                continue
            counts = self._counts.setdefault(low, Counter())
            counts[word] += times
            # Of forms that are as frequent the same one, whatever the order in which corrections came.
            count, form = max((count, form) for form, count in counts.items())
            if count > counts[low]:
                self._forms[low] = form
            else:
                self._forms.pop(low, None)
