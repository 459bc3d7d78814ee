"""The translator's page in a browser, and the server behind it."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

from selenium.webdriver import ActionChains, Chrome, Keys
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.wait import WebDriverWait

from .waiting import PATIENCE

_MODIFIERS = (Keys.ALT, Keys.CONTROL, Keys.SHIFT)


SYSTEM = ("-c", "cdec.ini", "-w", "weights", "--set", "C=0.1")
"""The options of a server of a small system in its folder."""


class Server:
    """A server, and its page in a browser.

    Parameters
    ----------
    browser : Chrome
        The browser.
    folder : Path
        The folder in which the server works; the sessions are in its folder ``state``.
    *options : str
        Options of ``hopefear serve``.
    """

    def __init__(self, browser: Chrome, folder: Path, *options: str) -> None:
        self.browser, self._folder = browser, folder
        self._options = options
        self.process: subprocess.Popen[str] | None = None
        self.url = ""

    def start(self, port: int = 0) -> None:
        command = ["serve", *self._options, "--state", "state", "--port", str(port)]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "hopefear", *command], cwd=self._folder, stdout=subprocess.PIPE, text=True
        )
        assert self.process.stdout is not None
        self.url = self.process.stdout.readline().removeprefix("ready: ").strip()
        assert self.url.startswith("http://"), self.url

    @property
    def port(self) -> int:
        return int(re.findall(r":(\d+)/", self.url)[0])

    def __enter__(self) -> Server:
        self.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.kill()

    def kill(self) -> None:
        if self.process is not None:
            self.process.send_signal(signal.SIGKILL)
            self.process.communicate()

    def open(self) -> None:
        self.browser.get("about:blank")
        self.browser.get(self.url)
        self.wait("return !document.querySelector('main').hasAttribute('aria-busy')")

    def wait(self, script: str, *given: object) -> Any:
        return WebDriverWait(self.browser, PATIENCE, 0.02).until(
            lambda chrome: chrome.execute_script(script, *given)
        )

    def script(self, script: str, *given: object) -> Any:
        """Run a script in the page; give what it returns."""
        return self.browser.execute_script(script, *given)

    def find(self, selector: str) -> WebElement:
        return self.browser.find_element(By.CSS_SELECTOR, selector)

    def text(self, selector: str) -> str:
        return str(self.script("return document.querySelector(arguments[0]).textContent", selector))

    def texts(self, selector: str) -> list[str]:
        script = "return [...document.querySelectorAll(arguments[0])].map((one) => one.textContent)"
        return list(self.script(script, selector))

    def shows(self, selector: str) -> None:
        """Wait until the page shows an element."""
        self.wait("return !document.querySelector(arguments[0]).hidden", selector)

    @property
    def value(self) -> str:
        """The translation in the field."""
        return str(self.find("#target").get_attribute("value"))

    def keys(self, *keys: str) -> None:
        """Press keys where the focus is when they are pressed; modifiers stay down to the end."""
        pressed = ActionChains(self.browser, duration=0)
        held = [key for key in keys if key in _MODIFIERS]
        for key in keys:
            pressed = pressed.key_down(key) if key in held else pressed.send_keys(key)
        for key in held:
            pressed = pressed.key_up(key)
        pressed.perform()

    def at_sentence(self, number: int) -> None:
        self.wait(
            "return document.querySelector('#place').textContent.startsWith(arguments[0])"
            " && !document.querySelector('#target').readOnly",
            f"Sentence {number} of ",
        )

    def add(self, text: str, *, sure: bool = False) -> None:
        """Paste a document, by keyboard; once more if the page doubts it."""
        self.script("document.querySelector('#add-document').focus()")
        self.keys(Keys.ENTER)
        self.wait("return document.querySelector('#adding').open")
        self.script("document.querySelector('#pasted').value = arguments[0]", text)
        self.script("document.querySelector('#adding button.main').focus()")
        self.script("document.querySelector('#status').textContent = ''")
        self.keys(Keys.ENTER)
        if sure:
            self.wait("return document.querySelector('#adding .problem').textContent !== ''")
            self.script("document.querySelector('#adding button.main').click()")
        self.said("Added")
        self.at_sentence(1)

    def upload(self, path: Path) -> None:
        """Add the document of a file."""
        self.script("document.querySelector('#add-document').click()")
        self.find("#file").send_keys(str(path))
        self.script("document.querySelector('#adding button.main').click()")

    def said(self, text: str) -> None:
        """Wait until the page says something that begins so."""
        self.wait("return document.querySelector('#status').textContent.startsWith(arguments[0])", text)

    def switch(self, name: str) -> None:
        """Turn a switch of the settings on or off."""
        self.script("document.querySelector('#settings').open = true")
        self.find(f"#{name}").click()
        self.script("document.querySelector('#settings').open = false")

    def add_term(self, source: str, target: str) -> None:
        self.find("#term-source").send_keys(source)
        self.find("#term-target").send_keys(target, Keys.ENTER)

    def correct(self, target: str, *, sure: bool = False) -> None:
        """Confirm a translation; once more if the page doubts it."""
        before = self.text("#place")
        self.keys(Keys.CONTROL, "a")
        self.keys(target, Keys.ENTER)
        if sure:
            self.wait("return !document.querySelector('#target').readOnly")
            if self.text("#place") == before:
                self.keys(Keys.ENTER)

    def settled(self, corrections: int) -> None:
        self.wait(
            "return document.querySelector('#charts').textContent.includes(arguments[0])",
            f"{corrections} correction",
        )

    def faults(self) -> list[Any]:
        return [one for one in self.browser.get_log("browser") if one["level"] == "SEVERE"]
