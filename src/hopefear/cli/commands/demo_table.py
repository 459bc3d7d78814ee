"""The table of hope, 1-best and fear."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from hopefear.tuners import Hypotheses, ScoredList


@dataclass(frozen=True)
class Row:
    """A sentence with the hypotheses that the tuner found."""

    found: Hypotheses
    words: float
    written: Callable[[str], str]


def hypothesis_table(rows: Iterable[Row]) -> str:
    """Return a table: a sentence, its first reference, and its hope, 1-best and fear with their scores."""
    width = max(60, min(shutil.get_terminal_size((110, 24)).columns, 140))
    lines = [f"{'':9} {'model':>8} {'BLEU':>6}  translation", "─" * width]
    for row in rows:
        found, written = row.found, row.found.segment.written
        assert written is not None
        lines += _entry("source", None, written.text, width)
        lines += _entry("reference", None, written.references[0], width)
        for name, scored in (("hope", found.hope), ("1-best", found.best), ("fear", found.fear)):
            text = row.written(scored.translations.texts[0])
            lines += _entry(name, _scores(scored, row.words), text, width)
        lines.append("─" * width)
    return "\n".join(lines)


def _scores(scored: ScoredList, words: float) -> tuple[float, float]:
    return float(scored.model[0]), 100 * float(scored.B[0]) / words


def _entry(name: str, scores: tuple[float, float] | None, text: str, width: int) -> list[str]:
    figures = " " * 15 if scores is None else f"{scores[0]:8.2f} {scores[1]:6.1f}"
    parts = textwrap.wrap(text, width - 27) or [""]
    return [f"{name:9} {figures}  {parts[0]}", *(" " * 27 + part for part in parts[1:])]
