"""The tables and pictures of docs/results and of the README are those that the kept runs give."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from PIL import Image
from support import CHECKOUT
from support.command import call

RESULTS = CHECKOUT / "docs" / "results"
DATA = RESULTS / "data"
PLANS = sorted(folder.name for folder in DATA.iterdir() if folder.is_dir())
PAGES = [CHECKOUT / "README.md", *sorted(RESULTS.glob("*.md"))]
BLOCK = re.compile(r"^<!-- ([\w.-]+): \w+", re.MULTILINE)


def plans_of(page: Path) -> set[str]:
    return set(BLOCK.findall(page.read_text("utf-8")))


def test_every_plan_with_runs_has_a_page():
    assert PLANS
    assert set(PLANS) == set[str]().union(*map(plans_of, PAGES))


@pytest.mark.slow
@pytest.mark.parametrize("page", [page for page in PAGES if plans_of(page)], ids=lambda page: page.stem)
def test_a_page_is_what_its_runs_give(page, tmp_path):
    copy = tmp_path / page.name
    shutil.copyfile(page, copy)
    for plan in sorted(plans_of(page)):
        done = call(["experiment", plan, "-o", str(DATA / plan), "--render", str(copy)], b"", tmp_path)
        assert done.returncode == 0, done.stderr.decode()
    assert copy.read_text("utf-8") == page.read_text("utf-8")
    for made in sorted(tmp_path.glob("*.png")):
        kept = page.parent / made.name
        drawn = [Image.open(path).text["Description"] for path in (made, kept)]  # type: ignore[attr-defined]
        assert drawn[0] == drawn[1], f"{kept}: render the page again"
