"""A real browser: Chromium without a window."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium import webdriver


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[webdriver.Chrome]:
    """Yield a browser that all tests share."""
    chromium, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if chromium is None or driver is None:
        pytest.skip("needs Chromium and its driver: apt-get install chromium chromium-driver")
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    profile: Path = tmp_path_factory.mktemp("chromium")
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--window-size=1100,1400"):
        options.add_argument(argument)
    options.add_argument(f"--user-data-dir={profile}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    chrome = webdriver.Chrome(options, webdriver.ChromeService(driver))
    yield chrome
    chrome.quit()


@pytest.fixture(scope="module", autouse=True)
def empty_page_and_log(browser: webdriver.Chrome) -> None:
    """Leave the page of the file before, which may still ask for a server that has ended."""
    browser.get("about:blank")
    browser.get_log("browser")  # which empties it
