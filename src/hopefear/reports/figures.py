"""Pictures: the look that all of them share."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from hopefear.base.files import written_whole

DPI = 150

COLORS = ("#2f6db5", "#e08214", "#2b8a4b", "#c0392b", "#7b5ea7", "#17909b", "#a8651e", "#5b636d")


def new_figure(width: float, height: float, rows: int = 1, columns: int = 1) -> tuple[Any, list[Any]]:
    """Make a figure, width and height in inches, and its axes, row by row."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), dpi=DPI, layout="constrained")
    axes = list(figure.subplots(rows, columns, squeeze=False).flat)
    for one in axes:
        one.spines[["top", "right"]].set_visible(False)
        one.grid(color="#e4e6ea", linewidth=0.8)
        one.set_axisbelow(True)
    return figure, axes


def label_whole_numbers(axes: Any) -> None:
    """Put the labels of the horizontal axis, such as passes or sentences, at whole numbers only."""
    from matplotlib.ticker import MaxNLocator

    axes.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))


def draw_band(
    axes: Any, x: Iterable[float], bounds: Iterable[tuple[float, float]], color: str, **style: Any
) -> None:
    """Fill what lies between the lower and the upper bound at each x, faintly."""
    lower, upper = zip(*bounds, strict=True)
    axes.fill_between(list(x), lower, upper, color=color, alpha=0.13, linewidth=0, **style)


def save(figure: Any, path: Path) -> None:
    """Write a picture whole: PNG, the same bytes for the same picture."""
    drawn = _checksum(figure)
    _give_fonts(figure)
    with written_whole(path) as beside:
        figure.savefig(beside, format="png", metadata={"Software": None, "Description": drawn})


def _checksum(figure: Any) -> str:
    """Return a checksum of the numbers and texts of a figure."""
    parts: list[str] = []
    for axes in figure.axes:
        for line in axes.lines:
            parts += [str(line.get_label()), *(f"{x:.6g} {y:.6g}" for x, y in line.get_xydata())]
        for shown in axes.collections:
            points = [path.vertices for path in shown.get_paths()]
            values = [] if shown.get_array() is None else shown.get_array().ravel().tolist()
            parts += [f"{x:.6g} {y:.6g}" for own in points for x, y in own]
            parts += [f"{value:.6g}" for value in values]
        parts += [axes.get_title("left"), axes.get_title(), axes.get_xlabel(), axes.get_ylabel()]
    return sha256("\n".join(parts).encode()).hexdigest()


def _give_fonts(figure: Any) -> None:
    """Draw letters that the usual font lacks, such as Japanese ones, in other fonts, or else as boxes."""
    from matplotlib.font_manager import FontProperties, findfont, fontManager
    from matplotlib.text import Text

    usual = findfont(FontProperties())
    texts = figure.findobj(Text)
    missing = {letter for text in texts for letter in text.get_text() if letter.isprintable()}
    missing -= _letters_of(usual)
    families = [FontProperties(fname=usual).get_name()]
    for font in fontManager.ttflist if missing else ():
        found = missing & _letters_of(font.fname)
        # A family is drawn in one of its fonts: the bold one may have letters that the family then lacks.
        if found and findfont(FontProperties(family=font.name)) == font.fname:
            families.append(font.name)
            missing -= found
    if len(families) > 1:
        for text in texts:
            text.set_fontfamily(families)
    if missing:
        boxes = str.maketrans(dict.fromkeys(missing, "□"))
        for text in texts:
            text.set_text(text.get_text().translate(boxes))
        warnings.warn("no installed font has some letters of the pictures: they are drawn as □", stacklevel=3)


@cache
def _letters_of(font: str) -> frozenset[str]:
    """List the letters of a font file; none for the font in which all letters are boxes."""
    from matplotlib.ft2font import FT2Font

    letters = FT2Font(font).get_charmap()
    return frozenset() if "LastResort" in font else frozenset(map(chr, letters))
