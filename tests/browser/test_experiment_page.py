"""The report of an experiment in a browser, from a file: a click on a cell opens its runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from selenium.webdriver import Chrome, Keys
from selenium.webdriver.common.by import By
from selenium.webdriver.support.select import Select
from support.plans import cells_here, experiment
from support.small_sample import small_sample
from support.waiting import wait_until

from hopefear.experiments import ExperimentReport, Result, read_plan

PLAN = Path(__file__).with_suffix(".toml").read_text("utf-8")


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Result]]:
    folder = tmp_path_factory.mktemp("experiment")
    found = experiment(folder, PLAN)
    with cells_here():
        runs = found.run()
    ExperimentReport(found.folder, found.plan, runs).write()
    return found.folder, runs


@pytest.fixture
def opened(browser: Chrome, done: tuple[Path, list[Result]]) -> Chrome:
    browser.get((done[0] / "report.html").as_uri())
    wait_until(lambda: browser.find_elements(By.CSS_SELECTOR, "td.opens"), "the page")
    return browser


def part(browser: Chrome, name: str) -> Any:
    return browser.find_element(By.ID, f"run-{name}")


def shown(browser: Chrome) -> list[str]:
    """Return the translations of the run, with the words of the other run left out."""
    script = """return [...document.querySelectorAll("#sentences tr.row td:nth-child(3)")].map(
        (cell) => [...cell.querySelectorAll("span, ins")].map((word) => word.textContent).join(" "))"""
    return list(browser.execute_script(script))


def cell(browser: Chrome, row: int, column: int) -> Any:
    return browser.find_elements(By.CSS_SELECTOR, "tbody tr")[row].find_elements(By.TAG_NAME, "td")[column]


def test_a_cell_opens_its_runs(opened: Chrome, done: tuple[Path, list[Result]]) -> None:
    folder, runs = done
    learned = [run for run in runs if run.passes and run.tested_on == "test" and run.metric == "BLEU"]
    cell(opened, 1, 2).click()
    assert opened.find_element(By.ID, "run").is_displayed()
    choice = Select(part(opened, "name"))
    assert [option.text for option in choice.options] == [run.cell for run in learned]
    for run in learned:
        choice.select_by_visible_text(run.cell)
        assert part(opened, "title").text == run.cell
        assert f"test BLEU {run.score:.2f}" in part(opened, "scores").text
        assert f"seed: {run.seed}" in part(opened, "facts").text
        assert Select(part(opened, "test")).first_selected_option.text == "test"
        assert "untuned" in Select(part(opened, "rival")).first_selected_option.text
        texts = (folder / "cells" / run.cell / "test.txt").read_text("utf-8").splitlines()
        assert shown(opened) == texts
        wait_until(lambda: opened.find_elements(By.CSS_SELECTOR, "#run-curve .chart path.line"), "a chart")
    assert "The cell against the table's baseline: p = " in part(opened, "comparison").text
    Select(part(opened, "test")).select_by_visible_text("dev")
    assert len(shown(opened)) == 8
    part(opened, "close").click()
    assert not opened.find_element(By.ID, "run").is_displayed()


def test_by_keyboard_a_run_without_passes(opened: Chrome) -> None:
    cell(opened, 0, 0).send_keys(Keys.ENTER)
    assert part(opened, "title").text.startswith("base-untuned")
    assert not part(opened, "curve").is_displayed()
    assert not part(opened, "choice").is_displayed()
    Select(opened.find_element(By.ID, "sentence-order")).select_by_value("changed")
    opened.find_element(By.ID, "sentence-filter").send_keys("no sentence has this")
    assert opened.find_element(By.ID, "sentence-count").text == "No matching sentences."


def test_texts_are_texts_and_nothing_fails(opened: Chrome) -> None:
    cell(opened, 1, 0).click()
    assert opened.title == "Two tuners"
    assert "<img src=x onerror=document.title='attacked'> (Mira passes=2)" in part(opened, "facts").text
    assert [entry for entry in opened.get_log("browser") if entry["level"] == "SEVERE"] == []


def test_sources_that_are_gone_are_named(browser: Chrome, done: tuple[Path, list[Result]]) -> None:
    folder, runs = done
    text = PLAN.replace("test.es", "gone.es")
    (folder.parent / "gone.toml").write_text(text)
    plan = read_plan(folder.parent / "gone.toml", folder, data=small_sample())
    before = (folder / "report.html").read_bytes()
    try:
        ExperimentReport(folder, plan, runs).write()
        browser.get((folder / "report.html").as_uri())
        wait_until(lambda: browser.find_elements(By.CSS_SELECTOR, "td.opens"), "the page")
        cell(browser, 1, 2).click()
        assert "The sentences cannot be shown:" in part(browser, "problem").text
        assert "gone.es" in part(browser, "problem").text
        assert not part(browser, "sentences").is_displayed()
    finally:
        (folder / "report.html").write_bytes(before)
