"""The report of a tuning run as one HTML page that needs no other file and no network."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from pathlib import Path
from typing import Any

from hopefear.base.charts import breakable
from hopefear.base.files import written_whole
from hopefear.base.tables import Cell, Table
from hopefear.base.web_page import page
from hopefear.decoder.views import derivation_svg

from .change import TEST, TUNING, Bucket, Change
from .curves import family_chart, ratio_chart, score_chart, weight_charts
from .families import FamilyWorth, family_table, read_families
from .markup import number, table
from .sentence_view import embedded, packed, sentence_view
from .sentences import DERIVATIONS, read_sentences
from .tuning_run import TuningRun

REPORT = "report.html"
"""The name of the report in the folder of a run."""

_LISTED = 40  # weights in the table
_ROOM = 2_500_000  # bytes of the sentences in a page

_SENTENCES = """
<h2>Sentences</h2>
<p class="key">Before and after the run, with scores of sentences; words that the run <del>removed</del> and
<ins>added</ins>. Open a sentence for its derivation, hope and fear.</p>
"""
_SHOW = """
<script>
unpacked("sentence-data").then(({ rows, features, lowerIsBetter }) =>
  showSentences(rows, features, ["before", "after"], lowerIsBetter));
</script>
"""


def write_report(folder: Path, path: Path | None = None) -> Path:
    """Write the report of a run that has ended, by default into its folder; give the path of the page."""
    run = TuningRun.read(folder)
    parts = _headline(run)
    records = read_sentences(folder)
    if records:
        lower = run.change is not None and not run.change.higher_is_better
        parts.append(_sentence_part(records, lower))
    parts += [*_where(run.change), *_curves(run), *_moved(run)]
    parts += [*_families(read_families(folder)), *_settings(run)]
    return _write(path or folder / REPORT, f"Tuning run {run.name}", parts)


def _write(path: Path, title: str, parts: Sequence[str]) -> Path:
    with written_whole(path) as beside:
        beside.write_text(page(title, parts), "utf-8")
    return path


def _headline(run: TuningRun) -> list[str]:
    """Say what the run brought: scores before and after, their difference and how sure that is."""
    change = run.change
    if change is None:
        return _last_score(run)
    found = change.test
    difference = found.delta
    size = number(difference.value, signed=True)
    interval = f"{number(difference.lower, signed=True)} to {number(difference.upper, signed=True)}"
    kind = "better" if change.is_better(difference.value) else "worse" if difference.value else "less"
    lower = "" if change.higher_is_better else " Lower is better."
    notes = f"On {change.where}, translated with the weights of before and after the run.{lower}"
    if change.corpus == TUNING:
        notes += " The run learned from these sentences: on others, expect less."
    return [
        f'<p class="headline">{escape(change.metric)} {number(found.baseline.value)} → '
        f'<b>{number(found.system.value)}</b> <span class="change {kind}">{size}</span></p>',
        f"<p>The 95 % interval of the difference is {interval}; p = {found.p_value:.4f} ({TEST}).</p>",
        f'<p class="key">{escape(notes)}</p>',
    ]


def _last_score(run: TuningRun) -> list[str]:
    """Say the last score of the log, where no sentence was translated before and after the run."""
    curves = run.log.curves()
    if not curves.series:
        return []
    series = curves.series[-1]
    last = series.points[-1]
    interval = "" if last.interval is None else " [{:.2f}, {:.2f}]".format(*last.interval)
    return [
        f'<p class="headline">{escape(curves.metric)} <b>{number(last.score)}</b>{interval}</p>',
        f'<p class="key">On the {escape(series.name)}. There is no score of before and no '
        "test: the run translated no sentences for its report.</p>",
    ]


def _where(change: Change | None) -> list[str]:
    """Show where the run won and lost (Neubig et al. 2019, compare-mt)."""
    if change is None:
        return []
    of_lengths = ("words of the reference", "sentences", change.metric, change.lengths, change.is_better)
    of_words = ("times in the references", "words", "F1 of words", change.words, (0.0).__lt__)
    tables = [
        f"<div><h3>{escape(score)} by {what}</h3>{_buckets(what, size, buckets, better)}</div>"
        for what, size, score, buckets, better in (of_lengths, of_words)
    ]
    parts = ["<h2>Where the run won and lost</h2>", f'<div class="columns">{"".join(tables)}</div>']
    if change.won or change.lost:
        columns = ("words", "before", "after")
        tables = [
            f"<div><h3>n-grams that were {what}</h3>"
            + table(columns, ((escape(one.ngram), str(one.before), str(one.after)) for one in ngrams))
            + "</div>"
            for what, ngrams in (("won", change.won), ("lost", change.lost))
        ]
        parts.append(f'<div class="columns">{"".join(tables)}</div>')
        parts.append('<p class="key">How often the words of a translation are also in a reference.</p>')
    return parts


def _buckets(what: str, size: str, buckets: Sequence[Bucket], better: Callable[[float], bool]) -> str:
    rows = []
    for one in buckets:
        value = one.after - one.before
        kind = "better" if better(value) else "worse" if round(value, 2) else ""
        change = f'<span class="{kind}">{number(value, signed=True)}</span>'
        rows.append((one.name, f"{one.size:,}", number(one.before), number(one.after), change))
    return table((what, size, "before", "after", "change"), rows)


def _curves(run: TuningRun) -> list[str]:
    parts = []
    scores, ratios = score_chart(run.log.curves(), run.change), ratio_chart(run.log)
    if scores:
        parts += ["<h2>Scores</h2>", scores]
    if ratios:
        parts += ["<h2>Length ratio</h2>", ratios]
    return parts


def _moved(run: TuningRun) -> list[str]:
    names = run.most_moved(_LISTED)
    if not names:
        return []
    columns = ("feature", run.points[0], "end", "change")
    rows: list[tuple[Cell, ...]] = []
    for name in names:
        path = run.paths[name]
        rows.append((name, float(path[0]), float(path[-1]), float(path[-1] - path[0])))
    known = Table(columns, rows)._repr_html_()
    return [
        "<h2>Weights that moved most</h2>",
        *weight_charts({name: run.paths[name] for name in names}, run.points),
        f'<details><summary>Table of {len(names)}</summary><div class="wide">{known}</div></details>',
    ]


def _families(families: Sequence[FamilyWorth]) -> list[str]:
    if not families:
        return []
    known = family_table(families)._repr_html_()
    return ["<h2>Feature families</h2>", family_chart(families), f'<div class="wide">{known}</div>']


def _settings(run: TuningRun) -> list[str]:
    rows = "".join(
        f"<tr><th>{escape(name)}</th><td>{breakable(value)}</td></tr>" for name, value in run.settings.items()
    )
    return [f'<h2>Settings</h2><table class="settings">{rows}</table>'] if rows else []


def _sentence_part(records: list[dict[str, Any]], lower_is_better: bool) -> str:
    """Embed the sentences and the script that shows them; drawings of as many as there is room for."""
    features: dict[str, int] = {}
    rows = [_shown_of(record, features) for record in records]
    drawings = [_drawings(record) for record in records]
    drawn = len(rows)
    while True:
        some = [
            row | {"drawings": own if place < drawn else {}}
            for place, (row, own) in enumerate(zip(rows, drawings, strict=True))
        ]
        data = packed({"rows": some, "features": [*features], "lowerIsBetter": lower_is_better})
        if len(data) <= _ROOM or not drawn:
            return "".join((_SENTENCES, sentence_view(), embedded("sentence-data", data), _SHOW))
        drawn //= 2


def _shown_of(record: dict[str, Any], features: dict[str, int]) -> dict[str, Any]:
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
    found = {}
    for name in DERIVATIONS:
        if name in record and "items" in record[name]:
            found[name.partition("_")[0] if "_" in name else "translation"] = derivation_svg(record[name])
    return found
