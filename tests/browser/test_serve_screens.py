"""The translator's page on small screens and enlarged, and when much was learned."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest
from selenium.webdriver import Chrome, Keys
from support.live_page import Server
from support.sessions import write_written_system

pytestmark = pytest.mark.long(26)

LONG = "Averylongwordthatnolineholds" * 6
DOCUMENT = f"""\
La casa es zorgulo.

El `print()` zorgulo <b>verde</b> es {"muy " * 30}grande.

{LONG} casa.

La casa [verde](https://example.org/{"x" * 90}).

שלום עולם.
"""

UNREACHED = """
const found = [];
const top = document.querySelector("dialog[open]") ?? document.body;
for (const one of top.querySelectorAll("button, a[href], input, select, textarea, summary, [tabindex='0']")) {
  if (!one.checkVisibility({ visibilityProperty: true })) continue;
  one.scrollIntoView({ block: "center", inline: "nearest" });
  const { left, right, top, bottom } = one.getBoundingClientRect();
  const middle = Math.max(1, Math.min((top + bottom) / 2, innerHeight - 1));
  const hit = document.elementFromPoint((left + right) / 2, middle);
  const isHit = hit && (one.contains(hit) || hit.closest("label")?.contains(one));
  if (left < 0 || right > innerWidth || !isHit) found.push([one.id || one.textContent, left, right, hit?.id]);
}
scrollTo(0, 0);
return found;
"""
"""What can be operated, but is beside the window or below something else when it is scrolled to."""


@pytest.fixture(scope="module")
def server(browser: Chrome, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("serve")
    write_written_system(folder)
    options = ("-c", "cdec.ini", "-w", "weights", "--set", "C=0.1", "--rate", "1000")
    with Server(browser, folder, *options) as server:
        yield server


@pytest.fixture
def telephone(browser: Chrome) -> Iterator[Chrome]:
    """Yield a browser that is a telephone in dark colours."""
    screen = {"width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": True}
    dark = [{"name": "prefers-color-scheme", "value": "dark"}]
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
    browser.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": True})
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": dark})
    yield browser
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    browser.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": False})
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


@pytest.fixture(params=[(1280, 1024), (1024, 720)], ids=lambda size: f"{size[0]}")
def enlarged(browser: Chrome, request: pytest.FixtureRequest) -> Iterator[Chrome]:
    """Yield a browser in a window of these pixels, all enlarged to 200 %."""
    width, height = (pixels // 2 for pixels in request.param)
    screen = {"width": width, "height": height, "deviceScaleFactor": 2, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
    yield browser
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def check_width(server: Server, what: str) -> None:
    """Nothing is wider than the window."""
    width = "return Math.max(...[document.documentElement, ...document.querySelectorAll('dialog[open]')]"
    wider = server.script(f"{width}.map((one) => one.scrollWidth - one.clientWidth))")
    assert wider <= 0, what


def check_reached(server: Server, what: str) -> None:
    """Nothing is wider than the window, and all that can be operated can be seen."""
    check_width(server, what)
    assert server.script(UNREACHED) == [], what


def check_alternatives(server: Server, what: str) -> None:
    """The alternatives of the last phrase are inside the window, and Escape ends them."""
    server.script("[...document.querySelectorAll('#phrases button')].at(-1).click()")
    server.shows("#alternatives")
    edges = "const { left, right } = document.querySelector('#alternatives').getBoundingClientRect()"
    assert server.script(f"{edges}; return 0 <= left && right <= innerWidth"), what
    check_width(server, what)
    server.keys(Keys.ESCAPE)
    assert not server.find("#alternatives").is_displayed()


@pytest.mark.slow
def test_a_telephone_has_all_of_it(server: Server, telephone: Chrome, tmp_path: Path) -> None:
    """By touch: alternatives, completion and a long word stay inside the screen, and no key is told."""
    (tmp_path / "a.md").write_text(DOCUMENT, "utf-8")
    server.open()
    server.upload(tmp_path / "a.md")
    server.said("Added")
    for number in range(1, 6):
        server.at_sentence(number)
        check_alternatives(server, f"alternatives of sentence {number}")
        check_reached(server, f"sentence {number}")
        assert not server.find("#keys").is_displayed() and not server.find("#numbers").is_displayed()
        if number < 5:
            telephone.execute_script("document.querySelector('#confirm').click()")
    assert server.text("#progress") == "4 of 5 confirmed"


def test_nothing_moves_while_a_document_is_loaded(server: Server) -> None:
    """The sum of all layout shifts, as browsers measure it; below 0.1 is good by their own scale."""
    server.open()
    server.add("La casa es muy verde.\nLa casa.\n")
    server.browser.refresh()
    server.at_sentence(1)
    shifts = server.browser.execute_async_script(
        "const done = arguments[0]; let sum = 0;"
        "new PerformanceObserver((list) => list.getEntries().forEach((one) => (sum += one.value)))"
        ".observe({ type: 'layout-shift', buffered: true });"
        "requestAnimationFrame(() => setTimeout(() => done(sum)))"
    )
    assert shifts < 0.02


def test_all_is_reached_at_200_percent(server: Server, enlarged: Chrome, tmp_path: Path) -> None:
    """Nothing is wider than the window, also with long words, nor lies below something else."""
    (tmp_path / "a.md").write_text(DOCUMENT, "utf-8")

    server.open()
    server.upload(tmp_path / "a.md")
    server.said("Added")
    server.at_sentence(1)
    before = int(server.text("#numbers dd"))
    server.correct("The house is dragon.")
    server.at_sentence(2)
    server.settled(before + 1)
    enlarged.execute_script("for (const one of document.querySelectorAll('details')) one.open = true")
    server.wait("return document.querySelector('#drawing img')?.complete")
    check_reached(server, "a sentence")
    server.keys(Keys.CONTROL, "a")
    server.keys("The ")
    server.wait("return document.querySelector('#following').children.length > 0")
    check_reached(server, "completion")
    server.find("#confirm").click()
    server.shows("#problem")
    check_reached(server, "doubts")
    server.find("#confirm").click()
    server.at_sentence(3)
    for number in range(2, 6):
        server.find("#goto").clear()
        server.find("#goto").send_keys(str(number), Keys.ENTER)
        server.at_sentence(number)
        check_alternatives(server, f"alternatives of sentence {number}")
        check_reached(server, f"sentence {number}")
    for name in ("adding", "naming", "concordance", "replacing", "checking", "changing", "deleting", "login"):
        dialog = f"document.querySelector('#{name}')"
        enlarged.execute_script(f"{dialog}.showModal()")
        check_reached(server, name)
        enlarged.execute_script(f"{dialog}.close()")
    enlarged.execute_script("document.querySelector('#open-report').click()")
    server.wait("return document.querySelector('#report').open && document.querySelector('#reported svg')")
    check_reached(server, "the report")
    enlarged.execute_script("document.querySelector('#report').close()")


def test_phrases_from_right_to_left_stand_in_the_order_of_reading(server: Server) -> None:
    server.open()
    server.add("שלום עולם .\n", sure=True)
    places = (
        "[...document.querySelectorAll('#phrases button')].map((one) => one.getBoundingClientRect().left)"
    )
    found = server.script(f"return {places}")
    assert len(found) > 1 and found == sorted(found, reverse=True)


def test_doubtful_words_are_marked_unless_nobody_wants_it(server: Server) -> None:
    server.open()
    server.add("El `print()` zorgulo verde.\n")
    marked = "return document.querySelectorAll('#phrases .doubt').length"
    assert server.script(marked) > 0
    server.switch("doubts")
    assert server.script(marked) == 0
    server.switch("doubts")
    assert server.script(marked) > 0


@pytest.mark.slow
def test_a_hundred_corrections_are_short_lines_that_a_search_finds(server: Server) -> None:
    """Folded, they are no taller than some screens, and Tab stops at each once; the oldest are found, too."""
    server.open()
    server.script("document.querySelector('#new-session').click()")
    server.find("#name").send_keys("Much", Keys.ENTER)
    server.wait("return document.querySelector('#sessions').selectedOptions[0].textContent === 'Much'")
    session = server.script("return document.querySelector('#sessions').value")
    for number in range(1, 101):
        _post(f"{server.url}api/sessions/{session}/corrections", f"La palabra{number}.", f"The word{number}.")
    server.wait("return document.querySelector('#rules').textContent.includes('… and 70 before')")
    assert server.script("return document.querySelector('#rules').offsetHeight") < 2000
    stops = (
        "[...document.querySelectorAll('#rules :is(summary, button)')].filter((one) => one.checkVisibility())"
    )
    assert server.script(f"return {stops}.length") == 30
    listed = "[...document.querySelectorAll('#rules summary')].map((one) => one.textContent)"
    server.find("#find-learned").send_keys("WORD7.")
    server.wait(f"return {listed}.join() === arguments[0]", "7. palabra7 → word7")
    server.find("#find-learned").send_keys("x")
    server.wait("return document.querySelector('#rules').textContent === 'No correction has that.'")
    server.find("#find-learned").send_keys(Keys.BACKSPACE * 6)
    server.wait(f"return {listed}.length === 30")


def _post(address: str, source: str, target: str) -> Any:
    body = json.dumps({"source": source, "target": target}).encode()
    return urlopen(Request(address, body, {"content-type": "application/json"})).read()
