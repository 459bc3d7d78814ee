"""The claims of a paper, and what the runs say of them."""

from __future__ import annotations

import numpy as np
import pytest
from support.small_runs import BLEU, TER, make_marks, make_run, translations

from hopefear.base import InputError
from hopefear.experiments import Claim
from hopefear.experiments.analysis.claims import claims_table, found_by, verdict, verdicts_line
from hopefear.metrics import Bleu, ConfidenceInterval, over_runs, paired_bootstrap

CLAIM = {"better": {"tuner": "MIRA"}, "worse": {"tuner": "MERT"}}
QUALITY = {"MIRA": 1, "MERT": 4, "PRO": 4}


def rows_of(runs, **settings):
    texts = {run.cell: translations(QUALITY[run.tuner]) for run in runs}
    table = claims_table([Claim("MIRA wins", **{**CLAIM, **settings})], runs, make_marks(texts))
    return [(*row.labels, *row.extra) for row in table.rows]


@pytest.mark.parametrize(
    ("lower", "upper", "paper", "expected"),
    [
        (0.1, 2.0, None, "holds"),
        (0.1, 2.0, 5.0, "holds"),
        (-2.0, -0.1, None, "does not hold"),
        (-0.5, 0.5, None, "open"),
        (-0.5, 0.5, 1.0, "does not hold"),  # it would have been found: 1.43 times 0.5
        (-0.5, 0.5, 0.6, "open"),  # perhaps not
        (-0.5, 0.5, 0.4, "open"),
    ],
)
def test_verdicts(lower: float, upper: float, paper: float | None, expected: str) -> None:
    gain = ConfidenceInterval((lower + upper) / 2, lower, upper, 0.95)
    assert verdict(gain, paper) == expected


def test_what_is_found_is_significant_in_80_per_cent() -> None:
    error = 0.3
    gain = ConfidenceInterval(0.0, -1.96 * error, 1.96 * error, 0.95)
    seen = np.random.default_rng(1).normal(found_by(gain), error, 100_000)
    assert (seen - 1.96 * error > 0).mean() == pytest.approx(0.8, abs=0.005)


def test_a_claim_of_single_runs_has_the_interval_of_sentences() -> None:
    runs = [make_run(tuner=tuner) for tuner in ("MERT", "MIRA", "PRO")]
    ((text, paper, here, finds, verdict),) = rows_of(runs, paper=1.5)
    statistics = make_marks({run.cell: translations(QUALITY[run.tuner]) for run in runs}).statistics
    delta = paired_bootstrap(statistics(runs[0]), statistics(runs[1]), Bleu()).delta
    assert (text, paper, verdict) == ("MIRA wins", "+1.50", "holds")
    assert here == f"+{delta.value:.2f} [+{delta.lower:.2f}, +{delta.upper:.2f}]"
    assert finds == f"{found_by(delta):.2f}"


def test_runs_of_equal_seeds_are_pairs() -> None:
    runs = [make_run(tuner=tuner, seed=seed) for tuner in ("MERT", "MIRA") for seed in (0, 1)]
    texts = {run.cell: translations(QUALITY[run.tuner] - run.seed) for run in runs}
    marks = make_marks(texts)
    ((_, _, here, *_),) = (
        row.labels + row.extra for row in claims_table([Claim("", **CLAIM)], runs, marks).rows
    )
    sides = [[marks.statistics(run) for run in runs if run.tuner == tuner] for tuner in ("MERT", "MIRA")]
    delta = over_runs(*sides, Bleu(), paired=True).delta
    assert here == f"{delta.value:+.2f} [{delta.lower:+.2f}, {delta.upper:+.2f}]".replace("-", "−")


def test_lower_is_better_and_runs_that_are_missing() -> None:
    runs = [make_run(tuner=tuner, metric=TER) for tuner in ("MERT", "MIRA")]
    assert rows_of(runs)[0][-1] == "holds"
    table = claims_table([Claim("MIRA wins", **CLAIM)], runs[:1], make_marks({runs[0].cell: translations(1)}))
    assert table.rows == () and table.key[-1] == "Claims without runs: 1."


def test_verdicts_are_counted() -> None:
    runs = [make_run(tuner=tuner) for tuner in ("MERT", "MIRA")]
    marks = make_marks({run.cell: translations(QUALITY[run.tuner]) for run in runs})
    wins, loses = Claim("", **CLAIM), Claim("", better=CLAIM["worse"], worse=CLAIM["better"])
    pro = Claim("", better={"tuner": "PRO"}, worse={"tuner": "MERT"})
    line = verdicts_line("plan", [wins, wins, loses, pro], runs, marks)
    assert line == "Claims of plan: holds 2, does not hold 1, without runs 1.\n"


def test_a_claim_is_of_one_set_and_one_metric() -> None:
    runs = [make_run(tuner=tuner, tested_on=name) for tuner in ("MERT", "MIRA") for name in ("dev", "test")]
    with pytest.raises(InputError, match="claim 'MIRA wins': expected one tested_on among its runs"):
        rows_of(runs)
    assert rows_of(runs, where={"tested_on": "dev"})[0][-1] == "holds"
    runs = [make_run(tuner=tuner, metric=metric) for tuner in ("MERT", "MIRA") for metric in (BLEU, TER)]
    with pytest.raises(InputError, match="expected one signature among its runs"):
        rows_of(runs)
