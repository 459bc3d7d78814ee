"""Pages whose tables are made from results."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.plans import finished

from hopefear.base import InputError
from hopefear.experiments import ExperimentReport
from hopefear.experiments.render import render, write_page

PLAN = Path(__file__).with_suffix(".toml").read_text("utf-8")

PAGE = """# Results

<!-- other: table "Scores" -->
what another plan says
<!-- end -->

<!-- plan: table "Scores" -->
| old |
<!-- end -->
So it is.
<!-- plan: picture "Curve" -->
<!-- end -->
<!-- plan: facts -->
<!-- end -->
<!-- plan: missing -->
<!-- end -->
"""


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    found, runs = finished(tmp_path_factory.mktemp("render"), PLAN)
    return ExperimentReport(found.folder, found.plan, runs, command="hopefear experiment plan.toml")


@pytest.fixture
def page(tmp_path):
    path = tmp_path / "page.md"
    path.write_text(PAGE, "utf-8")
    return path


def test_blocks_of_the_plan_are_made_anew(report, page):
    text = render(page, "plan", report)
    assert text.startswith(PAGE[: PAGE.index("| old |")])
    score = f"{report.runs[0].score:.2f}"
    assert f"| untuned | {score} |" in text and "| old |" not in text
    assert "<!-- end -->\nSo it is.\n<!-- plan: picture" in text
    assert "![Curve](plan-curve.png)" in text and (page.parent / "plan-curve.png").stat().st_size
    assert "- command: `hopefear experiment plan.toml`\n" in text and "\nNone.\n<!-- end -->\n" in text
    write_page(page, "plan", report)
    assert page.read_text("utf-8") == text == render(page, "plan", report)


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ('plan: table "Scores"', 'plan: table "Scorse"', "page.md:7: Scorse: unknown, near: Scores"),
        (
            "plan: table",
            "plan: chart",
            "page.md:7: expected one of table, picture, facts, missing, verdicts, got",
        ),
        ('plan: picture "Curve"', "plan: picture", 'page.md:11: expected picture "TITLE", got no title'),
        ("So it is.\n<!-- plan", "<!-- plan", None),
        ("missing -->\n<!-- end -->", "missing -->", "page.md:15: expected <!-- end --> after this line"),
    ],
)
def test_wrong_blocks_are_refused(report, page, old, new, complaint):
    assert old in PAGE
    page.write_text(PAGE.replace(old, new), "utf-8")
    if complaint is None:
        assert render(page, "plan", report)
        return
    with pytest.raises(InputError) as caught:
        render(page, "plan", report)
    assert complaint in str(caught.value)


def test_a_page_without_blocks_of_the_plan_is_refused(report, page):
    with pytest.raises(InputError, match='expected a line such as <!-- plan: table "TITLE" -->, got none'):
        page.write_text("# Results\n", "utf-8")
        render(page, "plan", report)
