from __future__ import annotations

import pytest
from support.small_runs import BLEU, REFERENCES, TER, make_marks, make_run, translations

from hopefear.base import InputError
from hopefear.experiments.analysis.marks import Marks, jointly
from hopefear.metrics import approximate_randomisation, over_runs


def runs_of(tuner, *texts, metric=BLEU, **columns):
    """A run for each list of translations, and what its cell translates."""
    runs = [make_run(tuner=tuner, seed=seed, metric=metric, **columns) for seed in range(len(texts))]
    return runs, {run.cell: text for run, text in zip(runs, texts, strict=True)}


def compare(baseline, system, metric=BLEU):
    (before, old), (after, new) = (
        runs_of(name, *texts, metric=metric) for name, texts in (("MERT", baseline), ("MIRA", system))
    )
    return make_marks(old | new).compare(before, after)


@pytest.mark.parametrize("metric", [BLEU, TER], ids=["BLEU", "TER"])
@pytest.mark.parametrize("runs", [1, 3])
def test_a_clear_difference_is_marked_and_says_better_or_worse(metric, runs):
    good, bad = translations(1), translations(4)
    found = compare([bad] * runs, [good] * runs, metric)
    assert found.mark == "++" and found.p_value < 0.01
    assert compare([good] * runs, [bad] * runs, metric).mark == "−−"


@pytest.mark.parametrize("runs", [1, 3])
def test_no_difference_is_not_marked(runs):
    found = compare([translations(2)] * runs, [translations(2)] * runs)
    assert (found.mark, found.p_value) == ("", 1.0)


def test_one_sign_between_the_levels():
    """Where 5 sentences are better and all others equal, 2^-4 of all shuffles differ as much, either way."""
    better = translations(3)
    better[:5] = [reference for (reference,) in REFERENCES[:5]]
    found = compare([translations(3)], [better], TER)
    assert 0.05 < found.p_value < 0.08 and found.mark == ""
    better[5] = REFERENCES[5][0]
    found = compare([translations(3)], [better], TER)
    assert 0.02 < found.p_value < 0.05 and found.mark == "+"
    assert compare([better], [translations(3)], TER).mark == "−"


def test_a_mark_that_one_run_of_several_gives_is_in_brackets():
    found = compare([translations(3)] * 3, [translations(1), translations(3), translations(3)])
    assert found.p_value < 0.01
    assert found.over_runs is not None and found.over_runs.p_value > 0.2
    assert found.mark == "(++)"
    assert compare([translations(3)] * 3, [translations(1)] * 3).mark == "++"


def test_the_tests_are_those_of_metrics():
    baseline, system = [translations(2, 3), translations(2, 4)], [translations(2, 5), translations(3, 6)]
    stats = [[BLEU.corpus_stats(texts, REFERENCES) for texts in side] for side in (baseline, system)]
    assert compare(baseline, system).p_value == approximate_randomisation(*stats, BLEU).p_value
    assert compare(baseline, system).over_runs == over_runs(*stats, BLEU)
    one = compare(baseline[:1], system[:1])
    assert one.p_value == approximate_randomisation(stats[0][:1], stats[1][:1], BLEU).p_value
    assert one.over_runs is None


def test_a_single_run_counts_once_against_several():
    """Where 5 sentences are better, 2^-4 of the ways to swap sentences differ as much, however many runs."""
    better = translations(3)
    better[:5] = [reference for (reference,) in REFERENCES[:5]]
    found = compare([translations(3)] * 3, [better], TER)
    assert found.mark == ""
    assert 0.05 < found.p_value < 0.08
    assert compare([better], [translations(3)] * 3, TER).p_value == found.p_value


def test_all_runs_count_where_their_numbers_differ():
    baseline = [translations(4), translations(3), translations(2)]
    system = [translations(3, 2), translations(3, 3)]
    stats = [[BLEU.corpus_stats(texts, REFERENCES) for texts in side] for side in (baseline, system)]
    assert compare(baseline, system).p_value == approximate_randomisation(*stats, BLEU).p_value


def test_runs_on_the_parts_of_a_corpus_are_joined():
    """Runs on two halves are compared as one run on the whole; of surplus runs on a half, the first."""
    whole = [compare([translations(3)], [translations(2)])]
    halves = [("first", slice(0, 20)), ("second", slice(20, None))]
    runs, statistics = {}, {}
    for tuner, texts in (("MERT", translations(3)), ("MIRA", translations(2))):
        for half, part in halves:
            for seed in range(2 if half == "first" else 1):
                run = make_run(tuner=tuner, seed=seed, tested_on=half)
                runs.setdefault(tuner, []).append(run)
                statistics[run] = BLEU.corpus_stats(texts, REFERENCES)[part]
    marks = Marks(statistics.__getitem__, make_marks({}).metrics, lambda run: run.tested_on)
    assert [marks.compare(runs["MERT"], runs["MIRA"][::-1])] == whole


def test_marks_of_a_table_are_those_of_holm():
    better = translations(3)
    better[:6] = [reference for (reference,) in REFERENCES[:6]]
    one = compare([translations(3)], [better], TER)
    assert one.mark == "+"
    both = jointly({"one": one, "other": one})
    assert [found.mark for found in both.values()] == ["", ""]
    assert both["one"].adjusted == 2 * one.p_value
    assert both["one"].p_value == one.p_value


def test_p_over_runs_is_adjusted_too():
    one = compare([translations(3)] * 3, [translations(1), translations(1), translations(2)])
    assert one.over_runs is not None and one.adjusted_over_runs == one.over_runs.p_value
    both = jointly({"one": one, "other": one})
    assert both["one"].adjusted_over_runs == 2 * one.over_runs.p_value


def test_other_sentences_are_not_compared():
    before, old = runs_of("MERT", translations(4))
    after, new = runs_of("MIRA", translations(1), tested_on="dev")
    assert make_marks(old | new).compare(before, after) is None
    shorter = make_marks(old | new)
    fewer = Marks(
        lambda run: shorter.statistics(run)[: 40 if run.tuner == "MERT" else 39], shorter.metrics, str
    )
    one_set = Marks(fewer.statistics, fewer.metrics, lambda run: "test")
    assert one_set.compare(before, after) is None


def test_a_metric_that_the_plan_has_not_is_refused():
    runs, texts = runs_of("MERT", translations(1))
    with pytest.raises(InputError, match=r"expected scores of TER.*got one of BLEU"):
        make_marks(texts, TER).compare(runs, runs)
