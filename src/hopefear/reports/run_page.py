"""The report of a tuning run as one HTML page that needs no other file and no network."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hopefear.base.tables import Cell, Table
from hopefear.decoder.views import derivation_svg

from .change import TEST, TUNING
from .curves import family_chart, ratio_chart, score_chart, weight_charts
from .families import family_table, read_families
from .pages import ROOM, packed, write_page
from .sentences import DERIVATIONS, read_sentences
from .tuning_run import TuningRun

REPORT = "report.html"
"""The name of the report in the folder of a run."""

_LISTED = 40  # weights in the table


def write_report(folder: Path, path: Path | None = None) -> Path:
    """Write the report of a run that has ended, by default into its folder; give the path of the page."""
    run = TuningRun.read(folder)
    change, curves, families = run.change, run.log.curves(), read_families(folder)
    moved = run.most_moved(_LISTED)
    return write_page(
        path or folder / REPORT,
        "run.html",
        f"Tuning run {run.name}",
        run=run,
        change=change,
        test=TEST,
        learned_from_these=change is not None and change.corpus == TUNING,
        is_positive=(0.0).__lt__,
        curves=curves,
        last=curves.series[-1].points[-1] if curves.series else None,
        sentences=_sentences(read_sentences(folder), change is not None and not change.higher_is_better),
        score_chart=score_chart(curves, change),
        ratio_chart=ratio_chart(run.log),
        moved=_moved(run, moved),
        weight_charts=weight_charts({name: run.paths[name] for name in moved}, run.points),
        families=family_table(families),
        family_chart=family_chart(families) if families else "",
    )


def _moved(run: TuningRun, names: list[str]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for name in names:
        first, last = float(run.paths[name][0]), float(run.paths[name][-1])
        rows.append((name, first, last, last - first))
    return Table(("feature", run.points[0], "end", "change"), rows)


def _sentences(records: list[dict[str, Any]], lower_is_better: bool) -> str:
    """Pack sentences for the script that shows them, with drawings of as many as there is room for."""
    features: dict[str, int] = {}
    rows = [_row(record, features) for record in records]
    drawings = [_drawings(record) for record in records]
    drawn = len(rows)
    while rows:
        some = [row | {"drawings": drawings[i] if i < drawn else {}} for i, row in enumerate(rows)]
        data = packed({"rows": some, "features": [*features], "lowerIsBetter": lower_is_better})
        if len(data) <= ROOM or not drawn:
            return data
        drawn //= 2
    return ""


def _row(record: dict[str, Any], features: dict[str, int]) -> dict[str, Any]:
    """Return what the page shows of a sentence; features of the derivation by number, new ones added."""
    fired = [one["feature"] for one in record.get("differences", ())]
    nodes = [record["derivation"]]
    while nodes:
        node = nodes.pop()
        nodes += node["children"]
        fired += [one["feature"] for one in node["features"]]
    hidden = ("statistics", "words", *DERIVATIONS)
    shown = {name: value for name, value in record.items() if name not in hidden}
    return shown | {"fired": sorted({features.setdefault(name, len(features)) for name in fired})}


def _drawings(record: dict[str, Any]) -> dict[str, str]:
    """Draw the derivations of a sentence that say where their words stand."""
    return {
        name.partition("_")[0] if "_" in name else "translation": derivation_svg(record[name])
        for name in DERIVATIONS
        if name in record and "items" in record[name]
    }
