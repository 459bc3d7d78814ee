"""The pages are true: commands have the options, imports the names, and links lead somewhere."""

from __future__ import annotations

import ast
import re
from itertools import chain
from pathlib import Path

import pytest
from support import CHECKOUT
from support.pages import blocks, commands
from typer.main import get_command

from hopefear.cli import app
from hopefear.tuners import CrossValidated

README = CHECKOUT / "README.md"
PAGES = [README, *sorted((CHECKOUT / "docs" / "use").glob("*.md"))]
each_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)


@each_page
def test_options_are_as_the_commands_have_them(page: Path) -> None:
    for words in commands(page):
        ends = [words.index(end) for end in ("<", ">", "2>&1", "|") if end in words]
        command, given = get_command(app), words[: min(ends, default=None)]
        while given and given[0] in getattr(command, "commands", {}):
            command = command.commands[given.pop(0)]
        command.make_context(words[0], given)  # ends the test where an option or a value is wrong


@each_page
def test_what_is_imported_is_there(page: Path) -> None:
    for code in blocks(page, "python"):
        if "import torch" in code:
            pytest.importorskip("torch", reason="PyTorch is not installed")
        imports = [one for one in ast.parse(code).body if isinstance(one, (ast.Import, ast.ImportFrom))]
        if any(ast.unparse(one) == "import torch" for one in imports):
            pytest.importorskip("torch", reason="PyTorch is not installed")
        ours = [one for one in imports if "hopefear" in ast.unparse(one)]
        exec(compile(ast.Module(ours, []), str(page), "exec"), {})


def test_the_readmes_times_are_those_of_the_benchmarks() -> None:
    times = re.findall(r"([\d.]+) ms\b", README.read_text("utf-8"))
    measured = set(re.findall(r"[\d.]+\d", (CHECKOUT / "benchmarks" / "results.md").read_text("utf-8")))
    assert len(times) == 2
    assert set(times) <= measured


def headings(page: Path) -> set[str]:
    """Return the anchors of a page, as those of GitHub."""
    lines = re.findall(r"^#+ (.*)$", page.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", line.strip().lower()).replace(" ", "-") for line in lines}


def test_links_lead_somewhere() -> None:
    folders = (CHECKOUT.glob("*.md"), *((CHECKOUT / name).rglob("*.md") for name in ("docs", "benchmarks")))
    for page in chain(*folders):
        for link, _, anchor in re.findall(r"\]\(([^)#:]*)(#([^)]*))?\)", page.read_text("utf-8")):
            found = page.parent / link if link else page
            assert found.exists(), f"{page.name}: {link}"
            assert not anchor or anchor in headings(found), f"{page.name}: {link}#{anchor}"


def test_the_list_of_the_documentation_has_each_page() -> None:
    docs = CHECKOUT / "docs"
    listed = re.findall(r"\]\((use/[^)]*)\)", (docs / "README.md").read_text("utf-8"))
    assert {path.relative_to(docs).as_posix() for path in (docs / "use").glob("*.[mi]*")} == set(listed)


def test_the_choices_of_the_last_stage_are_those_of_the_page() -> None:
    page = (CHECKOUT / "docs" / "use" / "training-text.md").read_text("utf-8")
    _, _, rows = page.partition("| choice | what it does |\n|---|---|\n")
    assert (
        tuple(re.findall(r"^\| `(.+?)` \|", rows.partition("\n\n")[0], re.MULTILINE))
        == CrossValidated().choices
    )
