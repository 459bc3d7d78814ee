"""Progress bars at a terminal, and lines that are printed meanwhile."""

from __future__ import annotations

import io
import re
import subprocess
import sys
from pathlib import Path

import pytest
from support.terminal import screen_of

from hopefear.base.lines import count_lines
from hopefear.base.progress import ProgressBar, print_line, progress_bar

SCRIPT = """\
from hopefear.base.progress import ProgressBar, print_line, progress_bar
print_line("before")
for number in progress_bar(range(3), 3, name="looping", unit="thing"):
    print_line(f"thing {number}, a line that is longer than what the bar says, whatever it says of itself")
with ProgressBar(4, done=1, name="working") as bar:
    bar.update()
    bar.note("BLEU 12.00")
    print_line("warned")
    bar.name("pass 2 of 2")
    bar.update(2)
with ProgressBar(name="gone", keep=False) as bar:
    bar.update(5)
print_line("after")
"""


def test_lines_stand_alone_and_bars_go_on_below(tmp_path: Path) -> None:
    screen = screen_of([sys.executable, "-c", SCRIPT], width=100, cwd=tmp_path)
    bars = [line for line in screen if "thing/s" in line or "sentence/s" in line]
    printed = [line for line in screen if line not in bars]
    things = [line for line in printed if line.startswith("thing ")]
    assert [line[:8] for line in things] == ["thing 0,", "thing 1,", "thing 2,"]
    assert all(line.endswith("whatever it says of itself") for line in things)
    assert [line for line in printed if line not in things] == ["before", "warned", "after"]
    looping, working = bars
    assert re.match(r"looping: 100%\|.*\| 3/3 \[", looping)
    assert re.match(r"pass 2 of 2: 100%\|.*\| 4/4 \[.*, BLEU 12.00\]", working)


def test_elsewhere_there_are_lines_only(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, cwd=tmp_path)
    lines = done.stderr.splitlines()
    assert [line for line in lines if not line.startswith("thing ")] == ["before", "warned", "after"]
    assert len(lines) == 6


def test_a_bar_that_nobody_wants_does_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    for wanted in (False, True):
        monkeypatch.setattr(sys, "stderr", Terminal())
        with ProgressBar(2, show=wanted) as bar:
            assert bar.shown == wanted
            bar.update()
        assert list(progress_bar("ab", show=wanted)) == ["a", "b"]
        print_line("said")
        assert (sys.stderr.getvalue() == "said\n") != wanted  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("content", "lines"), [(b"", 0), (b"one\n", 1), (b"one\ntwo", 2), (b"\n\n", 2), (b"\x1f\x8b\n", None)]
)
def test_lines_are_counted_and_left_to_be_read(tmp_path: Path, content: bytes, lines: int | None) -> None:
    path = tmp_path / "text"
    path.write_bytes(content)
    assert count_lines(path) == lines
    code = "import sys; from hopefear.base.lines import count_lines\n"
    code += "print(count_lines('-'), len(sys.stdin.buffer.read()))"
    with path.open("rb") as file:
        done = subprocess.run(
            [sys.executable, "-c", code], stdin=file, capture_output=True, text=True, cwd=tmp_path
        )
    assert done.stdout == f"{lines} {len(content)}\n"


def test_a_pipe_has_no_number_of_lines(tmp_path: Path) -> None:
    code = "from hopefear.base.lines import count_lines; print(count_lines('-'), count_lines('nowhere'))"
    done = subprocess.run(
        [sys.executable, "-c", code], input="one\n", capture_output=True, text=True, cwd=tmp_path
    )
    assert done.stdout == "None None\n"
