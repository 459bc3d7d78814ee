"""Keystroke and mouse-action ratio: what a translator does to make the reference of a translation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .base import PreparedReferences, References
from .cer import CerReferences
from .edits import Rows, Symbols, along, fewest
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

    def compile(self, references: References) -> PreparedReferences:
        """Compile the references of one sentence."""
        return _KsmrReferences(references)


class _KsmrReferences(CerReferences):
    """The characters of the references of one sentence."""

    def _edits(self, hypotheses: Sequence[Symbols], reference: Symbols) -> NDArray[np.int64]:
        return actions(hypotheses, reference)


def actions(hypotheses: Sequence[Symbols], reference: Symbols) -> NDArray[np.int64]:
    """The fewest keystrokes and mouse actions that turn each hypothesis into the reference."""
    kept = np.full(len(reference) + 1, _NEVER)
    kept[0] = 0
    typed = np.full_like(kept, _NEVER)
    typed[1:] = kept[:-1] + _MOUSE + _KEY
    first = np.stack([kept, np.full_like(kept, _NEVER), along(typed)])
    return fewest(hypotheses, reference, first, _actions)


def _actions(rows: Rows, same: NDArray[np.bool_]) -> Rows:
    """Rows by the last thing that was done with a character: it was kept, marked to go, or typed."""
    kept, marked, typed = rows
    marked = np.minimum(marked, kept + _MOUSE + _KEY)
    kept = np.full_like(kept, _NEVER)
    kept[:, 1:] = np.where(same, rows.min(axis=0)[:, :-1], _NEVER)
    # The first character that is typed takes the place of the keystroke that deletes what is marked.
    typed = typed.copy()
    typed[:, 1:] = np.minimum(typed[:, 1:], np.minimum(kept[:, :-1] + _MOUSE + _KEY, marked[:, :-1]))
    return np.stack([kept, marked, along(typed)])
