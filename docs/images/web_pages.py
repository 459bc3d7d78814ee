"""Makes the pictures of the pages that commands write of the sample, in light or dark colours."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests"))

from selenium import webdriver
from support.browser import chromium
from support.waiting import wait_until

from hopefear.grammars.sample import sample_path

SENTENCES = 60
CELL = "-MIRA-"
"""In the name of the run that is opened."""
MODEL = ("-c", "cdec.ini", "-w", "weights.init")
TUNE = ("tune", *MODEL, "-s", "dev.es", "-r", "dev.en.0", "--force")


@contextmanager
def sample() -> Iterator[Path]:
    """Yield a copy of the sample with a part of its sentences."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(shutil.copytree(sample_path(), Path(name) / "sample"))
        for path in folder.glob("dev.*"):
            lines = path.read_text("utf-8").splitlines(keepends=True)
            path.write_text("".join(lines[:SENTENCES]), "utf-8")
        yield folder


def started(folder: Path, *words: str) -> subprocess.Popen[str]:
    command = (sys.executable, "-m", "hopefear", *words)
    return subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, text=True)


def run(folder: Path, *words: str) -> None:
    subprocess.run((sys.executable, "-m", "hopefear", *words), cwd=folder, check=True)


@contextmanager
def opened(address: str, width: int, height: int, dark: bool) -> Iterator[webdriver.Chrome]:
    browser = chromium(width, height)
    try:
        colours = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": colours})
        screen = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
        browser.execute_cdp_cmd("Emulation.setScrollbarsHidden", {"hidden": True})
        browser.get(address)
        yield browser
    finally:
        browser.quit()


def take_report(out: Path, *, dark: bool) -> None:
    """The report of a run."""
    with sample() as folder:
        run(folder, *TUNE, "-o", "run", "--passes", "3")
        with opened((folder / "run/report.html").as_uri(), 1100, 1450, dark) as browser:
            browser.save_screenshot(str(out / "report.png"))


def take_derivation(out: Path, *, dark: bool) -> None:
    """A derivation of the page of `explain`, one rule of it with the pointer on it."""
    with sample() as folder:
        line = (folder / "dev.es").read_text("utf-8").splitlines()[3]
        (folder / "in").write_text(f"{line}\n", "utf-8")
        run(folder, "explain", *MODEL, "-i", "in", "--html", "why.html")
        with opened((folder / "why.html").as_uri(), 1100, 900, dark) as browser:
            browser.execute_script("for (const one of document.querySelectorAll('details')) one.open = true")
            drawing = browser.find_element("css selector", "svg")
            rules = drawing.find_elements("css selector", "[tabindex]")
            browser.execute_script("arguments[0].focus()", rules[len(rules) // 2] if rules else drawing)
            drawing.screenshot(str(out / "derivation.png"))


def take_board(out: Path, *, dark: bool) -> None:
    """The board of a run in its second pass."""
    with sample() as folder:
        tune = started(folder, *TUNE, "-o", "run", "--passes", "4")
        wait_until((folder / "run/now.json").exists, "the run has begun", tune)
        board = started(folder, "watch", "run")
        assert board.stderr is not None
        try:
            address = re.search(r"http\S+", board.stderr.readline())
            assert address is not None
            with opened(address[0], 1180, 1080, dark) as browser:
                text = "return document.body.innerText"
                wait_until(lambda: "pass 3 of" in browser.execute_script(text), "the third pass", tune)
                browser.save_screenshot(str(out / "board.png"))
        finally:
            for process in (board, tune):
                process.terminate()
                process.communicate()


def take_experiment(out: Path, *, dark: bool) -> None:
    """The runs of a cell of the plan `sample`."""
    with sample() as folder:
        run(folder, "experiment", "sample", "-o", "results")
        with opened((folder / "results/report.html").as_uri(), 1200, 2100, dark) as browser:
            for cell in browser.find_elements("css selector", "td.opens"):
                browser.execute_script("arguments[0].click()", cell)
                if CELL in browser.find_element("id", "run-title").text:
                    break
                browser.find_element("id", "run-close").click()
            browser.save_screenshot(str(out / "experiment-run.png"))
