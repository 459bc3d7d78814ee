"""``hopefear rescore``: features from outside in k-best lists."""

from __future__ import annotations

from pathlib import Path

import pytest

LISTS = """\
0 ||| a house ||| LM0= -3.5 TM0= -1 -2 ||| -7
0 ||| the house ||| LM0= -4 TM0= -0.125 0 ||| -8
2 ||| green ||| LM0= -1 TM0= 0 -1 ||| -1 ||| 0-0
2 ||| ||| LM0= -22.123456789 TM0= 0 -1 ||| -1
"""
SCORER = """\
class Lengths:
    \"\"\"Words of source and translation, and how many pairs came at once.\"\"\"

    def __init__(self, *, name: str = "Words"):
        self.names = (name, "Batch")

    def score(self, sources, translations):
        pairs = zip(sources, translations, strict=True)
        return [[100 * len(f.split()) + len(e.split()), len(sources)] for f, e in pairs]


class Logs:
    names = ("Log",)

    def score(self, sources, translations):
        return [{}] * len(translations)
"""


@pytest.fixture(name="folder")
def folder_of_lists(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "nbest").write_text(LISTS)
    (tmp_path / "nmt").write_text("-1.5\n 2e-1\n0\n-7\n")
    (tmp_path / "source").write_text("una casa\nnada\nverde\n")
    (tmp_path / "lengths.py").write_text(SCORER)
    (tmp_path / "weights").write_text("LM0 1\nTM0_0 2\nNMT 10\n")
    return tmp_path


def test_a_file_has_a_value_for_each_translation(folder, run):
    assert run("rescore", "nbest", "--values", "NMT=nmt").stdout == (
        "0 ||| a house ||| LM0=-3.5 NMT=-1.5 TM0_0=-1 TM0_1=-2\n"
        "0 ||| the house ||| LM0=-4 NMT=0.2 TM0_0=-0.125\n"
        "2 ||| green ||| LM0=-1 NMT=0 TM0_1=-1\n"
        "2 |||  ||| LM0=-22.123456789 NMT=-7 TM0_1=-1\n"
    )


def test_lists_are_ordered_by_the_weights(folder, run):
    # -3.5 + 2(-1) + 10(-1.5) = -20.5; -4 + 2(-0.125) + 10(0.2) = -2.25; and of the last -22.123456789 - 70.
    assert run("rescore", "nbest", "--values", "NMT=nmt", "-w", "weights").stdout == (
        "0 ||| the house ||| LM0=-4 NMT=0.2 TM0_0=-0.125 ||| -2.25\n"
        "0 ||| a house ||| LM0=-3.5 NMT=-1.5 TM0_0=-1 TM0_1=-2 ||| -20.5\n"
        "2 ||| green ||| LM0=-1 NMT=0 TM0_1=-1 ||| -1\n"
        "2 |||  ||| LM0=-22.123456789 NMT=-7 TM0_1=-1 ||| -92.123456789\n"
    )
    assert run("rescore", "nbest", "-w", "weights", "--best").stdout == "the house\n\ngreen\n"
    (folder / "weights").write_text("LM0 1\n")
    assert run("rescore", "-", "-w", "weights", "--best", text=LISTS).stdout == "a house\n\ngreen\n"


@pytest.mark.parametrize("batch", [1, 2, 3, 64])
def test_a_scorer_gets_batches_across_sentences(folder, run, batch):
    printed = run(
        *("rescore", "nbest", "--scorer", "lengths:Lengths --name Both", "-s", "source"),
        *("--batch", batch, "--values", "NMT=nmt"),
    ).stdout
    found = [dict(f.split("=") for f in line.split(" ||| ")[2].split()) for line in printed.splitlines()]
    assert [one["Both"] for one in found] == ["202", "202", "101", "100"]
    assert [one["NMT"] for one in found] == ["-1.5", "0.2", "0", "-7"]
    assert max(int(one["Batch"]) for one in found) == min(batch, 4)


def test_a_tuner_learns_the_weight_of_a_new_feature(folder, run):
    """The lists' own features prefer the wrong translation; the new feature alone knows better."""
    wrong, right = "{0} ||| x y z q ||| LM=-1 ||| -1\n", "{0} ||| a b c d ||| LM=-2 ||| -2\n"
    (folder / "nbest").write_text("".join((wrong + right).format(i) for i in range(10)))
    (folder / "nmt").write_text("-5\n-1\n" * 10)
    (folder / "e").write_text("a b c d\n" * 10)
    (folder / "weights").write_text("LM 1\n")
    before = run("rescore", "nbest", "--values", "NMT=nmt", "-w", "weights", "--best").stdout
    assert before == "x y z q\n" * 10
    (folder / "new").write_text(run("rescore", "nbest", "--values", "NMT=nmt").stdout)
    run("tune", "--kbest", "new", "-r", "e", "-w", "weights", "-o", "run", "--tuner", "BatchMira")
    after = run("rescore", "new", "-w", "run/weights.final", "--best").stdout
    assert after == "a b c d\n" * 10


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--values", "nmt"), "--values: expected NAME=FILE, got nmt"),
        (("--values", "a|||b c=nmt"), "the name of a feature must not"),
        (("--values", "NMT=nothing"), "nothing: cannot be read"),
        (("--values", "NMT=short"), "short: expected a line for each translation of the lists, got only 3"),
        (("--values", "NMT=long"), "long:5: expected 4 lines, one for each translation of the lists"),
        (("--values", "NMT=words"), "words:2: expected a number"),
        (("--values", "NMT=infinite"), "infinite:1: expected a number"),
        (("--values", "NMT=nmt", "--values", "NMT=nmt"), "feature NMT is given twice"),
        (("--values", "TM0_0=nmt"), "sentence 0: the lists have the feature TM0_0 already"),
        (("--scorer", "lengths:Lengths"), "--scorer needs --source"),
        (("--scorer", "lengths:Lengths", "-s", "nmt0"), "expected a sentence from 0 to 1, as in the source"),
        (("--scorer", "lengths:Logs", "-s", "source"), "Logs: TypeError"),
        (("--scorer", "nobody", "-s", "source"), "nobody: unknown scorer"),
        (("--best",), "--best needs --weights"),
        (("-s", "source"), "--source needs --scorer"),
    ],
)
def test_wrong_input_is_named(folder, run, arguments, message):
    (folder / "short").write_text("1\n2\n3\n")
    (folder / "long").write_text("1\n2\n3\n4\n5\n")
    (folder / "words").write_text("1\nx\n3\n4\n")
    (folder / "infinite").write_text("inf\n1\n1\n1\n")
    (folder / "nmt0").write_text("una casa\nnada\n")
    assert message in run("rescore", "nbest", *arguments, status=2).stderr


def test_the_best_need_the_order_of_the_sentences(folder, run):
    (folder / "apart").write_text(LISTS + LISTS)
    done = run("rescore", "apart", "-w", "weights", "--best", status=2)
    assert "apart: --best: expected a sentence from 3 to 9999999, got 0" in done.stderr
