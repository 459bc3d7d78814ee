from __future__ import annotations

import pytest
from support.world import World

from hopefear.feature_extractors import StructuralDistortion


@pytest.fixture
def aligned(tmp_path):
    """A parallel text in which nonterminals of every size are there, in order and reversed."""
    for name, links in (("a", (f"{i}-{i}" for i in range(14))), ("b", (f"{i}-{13 - i}" for i in range(14)))):
        (tmp_path / name).write_text(" ".join(links) + "\n")
    (tmp_path / "align").write_text((tmp_path / "a").read_text() + (tmp_path / "b").read_text())
    (tmp_path / "f").write_text("a b c d e f g h i j k l m n\n" * 2)
    (tmp_path / "e").write_text("A B C D E F G H I J K L M N\n" * 2)
    return tmp_path


def test_a_table_that_the_plugin_reads(aligned, run):
    done = run("distortion-table", "f", "e", "align", "-o", "table")
    lines = [line.split() for line in (aligned / "table").read_text().splitlines()]
    straight, crossed = (sum(int(line[side]) for line in lines[1:]) for side in (1, 2))
    assert done.stdout == ""
    assert done.stderr == f"table: {straight + crossed:,} nonterminals, {crossed:,} of them reordered\n"
    assert all(straight == reversed_ for _, straight, reversed_ in lines[1:])
    StructuralDistortion(granularity="coarse", table=aligned / "table").prepare()


def test_a_long_pair_is_left_out_and_counted(aligned, run):
    run("distortion-table", "f", "e", "align", "-o", "table")
    for name, line in (("f", "a " * 20_000), ("e", "A"), ("align", "0-0 3000-0")):
        with (aligned / name).open("a") as file:
            file.write(f"{line}\n")
    done = run("distortion-table", "f", "e", "align", "-o", "other")
    message = "left out 1 sentence that has more than 1000 words (the limit of --max-words)"
    assert done.stderr.startswith(f"hopefear: {message}\n")
    assert (aligned / "other").read_text() == (aligned / "table").read_text()


def test_decoding_with_it(aligned, toy, run):
    run("distortion-table", "f", "e", "align", "-o", "table")
    line = "feature_function=StructuralDistortion --granularity coarse --table table"
    World(lines=[line], weights={"p": -1, "DistortionLogProb": 1}).write(toy)
    done = run("decode", "-c", "cdec.ini", "-w", "weights", "-k", "1", text="casa roja\n")
    # [S] -> [X], [X] -> [X] roja: log 1/2 for each of two nonterminals.
    assert done.stdout == "0 ||| red house ||| DistortionLogProb=-1.38629 a=1 p=2 ||| -3.38629\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["f", "e", "a"], "a:2: expected as many lines as in the other files"),
        (
            ["f", "e", "align", "--sentences", "1"],
            "align: expected nonterminals of 1 words that are reordered",
        ),
        (["f", "f.none", "align"], "f.none: cannot be read: No such file or directory"),
    ],
)
def test_bad_input_writes_nothing(aligned, run, arguments, message):
    done = run("distortion-table", *arguments, "-o", "table", status=2)
    assert message in done.stderr
    assert not list(aligned.glob("table*"))


def test_output_that_cannot_be_written(aligned, run):
    done = run("distortion-table", "f", "e", "align", "-o", "none/table", status=2)
    assert "none/table" in done.stderr
