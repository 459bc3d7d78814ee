"""The case of words that corrections teach."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from hopefear.text import TextSystem
from hopefear.text.case import places_inside

from .corrections import Correction
from .ledger import Ledger


class OwnCase:
    """The text system of a session, which writes new words as most corrections do.

    A word that the system writes with capitals stays so. Of other words, a form with capitals counts inside a
    sentence, unless it translates a word in small letters, as a title does. Systems whose tokens have their
    case learn it with rules.
    """

    def __init__(self, text: TextSystem, ledger: Ledger) -> None:
        self._system, self._ledger = text, ledger
        self.reset()

    def reset(self) -> None:
        """Take in all corrections."""
        casing = self._system.target.casing
        self._forms = dict(casing.forms)
        casing = replace(casing, forms=self._forms)
        self.text = replace(self._system, target=replace(self._system.target, casing=casing))
        self._counts = dict[str, Counter[str]]()  # of the forms of words, by the word in small letters
        self.follow([*self._ledger.corrections.values()], [])

    def follow(self, new: Sequence[Correction], gone: Sequence[Correction]) -> None:
        """Do what the ledger has done: forms are as if what is gone had never been there."""
        for corrections, times in ((new, 1), (gone, -1)):
            for correction in corrections:
                if correction.written is not None:
                    self._count(correction, *correction.written, times)

    def _count(self, correction: Correction, source: str, target: str, times: int) -> None:
        _, written = self._system.reads(source)
        read = self._system.read_target(target, written)
        if (len(written.tokens), len(read.tokens)) != (len(correction.source), len(correction.target)):
            return  # a unit of a document that keeps more pieces
        small = {e for f, e in correction.links if written.tokens[f].islower()}
        words = [target[begin:end] for begin, end in read.places]
        for place in places_inside(words):
            casing, word = self._system.target.casing, words[place]
            low = casing.lower(word)
            if low in casing.forms or (word != low and place in small):
                continue
            counts = self._counts.setdefault(low, Counter())
            counts[word] += times
            # Of forms that are as frequent the same one, whatever the order in which corrections came.
            count, form = max((count, form) for form, count in counts.items())
            if count > counts[low]:
                self._forms[low] = form
            else:
                self._forms.pop(low, None)
