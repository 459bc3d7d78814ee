"""Sentences that are too long or need too much memory: an error of the sentence, not of the command."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from support.run_files import events
from support.short_of_memory import short_of_memory

from hopefear.tuners.online import Progress

TOY = ("-c", "cdec.ini", "-w", "weights")
SKIP = ("--on-error", "skip")
LINES = "la casa\nla roja casa roja\nla\n"
NO_MEMORY = "not enough memory for sentence 2, which has 4 words"


@pytest.fixture
def short_here() -> Iterator[None]:
    """Let there be no memory in this process for sentences of four words."""
    with short_of_memory(4):
        yield


def errors(path: Path) -> list[list[str]]:
    return [line.split("\t") for line in path.read_text().splitlines()]


def test_a_sentence_above_the_limit(toy, run):
    done = run("decode", *TOY, "--max-words", 3, text=LINES, status=2)
    assert done.stdout == "the house\n"
    message = "expected a sentence of at most 3 words (the limit of --max-words), got 4 words"
    assert done.stderr == f"hopefear: standard input:2: {message}\n"
    assert run("decode", *TOY, "--max-words", 3, *SKIP, text=LINES).stdout == "the house\n\nthe\n"
    assert errors(toy / "hopefear-errors.tsv") == [
        ["1", f"standard input:2: {message}", LINES.splitlines()[1]]
    ]
    lattice = "((('la',0,1),('casa',0,1),('roja',0,1),),)\n"
    done = run("decode", *TOY, "--max-words", 2, text=lattice, status=2)
    assert "a lattice of at most 2 edges (the limit of --max-words), got 3 edges" in done.stderr
    assert run("decode", *TOY, "--max-words", 3, text=lattice).stdout == "the\n"
    done = run("decode", *TOY, "--max-words", 2, text="((('la',0,3),),(),(),)\n", status=2)
    assert "a lattice of at most 2 positions (the limit of --max-words), got 3 positions" in done.stderr


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.usefixtures("short_here")
def test_too_little_memory_for_a_sentence(toy, run, threads):
    done = run("decode", *TOY, *SKIP, "--threads", threads, text=LINES)
    assert done.stdout == "the house\n\nthe\n"
    assert errors(toy / "hopefear-errors.tsv") == [
        ["1", f"standard input:2: {NO_MEMORY}", LINES.splitlines()[1]]
    ]
    done = run("decode", *TOY, "--threads", threads, text=LINES, status=2)
    assert done.stdout == "the house\n"
    assert done.stderr == f"hopefear: standard input:2: {NO_MEMORY}\n"


def test_too_little_memory_to_learn_from_a_sentence(toy, run):
    with short_of_memory(2, Progress, "take_in"):
        lines = "la casa ||| the home\nla ||| the\n"
        done = run("decode", *TOY, "--learn", "mira", *SKIP, text=lines)
        assert done.stdout == "the house\nthe\n"
        (error,) = errors(toy / "hopefear-errors.tsv")
        message = "standard input:1: not enough memory for sentence 1, which has 2 words"
        assert error == ["0", message, "la casa ||| the home"]
        done = run("decode", *TOY, "--learn", "mira", text=lines, status=1)
        assert done.stdout == "the house\nthe\n"
        assert f"hopefear: {message}" in done.stderr
        (toy / "in").write_text(lines)
        run("tune", *TOY, "-s", "in", "-o", "run", "--passes", 1, *SKIP)
        assert [name for name, *_ in errors(toy / "run" / "errors.tsv")] == ["0"]
        assert events(toy / "run")[-1]["skipped"] == 1


@pytest.mark.parametrize("tuner", ["Mira", "Pro", "ParallelMira"])
@pytest.mark.usefixtures("short_here")
def test_tuners_skip_sentences(toy, run, tuner):
    (toy / "in").write_text("la casa\nla roja casa roja\nla casa roja\n")
    (toy / "ref").write_text("the home\nthe red house red\nthe red house\n")
    files = (*TOY, "-s", "in", "-r", "ref", "--tuner", tuner)
    run("tune", *files, "-o", "run", "--passes", 1, "--max-words", 4, *SKIP)
    assert [error[:2] for error in errors(toy / "run" / "errors.tsv")] == [["1", f"in:2: {NO_MEMORY}"]]
    run("tune", *files, "-o", "short", "--passes", 1, "--max-words", 2, *SKIP)
    assert sorted(name for name, *_ in errors(toy / "short" / "errors.tsv")) == ["1", "2"]
    assert NO_MEMORY in run("tune", *files, "-o", "other", "--passes", 1, status=2).stderr
    done = run("tune", *files, "-o", "none", "--max-words", 3, status=2)
    assert "hopefear: in:2: expected a sentence of at most 3 words" in done.stderr
    assert not (toy / "none").exists()


def test_tuners_name_the_sentence_that_is_too_long_for_the_metric(toy, run):
    (toy / "in").write_text("la casa\nla roja\n")
    (toy / "ref").write_text("the home\nthe red red\n")
    files = (*TOY, "-s", "in", "-r", "ref", "--passes", 1, "--metric", "ter --max-words 2")
    for tuner, oracle in (("Mira", ["--oracle", "KBestLocal"]), ("Pro", [])):
        done = run("tune", *files, "--tuner", tuner, *oracle, "-o", tuner, status=2)
        assert "hopefear: in:2: expected a reference of at most 2 words" in done.stderr
    (toy / "ref").write_text("the\nthe red\n")
    done = run("tune", *files[:-1], "ter --max-words 1", "--tuner", "Pro", "-o", "other", status=2)
    assert "hopefear: in:2: expected a reference of at most 1 words" in done.stderr
    (toy / "ref").write_text("the\nthe\n")
    done = run("tune", *files[:-1], "ter --max-words 1", "--tuner", "Pro", "-o", "other", status=2)
    assert "hopefear: in:1: expected a hypothesis of at most 1 words" in done.stderr
