"""Chromium without a window."""

from __future__ import annotations

import shutil
from pathlib import Path

from selenium import webdriver


def chromium(width: int, height: int, profile: Path | None = None) -> webdriver.Chrome:
    """Start a browser, which keeps what pages log.

    Parameters
    ----------
    width, height : int
        Of the window, in pixels.
    profile : Path, optional
        The folder of its profile; by default a new one.
    """
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or ""
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage"):
        options.add_argument(argument)
    options.add_argument(f"--window-size={width},{height}")
    if profile is not None:
        options.add_argument(f"--user-data-dir={profile}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(options, webdriver.ChromeService(shutil.which("chromedriver")))
