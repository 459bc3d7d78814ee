from __future__ import annotations

from pathlib import Path

import pytest
from support.transformers import need_neural, trained
from support.world import World

from hopefear.neural import TranslationModel

SETTINGS = ("-c", "cdec.ini", "-w", "weights")
LISTS = """\
0 ||| v x ||| f=1 ||| 1
0 ||| v y ||| f=1 ||| 0.9
2 ||| q ||| f=1 ||| -3
"""


@pytest.fixture(name="systems")
def systems_folder(tmp_path: Path, run) -> Path:
    """Return a folder with the forests of a system, which says u v of a, and k-best lists of another."""
    rules = "[X] ||| a ||| u v ||| p=1\n[X] ||| a ||| v x ||| p=0.9\n"
    World(rules, ["forest_output=forests"], {"p": 1}, files={"nbest": LISTS}).write(tmp_path)
    assert run("decode", *SETTINGS, text="a\na\n").stdout == "u v\nu v\n"
    return tmp_path


def test_a_line_for_each_sentence(systems, run):
    assert run("combine", "forests", "nbest").stdout == "v x\nu v\nq\n"
    assert run("combine", "nbest").stdout == "v x\n\nq\n"
    assert run("combine", "forests", "nbest", "--weight", 1, "--weight", 0).stdout == "u v\nu v\n\n"


def test_the_translations_of_a_transformer_are_a_system(systems, run):
    need_neural()
    trained(systems / "nmt", 1)
    (found,) = TranslationModel(systems / "nmt").translate(["casa"], n_best=3)
    lists = [f"0 ||| {text} ||| nmt={score} ||| {score}\n" for text, score in found]
    (systems / "lists").write_text("".join(lists))
    assert run("combine", "lists").stdout.strip() in {text.strip() for text, _ in found}
    assert run("combine", "forests", "lists", "--weight", 9, "--weight", 1).stdout == "u v\nu v\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("forests", "--weight", "1", "--weight", "2"), "--weight: expected 1 weights"),
        (("forests", "--weight", "0"), "expected a weight above 0"),
        (("nothing",), "nothing: expected k-best lists, or a folder of forests"),
        (("bad",), "bad:2: expected number ||| translation ||| features ||| score"),
        (("no-score",), "no-score:2: expected a finite score, got nan"),
        (("empty",), "empty: expected k-best lists, got an empty file"),
        (("apart",), "apart: expected the candidates of sentence 0 together"),
        (("nbest", "--by", "fast"), "--by: expected linear"),
    ],
)
def test_wrong_input_is_named(systems, run, arguments, message):
    (systems / "bad").write_text("0 ||| a ||| f=1 ||| 1\n1 ||| a ||| f=1\n")
    (systems / "no-score").write_text("0 ||| a ||| f=1 ||| 1\n1 ||| a ||| f=1 ||| nan\n")
    (systems / "empty").write_text("")
    (systems / "apart").write_text(LISTS + LISTS)
    assert message in run("combine", *arguments, status=2).stderr
