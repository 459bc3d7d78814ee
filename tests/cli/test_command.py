"""How a function and its dataclasses become a command with flat options."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from hopefear.base.files import alone_writing
from hopefear.cli.command import argument, command, files_given, only, option, options_given, without
from hopefear.cli.help import Command


@dataclass(frozen=True, kw_only=True)
class Texts:
    source: Path = option("Sentences.", "-s")
    references: list[Path] = option("References; may repeat.", "--reference", default=())
    limit: int = option("The most words.", default=9, min=1)


@command
def show(
    *, name: str = argument("A name."), texts: Texts, loud: bool = option("Shout.", default=False)
) -> None:
    """Show the arguments."""
    print(name, texts, loud, list(options_given(texts)), files_given(texts), sep="\n")


@command
def first(texts: Annotated[Texts, only("limit")]) -> None:
    print(texts)


@command
def rest(texts: Annotated[Texts, without("limit")]) -> None:
    print(texts)


def run(made, *words):
    app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False)
    app.command(cls=Command)(made)
    return CliRunner().invoke(app, words)


def test_values_come_in_their_dataclass():
    lines = run(show, "x", "-s", "a", "--reference", "b", "--reference", "c", "--loud").output.splitlines()
    assert lines == [
        "x",
        str(Texts(source=Path("a"), references=[Path("b"), Path("c")])),
        "True",
        "['--source', '--reference']",
        str({"source": Path("a"), "reference": [Path("b"), Path("c")]}),
    ]


def test_what_is_not_given_has_the_default_of_the_field():
    lines = run(show, "x", "--source", "a", "--limit", "9").output.splitlines()
    assert lines[1:4] == [str(Texts(source=Path("a"))), "False", "['--source']"]


def test_the_help_has_all_fields():
    text = " ".join(run(show, "--help").output.split())
    assert "-s, --source FILE Sentences. [required]" in text
    assert "--reference FILE References; may repeat. [default: none]" in text
    assert "--limit NUMBER The most words. [default: 9; at least 1]" in text
    assert "--loud Shout." in text


@pytest.mark.parametrize(
    ("made", "there", "missing"), [(first, "--limit", "--source"), (rest, "--source", "--limit")]
)
def test_a_command_takes_a_part_of_a_dataclass(made, there, missing):
    text = run(made, "--help").output
    assert there in text
    assert missing not in text


def test_a_number_that_nothing_can_count_to_is_refused():
    done = run(show, "x", "-s", "a", "--limit", str(2**63))
    assert done.exit_code == 2 and "--limit" in done.output and "9223372036854775807" in done.output
    assert run(show, "x", "-s", "a", "--limit", str(2**63 - 1)).exit_code == 0


def test_no_output_is_written_over_what_is_read(tmp_path):
    @command
    def copy(
        sources: list[Path] = option("Files.", "-s"),
        output: Path = option("A file.", "-o", writes=True),
    ) -> None:
        print("written")

    one, link = tmp_path / "one", tmp_path / "link"
    one.write_text("text\n")
    link.symlink_to(one)
    for path in (one, link):
        done = run(copy, "-s", str(tmp_path / "two"), "-s", str(one), "-o", str(path))
        assert done.exit_code == 2
        assert done.output == f"hopefear: {path}: expected another file than one that is read\n"
    assert run(copy, "-s", str(one), "-o", str(tmp_path / "two")).output == "written\n"


def test_one_process_writes_an_output_at_a_time(tmp_path):
    @command
    def copy(
        output: Path = option("A file.", "-o", writes=True),
        pages: list[Path] = option("Pages.", "--page", default=(), writes=True),
    ) -> None:
        print("written")

    one, two = tmp_path / "one", tmp_path / "two"
    words = ["-o", str(one), "--page", str(two), "--page", str(two)]
    assert run(copy, *words).output == "written\n"
    for path in (one, two):
        with alone_writing(path):
            done = run(copy, *words)
        assert done.exit_code == 2 and done.output == f"hopefear: {path}: another process is writing this\n"
    assert [*tmp_path.iterdir()] == []
