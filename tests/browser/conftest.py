"""A real browser: Chromium without a window."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import pytest
from selenium import webdriver
from support.browser import chromium
from support.live_page import SYSTEM, Server
from support.sessions import LIVE


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[webdriver.Chrome]:
    """Yield a browser that all tests share."""
    if shutil.which("chromium") is None or shutil.which("chromedriver") is None:
        pytest.skip("needs Chromium and its driver: apt-get install chromium chromium-driver")
    chrome = chromium(1100, 1400, tmp_path_factory.mktemp("chromium"))
    yield chrome
    chrome.quit()


@pytest.fixture(scope="module", autouse=True)
def empty_page_and_log(browser: webdriver.Chrome) -> None:
    """Leave the page of the file before, which may still ask for a server that has ended."""
    browser.get("about:blank")
    browser.get_log("browser")  # which empties it


@pytest.fixture(scope="module")
def server(browser: webdriver.Chrome, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Yield a server of a small system; a file may have another one."""
    folder = tmp_path_factory.mktemp("serve")
    LIVE.write(folder)
    with Server(browser, folder, *SYSTEM) as server:
        yield server
