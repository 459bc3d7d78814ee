"""pycdec's lattices: columns of (word, cost, distance)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from hopefear import decoder
from hopefear.pycdec.text import as_text

if TYPE_CHECKING:
    from hopefear.pycdec.hypergraph import Hypergraph

Arcs = tuple[tuple[str, float, int], ...]


class Lattice:
    """A word lattice: column i has the arcs ``(word, cost, distance)`` that leave position i.

    Parameters
    ----------
    inp : tuple or str
        The columns, their text form (PLF), or plain words.

    Raises
    ------
    InputError
        An arc is malformed or ends beyond the last column.
    TypeError
        `inp` is neither a tuple nor text.
    """

    def __init__(self, inp: Sequence[Any] | str | bytes) -> None:
        if isinstance(inp, (str, bytes)):
            text = as_text(inp).strip()
            if text.startswith("((("):
                self.arcs = decoder.Lattice.from_plf(text)
            else:
                self.arcs = decoder.Lattice.from_tokens(text.split())
        elif isinstance(inp, tuple):
            self.arcs = decoder.Lattice(inp)
        else:
            raise TypeError(f"cannot create lattice from {type(inp).__name__}")

    def __len__(self) -> int:
        """Count the columns."""
        return len(self.arcs)

    def __getitem__(self, index: int) -> Arcs:
        """Return the arcs that leave a position."""
        return tuple(
            (arc.word, arc.features.get("LatticeCost_0", 0.0), arc.distance) for arc in self.arcs[index]
        )

    def __setitem__(self, index: int, arcs: tuple[tuple[Any, ...], ...]) -> None:
        """Replace the arcs that leave a position."""
        columns = [[(arc.word, dict(arc.features), arc.distance) for arc in column] for column in self.arcs]
        if not 0 <= index < len(columns):
            raise IndexError("lattice index out of range")
        columns[index] = list(arcs)
        self.arcs = decoder.Lattice(columns)

    def __iter__(self) -> Iterator[Arcs]:
        """Iterate over the columns."""
        return (self[i] for i in range(len(self)))

    def __eq__(self, other: object) -> bool:
        """Compare arc by arc."""
        return isinstance(other, Lattice) and self.arcs == other.arcs

    def __hash__(self) -> int:
        """Hash by words and distances."""
        return hash(self.arcs)

    def __str__(self) -> str:
        return self.arcs.plf()

    def todot(self) -> str:
        """Write the lattice in GraphViz dot format."""
        lines = ["digraph lattice {", "rankdir = LR;", "node [shape=circle];"]
        for start, arcs in enumerate(self):
            for word, _, distance in arcs:
                label = word.replace("\\", "\\\\").replace('"', '\\"')
                lines.append(f'{start} -> {start + distance} [label="{label}"];')
        return "\n".join([*lines, f"{len(self)} [shape=doublecircle]", "}"])

    def as_hypergraph(self) -> Hypergraph:
        """Return a hypergraph whose derivations are the paths; all scores are 0 until `reweight`.

        Raises
        ------
        InputError
            No path leads to a position.
        """
        from hopefear.pycdec.hypergraph import Hypergraph
        from hopefear.pycdec.linear import forest_of_lattice

        return Hypergraph(forest_of_lattice(self.arcs))
