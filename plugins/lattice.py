"""Word lattices and their text form, Python literal format (PLF)."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hopefear._native import name_fault, name_part_fault
from hopefear.base.errors import InputError
from hopefear.base.read_only import ReadOnlyMapping
from hopefear.base.texts import BLANK, as_words, shortened


@dataclass(frozen=True, slots=True)
class Arc:
    """An arc of a lattice.

    Attributes
    ----------
    word : str
        The arc's word.
    features : mapping of str to float
        Read-only features of the arc; a plain cost is ``{"LatticeCost_0": cost}``.
    distance : int
        The number of positions that the arc spans, at least 1.
    """

    word: str
    features: Mapping[str, float]
    distance: int


class Lattice:
    """A word lattice: column i has the arcs that leave position i.

    Parameters
    ----------
    columns : sequence of sequences of tuples
        An arc is ``(word, distance)``, ``(word, cost, distance)`` or ``(word, {feature: value}, distance)``.

    Raises
    ------
    InputError
        An arc is not of that form, or ends beyond the last column.
    """

    def __init__(self, columns: Sequence[Sequence[Sequence[Any]]]) -> None:
        if not isinstance(columns, (tuple, list)):
            raise InputError(f"expected a lattice, a tuple of columns, got {type(columns).__name__}")
        self._columns = tuple(self._read_column(i, arcs, len(columns)) for i, arcs in enumerate(columns))

    @classmethod
    def from_plf(cls, text: str) -> Lattice:
        """Read Python literal format.

        Raises
        ------
        InputError
            The text is not a Python literal, or not a lattice.
        """
        try:
            columns = ast.literal_eval(text.strip(BLANK))
        except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError) as error:
            what = str(error).partition(": <")[0]  # without the address of a node
            raise InputError(f"expected a lattice in Python literal format: {what}") from None
        return cls(columns)

    @classmethod
    def from_tokens(cls, tokens: str | Sequence[str]) -> Lattice:
        """Make a chain of words, with no costs; a text is split at blanks and tabs."""
        return cls(tuple(((token, {}, 1),) for token in as_words("tokens", tokens)))

    def __repr__(self) -> str:
        """Return the lattice's size and the beginning of its text."""
        arcs = sum(map(len, self._columns))
        return f"<Lattice: {len(self)} columns, {arcs} arcs, {shortened(self.plf())}>"

    @staticmethod
    def _read_column(position: int, arcs: Any, length: int) -> tuple[Arc, ...]:
        if not isinstance(arcs, (tuple, list)):
            raise InputError(f"expected a tuple of arcs in column {position}, got {type(arcs).__name__}")
        return tuple(_read_arc(position, arc, length) for arc in arcs)

    def __len__(self) -> int:
        """Count the columns."""
        return len(self._columns)

    def __iter__(self) -> Iterator[tuple[Arc, ...]]:
        """Iterate over the columns."""
        return iter(self._columns)

    def __getitem__(self, position: int) -> tuple[Arc, ...]:
        """Return the arcs that leave a position."""
        if not 0 <= position < len(self):
            raise IndexError("lattice index out of range")
        return self._columns[position]

    def __eq__(self, other: object) -> bool:
        """Compare arc by arc."""
        return isinstance(other, Lattice) and self._columns == other._columns

    def __hash__(self) -> int:
        """Hash by words and distances."""
        return hash(tuple(tuple((arc.word, arc.distance) for arc in arcs) for arcs in self))

    def plf(self) -> str:
        """Write Python literal format."""

        def arc_text(arc: Arc) -> str:
            if not arc.features:
                return f"({arc.word!r}, {arc.distance})"
            if list(arc.features) == ["LatticeCost_0"]:
                return f"({arc.word!r}, {arc.features['LatticeCost_0']!r}, {arc.distance})"
            return f"({arc.word!r}, {dict(arc.features)!r}, {arc.distance})"

        columns = ("(" + "".join(arc_text(arc) + "," for arc in arcs) + ")" for arcs in self)
        return "(" + "".join(column + "," for column in columns) + ")"

    __str__ = plf


def _read_arc(position: int, arc: Any, length: int) -> Arc:
    where = f"column {position}"
    if not isinstance(arc, (tuple, list)) or len(arc) not in (2, 3):
        raise InputError(f"expected an arc (word, cost, distance) in {where}, got {_show(arc)}")
    word, distance = arc[0], arc[-1]
    if not isinstance(word, str) or name_part_fault(word):
        raise InputError(f"expected a word without white space in {where}, got {_show(word)}")
    if isinstance(distance, bool) or not isinstance(distance, int) or distance < 1:
        raise InputError(f"expected a distance of at least 1 in {where}, got {_show(distance)}")
    if position + distance > length:
        raise InputError(
            f"expected an arc that ends within {length} columns, got distance {_show(distance)} in {where}"
        )
    return Arc(word, _read_features(where, arc[1] if len(arc) == 3 else {}), distance)


def _read_features(where: str, cost: Any) -> Mapping[str, float]:
    features = cost if isinstance(cost, Mapping) else {"LatticeCost_0": cost}
    out: dict[str, float] = {}
    for name, value in features.items():
        fault = name_fault(name) if isinstance(name, str) else "must be text"
        if fault:
            raise InputError(f"a feature name {fault}, got {_show(name)} in {where}")
        if not _is_finite(value):
            raise InputError(f"expected a number as cost in {where}, got {_show(value)}")
        out[name] = float(value)
    return ReadOnlyMapping(out)


def _is_finite(value: Any) -> bool:
    try:
        return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
    except OverflowError:
        return False


def _show(value: Any) -> str:
    try:
        return repr(value)[:80]
    except (ValueError, RecursionError):  # an integer of thousands of digits
        return type(value).__name__
