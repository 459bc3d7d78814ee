"""--memory and --glossary of the commands that take them."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from support.sessions import LIVE
from support.world import write_parallel_text

from hopefear.text.documents import tmx

DECODE = ("decode", "-c", "cdec.ini", "-w", "weights")
LEARN = (*DECODE, "--learn", "mira", "--set", "C=0.1")


@pytest.fixture(autouse=True)
def system(tmp_path: Path) -> Path:
    LIVE.write(tmp_path)
    (tmp_path / "g.tsv").write_text("casa\tmansion\n")
    (tmp_path / "h.tsv").write_text("verde\temerald\n")
    (tmp_path / "m.tsv").write_text("la casa es zorgulo\tdragons live in houses\n")
    (tmp_path / "n.tmx").write_bytes(tmx([("muy verde", "all green")], ("es", "en")))
    return tmp_path


def test_terms_of_several_glossaries_win(run) -> None:
    done = run(*DECODE, "--glossary", "g.tsv", "--glossary", "h.tsv", text="la casa verde\n")
    assert {"mansion", "emerald"} < {*done.stdout.split()}
    done = run(*DECODE, "--glossary", "g.tsv", "--threads", "2", text="la casa\nla casa verde\n")
    assert all("mansion" in line for line in done.stdout.splitlines())


@pytest.mark.parametrize("adapt", [(), ("--adapt", "rules"), ("--adapt", "rules,lm"), ("--adapt", "lm")])
def test_what_was_translated_before_comes_back(run, adapt) -> None:
    text = "la casa es zorgulo\nmuy verde\n"
    said = run(*LEARN, *adapt, "--memory", "m.tsv", "--memory", "n.tmx", text=text).stdout
    assert said == "dragons live in houses\nall green\n"


def test_memory_and_glossary_of_a_session_that_goes_on(run, system) -> None:
    command = (*LEARN, "--adapt", "rules", "--memory", "m.tsv", "--glossary", "h.tsv", "--save-weights", "w")
    said = run(*command, text="la casa verde ||| the emerald house\n").stdout
    assert "emerald" in said
    said = run(*command, "--resume", text="la casa verde\nla casa es zorgulo\n").stdout
    assert said == "the emerald house\ndragons live in houses\n"
    (system / "m.tsv").write_text("la casa\tthe home\nverde\tgreen\n")
    assert "expected a session that adapts rules of 2 sentence pairs, got rules of 1" in (
        run(*command, "--resume", text="", status=2).stderr
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--memory", "m.tsv"), "--memory needs --learn or a line online_tuner="),
        (("--learn", "mira", "--memory", "g.csv"), "g.csv: expected a file with one of the endings"),
        (("--learn", "mira", "--memory", "none.po"), "none.po: cannot be read"),
        (("--glossary", "n.tmx"), "n.tmx: expected a file with one of the endings tsv, txt, tbx"),
        (("--decoder", "cdec", "--glossary", "g.tsv"), "--glossary is for hopefear's own decoder"),
        (("--decoder", "cdec", "--learn", "mira", "--memory", "m.tsv"), "--memory is for hopefear's own"),
    ],
)
def test_what_does_not_fit_is_refused(run, options, message) -> None:
    assert message in run(*DECODE, *options, text="la casa\n", status=2).stderr


def test_a_build_takes_both(run, tmp_path) -> None:
    pytest.importorskip("eflomal")
    write_parallel_text(tmp_path, 60)
    with (tmp_path / "train.f").open("a") as f, (tmp_path / "train.e").open("a") as e:
        f.write("zorgulo\n")
        e.write("dragon\n")
    texts = ("-s", "train.f", "-t", "train.e", "--memory", "m.tsv", "--memory", "n.tmx")
    terms = ("--glossary", "g.tsv", "--glossary", "h.tsv")
    command = ("build", *texts, *terms, "-o", "system", "--discount-fallback", "--order", "2")
    (tmp_path / "m.tsv").write_text("la casa es zorgulo\tdragons live in houses\nmuy hondo\tvery deep\n")
    run(*command, "-i", "test.f", "--folds", "2")
    assert run(*command, "-i", "test.f", "--folds", "2").stderr.count("nothing changed") >= 5
    for name in ("cdec.ini", "fold-1/cdec.ini"):
        place = "../" if "/" in name else ""
        assert f"# hopefear: glossary={place}glossary.tsv\n" in (tmp_path / "system" / name).read_text()
    terms = (tmp_path / "system" / "glossary.tsv").read_text()
    assert terms == "source\ttarget\ncasa\tmansion\nverde\temerald\n"
    for name in ("m.tsv", "n.tmx", "g.tsv", "h.tsv"):  # the folder has all that the system needs
        (tmp_path / name).unlink()
    text = "la casa verde\n"
    said = run("decode", "-c", "system/cdec.ini", "--feature", "RuleIndicators", text=text).stdout
    assert {"mansion", "emerald"} < {*said.split()}
    text = "muy hondo\n"  # words that the text alone does not have; its links are another time others
    said = run("decode", "-c", "system/cdec.ini", "--learn", "mira", "--adapt", "rules", text=text).stdout
    assert {*said.split()} == {"very", "deep"}
    shutil.rmtree(tmp_path / "system")


def test_a_build_with_an_alignment_takes_no_memory(run, tmp_path) -> None:
    write_parallel_text(tmp_path, 10)
    command = ("build", "-s", "train.f", "-t", "train.e", "-a", "train.align", "-o", "system")
    assert "expected no alignment" in run(*command, "--memory", "m.tsv", status=2).stderr
