"""Charts as SVG."""

from __future__ import annotations

from itertools import pairwise
from xml.etree import ElementTree as ET

import pytest

from hopefear.base.charts import Band, Interval, Line, breakable, interval_chart, line_chart


def parsed(figure: str) -> ET.Element:
    return ET.fromstring(figure.replace("<wbr>", ""))


def test_a_line_rises_where_its_values_do() -> None:
    line = Line("a < b", [(0, 1.0), (1, 2.0), (2, 4.0)], [Band(0, 0.5, 1.5)])
    figure = parsed(line_chart([line], title="T", x_name="passes", y_name="BLEU", mark=("chosen", 1)))
    dots = [(float(dot.get("cx", "")), float(dot.get("cy", ""))) for dot in figure.iter("circle")]
    (x0, y0), (x1, y1), (x2, y2) = dots
    assert x1 - x0 == pytest.approx(x2 - x1, abs=0.2)
    assert y1 - y2 == pytest.approx(2 * (y0 - y1), abs=0.3)
    assert [item.findtext(".") or "".join(item.itertext()) for item in figure.iter("li")] == [
        "a < b",
        "chosen",
    ]


def test_colours_do_not_repeat_and_labels_do_not_collide() -> None:
    lines = [Line(f"f{number}", [(0, number), (1, number)]) for number in range(8)]
    labels = {float(x): f"a long label {x}" for x in range(40)}
    long = Line("long", [(float(x), 0.0) for x in range(40)], faint=True)
    figure = parsed(line_chart([*lines, long], title="", x_name="", y_name="", x_labels=labels))
    kinds = {path.get("class") for item in figure.iter("li") for path in item.iter("path")}
    assert kinds == {"faint", *(f"line c{number}" for number in range(8))}
    shown = [text for text in figure.iter("text") if (text.text or "").startswith("a long")]
    places = [float(text.get("x", "")) for text in shown]
    assert 1 < len(shown) < 10
    assert min(b - a for a, b in pairwise(places)) > 80


def test_intervals_stand_around_their_values() -> None:
    figure = parsed(interval_chart([Interval("LanguageModel", 2.0, 1.0, 3.0)], title="", x_name="loss"))
    (dot,) = figure.iter("circle")
    line = next(path for path in figure.iter("path") if path.get("class") == "line c0")
    begin, end = (float(part) for part in line.get("d", "").removeprefix("M").replace("H", " ").split()[::2])
    assert (begin + end) / 2 == pytest.approx(float(dot.get("cx", "")), abs=0.2)


def test_names_break_between_their_parts() -> None:
    assert breakable("SampleCountF") == "Sample<wbr>Count<wbr>F"
    assert breakable("NP_<x>=1") == "NP_<wbr>&lt;x&gt;=<wbr>1"
    assert breakable("") == ""
