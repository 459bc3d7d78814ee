"""What the README shows works."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

README = Path(__file__).resolve().parents[2] / "README.md"


def python_blocks() -> list[str]:
    return re.findall(r"```python\n(.*?)```", README.read_text("utf-8"), re.DOTALL)


def test_the_plugin_of_ten_lines(toy, run):
    (plugin,) = (block for block in python_blocks() if "EdgeFeatures" in block)
    assert len([line for line in plugin.splitlines() if line and not line.startswith("#")]) <= 10
    (toy / "spanlength.py").write_text(plugin)
    with (toy / "cdec.ini").open("a") as ini:
        ini.write("feature_function=spanlength:SpanLength\n")
    line = run("decode", "-c", "cdec.ini", "-w", "weights", "-k", 1, text="la casa\n").stdout
    # The two words, the glue rule over the first, the glue rule over both.
    assert "Span_1=3 Span_2=1 " in line


def test_the_python_example(tmp_path):
    (example,) = (block for block in python_blocks() if "Decoder" in block)
    done = subprocess.run([sys.executable, "-c", example], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == 4
    assert "LanguageModel" in done.stdout


def test_links_lead_somewhere():
    root = README.parent
    for page in (README, *(root / "docs").glob("*.md")):
        for link in re.findall(r"\]\(([^)#:]+)\)", page.read_text("utf-8")):
            assert (page.parent / link).exists(), f"{page.name}: {link}"
