"""Simulated post-editing in a plan: what is scored stands before each correction."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace
from support.plans import cells_here, experiment
from support.sessions import LIVE, PAIRS, WEIGHTS, adapting_decoder, example
from support.small_runs import BLEU, REFERENCES, make_marks, make_run, translations

from hopefear.base import InputError
from hopefear.decoder import Weights
from hopefear.experiments import Curve, ExperimentReport
from hopefear.experiments.analysis.curves import curve_panels
from hopefear.experiments.plan import SentenceSet
from hopefear.experiments.runs.corpora import in_drawn_order, read_documents
from hopefear.live import LiveSession
from hopefear.metrics import Ter
from hopefear.tuners import Mira

PLAN = Path(__file__).with_suffix(".toml").read_text("utf-8")


def experiment_in(folder, text=PLAN):
    LIVE.write(folder)
    pairs = [line.split(" ||| ")[:2] for line in PAIRS]
    for name, lines in zip(("source", "reference"), zip(*pairs, strict=True), strict=True):
        (folder / name).write_text("".join(f"{line}\n" for line in lines))
    return experiment(folder, text)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("post-editing")
    with cells_here():
        found = experiment_in(folder)
        found.run()
    assert not found.failures
    return folder


def shown(folder, tuner, name="first"):
    cell = f"toy-{tuner}-all-all-draw0-seed0"
    return (folder / "out" / "cells" / cell / f"{name}.txt").read_text("utf-8").splitlines()


def learned(folder, tuner):
    weights = Weights()
    weights.read(folder / "out" / "cells" / f"toy-{tuner}-all-all-draw0-seed0" / "weights")
    return dict(weights.nonzero())


def post_edited(folder, passes=1, **grows):
    """Post-edit by hand: the translations before each correction of the last pass, and its weights."""
    decoder = adapting_decoder(folder / "cdec.ini", **grows)
    start = decoder.weights
    for _ in range(passes):
        session = LiveSession(decoder, Mira.paper(C=0.1), weights=start, expert="learned")
        start = session.weights
        texts, weights = [], []
        for index, line in enumerate(PAIRS):
            segment = example(" ||| ".join(line.split(" ||| ")[:2]), index)
            texts.append(session.translate(segment).viterbi())
            weights.append(dict(session.weights.nonzero()))
            session.correct(segment)
    return texts, weights


def test_a_session_that_learns_nothing_translates_as_the_decoder(folder):
    assert shown(folder, "nothing") == shown(folder, "static")


@pytest.mark.parametrize(("tuner", "grows"), [("weights", {"rules": False, "model": False}), ("adapted", {})])
def test_what_is_scored_was_shown_before_each_correction(folder, tuner, grows):
    texts, _ = post_edited(folder, **grows)
    assert shown(folder, tuner) == texts != shown(folder, "static")


def test_a_corrected_word_is_known_later(folder):
    first, _, last = [i for i, line in enumerate(PAIRS) if "zorgulo" in line.split(" ||| ")[0]]
    for name in ("first", "again"):  # each test begins with nothing learned
        texts = shown(folder, "adapted", name)
        assert "zorgulo" in texts[first]
        assert "dragon" in texts[last]
    assert learned(folder, "adapted").items() >= WEIGHTS.items()


def test_rehearsals_learn_the_mean_weights_of_the_last_pass(folder):
    texts, weights = post_edited(folder, passes=2, model=False)
    mean = {name: np.mean([one.get(name, 0.0) for one in weights]) for one in weights for name in one}
    found = learned(folder, "rehearsed")
    assert {name: found.get(name, 0.0) for name in mean} == pytest.approx(mean, rel=1e-4, abs=1e-5)
    assert found["PostEditSupport"] != WEIGHTS["PostEditSupport"]
    log = (folder / "out" / "cells" / "toy-rehearsed-all-all-draw0-seed0" / "log.jsonl").read_text()
    score = BLEU.score(BLEU.corpus_stats(texts, [[line.split(" ||| ")[1]] for line in PAIRS]).sum(axis=0))
    assert f'"score": {score}' in log.splitlines()[-1]
    assert len(log.splitlines()) == 2


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('live = "none" }', 'live = "Mert" }', "tuners.nothing.live: Mert learns from a whole corpus"),
        ('adapt = ["rules"],', 'adapt = ["words"],', "tuners.rehearsed.adapt: words: unknown"),
        ('"Mira C=0.1 passes=2"', '"Mirror"', "tuners.rehearsed.rehearse: "),
        (
            'live = "none" }',
            'live = "none", folds = 3 }',
            "tuners.nothing.live: expected no line, grid, folds or families",
        ),
    ],
)
def test_what_cannot_learn_live_is_refused(tmp_path, old, new, message):
    assert PLAN.count(old) == 1
    with pytest.raises(InputError) as caught:
        experiment_in(tmp_path, PLAN.replace(old, new))
    assert message in str(caught.value)


def test_documents_come_in_the_order_of_the_seed_and_scores_in_that_of_the_file(tmp_path):
    names = ["a", "a", "b", "b", "c", "c"]
    text = PLAN.replace('source = "source"', 'source = "source"\ndocuments = "documents"')
    text = text.replace("[[runs]]", '[[runs]]\ntuners = ["adapted"]\nseeds = [0, 1, 2, 3]')
    tmp_path.joinpath("documents").write_text("".join(f"{name}\n" for name in names))
    with cells_here():
        found = experiment_in(tmp_path, text)
        found.run()
    assert not found.failures
    orders, points = set(), {}
    for seed in range(4):
        order = in_drawn_order([names.index(name) for name in names], seed)
        assert sorted(order) == [*range(6)] and all(order[i + 1] == order[i] + 1 for i in (0, 2, 4))
        orders.add(tuple(order))
        decoder = adapting_decoder(tmp_path / "cdec.ini")
        session, said = LiveSession(decoder, Mira.paper(C=0.1), expert="learned"), {}
        for i in order:
            segment = example(" ||| ".join(PAIRS[i].split(" ||| ")[:2]))
            said[i] = session.translate(segment).viterbi()
            session.correct(segment)
        cell = tmp_path / "out" / "cells" / f"toy-adapted-all-all-draw0-seed{seed}"
        assert (cell / "first.txt").read_text("utf-8").splitlines() == [said[i] for i in range(6)]
        points[str(seed)] = {
            end: [ter_of([(said[i], PAIRS[i].split(" ||| ")[1]) for i in order[end - 2 : end]])]
            for end in range(2, 7)
        }
    assert tuple(range(6)) in orders and len(orders) > 1
    report = ExperimentReport(found.folder, found.plan, found.finished())
    where = {"metric": ("TER",), "tested_on": ("first",)}
    curve = Curve("Last two sentences", ("seed",), "sentence", where, window=2)
    (panel,) = curve_panels(curve, report.runs, found.folder, report.marks)
    assert {line.name: line.points for line in panel.lines} == {
        f"seed {seed}": {end: pytest.approx(value) for end, value in of_seed.items()}
        for seed, of_seed in points.items()
    }


def ter_of(pairs):
    texts, references = zip(*pairs, strict=True)
    return Ter().score(Ter().corpus_stats(texts, [[one] for one in references]).sum(axis=0))


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ('documents = "lost"', "sets.all.documents: "),
        ('documents = "source"\nsample = 2', "sets.all.documents: expected neither text nor sample"),
    ],
)
def test_documents_that_cannot_be_read_are_told(tmp_path, keys, message):
    with pytest.raises(InputError, match=message):
        experiment_in(tmp_path, PLAN.replace('source = "source"', f'source = "source"\n{keys}')).run()


def test_each_line_of_a_source_has_a_document(tmp_path):
    source, names = tmp_path / "source", tmp_path / "documents"
    source.write_text("a\nb\nc\n")
    names.write_text("x\ny\n")
    corpus = SentenceSet(name="all", source=source, config=tmp_path / "cdec.ini", documents=names)
    with pytest.raises(InputError, match="documents: expected 3 lines, got 2"):
        read_documents(corpus)
    names.write_text("x\ny\nx\n")
    assert read_documents(corpus) == [1, 2, 1]
    assert read_documents(replace(corpus, lines=(1, 3))) == [2, 1]


def test_a_curve_over_sentences_compares_the_last_ones_with_the_baseline(tmp_path):
    runs = [make_run(tuner=tuner, seed=seed) for tuner in ("static", "all") for seed in (0, 1)]
    texts = {run.cell: translations(4 + run.seed, 1 if run.tuner == "static" else 2) for run in runs}
    curve = Curve("C", ("tuner",), "sentence", {"tuner": ("all",)}, baseline={"tuner": "static"}, window=16)
    (panel,) = curve_panels(curve, runs, tmp_path, make_marks(texts))
    (line,) = panel.lines
    expected = {
        end: [
            score_of(texts[all_.cell], end) - score_of(texts[static.cell], end)
            for static, all_ in zip(runs[:2], runs[2:], strict=True)
        ]
        for end in range(16, 41, 4)
    }
    assert line.name == "all" and panel.y_name == "BLEU, last 16 sentences, less static"
    assert line.points == {end: pytest.approx(scores) for end, scores in expected.items()}


def score_of(texts, end):
    return BLEU.score(BLEU.corpus_stats(texts[end - 16 : end], REFERENCES[end - 16 : end]).sum(axis=0))
