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


def test_two_measurements_are_dots_with_intervals() -> None:
    line = Line("before and after", [(0, 1.0), (2, 2.0)], [Band(0, 0.5, 1.5), Band(2, 1.5, 2.5)])
    figure = parsed(line_chart([line], title="", x_name="", y_name=""))
    kinds = [path.get("class", "") for path in figure.iter("path")]
    assert kinds.count("whisker line c0") == 2 and not {"line c0", "band c0"} & {*kinds}
    assert [dot.get("class") for dot in figure.iter("circle")] == ["dot line c0"] * 2 + ["dot c0"]
    more = Line("three", [*line.points, (3, 2.0)], [*line.bands, Band(3, 1.0, 3.0)])
    kinds = [
        path.get("class", "")
        for path in parsed(line_chart([more], title="", x_name="", y_name="")).iter("path")
    ]
    assert {"line c0", "band c0"} <= {*kinds}


def test_intervals_of_the_same_x_stand_beside_one_another() -> None:
    learned = Line("learned", [(1, 1.0), (2, 2.0), (3, 2.5)], [Band(3, 2.0, 3.0)])
    ends = Line("before and after", [(0, 1.0), (3, 2.5)], [Band(0, 0.5, 1.5), Band(3, 2.0, 3.0)])
    figure = parsed(line_chart([ends, learned], title="", x_name="", y_name=""))
    places = [
        float(dot.get("cx", ""))
        for dot in figure.iter("circle")
        if dot.get("r") == "3.5" and dot.find("title") is not None
    ]
    first, *_, last = sorted(places)
    assert len({*places}) == 5 and places[-2:] == [first, pytest.approx(last - 9)]


def test_the_axis_fits_what_is_faint_unless_that_would_double_it() -> None:
    line = Line("scores", [(0, 10.0), (1, 20.0)])

    def heights(lowest: float) -> tuple[float, float]:
        faint = Line("each update", [(x / 40, 15.0) for x in range(40)] + [(1, lowest)], faint=True)
        figure = parsed(line_chart([line, faint], title="", x_name="", y_name="", height=280))
        (path,) = (
            path
            for path in figure.iter("path")
            if path.get("class") == "faint" and len(path.get("d", "")) > 20
        )
        ys = [float(point.split()[1]) for point in path.get("d", "").removeprefix("M").split("L")]
        dots = [float(dot.get("cy", "")) for dot in figure.iter("circle")]
        return max(ys), max(dots)

    lowest, dot = heights(5.0)
    assert dot < lowest < 240
    lowest, dot = heights(-90.0)  # cut at the axis
    assert dot < lowest == 240


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
