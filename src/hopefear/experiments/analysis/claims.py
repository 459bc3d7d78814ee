"""The claims of a paper, and what the runs say of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from operator import attrgetter

from hopefear.base import InputError
from hopefear.metrics import ConfidenceInterval
from hopefear.reports import MISSING, TableData, TableRow, number

from ..plan import OF_A_RUN, Claim
from ..results import Result
from .groups import select
from .marks import Marks

TITLE = "Claims"

HOLDS, FAILS, OPEN = "holds", "does not hold", "open"

_POWER = (1.959964 + 0.841621) / (2 * 1.959964)
"""The difference that is significant in 80 % of experiments, for each unit of the width of an interval."""

_KEY = (
    "Here: the difference with its 95 % interval. Finds: what such runs and sentences show in 80 % of cases."
)


def claims_table(claims: Sequence[Claim], runs: Sequence[Result], marks: Marks) -> TableData:
    """Make the table of the claims that have runs."""
    rows = [row for claim in claims if (row := _row(claim, runs, marks)) is not None]
    missing = len(claims) - len(rows)
    return TableData(
        title=TITLE,
        row_names=("claim",),
        extra_names=("paper", "here", "finds", "verdict"),
        columns=(),
        rows=tuple(rows),
        key=(_KEY, *([f"Claims without runs: {missing}."] if missing else [])),
        note="",
    )


def verdicts_line(plan: str, claims: Sequence[Claim], runs: Sequence[Result], marks: Marks) -> str:
    """Count the verdicts on the claims of a plan."""
    gains = [(claim, _gain(claim, runs, marks)) for claim in claims]
    verdicts = Counter("without runs" if g is None else verdict(g, claim.paper) for claim, g in gains)
    counted = ", ".join(
        f"{one} {verdicts[one]}" for one in (HOLDS, FAILS, OPEN, "without runs") if verdicts[one]
    )
    return f"Claims of {plan}: {counted}.\n"


def verdict(gain: ConfidenceInterval, paper: float | None) -> str:
    """Judge a claim by the interval of what the better side gains.

    A claim holds if the interval is above 0. It does not hold if the interval is below 0, or if 0 is inside
    and the paper's difference, which such runs would find, is not.
    """
    if gain.lower > 0:
        return HOLDS
    below_the_paper = paper is not None and gain.upper < paper and found_by(gain) <= paper
    return FAILS if gain.upper < 0 or below_the_paper else OPEN


def found_by(gain: ConfidenceInterval) -> float:
    """Return the difference that would be significant in 80 % of experiments with an interval so wide."""
    return _POWER * (gain.upper - gain.lower)


def _row(claim: Claim, runs: Sequence[Result], marks: Marks) -> TableRow | None:
    """Return the row of a claim; None if a side has no runs."""
    paper = MISSING if claim.paper is None else number(claim.paper, signed=True)
    gain = _gain(claim, runs, marks)
    if gain is None:
        return None
    ends = ", ".join(number(end, signed=True) for end in (gain.lower, gain.upper))
    here = f"{number(gain.value, signed=True)} [{ends}]"
    return TableRow((claim.text,), (paper, here, number(found_by(gain)), verdict(gain, claim.paper)), ())


def _gain(claim: Claim, runs: Sequence[Result], marks: Marks) -> ConfidenceInterval | None:
    """Return what the better side gains, with its interval; None if a side has no runs."""
    among = select(runs, claim.where)
    better, worse = (
        select(among, {name: (value,) for name, value in side.items()})
        for side in (claim.better, claim.worse)
    )
    if not better or not worse:
        return None
    for column in ("tested_on", "signature"):
        if len({getattr(run, column) for run in (*better, *worse)}) > 1:
            raise InputError(f"claim {claim.text!r}: expected one {column} among its runs; name it in where")
    same = attrgetter(*(name for name in (*OF_A_RUN, "tested_on") if name not in claim.better))
    paired = len(better) > 1 and sorted(map(same, better)) == sorted(map(same, worse))
    delta = marks.difference(worse, better, paired=paired)
    if delta is None or marks.metric(better[0]).higher_is_better:
        return delta
    return ConfidenceInterval(-delta.value, -delta.upper, -delta.lower, delta.level)
