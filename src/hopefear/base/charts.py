"""Charts as SVG inside a page: its style sheet gives them their colours, in the light and in the dark."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from markupsafe import Markup, escape

from .texts import split_words

COLOURS = 8
"""Lines of a chart that have colours of their own; the style sheet names them ``--line-0`` and so on."""

_WIDTH, _LEFT, _RIGHT, _TOP, _BOTTOM = 720, 58, 14, 10, 40
_LETTER = 7.2  # pixels of a letter of 12 pixels, about
_ASIDE = 9  # pixels between intervals of the same x
_PLAIN = ("#d9780a", "#2f6db5")  # negative and positive bars where there is no style sheet, as in a notebook


class Band(NamedTuple):
    """An interval around a line's value at x."""

    x: float
    lower: float
    upper: float


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a chart."""

    name: str
    points: Sequence[tuple[float, float]]
    bands: Sequence[Band] = ()
    faint: bool = False
    dashed: bool = False
    colour: int | None = None
    """One of `COLOURS`; the next that is free by default."""

    @property
    def is_dots(self) -> bool:
        """Whether there are so few measurements that a line between them would tell more than is known."""
        return bool(self.bands) and len(self.points) <= 2


def line_chart(
    lines: Sequence[Line],
    *,
    title: str,
    x_name: str,
    y_name: str,
    height: int = 280,
    x_labels: Mapping[float, str] | None = None,
    mark: tuple[str, float] | None = None,
    level: float | None = None,
) -> Markup:
    """Draw lines over numbers such as passes."""
    drawn = [line for line in lines if line.points]
    xs = [x for line in drawn for x, _ in line.points] + ([mark[1]] if mark else [])
    ys = [y for line in drawn if not line.faint for y in _values(line)] + ([] if level is None else [level])
    ys = _with_faint(ys, [y for line in drawn if line.faint for _, y in line.points])
    across = _Axis.around(xs, _LEFT, _WIDTH - _RIGHT, room=0.03)
    up = _Axis.around(ys, height - _BOTTOM, _TOP, room=0.08)
    parts = [*_grid(up), *_below(across, height, x_labels, x_name), _beside(y_name, height)]
    if level is not None:
        parts.append(_stroke(((across.low, level), (across.high, level)), across, up, "axis"))
    if mark is not None:
        parts.append(_stroke(((mark[1], up.low), (mark[1], up.high)), across, up, "mark"))
    free = iter(range(len(drawn)))
    legend = []
    taken = list[float]()
    for line in sorted(drawn, key=lambda each: (not each.faint, each.is_dots)):
        if line.faint:
            kind = "faint"
        else:
            colour = next(free) if line.colour is None else line.colour
            kind = f"line c{colour % COLOURS}" + " dashed" * line.dashed
        parts.append(_drawn(line, across, up, kind, taken if line.is_dots else ()))
        taken += [] if line.faint else [x for x, _ in line.points]
        legend.append((kind.replace("line", "dot") if line.is_dots else kind, line.name))
    if mark is not None:
        legend.append(("mark", mark[0]))
    return _figure(parts, height, title, legend)


class Interval(NamedTuple):
    """A value with its interval, in a row of its own."""

    name: str
    value: float
    lower: float
    upper: float


def interval_chart(rows: Sequence[Interval], *, title: str, x_name: str) -> Markup:
    """Draw values with intervals under one another, and a line at 0."""
    left = min(max(_LETTER * max(len(row.name) for row in rows) + 16, 90), 260)
    height = 26 * len(rows) + _BOTTOM + _TOP
    values = [0.0, *(value for row in rows for value in row[1:])]
    across = _Axis.around(values, left, _WIDTH - _RIGHT, room=0.04)
    parts = _below(across, height, {x: _number(x) for x in across.ticks()}, x_name)
    zero = across(0.0)
    parts.append(f'<path class="axis" d="M{zero:.1f} {_TOP}V{height - _BOTTOM}"/>')
    for number, row in enumerate(rows):
        y = _TOP + 26 * number + 13
        parts.append(_text(left - 10, y + 4, _cut(row.name, left - 16), "end"))
        parts.append(
            f"<g><title>{escape(row.name)}: {_number(row.value)} "
            f"[{_number(row.lower)}, {_number(row.upper)}]</title>"
            f'<path class="line c0" d="M{across(row.lower):.1f} {y}H{across(row.upper):.1f}"/>'
            f'<circle class="dot c0" cx="{across(row.value):.1f}" cy="{y}" r="4"/></g>'
        )
    return _figure(parts, height, title, [])


def bar_chart(rows: Sequence[tuple[str, float]], *, title: str) -> Markup:
    """Draw values as bars under one another, from 0 to the right or to the left."""
    left = min(max(_LETTER * max((len(name) for name, _ in rows), default=0) + 16, 90), 260)
    height = 22 * len(rows) + 2 * _TOP
    across = _Axis.around([0.0, *(value for _, value in rows)], left + 50, _WIDTH - 60, room=0.0)
    zero = across(0.0)
    parts = [f'<path class="axis" d="M{zero:.1f} {_TOP}V{height - _TOP}"/>']
    for number, (name, value) in enumerate(rows):
        y, end = _TOP + 22 * number, across(value)
        parts.append(_text(left - 10, y + 15, _cut(name, left - 16), "end"))
        kind = "positive" if value > 0 else "negative"
        box = f'x="{min(zero, end):.1f}" y="{y + 4}" width="{abs(end - zero):.1f}" height="14"'
        parts.append(
            f'<rect class="{kind}" fill="{_PLAIN[value > 0]}" {box}>'
            f"<title>{escape(name)}: {_number(value)}</title></rect>"
        )
        anchor, beside = ("start", 6) if value > 0 else ("end", -6)
        parts.append(_text(end + beside, y + 15, _number(value), anchor))
    return _figure(parts, height, title, [])


class _Axis(NamedTuple):
    """A linear axis: values from low to high lie at pixels from begin to end."""

    low: float
    high: float
    begin: float
    end: float

    @classmethod
    def around(cls, values: Sequence[float], begin: float, end: float, *, room: float) -> _Axis:
        finite = [value for value in values if math.isfinite(value)] or [0.0]
        low, high = min(finite), max(finite)
        more = room * (high - low) or max(abs(high) * 0.05, 0.5)
        return cls(low - more, high + more, begin, end)

    def __call__(self, value: float) -> float:
        return self.begin + (value - self.low) / (self.high - self.low) * (self.end - self.begin)

    def ticks(self, most: int = 6, *, whole: bool = False) -> list[float]:
        """Return round numbers on the axis."""
        wanted = (self.high - self.low) / most
        size = 10.0 ** math.floor(math.log10(wanted))
        step = next(factor * size for factor in (1, 2, 5, 10) if factor * size >= wanted)
        step = max(step, 1.0) if whole else step
        first = math.ceil(self.low / step)
        return [round(number * step, 12) for number in range(first, math.floor(self.high / step) + 1)]


def _values(line: Line) -> list[float]:
    return [y for _, y in line.points] + [bound for band in line.bands for bound in band[1:]]


def _with_faint(values: list[float], faint: Sequence[float]) -> list[float]:
    """Add the values of faint lines that the axis shows: all, or nine tenths if all would double it."""
    if not faint:
        return values
    ordered = sorted(faint)
    middle = [*values, ordered[len(ordered) // 20], ordered[-1 - len(ordered) // 20]]
    everything = [*values, ordered[0], ordered[-1]]
    doubles = max(everything) - min(everything) > 2 * (max(middle) - min(middle))
    return middle if doubles else everything


def _drawn(line: Line, across: _Axis, up: _Axis, kind: str, taken: Sequence[float]) -> str:
    """Draw a line; what stands at an x that is taken moves to its side."""

    def place(x: float) -> float:
        return across(x) - _ASIDE * taken.count(x)

    parts = []
    if line.bands:
        border = [(band.x, band.upper) for band in line.bands]
        border += [(band.x, band.lower) for band in reversed(line.bands)]
        if not line.is_dots:
            parts.append(f'<path class="band {split_words(kind)[-1]}" d="{_path(border, across, up)}Z"/>')
        parts += [
            f'<path class="whisker {kind}" d="M{place(b.x):.1f} {up(b.lower):.1f}V{up(b.upper):.1f}"/>'
            for b in line.bands
        ]
    if not line.is_dots:
        parts.append(_stroke(line.points, across, up, kind))
    if not line.faint and len(line.points) <= 40:
        parts += [
            f'<circle class="dot {kind}" cx="{place(x):.1f}" cy="{up(y):.1f}" r="3.5">'
            f"<title>{escape(line.name)}: {_number(y)}</title></circle>"
            for x, y in line.points
        ]
    return "".join(parts)


def _path(points: Sequence[tuple[float, float]], across: _Axis, up: _Axis) -> str:
    places = (f"{across(x):.1f} {min(max(up(y), up.end), up.begin):.1f}" for x, y in points)
    return "M" + "L".join(places)


def _stroke(points: Sequence[tuple[float, float]], across: _Axis, up: _Axis, kind: str) -> str:
    return f'<path class="{kind}" d="{_path(points, across, up)}"/>'


def _grid(up: _Axis) -> list[str]:
    parts = []
    for value in up.ticks():
        y = up(value)
        parts.append(f'<path class="grid" d="M{_LEFT} {y:.1f}H{_WIDTH - _RIGHT}"/>')
        parts.append(_text(_LEFT - 8, y + 4, _number(value), "end"))
    return parts


def _below(across: _Axis, height: int, labels: Mapping[float, str] | None, name: str) -> list[str]:
    """Draw the horizontal axis; labels that would run into one another are left out."""
    bottom = height - _BOTTOM
    parts = [f'<path class="axis" d="M{across.begin:.0f} {bottom}H{across.end:.0f}"/>']
    labels = labels or {x: _number(x) for x in across.ticks(10, whole=True)}
    free = -math.inf
    for x, text in labels.items():
        middle, half = across(x), len(text) * _LETTER / 2
        if middle - half >= free:
            parts.append(_text(middle, bottom + 17, text, "middle"))
            free = middle + half + 8
    parts.append(_text((across.begin + across.end) / 2, height - 6, name, "middle", "name"))
    return parts


def _beside(name: str, height: int) -> str:
    middle = (_TOP + height - _BOTTOM) / 2
    turned = f' transform="rotate(-90 13 {middle:.0f})"'
    return f'<text class="name" x="13" y="{middle:.0f}" text-anchor="middle"{turned}>{escape(name)}</text>'


def _text(x: float, y: float, text: str, anchor: str, kind: str = "") -> str:
    named = f' class="{kind}"' if kind else ""
    return f'<text{named} x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


def _cut(text: str, width: float) -> str:
    fits = max(int(width / _LETTER), 1)
    return text if len(text) <= fits else text[: fits - 1] + "…"


def _number(value: float) -> str:
    return f"{value + 0.0:.4g}".replace("-", "−")


def _figure(parts: Sequence[str], height: int, title: str, legend: Sequence[tuple[str, str]]) -> Markup:
    svg = (
        f'<svg viewBox="0 0 {_WIDTH} {height}" role="img" aria-label="{escape(title)}" font-size="12" '
        f'fill="currentColor" style="max-width: 45rem">{"".join(parts)}</svg>'
    )
    names = "".join(
        f'<li><svg viewBox="0 0 24 8" aria-hidden="true">{_sample(kind)}</svg>{breakable(name)}</li>'
        for kind, name in legend
    )
    return Markup(f'<figure class="chart">{svg}{f"<ul>{names}</ul>" if names else ""}</figure>')


def _sample(kind: str) -> str:
    """Draw what a line of the legend stands for."""
    is_dot = kind.startswith("dot")
    return (
        f'<circle class="{kind}" cx="12" cy="4" r="3.5"/>'
        if is_dot
        else f'<path class="{kind}" d="M0 4H24"/>'
    )


def breakable(name: str) -> Markup:
    """Return a name that may break between its parts: after a sign and before a capital."""
    parts = []
    for before, letter in zip(" " + name, name, strict=False):
        if before in "_:+=,/|" or (letter.isupper() and before.islower()):
            parts.append("<wbr>")
        parts.append(escape(letter))
    return Markup("".join(parts).removeprefix("<wbr>"))
