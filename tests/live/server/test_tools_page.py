"""The page about tools: its example is run against a server over the sample."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support import CHECKOUT
from support.pages import blocks

from hopefear.grammars.sample import sample_path

PAGE = CHECKOUT / "docs" / "use" / "tools.md"
SERVE = "hopefear serve -c cdec.ini -w weights --state sessions"
WORDS = "<p>El dragón vino.</p>\n"


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("curl") is None, reason="needs curl")
def test_the_example_is_answered_as_the_page_says(tmp_path: Path) -> None:
    (example,) = blocks(PAGE, "console")
    begin, ready, *lines = example.splitlines()
    assert begin == f"$ {SERVE}" and ready == "ready: http://127.0.0.1:8642/"
    (tmp_path / "page.html").write_text(WORDS, "utf-8")
    given = ["-c", str(sample_path() / "written.ini"), "-w", str(sample_path() / "weights.init")]
    command = [sys.executable, "-m", "hopefear", "serve", *given, "--state", "sessions", "--port", "0"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            address = re.fullmatch(r"ready: http://127.0.0.1:(\d+)/\n", server.stdout.readline())
            assert address is not None
            port = address[1]
            for asked, expected in zip(lines[::2], lines[1::2], strict=True):
                line = asked.removeprefix("$ ").replace("localhost:8642", f"localhost:{port}")
                done = subprocess.run(["bash", "-c", line], cwd=tmp_path, capture_output=True, text=True)
                said = done.stdout.replace(f":{port}/", ":8642/")
                unguessable = re.compile('(?<=download_file/)[^"]+')
                assert unguessable.sub("", said) == unguessable.sub("", expected), done.stderr
        finally:
            server.terminate()
    assert lines
