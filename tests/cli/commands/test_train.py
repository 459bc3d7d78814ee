from __future__ import annotations

import importlib.util
import re
import signal

import pytest
from support.killed_at_save import run_killed
from support.run_files import are_equal_but_for_rounding, events, sessions, weights
from support.world import NOUNS, write_parallel_text

from hopefear.base.files import alone_in
from hopefear.grammars.build import Recipe, build
from hopefear.tuners import read_checkpoint

pytestmark = pytest.mark.long(70)

FEATURE = ("--feature", "RuleIndicators")
SMALL = (*FEATURE, "--seed", 1, "--set", "k=3", "--set", "batch_size=4")


@pytest.fixture(scope="module")
def systems(tmp_path_factory):
    """Return the folder of a text, and of systems built from it: `folds` has two, `whole` none.

    Of the sentence pairs one has no target words, and one has more than 20 source words. In the development
    set `dev` a noun is always in the plural, or never.
    """
    folder = tmp_path_factory.mktemp("systems")
    write_parallel_text(folder, 30, ambiguous=True)
    for name in "f", "e":
        text = (folder / f"train.{name}").read_text("utf-8").splitlines(keepends=True)
        dev = "".join(text)
        for number, noun in enumerate(NOUNS.values()):
            dev = re.sub(rf"\b{noun}s?\b", noun + "s" * (number % 2), dev)
        (folder / f"dev.{name}").write_text(dev, "utf-8")
    for name, lines in (("f", "veo la mesa\n" + "veo " * 21 + "\n"), ("e", "\ni see\n"), ("align", "\n\n")):
        with (folder / f"train.{name}").open("a", encoding="utf-8") as file:
            file.write(lines)
    texts = {"source": folder / "train.f", "target": folder / "train.e", "alignment": folder / "train.align"}
    for name, folds in (("folds", 2), ("whole", 0)):
        recipe = Recipe(**texts, inputs=(folder / "test.f",), folds=folds, order=3, discount_fallback=True)
        build(recipe, folder / name)
    return folder


def passes(run):
    return events(run, "pass")


def test_rules_learn_on_the_text(tmp_path, systems, run):
    given = ("train", systems / "folds", *SMALL, "-o", "run")
    done = run(*given, "--passes", 2, "--max-words", 20)
    lines = done.stderr.splitlines()
    told = "text: learns from 30 sentence pairs; left out: 1 with an empty side, 1 that are too long"
    assert told in lines
    assert lines[-1] == "learned weights: run/weights.final"
    _, second = passes(tmp_path / "run")
    assert (second["skipped"], second["updates"]) == (0, 16)
    learned = weights(tmp_path / "run" / "weights.final")
    assert any(name.startswith("R:") for name in learned)
    (session,) = sessions(tmp_path / "run")
    assert session["status"] == "finished"
    assert session["tuner"]["name"] == "AdaptiveMira"
    assert session["tuner"]["settings"]["C"] == 0.01
    assert second["score_interval"] is None
    # Nothing grows with the number of sentences.
    sizes = {name: len(x) for name, x in read_checkpoint(tmp_path / "run" / "checkpoint")["arrays"].items()}
    assert "rows" not in sizes
    ready = ("decode", "-c", systems / "folds" / "cdec.ini", "-w", "run/weights.final", *FEATURE)
    assert len(run(*ready, "-i", systems / "test.f").stdout.splitlines()) == 5


@pytest.mark.slow
def test_syntax_learns_on_the_text(tmp_path, systems, run):
    for name, text in (("trees", systems / "train.f"), ("test.trees", systems / "test.f")):
        with (tmp_path / name).open("w", encoding="utf-8") as trees:
            for line in text.read_text("utf-8").splitlines():
                verb, *object_ = line.split()
                trees.write(f"(S (V {verb}) (NP {' '.join(object_)}))\n" if verb == "veo" else "()\n")
    syntax = ("--feature", "SoftSyntax")
    options = ("--max-words", 20, "--set", "C=0.1")
    run("train", systems / "folds", *syntax, *options, "--trees", "trees", "-o", "run")
    fired = {line.split()[0] for line in (tmp_path / "run" / "weights.final").read_text("utf-8").splitlines()}
    assert fired & {"NP=", "NP+"}
    given = ("--dev-source", systems / "test.f", "--dev-reference", systems / "test.e")
    run(
        *("train", systems / "folds", *syntax, *options, "--trees", "trees", "-o", "dev"),
        *(*given, "--dev-trees", "test.trees", "--set-dev", "passes=1"),
    )
    (tmp_path / "trees").write_text("(S (V veo) (NP otra))\n")
    refused = run("train", systems / "folds", *syntax, "--trees", "trees", "-o", "no", status=2)
    assert "trees:1: a tree: expected" in refused.stderr
    refused = run("train", systems / "folds", "--dev-trees", "test.trees", "-o", "no", status=2)
    assert "--dev-trees, --dev-conllu, --dev-tags and --dev-annotation need --dev-source" in refused.stderr


@pytest.mark.slow
def test_a_run_that_is_killed_or_stopped_goes_on(tmp_path, systems, run, start):
    given = ("train", systems / "folds", *SMALL, "--passes", 3, "--set", "save_every=2")
    run(*given, "-o", "whole")
    for number in 1, 6:  # in the first pass, and in the second
        run_killed(number, (*given, "-o", "parts", *["--resume"] * (number > 1)), tmp_path)
    process = start(*given, "-o", "parts", "--resume")
    for line in process.stderr:
        if line.startswith("pass 2:"):
            process.send_signal(signal.SIGINT)
            break
    assert process.wait() == 130
    done = run(*given, "-o", "parts", "--resume")
    assert (tmp_path / "parts" / "weights.final").read_bytes() == (
        tmp_path / "whole" / "weights.final"
    ).read_bytes()
    found = [[{**each, "seconds": 0} for each in passes(tmp_path / name)] for name in ("whole", "parts")]
    assert found[0] == found[1]
    done = run(*given, "-o", "parts", "--resume", "--sentences", 10, status=2)
    assert "parts/checkpoint: expected text=" in done.stderr
    done = run(*given, "-o", "parts", "--resume", "--fold-rules", status=2)
    assert "began with --fold-rules not given: expected the same, got given" in done.stderr
    done = run(*given, "-o", "parts", "--resume", "--pop-limit", 30, status=2)
    assert "began with --pop-limit not given: expected the same, got 30" in done.stderr


@pytest.mark.slow
def test_who_resumes_waits_for_a_run_under_way(tmp_path, systems, run, start):
    (tmp_path / "run").mkdir()
    given = ("train", systems / "folds", *SMALL, "-o", "run", "--sentences", 4, "--report-sentences", 0)
    with alone_in(tmp_path / "run", "run.lock", "run"):
        assert run(*given, status=2).stderr == "hopefear: run: another run is using this folder\n"
        process = start(*given, "--resume")
        assert process.stderr.readline() == "run: another run is using this folder: waits for its end\n"
        assert process.poll() is None
    process.communicate()
    assert process.returncode == 0
    assert (tmp_path / "run" / "weights.final").exists()


def test_dense_weights_are_conditioned_on_a_development_set(tmp_path, systems, run):
    fixed = ("--tuner-dev", "SummaryMira", "--set-dev", "passes=2")
    given = ("train", systems / "folds", *SMALL, "-o", "run", *fixed)
    dev = ("--dev-source", systems / "test.f", "--dev-reference", systems / "test.e")
    done = run(*given, *dev)
    assert done.stderr.splitlines()[-1] == "learned weights: run/weights.final"
    assert (len(passes(tmp_path / "run" / "text")), len(passes(tmp_path / "run"))) == (1, 2)
    before, after = (weights(tmp_path / name / "weights.final") for name in ("run/text", "run"))
    sparse = [name for name in before if name.startswith("R:")]
    assert {name for name in after if name.startswith("R:")} == {*sparse}
    factors = {round(after[name] / before[name], 6) for name in sparse}
    assert len(factors) == 1
    assert before["WordPenalty"] != after["WordPenalty"]
    learned = (tmp_path / "run" / "weights.final").read_bytes()
    run(*given, *dev, "--resume")
    assert (tmp_path / "run" / "weights.final").read_bytes() == learned


def test_all_weights_are_tuned_on_a_development_set(tmp_path, systems, run):
    given = ("train", systems / "folds", *SMALL, "-o", "run", "--tuner-dev", "Mira", "--set-dev", "passes=1")
    run(*given, "--dev-source", systems / "test.f", "--dev-reference", systems / "test.e")
    before, after = (weights(tmp_path / name / "weights.final") for name in ("run/text", "run"))
    learned = {name for name in after if name.startswith("R:")}
    changes = {round(after[name] - before.get(name, 0), 9) for name in learned}
    assert 0 in changes and len(changes) > 2  # of what the text alone has and of what the updates touched
    assert learned - set(before)


def choosing(systems, passes):
    """Return options that let the last stage be chosen on the development set."""
    dev = ("--dev-source", systems / "dev.f", "--dev-reference", systems / "dev.e")
    return (*dev, "--set-dev", "folds=2", "--set-dev", f"passes={passes}")


@pytest.mark.slow
def test_the_last_stage_is_chosen_on_held_out_parts(tmp_path, systems, run):
    """Which nouns are in the plural, only `Mira` can learn."""
    given = ("train", systems / "folds", *SMALL, *choosing(systems, 6))
    lines = run(*given, "-o", "run").stderr.splitlines()
    trials = [line.split(": ")[:2] for line in lines if line.startswith("trial ")]
    assert trials == [[f"trial {n} of 4", f"part {(n + 1) // 2}"] for n in (1, 2, 3, 4)]
    told = [line for line in lines if line.startswith(("held out: ", "chosen: "))]
    assert [line.split(": ")[1] for line in told[:4]] == ["unchanged", "0.5 Mira", "SummaryMira", "Mira"]
    assert told[4:] == ["chosen: Mira: the best score"]
    (session,) = sessions(tmp_path / "run")
    choice = session["choice"]
    assert choice["best"] == {"choice": "Mira"}
    for line, score, parts in zip(told, choice["scores"], choice["parts"], strict=False):
        assert f": BLEU {score:.2f}, parts {min(parts):.2f} to {max(parts):.2f}" in line
    assert events(tmp_path / "run", "choice") == [{"event": "choice", **choice}]

    fixed = ("--tuner-dev", "Mira", "--set-dev", "passes=6")
    fixed = ("train", systems / "folds", *SMALL, *choosing(systems, 6)[:4], *fixed)
    refused = run(*fixed, "-o", "run", "--resume", status=2)
    assert "began with --tuner-dev not given: expected the same, got Mira" in refused.stderr
    run(*fixed, "-o", "fixed")
    learned = [(tmp_path / name / "weights.final").read_bytes() for name in ("run", "fixed")]
    assert learned[0] == learned[1]


@pytest.mark.slow
def test_weights_that_the_development_set_cannot_improve_stay(tmp_path, systems, run):
    """A tuner that learns nothing is as good as none, which is chosen."""
    lazy = ("--set-dev", "choices=unchanged,Mira C=1e-12", "-o", "run")
    given = ("train", systems / "folds", *SMALL, *choosing(systems, 2), *lazy)
    lines = run(*given, draw=True).stderr.splitlines()
    assert "chosen: unchanged: the best score" in lines
    kept, text = (tmp_path / "run" / name for name in ("weights.final", "text/weights.final"))
    assert kept.read_bytes() == text.read_bytes()
    assert passes(tmp_path / "run") == []
    assert (tmp_path / "run" / "report.html").exists()
    run(*given, "--resume")
    assert kept.read_bytes() == text.read_bytes()


@pytest.mark.slow
def test_a_run_that_is_killed_while_it_chooses_goes_on(tmp_path, systems, run):
    """It is killed in the second trial, and in what was chosen."""
    given = ("train", systems / "folds", *SMALL, *choosing(systems, 2))
    run(*given, "-o", "whole")
    for number in 4, 6:
        run_killed(number, (*given, "-o", "parts", "--resume"), tmp_path)
    run(*given, "-o", "parts", "--resume")
    whole, parts = (tmp_path / name for name in ("whole", "parts"))
    for name in ("weights.final", "weights.pass1", "weights.pass2"):
        assert (whole / name).read_bytes() == (parts / name).read_bytes()
    ended = [sessions(run)[-1] for run in (whole, parts)]
    assert ended[0]["choice"] | {"seconds": 0} == ended[1]["choice"] | {"seconds": 0}
    found = [{one["pass_number"]: {**one, "seconds": 0} for one in passes(run)} for run in (whole, parts)]
    assert found[0] == found[1]


@pytest.mark.slow
def test_rare_features_are_dropped(tmp_path, systems, run):
    given = ("train", systems / "folds", *SMALL, "--passes", 2, "--min-count", 8, "--set", "save_every=2")
    run("train", systems / "folds", *SMALL, "-o", "all")
    done = run(*given, "-o", "whole")
    assert "features before the cut-off at 8 sentences: RuleIndicators: " in done.stderr
    run_killed(3, (*given, "-o", "parts"), tmp_path)
    assert "cut-off" not in run(*given, "-o", "parts", "--resume").stderr
    whole, parts = (tmp_path / name / "weights.final" for name in ("whole", "parts"))
    assert whole.read_bytes() == parts.read_bytes()
    rules = [
        {name for name in weights(path) if name.startswith("R:")}
        for path in (tmp_path / "all" / "weights.final", whole)
    ]
    assert 0 < len(rules[1]) < len(rules[0])


def test_threads_learn_on_the_text(tmp_path, systems, run):
    given = ("train", systems / "folds", *FEATURE, "--tuner", "ParallelMira", "--set", "workers=2")
    run(*given, "-o", "one")
    run(*given, "-o", "two")
    learned = [(tmp_path / name / "weights.final").read_bytes() for name in ("one", "two")]
    assert learned[0] == learned[1]
    assert any(name.startswith("R:") for name in weights(tmp_path / "one" / "weights.final"))


needs_ray = pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="Ray is not installed")


@needs_ray
@pytest.mark.parametrize(
    ("more", "got"),
    [((), "AdaptiveMira"), (("--dev-source", "dev.f", "--tuner-dev", "Mira"), "AdaptiveMira and Mira")],
)
def test_a_cluster_for_nothing_is_refused(systems, run, more, got):
    done = run("train", systems / "folds", "--cluster", "local:2", *more, "-o", "run", status=2)
    assert f"expected a tuner that runs on one, such as ParallelMira, got {got}\n" in done.stderr


@pytest.mark.slow
@needs_ray
def test_a_cluster_learns_what_threads_learn(tmp_path, systems, run):
    """Each process is a learner, with the text and the models of all folds; features are counted in all."""
    given = ("train", systems / "folds", *FEATURE, "--tuner", "ParallelMira", "--set", "schedule=length")
    given = (*given, "--set", "share=false", "--set", "select=20", "--passes", 2, *choosing(systems, 2))
    done = [
        run(*given, "-o", name, *more).stderr.splitlines()
        for name, more in (("threads", ("--set", "workers=2")), ("cluster", ("--cluster", "local:2")))
    ]
    assert "learners: 2, on 2 workers" in done[1]
    printed = [[line for line in lines if line.startswith("features ")] for lines in done]
    assert printed[0] == printed[1] != []
    of_text = [(tmp_path / name / "text/weights.final").read_bytes() for name in ("threads", "cluster")]
    assert of_text[0] == of_text[1]
    learned = [weights(tmp_path / name / "weights.final") for name in ("threads", "cluster")]
    assert are_equal_but_for_rounding(*learned)
    rules = [name for name in weights(tmp_path / "cluster/text/weights.final") if name.startswith("R:")]
    assert len(rules) == 20


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (("--tuner", "Mert"), "Mert learns from a whole corpus at once; tuners that learn online: "),
        (("--set", "spam=1"), "AdaptiveMira: unknown setting spam"),
        (("--feature", "Spam"), "Spam"),
        (("--max-words", 1), "train.f: expected sentence pairs of 1 to 1 source words, got none"),
        (("--fold-rules", "--neighbours", 0), "--neighbours is not for --fold-rules, which leaves out the"),
        (("--set-dev", "passes=1"), "--tuner-dev and --set-dev are for --dev-source: expected --dev-source"),
        (("--tuner-dev", "Mira"), "--tuner-dev and --set-dev are for --dev-source: expected --dev-source"),
        (("--tuner-dev", "Spam"), "Spam"),
    ],
)
def test_bad_settings_are_named(systems, run, more, message):
    assert message in run("train", systems / "folds", *more, "-o", "run", status=2).stderr


def test_no_folds(systems, run):
    done = run("train", systems / "whole", "-o", "run", status=2)
    assert "whole: expected a system with folds: build it with --folds 5" in done.stderr
