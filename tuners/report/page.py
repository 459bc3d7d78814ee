"""The report of a tuning run, or of several, as one HTML page that needs no other file and no network."""

from __future__ import annotations

import base64
import copy
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hopefear.base import InputError
from hopefear.base.figures import COLORS, label_whole_numbers, new_figure, svg
from hopefear.base.files import written_whole
from hopefear.base.stored import parse_json
from hopefear.base.tables import Cell, Table
from hopefear.base.web_page import page
from hopefear.decoder import Weights

from ..contract import LearningLog, RunFiles
from .families import FamilyWorth, family_table, read_families
from .plots import draw_learning
from .sentence_view import embedded, packed, sentence_view
from .sentences import read_sentences

REPORT = "report.html"
START = "weights.start"
"""The names of files in the folder of a run: the report, and the weights that the run began with."""

_MOVED = 10  # weights whose paths are drawn
_LISTED = 40  # weights in the table
_ROOM = 2_500_000  # bytes of the sentences in a page

_SENTENCES = """
<h2>Sentences</h2>
<p class="key">Before and after the run, scores of sentences; words that the run <del>removed</del> and
<ins>added</ins>. Open a sentence for its derivation, hope and fear.</p>
"""
_SHOW = """
<script>
unpacked("sentence-data").then(({ rows, weights }) => showSentences(rows, weights, ["before", "after"]));
</script>
"""


@dataclass(frozen=True)
class TuningRun:
    """What the folder of a run says.

    Attributes
    ----------
    folder : Path
        The folder.
    log : LearningLog
        The scores.
    paths : dict of str to array of float64, shape (points,)
        For each feature its weight at the start, if that is known, after each pass, and in the end.
    points : list of str
        What the points are.
    tuner : str
        The tuner and the settings that the run was started with.
    """

    folder: Path
    log: LearningLog
    paths: dict[str, NDArray[np.float64]]
    points: list[str]
    tuner: str

    @classmethod
    def read(cls, folder: Path) -> TuningRun:
        """Read the folder of a run that has ended.

        Raises
        ------
        InputError
            A file is missing or damaged.
        """
        run = RunFiles(folder)
        log = run.read_log()
        run.check_finished()
        stages = {"start": folder / START} if (folder / START).exists() else {}
        stages |= {f"pass {number}": folder / f"weights.pass{number}" for number in log.pass_numbers}
        stages = {name: path for name, path in stages.items() if path.exists()} | {"end": run.final}
        known = [_read(path) for path in stages.values()]
        names = sorted({name for weights in known for name in weights})
        paths = {name: np.array([weights.get(name, 0.0) for weights in known]) for name in names}
        return cls(folder, log, paths, list(stages), _tuner(folder / "run.json"))

    @property
    def name(self) -> str:
        """The name of the folder."""
        return self.folder.resolve().name

    def most_moved(self, most: int) -> list[str]:
        """Return the features whose weights changed most from the first point to the last."""
        change = {name: abs(path[-1] - path[0]) for name, path in self.paths.items()}
        moved = (name for name in change if change[name] > 0)
        return sorted(moved, key=lambda name: (-change[name], name))[:most]


def write_report(folder: Path, path: Path | None = None) -> Path:
    """Write the report of a run that has ended, by default into its folder; give the path of the page.

    Raises
    ------
    InputError
        The folder has no finished run, or a file of the run is damaged.
    """
    run = TuningRun.read(folder)
    parts = [f"<p>{escape(run.tuner)}</p>", *_curves([run]), *_ratio_chart(run), *_moved(run)]
    parts += _families(read_families(folder))
    records = read_sentences(folder)
    if records:
        parts.append(_sentence_part(records))
    return _write(path or folder / REPORT, f"Tuning run {run.name}", parts)


def write_comparison(folders: Sequence[Path], path: Path) -> Path:
    """Compare runs in one page; give its path.

    Raises
    ------
    InputError
        A folder has no finished run, or a file of a run is damaged.
    """
    runs = [TuningRun.read(folder) for folder in folders]
    rows: list[tuple[Cell, ...]] = []
    for run in runs:
        best = [(series.name, point) for series in run.log.curves().series for point in series.points[-1:]]
        what, last = best[-1] if best else ("", None)
        score = None if last is None else last.score
        interval = None if last is None or last.interval is None else "{:.2f}–{:.2f}".format(*last.interval)
        size = sum(path[-1] != 0 for path in run.paths.values())
        rows.append((run.name, run.tuner, run.log.metric, what, score, interval, int(size)))
    columns = ("run", "tuner", "metric", "of", "score at the end", "95 % interval", "weights")
    parts = [f'<div class="wide">{Table(columns, rows)._repr_html_()}</div>', *_curves(runs)]
    return _write(path, "Comparison of tuning runs", parts)


def _write(path: Path, title: str, parts: Sequence[str]) -> Path:
    with written_whole(path) as beside:
        beside.write_text(page(title, parts), "utf-8")
    return path


def _curves(runs: Sequence[TuningRun]) -> list[str]:
    parts = []
    for run in runs:
        curves = run.log.curves()
        if curves.series:
            figure, (axes,) = new_figure(7.2, 4.2)
            draw_learning(figure, axes, curves)
            name = f": {run.name}" if len(runs) > 1 else ""
            parts += [f"<h2>Scores{escape(name)}</h2>", _picture(figure, f"{curves.metric} after each pass")]
    return parts


def _ratio_chart(run: TuningRun) -> list[str]:
    ratios = run.log.length_ratios()
    if not ratios:
        return []
    figure, (axes,) = new_figure(7.2, 2.4)
    axes.axhline(1.0, color="#8a93a0", linewidth=0.8)
    axes.plot(*zip(*ratios, strict=True), color=COLORS[0], marker="o", markersize=4)
    axes.set_xlabel("passes done")
    axes.set_ylabel("words per reference word")
    label_whole_numbers(axes)
    return ["<h2>Length ratio</h2>", _picture(figure, "Length of the translations to their references")]


def _moved(run: TuningRun) -> list[str]:
    names = run.most_moved(_LISTED)
    if not names:
        return []
    figure, (axes,) = new_figure(7.2, 4.2)
    places = range(len(run.points))
    for number, name in enumerate(names[:_MOVED]):
        line = {"color": COLORS[number % len(COLORS)], "linestyle": "-" if number < len(COLORS) else "--"}
        # A name with a leading underscore would be left out of the legend; "$" would begin a formula.
        shown = ("\u200b" + name if name.startswith("_") else name).replace("$", r"\$")
        axes.plot(places, run.paths[name], marker="o", markersize=3, label=shown[:60], **line)
    axes.set_xticks(list(places), run.points, rotation=30 if len(run.points) > 8 else 0)
    axes.set_ylabel("weight")
    figure.legend(loc="outside right upper", frameon=False, fontsize=8)
    columns = ("feature", run.points[0], "end", "change")
    rows: list[tuple[Cell, ...]] = []
    for name in names:
        path = run.paths[name]
        rows.append((name, float(path[0]), float(path[-1]), float(path[-1] - path[0])))
    table = Table(columns, rows)._repr_html_()
    return [
        "<h2>Weights that moved most</h2>",
        _picture(figure, "Weights after each pass"),
        f'<details><summary>Table</summary><div class="wide">{table}</div></details>',
    ]


def _families(families: Sequence[FamilyWorth]) -> list[str]:
    if not families:
        return []
    known = list(reversed(families))
    figure, (axes,) = new_figure(7.2, 0.8 + 0.32 * len(known))
    for place, one in enumerate(known):
        value, lower, upper = one.loss
        axes.plot([lower, upper], [place, place], color=COLORS[0], linewidth=2)
        axes.plot([value], [place], "o", color=COLORS[0])
    axes.axvline(0.0, color="#8a93a0", linewidth=0.8)
    axes.set_yticks(range(len(known)), [one.family.replace("$", r"\$") for one in known])
    axes.set_xlabel(f"{families[0].metric} lost without the family, with 95 % interval")
    table = family_table(families)._repr_html_()
    picture = _picture(figure, "What each feature family is worth")
    return ["<h2>Feature families</h2>", picture, f'<div class="wide">{table}</div>']


def _sentence_part(records: list[dict[str, Any]]) -> str:
    """Embed the sentences and the script that shows them; derivations as far as there is room."""
    derivations = len(records)
    while len(data := _packed(records, derivations)) > _ROOM and derivations:
        derivations //= 2
    return "".join((_SENTENCES, sentence_view(), embedded("sentence-data", data), _SHOW))


def _packed(records: list[dict[str, Any]], derivations: int) -> str:
    """Compress the sentences, the first ones with their derivations."""
    weights: dict[str, float] = {}
    rows = [_compact(record, weights) for record in records[:derivations]]
    rows += [record | {"derivation": None} for record in records[derivations:]]
    return packed({"rows": rows, "weights": weights})


def _compact(record: dict[str, Any], weights: dict[str, float]) -> dict[str, Any]:
    """Write the features of a derivation as [name, value], shortened, and collect the weights."""
    root = copy.deepcopy(record["derivation"])
    nodes = [root]
    while nodes:
        node = nodes.pop()
        nodes += node["children"]
        weights |= {one["feature"]: one["weight"] for one in node["features"]}
        node["features"] = [[one["feature"], float(f"{one['value']:.5g}")] for one in node["features"]]
        node["score"] = float(f"{node['score']:.6g}")
    return record | {"derivation": root}


def _picture(figure: Any, text: str) -> str:
    """Return a figure as an image in the page."""
    data = base64.b64encode(svg(figure).encode()).decode()
    width = round(figure.get_figwidth() * 96)
    return f'<img src="data:image/svg+xml;base64,{data}" width="{width}" alt="{escape(text)}">'


def _read(path: Path) -> dict[str, float]:
    weights = Weights()
    weights.read(path)
    return weights.nonzero()


def _tuner(path: Path) -> str:
    """Name the tuner and its settings as the record of the run has them; nothing if there is no record."""
    try:
        tuner = parse_json(path.read_text("utf-8", "surrogateescape"))["sessions"][-1]["tuner"]
        settings = {name: value for name, value in tuner["settings"].items() if value is not None}
        text = ", ".join([str(tuner["name"]), *(f"{name}={value}" for name, value in settings.items())])
        text.encode()  # fails for half of a surrogate pair
        return text
    except FileNotFoundError:
        return ""
    except (ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
        raise InputError(f"expected the sessions of a run: {error}", path=path) from None
