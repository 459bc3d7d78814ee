"""Keystroke and mouse-action ratio: what a translator does to make the reference of a translation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .base import PreparedReferences, Tokens
from .cer import CerReferences
from .edits import Symbols, padded
from .ter import ErrorRate

_MOUSE = _KEY = 1
_NEVER = 1 << 40  # more actions than any text takes


@dataclass(frozen=True)
class Ksmr(ErrorRate):
    """Keystrokes and mouse actions per reference character, in per cent; lower is better.

    The ratio is that of Barrachina et al. (2009), for a translator who edits the whole translation. Each
    place that is changed takes a mouse action, which puts the caret there or marks the characters that go;
    and a keystroke for each character that is typed, or one to delete what is marked if nothing is typed. Of
    all ways to make the reference, the one with the fewest actions counts.

    A sentence is its tokens joined by single spaces, which count as characters. The statistics are
    ``[actions, characters]`` of the reference with the fewest actions; of several such references, of the
    shortest.
    """

    of_words = False

    def signature(self) -> str:
        """Describe the metric and its settings."""
        return "KSMR|case:mixed|tok:none|space:yes"

    def _prepare(self, references: Sequence[Tokens]) -> PreparedReferences:
        return _KsmrReferences(references)


class _KsmrReferences(CerReferences):
    """The characters of the references of one sentence."""

    def _edits(self, hypotheses: Sequence[Symbols], reference: Symbols) -> NDArray[np.int64]:
        return actions(hypotheses, reference)


def actions(hypotheses: Sequence[Symbols], reference: Symbols) -> NDArray[np.int64]:
    """The fewest keystrokes and mouse actions that turn each hypothesis into the reference.

    Parameters
    ----------
    hypotheses : sequence of k int64 arrays
    reference : int64 array

    Returns
    -------
    ndarray, shape (k,), int64
    """
    lengths, symbols = padded(hypotheses)
    columns = np.arange(len(reference) + 1)
    shape = (len(hypotheses), len(reference) + 1)

    def typing(started: NDArray[np.int64]) -> NDArray[np.int64]:
        """Type further characters of the reference: a running minimum, after subtraction of the column."""
        return np.minimum.accumulate(started - _KEY * columns, axis=1) + _KEY * columns

    # The last thing that was done with a character: it was kept, marked to go, or typed.
    kept = np.full(shape, _NEVER)
    kept[:, 0] = 0
    marked = np.full(shape, _NEVER)
    typed = np.full(shape, _NEVER)
    typed[:, 1:] = kept[:, :-1] + _MOUSE + _KEY
    typed = typing(typed)
    fewest: NDArray[np.int64] = np.minimum(kept, typed)[:, -1]
    for position, symbol in enumerate(symbols.T):
        best = np.minimum(np.minimum(kept, marked), typed)
        marked = np.minimum(marked, kept + _MOUSE + _KEY)
        kept = np.full(shape, _NEVER)
        kept[:, 1:] = np.where(reference == symbol[:, None], best[:, :-1], _NEVER)
        # The first character that is typed takes the place of the keystroke that deletes what is marked.
        typed[:, 1:] = np.minimum(typed[:, 1:], np.minimum(kept[:, :-1] + _MOUSE + _KEY, marked[:, :-1]))
        typed = typing(typed)
        ended = lengths == position + 1
        fewest = np.where(ended, np.minimum(np.minimum(kept, marked), typed)[:, -1], fewest)
    return fewest
