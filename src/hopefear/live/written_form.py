"""The written form that corrections teach: the case of words, and the forms of signs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from hopefear.plugins.written import Written
from hopefear.text import TextSystem
from hopefear.text.case import places_inside
from hopefear.text.profile import forms_of
from hopefear.text.signs import SignCounts

from .active_corrections import ActiveCorrections
from .corrections import Correction
from .part import CorrectionsPart


class WrittenForm(CorrectionsPart):
    """The text system of a session, which writes words and signs as most corrections do.

    Of the forms of a sign, such as an opening quotation mark, the one that corrections have most often is
    written, with the blanks that belong to it. Without one, signs are those of the system's text.

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
        self._forms = dict(casing.forms) if self._system.plain else casing.forms
        casing = replace(casing, forms=self._forms)
        self.text = replace(self._system, target=replace(self._system.target, casing=casing))
        self._counts = dict[str, Counter[str]]()  # of the forms of words, by the word in small letters
        self._signs = SignCounts()

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
        self._count_signs(source, target, times)
        if not self._system.plain:
            return
        _, written = self._system.reads(source)
        read = self._system.read_target(target, written)
        if (len(written.tokens), len(read.tokens)) != (len(correction.source), len(correction.target)):
            return  # a unit of a document that keeps more pieces
        self._count_words(correction, written, [target[begin:end] for begin, end in read.places], times)

    def _count_signs(self, source: str, target: str, times: int) -> None:
        pieces = self._system.profile.pieces(target, forms_of(self._system.pieces(source)))
        between = zip(
            (0, *(piece.end for piece in pieces)),
            (*(piece.begin for piece in pieces), len(target)),
            strict=True,
        )
        self._signs.add(target, between, like=source, times=times)
        signs = self._signs.forms(self._system.target.signs)
        self.text = replace(self.text, target=replace(self.text.target, signs=signs))

    def _count_words(
        self, correction: Correction, written: Written, words: Sequence[str], times: int
    ) -> None:
        large = {e for f, e in correction.links if not written.tokens[f].islower()}
        small = {e for _, e in correction.links} - large
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
