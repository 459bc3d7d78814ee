"""Grammars that lines of input name: which files are opened, and what errors say of them."""

from __future__ import annotations

import os
import re

import pytest

from hopefear.base import InputError
from hopefear.decoder import Decoder, Segment

DECODE = ("decode", "-c", "cdec.ini", "-w", "weights")
SECRET = "[X] ||| secret ||| token\n[X] ||| la password\n"


@pytest.fixture
def folder(toy):
    (toy / "cdec.ini").write_text("formalism=scfg\ngrammar=grammar\nadd_pass_through_rules=true\n")
    (toy / "weights").write_text("p -1\nPassThrough -9\n")
    (toy / "own").mkdir()
    (toy / "own" / "good").write_text("[X] ||| gato ||| cat ||| p=1\n")
    (toy / "own" / "blank").write_text("\n \t\n")
    (toy / "secret").write_text(SECRET)
    os.mkfifo(toy / "own" / "pipe")
    (toy / "own" / "link").symlink_to("../secret")
    (toy / "own" / "other").symlink_to("good")
    (toy / "owner").write_text("[X] ||| gato ||| tom ||| p=1\n")
    return toy


def line(path, text="gato"):
    return f'<seg grammar="{path}">{text}</seg>\n'


def skipped(folder):
    """Return the errors of the skipped lines."""
    return [row.split("\t")[1] for row in (folder / "hopefear-errors.tsv").read_text().splitlines()]


def test_only_regular_files_are_opened_and_not_quoted(folder, run):
    names = ["own/pipe", "/dev/zero", "own", "nowhere", "secret", "own/link", "own/good", "own/blank"]
    done = run(*DECODE, "--on-error", "skip", text="".join(map(line, names)))
    assert done.stdout == 6 * "\n" + "cat\ngato\n"  # without rules a word is passed through
    special = "expected a regular file, got a pipe, a device or a folder"
    rule = "expected '[LHS] ||| source ||| target ||| features [||| alignment]'"
    assert skipped(folder) == [
        *(f"standard input:{number}: grammar {name}: {special}" for number, name in enumerate(names[:3], 1)),
        "standard input:4: grammar nowhere: cannot be opened: No such file or directory",
        f"secret:2: {rule}",
        f"own/link:2: {rule}",
    ]
    done = run(*DECODE, text=line("own/pipe"), status=2)
    assert done.stderr.startswith("hopefear: standard input:1: grammar own/pipe: expected a regular file")


@pytest.mark.parametrize(
    "bad",
    [
        "[secret,1] ||| a ||| b\n",
        "[X] ||| [secret,2] ||| b\n",
        "[X] ||| a ||| [secret,1]\n",
        "[X] ||| a ||| b ||| secret\n",
        "[X] ||| a ||| b ||| secret=1 secret=2\n",
        "[X] ||| a ||| b ||| ||| secret\n",
        "[X] ||| secret [X,1] ||| b\n",
        "secret\0\n",
        "secret \xe9\n",
    ],
)
def test_no_error_quotes_a_grammar(folder, bad):
    (folder / "bad").write_bytes(bad.encode("latin-1"))
    segment = Segment.from_input(line(folder / "bad"))
    decoder = Decoder(folder / "cdec.ini")
    for read in (decoder.translate, decoder.model_features):
        with pytest.raises(InputError, match=f"^{re.escape(str(folder / 'bad'))}:1: expected ") as refused:
            read(segment)
        assert "secret" not in str(refused.value) and "got" not in str(refused.value)


def test_no_error_quotes_a_category_of_a_grammar(folder):
    rules = ("[secret] ||| la ||| la", "[b] ||| [secret,1] ||| [1]", "[secret] ||| [b,1] ||| [1]")
    (folder / "bad").write_text("\n".join((*rules, "[X] ||| [secret,1] ||| [1]\n")))
    with pytest.raises(InputError, match=r"^the input: unary rules form a cycle$"):
        Decoder(folder / "cdec.ini").translate(line(folder / "bad", "la"))


def test_grammars_can_be_restricted_to_a_folder(folder, run):
    names = ["own/good", "own/other", "own/../own/good", folder / "own" / "good"]
    outside = ["secret", "own/link", "owner", "own/../secret", "/etc/passwd", "nowhere"]
    text = "".join(map(line, [*names, *outside])) + "la\n"
    done = run(*DECODE, "--on-error", "skip", "--grammars-under", "own", text=text)
    assert done.stdout == 4 * "cat\n" + 6 * "\n" + "the\n"
    assert skipped(folder) == [
        f"standard input:{number}: expected a file in the folder own, got '{name}'"
        for number, name in enumerate(outside, 5)
    ]
    text = '<seg grammar="own/good" grammar1="owner">gato</seg>\n'
    for under in ("own", "none"):
        assert "expected" in run(*DECODE, "--grammars-under", under, text=text, status=2).stderr
    (folder / "in").write_text(line("own/good"))
    (folder / "out").write_text(line("owner"))
    (folder / "ref").write_text("cat\n")
    tune = ("tune", *DECODE[1:], "-r", "ref", "-o", "run", "--passes", 1, "--grammars-under", "own")
    assert "out:1: expected a file in the folder own" in run(*tune, "-s", "out", status=2).stderr
    development = ("--dev-source", "out", "--dev-reference", "ref")
    assert "out:1: expected a file" in run(*tune, "-s", "in", *development, status=2).stderr
    run(*tune, "-s", "in")


def test_text_from_strangers_in_the_python_interface(folder):
    own = folder / "own"
    decoder = Decoder(folder / "cdec.ini")
    segment = Segment.from_input(line(own / "other"), grammars_under=own)
    assert segment.grammars == (str((own / "good").resolve()),)
    assert decoder.translate(segment).viterbi() == "cat"
    with pytest.raises(InputError, match="line 1: expected a file in the folder"):
        Segment.from_input(line(folder / "owner"), where="line 1", grammars_under=own)


def test_a_tree_in_a_file_must_lie_in_the_folder_too(folder):
    own = folder / "own"
    tree = Segment.from_input(f'<seg src_tree="{own / "good"}">a</seg>', grammars_under=own).tree
    assert tree == str((own / "good").resolve())
    assert Segment.from_input('<seg src_tree="(S a)">a</seg>', grammars_under=own).tree == "(S a)"
    for attribute in ("src_tree", "parse"):
        with pytest.raises(InputError, match="line 1: expected a file in the folder"):
            text = f'<seg {attribute}="{folder / "owner"}">a</seg>'
            Segment.from_input(text, where="line 1", grammars_under=own)
