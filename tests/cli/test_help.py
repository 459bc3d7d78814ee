"""What everybody asks a program: its version, its help, its completion, and to end when nobody reads on."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import version
from typing import Any

import pytest
from support import CHECKOUT
from typer.main import get_command
from typer.testing import CliRunner

from hopefear.cli import app

CLOSED_PIPE = 141  # what a shell reports of a program that SIGPIPE ended


def helped(*words: str) -> str:
    done = CliRunner().invoke(app, [*words, "--help"])
    assert done.exit_code == 0, done.output
    return done.output


def commands() -> Iterator[tuple[tuple[str, ...], Any]]:
    waiting = [((), get_command(app))]
    while waiting:
        words, command = waiting.pop()
        yield words, command
        waiting += [((*words, name), each) for name, each in getattr(command, "commands", {}).items()]


def lines_of_options(text: str) -> Iterator[tuple[str, str]]:
    """Each argument or option of a help text with its value, and what is said of it."""
    for section in re.findall(r"^(?:Arguments|Options):\n(.*?)(?:\n\n|\Z)", text, re.DOTALL | re.MULTILINE):
        for entry in re.split(r"\n(?=  \S)", section):
            left, _, right = entry.strip().partition("  ")
            if not right:
                left, _, right = entry.strip().partition("\n")
            yield left, " ".join(right.split())


def test_the_version():
    assert CliRunner().invoke(app, ["--version"]).output == f"hopefear {version('hopefear')}\n"


def test_values_are_named_as_people_write_them_and_every_default_is_told():
    seen = 0
    for words, command in commands():
        for option, text in lines_of_options(command.get_help(command.context_class(command))):
            value = re.fullmatch(r"(?:-\w, )?(?:--?[\w-]+)(?: (\S+))?", option)
            if value is not None and value[1] is None:
                continue  # a switch
            seen += 1
            where = f"{' '.join(words)}: {option}: {text}"
            assert re.search(r"\[(required|default: .+)\]$", text), where
            if value is not None:
                assert re.fullmatch(
                    "FILE|FOLDER|NUMBERS?|NAME|NAME=VALUE|NAME=FILE|PATTERN|ADDRESS|LANGUAGE|MODEL|TRANSLATION"
                    "|[a-z-]+([|][a-z-]+)+",
                    value[1],
                ), where
    assert seen > 100


def test_a_list_of_commands_has_the_whole_first_sentence_of_each():
    for words, command in commands():
        text = " ".join((command.help or "").partition("\n\n")[0].split())
        sentence = command.get_short_help_str(limit=1000)
        assert re.match(r"( [A-Z]|$)", text.removeprefix(sentence)), words


def test_defaults_that_stand_for_something():
    text = " ".join(helped("decode").split())
    assert "-k, --k-best NUMBER Write k-best lists of this length. [default: the cdec.ini's k_best," in text
    assert (
        "--save-every NUMBER Save the weights after this number of updates, and at the end. [default: 10;"
        in text
    )
    assert "--on-error stop|skip" in text and "[default: stop]" in text
    text = " ".join(helped("tune").split())
    assert "-o, --output FOLDER" in text and "[default: Mira; with --kbest: BatchMira]" in text
    assert "hols [OPTIONS] SYSTEM\n" in helped("hols")


@pytest.mark.parametrize(
    ("page", "command", "option", "told"),
    [
        ("tuners", "tune", "--tuner NAME", "| `{}`, the default | online |"),
        (
            "training-text",
            "train",
            "--tuner NAME",
            "**Any tuner that learns online may learn**: `{}` by default",
        ),
        ("training-text", "train", "--tuner-dev NAME", "by default `{}` chooses"),
        ("training-text", "train", "--neighbours NUMBER", "and {} pairs on either side (`--neighbours`)"),
    ],
)
def test_a_page_has_the_defaults_of_the_help(page, command, option, told):
    text = " ".join((CHECKOUT / "docs" / "use" / f"{page}.md").read_text("utf-8").split())
    (line,) = (told for name, told in lines_of_options(helped(command)) if name.endswith(option))
    default = re.search(r"\[default: ([\w-]+)", line)[1]
    assert told.format(f"{int(default):,}" if default.isdigit() else default) in text


@pytest.mark.parametrize("ask", ["--help", "-h"])
def test_help_is_no_value(ask):
    done = CliRunner().invoke(app, ["decode", "--cluster", ask])
    assert done.exit_code == 0
    assert "--cluster ADDRESS" in done.output


def test_an_option_is_no_value(toy, run):
    done = run("decode", "-c", "cdec.ini", "--cluster", "--threads", 2, status=2)
    assert "--cluster: expected a value, got --threads" in done.stderr
    # Behind -- and = anything goes, and a minus alone is standard input.
    assert run("decode", "-c", "cdec.ini", "--weights=weights", "-i", "-", text="la\n").stdout == "the\n"


def completed(line: str) -> list[str]:
    environment = {
        "_HOPEFEAR_COMPLETE": "complete_bash",
        "COMP_WORDS": line,
        "COMP_CWORD": str(line.count(" ")),
    }
    return CliRunner().invoke(app, env=environment, prog_name="hopefear").output.split()


def test_a_shell_completes_commands_options_and_names():
    assert completed("hopefear exp") == ["explain", "experiment"]
    assert completed("hopefear decode --save-w") == ["--save-weights"]
    assert completed("hopefear tune --tuner M") == ["Mert", "MinimumRisk", "Mira"]
    assert completed("hopefear decode --learn mi") == ["mira"]
    assert completed("hopefear experiment chi") == ["chiang2008"]
    assert completed("hopefear decode --feature Struc") == ["StructuralDistortion"]


def test_a_shell_is_told_how_to_complete(monkeypatch):
    # Else the shell is the one that runs the tests, which may be none that is known.
    monkeypatch.setenv("_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION", "1")
    done = CliRunner().invoke(app, ["--show-completion", "bash"], prog_name="hopefear")
    assert "complete -o default -F _hopefear_completion hopefear" in done.output


@pytest.mark.parametrize("words", [["decode", "-c", "cdec.ini", "-w", "weights"], ["plugins"], ["list"]])
def test_a_closed_pipe_ends_a_command_quietly(toy, words):
    read, write = os.pipe()
    os.close(read)
    command = [sys.executable, "-m", "hopefear", *words]
    done = subprocess.run(command, input=b"la casa\n", stdout=write, stderr=subprocess.PIPE, cwd=toy)
    os.close(write)
    assert done.stderr == b""
    assert done.returncode == CLOSED_PIPE
