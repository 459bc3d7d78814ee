"""Standard streams that are closed or full, and an interrupt before a command begins."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from support.waiting import PATIENCE

HOPEFEAR = f"{sys.executable} -m hopefear"
DECODE = "decode -c cdec.ini -w weights"
FULL, CLOSED, NO_INPUT = (
    "standard output: cannot be written: No space left on device",
    "standard output: cannot be written: Bad file descriptor",
    "standard input: cannot be read: Bad file descriptor",
)


def shell(line: str, folder: Path) -> tuple[int, str, str]:
    """Run a line of the shell; nothing of it may give a traceback."""
    done = subprocess.run(
        ["sh", "-c", line], cwd=folder, capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert "Traceback" not in done.stderr and "Exception" not in done.stderr, done.stderr
    return done.returncode, done.stdout, done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("command", ["--version", "decode --help", "list metrics", f"{DECODE} -i in"])
def test_a_full_or_closed_output_is_an_error(toy: Path, command: str) -> None:
    (toy / "in").write_text("la casa\n")
    assert shell(f"{HOPEFEAR} {command} > /dev/full", toy) == (2, "", f"hopefear: {FULL}\n")
    assert shell(f"{HOPEFEAR} {command} >&-", toy) == (2, "", f"hopefear: {CLOSED}\n")


def test_a_closed_input_is_an_error(toy: Path) -> None:
    assert shell(f"{HOPEFEAR} {DECODE} <&-", toy) == (2, "", f"hopefear: {NO_INPUT}\n")
    (toy / "in").write_text("la casa\n")
    assert shell(f"{HOPEFEAR} {DECODE} -i in <&-", toy) == (0, "the house\n", "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("nowhere", ["2>&-", "2> /dev/full"])
def test_messages_that_cannot_be_written_change_nothing_else(toy: Path, nowhere: str) -> None:
    assert shell(f"echo la casa | {HOPEFEAR} {DECODE} {nowhere}", toy) == (0, "the house\n", "")
    assert shell(f"{HOPEFEAR} {DECODE} -i none {nowhere}", toy) == (2, "", "")
    assert shell(f"{HOPEFEAR} decode --nothing {nowhere}", toy) == (2, "", "")


def test_a_file_never_takes_the_place_of_a_closed_stream(toy: Path) -> None:
    """The weights are saved to a file, which must not get the translations."""
    lines = "la casa ||| the home\nla ||| the\n"
    learn = f"{HOPEFEAR} {DECODE} --learn mira --save-weights learned"
    status, _, errors = shell(f"printf '{lines}' | {learn} >&-", toy)
    assert (status, CLOSED in errors) == (2, True)
    saved = (toy / "learned").read_text() if (toy / "learned").exists() else ""
    assert "the" not in saved


def test_an_interrupt_while_modules_are_imported_is_silent(tmp_path: Path) -> None:
    """A module of the command line sends the signal itself."""
    module = "import os, signal, time\nos.kill(os.getpid(), signal.SIGINT)\ntime.sleep(600)\n"
    (tmp_path / "typer.py").write_text(module)
    done = subprocess.run(
        [sys.executable, "-m", "hopefear", "list"],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGINT, "", "")


def test_a_line_end_in_the_name_of_a_file_does_not_split_a_message(toy: Path) -> None:
    (toy / "new\nline").write_text("x\n")
    for given in (
        "-c cdec.ini -w 'new\nline'",
        "-c 'new\nline' -w weights",
        "-c cdec.ini -w weights -i 'n\no'",
    ):
        status, _, errors = shell(f"{HOPEFEAR} decode {given} < /dev/null", toy)
        assert status == 2 and len(errors.splitlines()) == 1 and "\\n" in errors
