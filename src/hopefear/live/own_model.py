"""The n-gram model of one session's corrections."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from hopefear import _native

from .corrections import Correction

ORDER, DISCOUNT = 3, 0.9


class OwnModel:
    """An n-gram model that grows with corrections, and forgets them.

    Parameters
    ----------
    background : callable
        Returns log10 of the probabilities of words in the n-gram model of the configuration.

    Attributes
    ----------
    native : GrowingModel
        The model now; another one after some calls of `remove`.
    """

    def __init__(self, background: Callable[[Sequence[str]], list[float]]) -> None:
        self._background = background
        self._begin()

    def add(self, correction: Correction) -> None:
        """Count the n-grams of a correction."""
        words = list(correction.target)
        self.native.add(words, self._background([*words, "</s>"]))

    def remove(self, gone: Collection[Correction], kept: Collection[Correction]) -> bool:
        """Count the n-grams of some corrections no more, but those of the others.

        Returns
        -------
        bool
            Whether `native` is another one now.
        """
        self._removed += len(gone)
        if self._removed <= len(kept):
            for correction in gone:
                self.native.remove(list(correction.target))
            return False
        # The model's table keeps what it has forgotten: begin anew.
        self._begin()
        for correction in kept:
            self.add(correction)
        return True

    def _begin(self) -> None:
        self.native = _native.GrowingModel(order=ORDER, discount=DISCOUNT, continuation=True)
        self._removed = 0
