"""Makes the pictures of docs/use/desk.md and tools.md."""

from __future__ import annotations

import json
import sys
import tempfile
import urllib.request
from pathlib import Path

from selenium import webdriver
from selenium.webdriver import Keys

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests"))

from support.browser import chromium
from support.live_page import Server

from hopefear.grammars.sample import book_path

CORRECTIONS = 67


def draw(out: Path) -> None:
    """Correct sentences of the book with those of its English edition, and take pictures."""
    references = (book_path() / "book.en.written").read_text("utf-8").splitlines()
    browser = chromium(1280, 1010)
    with tempfile.TemporaryDirectory() as folder:
        server = Server(browser, Path(folder))
        server.start()
        try:
            server.open()
            for number, reference in enumerate(references[:CORRECTIONS], 1):
                server.at_sentence(number)
                server.correct(reference, sure=True)
            server.at_sentence(CORRECTIONS + 1)
            server.settled(CORRECTIONS)
            server.wait("return document.querySelector('#phrases button') !== null")
            server.wait(
                "return [...document.querySelectorAll('#after .target')].every((one) => one.textContent)"
            )
            browser.execute_script("document.activeElement.blur()")
            browser.save_screenshot(str(out / "live-page.png"))
            browser.set_window_size(1280, 1600)
            browser.execute_script("document.querySelector('#derivation').open = true")
            server.wait("return (document.querySelector('#drawing img') ?? {}).naturalWidth > 0")
            server.wait("return document.querySelector('#phrases .changed') !== null")
            changed = "document.querySelector('#phrases .changed').closest('button')"
            browser.execute_script(f"{changed}.click()")
            server.wait("return !document.querySelector('#alternatives').hidden")
            server.find("#current").screenshot(str(out / "live-phrases.png"))
            browser.execute_script("document.querySelector('#alternatives').hidden = true")
            browser.execute_script("document.querySelector('#open-report').click()")
            server.wait("return document.querySelector('#report').open")
            server.find("#report").screenshot(str(out / "desk-report.png"))
            browser.execute_script("document.querySelector('#report').close()")
            browser.execute_script("document.querySelector('#derivation').open = false")
            draw_other_screens(browser, server, out)
        finally:
            server.kill()
            browser.quit()
    draw_what_a_tool_taught(references, out)


def draw_what_a_tool_taught(references: list[str], out: Path) -> None:
    """Suggest corrections as a tool does, and take a picture of what the page says of them."""
    sources = (book_path() / "book.es.written").read_text("utf-8").splitlines()
    browser = chromium(1280, 1400)
    with tempfile.TemporaryDirectory() as folder:
        server = Server(browser, Path(folder))
        server.start()
        try:
            for source, target in zip(sources[:3], references, strict=False):
                body = json.dumps({"q": source, "s": target, "source": "es", "target": "en"}).encode()
                headers = {"Content-Type": "application/json"}
                address = server.url.partition("#")[0].rstrip("/") + "/suggest"
                urllib.request.urlopen(urllib.request.Request(address, body, headers)).close()
            server.open()
            server.settled(3)
            browser.execute_script("document.querySelector('#rules details').open = true")
            server.find("#learning").screenshot(str(out / "tools-taught.png"))
        finally:
            server.kill()
            browser.quit()


def draw_other_screens(browser: webdriver.Chrome, server: Server, out: Path) -> None:
    """Take pictures of a completion, in dark colours, of an input method, and on a telephone."""
    browser.execute_script("document.querySelector('#alternatives').hidden = true")
    browser.execute_script("document.querySelector('#target').focus()")
    server.keys(Keys.CONTROL, "a")
    server.keys("So Mordecai we")
    server.wait("return document.querySelector('#following').children.length > 0")
    server.find("#current").screenshot(str(out / "desk-completion.png"))
    colours = [{"name": "prefers-color-scheme", "value": "dark"}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": colours})
    browser.set_window_size(1280, 1010)
    browser.execute_script("document.activeElement.blur(); window.scrollTo(0, 0)")
    browser.save_screenshot(str(out / "desk-dark.png"))
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    server.add("はじめに神は天と地とを創造された。\n地は形なく、むなしかった。\n", sure=True)
    server.keys(Keys.CONTROL, "a")
    server.keys("In the beginning ")
    browser.execute_cdp_cmd(
        "Input.imeSetComposition", {"text": "かみ", "selectionStart": 2, "selectionEnd": 2}
    )
    browser.set_window_size(1280, 900)
    browser.save_screenshot(str(out / "desk-japanese.png"))
    browser.execute_cdp_cmd("Input.insertText", {"text": ""})
    screen = {"width": 390, "height": 1150, "deviceScaleFactor": 1.5, "mobile": True}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
    browser.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": True})
    server.open()
    server.add("بيت أحمر.\nفي البدء خلق الله السماوات والأرض.\n", sure=True)
    server.wait("return document.querySelector('#phrases button') !== null")
    browser.execute_script("document.activeElement.blur()")
    browser.save_screenshot(str(out / "desk-telephone.png"))
