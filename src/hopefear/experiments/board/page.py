"""The board as a page that asks for itself again and again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from importlib.resources import files

from hopefear.base.charts import breakable
from hopefear.base.web_page import page
from hopefear.tuners.report import score_chart, weight_charts

from .places import CellState, ExperimentState, RunState, State
from .words import heading, progress, score

MOST = 4
"""Runs of an experiment that are shown at the same time."""


def board_page(title: str = "Runs") -> str:
    """Return the page, without what it shows, which it asks for at ``board``."""
    folder = files(__package__)
    style, script = (folder.joinpath(f"board.{kind}").read_text("utf-8") for kind in ("css", "js"))
    return page(
        title,
        [
            f"<style>{style}</style>",
            '<p id="status" role="status" class="key"></p><main id="board"></main>',
            f"<script>{script}</script>",
        ],
    )


def board_html(states: Sequence[State]) -> str:
    """Return what the page shows of runs and experiments."""
    return "\n".join(
        _experiment(one) if isinstance(one, ExperimentState) else _run(one, alone=len(states) == 1)
        for one in states
    )


def _run(run: RunState, *, alone: bool) -> str:
    parts = [
        f"<h2>{escape(heading(run))} <span class='status {run.status}'>{run.status}</span></h2>",
        f"<p class='headline'>{escape(score(run))}</p>",
        _bar(run),
        f"<p class='key'>{escape(progress(run))}</p>",
    ]
    if run.error:
        parts.append(f"<p class='worse'>{escape(run.error)}</p>")
    charts = [score_chart(run.curves, run.change)]
    if len(run.points) > 1 and run.paths:
        charts += weight_charts(run.paths, run.points)
    parts.append(f'<div class="charts">{"".join(f"<div>{one}</div>" for one in charts if one)}</div>')
    if run.now is not None and run.now.weights and len(run.points) < 2:
        rows = "".join(
            f'<tr><td>{breakable(name)}</td><td class="number">{value:.4g}</td></tr>'
            for name, value in run.now.weights.items()
        )
        head = '<tr><th>feature</th><th class="number">weight</th></tr>'
        parts.append(f"<table><thead>{head}</thead><tbody>{rows}</tbody></table>")
    parts.append(_sentence(run))
    return f'<section class="run{" alone" * alone}">{"".join(parts)}</section>'


def _bar(run: RunState) -> str:
    share = 1.0 if run.status == "finished" else run.now.share if run.now is not None else None
    return "" if share is None else f'<progress max="1" value="{share:.4f}"></progress>'


def _sentence(run: RunState) -> str:
    sentence = None if run.now is None else run.now.sentence
    if sentence is None:
        return ""
    texts = [("source", sentence.source), *(("reference", text) for text in sentence.references[:1])]
    texts += [("translation", sentence.best), ("hope", sentence.hope), ("fear", sentence.fear)]
    rows = "".join(f"<tr><th>{name}</th><td>{escape(text)}</td></tr>" for name, text in texts)
    return f"<h3>The sentence of now: {escape(str(sentence.id))}</h3><table class='settings'>{rows}</table>"


def _experiment(state: ExperimentState) -> str:
    columns = list(dict.fromkeys(one.cell.column for one in state.cells))
    rows: dict[str, dict[str, CellState]] = {}
    for one in state.cells:
        rows.setdefault(one.cell.row, {})[one.cell.column] = one
    head = "".join(f"<th>{escape(column)}</th>" for column in columns)
    body = "".join(
        f"<tr><th>{breakable(row)}</th>{''.join(_cell(own.get(column)) for column in columns)}</tr>"
        for row, own in rows.items()
    )
    parts = [
        f"<h2>{escape(heading(state))}</h2><p class='headline'>{escape(score(state))}</p>",
        f'<progress max="{len(state.cells)}" value="{state.done}"></progress>',
        f"<p class='key'>{escape(progress(state))}</p>",
        f'<div class="wide"><table class="grid"><thead><tr><th></th>{head}</tr></thead>{body}</table></div>',
    ]
    parts += _runs(state.running[:MOST])
    return f'<section class="alone">{"".join(parts)}</section>'


def _runs(runs: Iterable[RunState]) -> list[str]:
    return [_run(run, alone=False) for run in runs]


def _cell(one: CellState | None) -> str:
    if one is None:
        return "<td></td>"
    known = one.text if one.status != "failed" else "failed"
    title = escape(f"{one.cell.name}: {one.text}")
    return f'<td class="status {one.status}" title="{title}">{escape(known)}</td>'
