"""The report of a tuning run in a browser, from a file."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from selenium.webdriver import Chrome, Keys
from selenium.webdriver.common.by import By
from selenium.webdriver.support.select import Select
from support.small_sample import small_sample
from support.waiting import wait_until

from hopefear import Decoder, Segment
from hopefear.decoder import Weights
from hopefear.decoder.views import explain
from hopefear.metrics import Chrf, Resampled
from hopefear.reports import (
    TUNING,
    Output,
    RunChange,
    compare_outputs,
    explanation_page,
    write_change,
    write_report,
    write_sentences,
)
from hopefear.reports.change import Bucket, NgramChange

ATTACK = "<img/src='x'/onerror='document.title=1'><script>document.title='attacked'</script>"


def record(number: int, before: float, after: float, translation: str) -> dict[str, Any]:
    """Return a sentence as a run stores it."""
    fired = [{"feature": f"F{ATTACK}", "value": 2.0, "weight": -0.5, "contribution": -1.0}]
    leaf = {"category": "X", "span": [0, 1], "source": "palabra", "target": translation, "text": translation}
    leaf |= {"score": -1.0, "features": fired, "children": []}
    leaf |= {"words": [[[0, 1], "palabra"]], "items": translation.split()}
    glue = {"category": "S", "source": "", "target": "", "children": [leaf], "words": [], "items": [1]}
    root = leaf | glue
    return {
        "id": number,
        "source": f"palabra {number}",
        "references": [f"reference {number}"],
        "before": f"word {number}",
        "after": translation,
        "before_score": before,
        "after_score": after,
        "score": -1.0,
        "derivation": root,
        "hope_derivation": root | {"children": [leaf | {"items": ["the", "hope"]}]},
        "hope": "the hope",
        "fear": "the fear",
        "differences": [{"feature": "F", "best": 1.0, "hope": 0.0, "weight": 2.0, "contribution": 2.0}],
    }


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run")
    event = {"event": "pass", "pass_number": 1, "metric": "BLEU", "score": 30.0, "chosen": True}
    (folder / "log.jsonl").write_text(json.dumps(event | {"length_ratio": 0.9}) + "\n")
    Weights({"a": 1.0}).write(folder / "weights.start")
    Weights({"a": 2.0, "_b$": -1.0}).write(folder / "weights.final")
    rows = [
        record(0, 50.0, 60.0, "word 0"),
        record(1, 40.0, 10.0, f"new {ATTACK}"),
        record(2, 20.0, 70.0, "a b c d"),
    ]
    rows[2]["differences"].append(rows[2]["differences"][0] | {"feature": "Rare_one"})
    rows[2]["source"] += " y otras palabras mas para que la frase sea larga"
    write_sentences(folder, rows)
    return write_report(folder)


@pytest.fixture
def opened(browser: Chrome, page: Path) -> Chrome:
    browser.get(page.as_uri())
    wait_until(lambda: len(rows(browser)) == 3, "three rows")
    return browser


def rows(browser: Chrome) -> list[str]:
    """Return the numbers of the sentences that are shown."""
    return [cell.text for cell in browser.find_elements(By.CSS_SELECTOR, "#sentences tr.row td:first-child")]


def test_sorted_and_filtered(opened: Chrome) -> None:
    order = Select(opened.find_element(By.ID, "sentence-order"))
    expected = {"input": "012", "worst": "102", "improved": "201", "harmed": "102", "changed": "210"}
    for name, numbers in expected.items():
        order.select_by_value(name)
        assert "".join(rows(opened)) == numbers, name
    order.select_by_value("input")
    field = opened.find_element(By.ID, "sentence-filter")
    field.send_keys("PALABRA 2")
    assert rows(opened) == ["2"]
    assert opened.find_element(By.ID, "sentence-count").text == "1 of 3 sentences"
    field.send_keys(Keys.CONTROL, "a")
    field.send_keys(Keys.DELETE)
    assert rows(opened) == ["0", "1", "2"]


def test_of_an_error_rate_less_is_better(browser: Chrome, page: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(page.parent, tmp_path / "run")
    scores = Resampled(40.0, (40.0, 41.0)), Resampled(50.0, (50.0, 52.0))
    change = RunChange(TUNING, 3, 3, "", "TER", "TER|", False, *scores, lengths=[], words=[], won=[], lost=[])
    write_change(folder, change)
    browser.get(write_report(folder).as_uri())
    wait_until(lambda: len(rows(browser)) == 3, "three rows")
    expected = {"order": {"worst": "201", "improved": "102", "harmed": "201"}}
    expected |= {"order ": {"input": "012"}, "change": {"better": "1", "worse": "02"}}
    for name, values in expected.items():
        choice = Select(browser.find_element(By.ID, f"sentence-{name.strip()}"))
        for value, numbers in values.items():
            choice.select_by_value(value)
            assert "".join(rows(browser)) == numbers, value


def test_filtered_by_change_length_and_feature(opened: Chrome) -> None:
    def chosen(**filters: str) -> str:
        for name, value in filters.items():
            Select(opened.find_element(By.ID, f"sentence-{name}")).select_by_value(value)
        return "".join(rows(opened))

    found = {name: chosen(change=name) for name in ("better", "worse", "same", "other", "all")}
    assert found == {"better": "02", "worse": "1", "same": "0", "other": "", "all": "012"}
    assert chosen(length="11 20") == "2" and chosen(length="0 Infinity") == "012"
    field = opened.find_element(By.ID, "sentence-feature")
    for feature, numbers in (("rare", "2"), ("f", "012"), ("nothing", "")):
        field.clear()
        field.send_keys(feature)
        assert "".join(rows(opened)) == numbers, feature
    field.send_keys(Keys.CONTROL, "a")
    field.send_keys(Keys.DELETE)


def test_outputs_beside_one_another(browser: Chrome, tmp_path: Path) -> None:
    drawn = record(0, 0.0, 0.0, "word")["derivation"]
    first, second = (
        Output(name, ["word", text], [drawn, drawn]) for name, text in (("one", "x"), (ATTACK, f"y {ATTACK}"))
    )
    found = compare_outputs(first, second, ["palabra", ATTACK], [["word"], [ATTACK]], [Chrf()])
    browser.get(found.write(tmp_path / "compare.html").as_uri())
    wait_until(lambda: len(rows(browser)) == 2, "two rows")
    Select(browser.find_element(By.ID, "sentence-change")).select_by_value("better")
    assert rows(browser) == ["2"]
    browser.find_element(By.CSS_SELECTOR, "#sentences tr.row").click()
    labels = browser.find_elements(By.CSS_SELECTOR, ".detail label")
    assert [label.text for label in labels] == ["one", ATTACK]
    assert browser.find_element(By.CSS_SELECTOR, ".detail svg").is_displayed()
    assert browser.title == f"one and {ATTACK}"


def test_a_sentence_opens_by_mouse_and_keyboard(opened: Chrome) -> None:
    line = opened.find_elements(By.CSS_SELECTOR, "#sentences tr.row")[2]
    line.click()
    detail = opened.find_element(By.CSS_SELECTOR, "#sentences tr.detail")
    assert line.get_attribute("aria-expanded") == "true"
    assert "Hope: the hope" in detail.text
    drawn = [word.text for word in detail.find_elements(By.CSS_SELECTOR, ".derivation .rule text")]
    assert drawn == ["palabra", "a", "b", "c", "d", "−1.00"]
    tooltip = detail.find_element(By.CSS_SELECTOR, ".derivation .rule title").get_attribute("textContent")
    assert "palabra → a b c d" in tooltip and f"F{ATTACK}: 2 × -0.5 = -1.0000" in tooltip
    best, hope = detail.find_elements(By.CSS_SELECTOR, "input[type=radio]")
    assert best.is_selected()
    hope.click()
    drawn = [word.text for word in detail.find_elements(By.CSS_SELECTOR, ".derivation .rule text")]
    assert drawn == ["palabra", "the", "hope", "−1.00"]
    line.send_keys(Keys.ENTER)
    assert not opened.find_elements(By.CSS_SELECTOR, "#sentences tr.detail")


def test_changed_words_are_marked(opened: Chrome) -> None:
    marked = opened.find_elements(By.CSS_SELECTOR, "#sentences tr.row:nth-child(3) :is(ins, del)")
    assert {(mark.tag_name, mark.text) for mark in marked} == {
        *(("del", word) for word in ("word", "2")),
        *(("ins", word) for word in "abcd"),
    }


@pytest.fixture
def telephone(browser: Chrome) -> Iterator[Chrome]:
    """Give the page the width of a telephone."""
    size = {"width": 390, "height": 800, "deviceScaleFactor": 1, "mobile": True}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    yield browser
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_no_page_pans_sideways_on_a_telephone(telephone: Chrome, page: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(page.parent, tmp_path / "run")
    scores = Resampled(40.0, (40.0, 41.0)), Resampled(50.0, (50.0, 52.0))
    parts = [Bucket("more than 100", 12_345, 12.34, 23.45)]
    ngrams = [NgramChange("four long words together", 100, 200)]
    counts: dict[str, Any] = {"lengths": parts, "words": parts, "won": ngrams, "lost": ngrams}
    write_change(folder, RunChange(TUNING, 3, 3, "", "BLEU", "BLEU|", True, *scores, **counts))
    sample = small_sample()
    decoder = Decoder(sample / "cdec.ini", weights=sample / "weights.init")
    lines = (sample / "dev.es").read_text("utf-8").splitlines()[:2]
    explained = tmp_path / "why.html"
    explained.write_text(
        explanation_page([explain(decoder, Segment(line, index=i, id=i)) for i, line in enumerate(lines)]),
        "utf-8",
    )
    for path in (write_report(folder), explained):
        telephone.get(path.as_uri())
        for line in telephone.find_elements(By.TAG_NAME, "details"):
            telephone.execute_script("arguments[0].open = true", line)
        assert telephone.execute_script("return document.documentElement.scrollWidth") == 390
    first = telephone.find_element(By.CSS_SELECTOR, "#s1 summary")
    number, source, text, score = first.find_elements(By.XPATH, "./*")
    assert number.text == "1" and number.rect["y"] == score.rect["y"] < source.rect["y"] < text.rect["y"]
    assert source.rect["width"] > 300


def test_texts_are_texts(opened: Chrome) -> None:
    for line in opened.find_elements(By.CSS_SELECTOR, "#sentences tr.row"):
        line.click()
    assert opened.title == "Tuning run run0" or opened.title.startswith("Tuning run ")
    assert ATTACK in opened.find_element(By.ID, "sentences").text
    assert opened.find_elements(By.CSS_SELECTOR, ".chart > svg path.line")
    assert [entry for entry in opened.get_log("browser") if entry["level"] == "SEVERE"] == []


def test_long_texts_are_not_compared_word_by_word(browser: Chrome, tmp_path: Path) -> None:
    """A table of the words of both takes their product in time: up to a million it is made."""
    texts = [" ".join(f"w{i}" for i in range(size)) for size in (900, 1100)]
    first, second = (Output(name, [text + more for text in texts]) for name, more in (("a", ""), ("b", " x")))
    found = compare_outputs(first, second, ["s", "s"], [["w0"], ["w0"]], [Chrf()])
    browser.get(found.write(tmp_path / "compare.html").as_uri())
    wait_until(lambda: len(rows(browser)) == 2, "two rows")
    lines = browser.find_elements(By.CSS_SELECTOR, "#sentences tr.row")
    count = "return arguments[0].querySelectorAll('ins, del').length"
    assert [browser.execute_script(count, line) for line in lines] == [1, 1100 + 1101]
