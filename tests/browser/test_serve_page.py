"""The translator's page in a browser: correct, learn, reload, and go on after a kill of the server."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from selenium.webdriver import Chrome, Keys
from selenium.webdriver.common.by import By
from selenium.webdriver.support.select import Select
from support.live_page import SYSTEM, Server
from support.sessions import LIVE, write_written_system

pytestmark = pytest.mark.long(100)

ATTACK = "<script>document.title='attacked'</script>"
PAIRS = {
    "la casa es zorgulo": "the house is dragon",
    "el zorgulo es verde": "the dragon is green",
    "la casa verde": "the green house",
    "zorgulo verde": "green dragon",
    "el florin es grande": "the flower is big",
    "la casa es muy grande": "the house is very big",
    "florin verde": "green flower",
    "el zorgulo grande": "the big dragon",
    f"la {ATTACK} casa": f"the {ATTACK} house",
    "el florin": "the flower",
    "el zorgulo": "the dragon",
}
"""Sentences and their corrections; the last one is only shown."""


def test_ten_corrections_a_reload_and_a_kill(server: Server) -> None:
    """A word is learned, and nothing is lost; the mouse is not used."""
    server.open()
    server.shows("#empty")
    server.add("\n".join(PAIRS))
    assert server.text("#source .unknown").startswith("zorgulo")
    assert server.text("#phrases button.unknown").startswith("zorgulo")
    for number, target in enumerate(list(PAIRS.values())[:10], 1):
        server.at_sentence(number)
        if number == 2:
            shown = server.value
            assert "dragon" in shown and "zorgulo" not in shown
            server.wait("return document.querySelector('#phrases .changed') !== null")
            assert "dragon" in server.text("#phrases .changed")
        server.correct(target)
    server.at_sentence(11)
    assert server.value == "the dragon"
    server.settled(10)
    assert "zorgulo → dragon" in server.text("#rules")
    before = {name: server.text(name) for name in ("#numbers", "#rules", "#weights", "#charts")}
    server.open()
    server.at_sentence(11)
    assert {name: server.text(name) for name in before} == before
    port = server.port
    server.kill()
    server.correct("the dragon")
    server.said("The server does not")
    server.start(port)
    # What was typed is still there.
    assert server.value == "the dragon"
    server.keys(Keys.ENTER)
    server.settled(11)
    assert all(target in server.text("#sentence") for target in list(PAIRS.values())[-4:-1])
    assert server.browser.title != "attacked"
    assert ATTACK in server.text("#rows")


@pytest.mark.slow
def test_the_work_is_counted_and_reported(server: Server) -> None:
    """Keys are those that were pressed; a click is one; the dialog of the report is as the page."""
    server.open()
    server.add("la casa es zorgulo\nla casa verde\n")
    server.correct("the dragon")  # ten keys, after Control and a, and before Enter
    server.at_sentence(2)
    server.find("#confirm").click()
    server.wait("return document.querySelector('#progress').textContent.startsWith('2 of 2')")
    server.script("document.querySelector('#open-report').click()")
    server.wait("return document.querySelector('#report').open")

    def reported() -> Any:
        session = "new URLSearchParams(location.hash.slice(1)).get('session')"
        fetched = f"fetch(`/api/sessions/${{{session}}}/report`).then((answer) => answer.json())"
        return server.browser.execute_async_script(f"{fetched}.then(arguments[0])")

    report = reported()
    assert report["documents"][-1]["sentences"] == 2
    numbers = dict(zip(server.texts("#report dt"), server.texts("#report dd"), strict=True))
    assert numbers["sentences"] == str(report["sentences"])
    assert numbers["keys"] == str(report["keys"])
    assert f"{report['hter']['shown']:.1f}" in server.text("#report")
    size = {"width": 390, "height": 800, "deviceScaleFactor": 1, "mobile": True}
    server.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    widths = "[...document.querySelectorAll('#report tbody th')].map((name) => name.clientWidth)"
    dialog = "document.querySelector('#report')"
    assert min(server.script(f"return {widths}")) > 100  # no letter stands in a line of its own
    assert server.script(f"return {dialog}.scrollWidth <= {dialog}.clientWidth")
    server.browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    server.script("document.querySelector('#report button.main').click()")
    server.add("la casa\n")
    server.correct("the house")
    server.wait("return document.querySelector('#progress').textContent.startsWith('1 of 1')")
    again = reported()
    assert again["keys"] == report["keys"] + len("the house") + 2  # and a with Control, and Enter
    assert again["clicks"] == report["clicks"] >= 1


def test_alternatives_by_keyboard(server: Server) -> None:
    server.open()
    server.add("muy verde\n")  # which is close to no corrected sentence
    word = "[...document.querySelectorAll('#phrases button')].find(b => b.textContent.startsWith('very'))"
    server.script(f"{word}.focus()")
    server.keys(Keys.ENTER)
    server.wait("return document.querySelector('#alternatives').contains(document.activeElement)")
    server.keys(Keys.ARROW_DOWN)
    chosen = server.script("return document.activeElement.firstChild.textContent")
    server.keys(Keys.ENTER)
    value = server.value
    assert server.browser.switch_to.active_element.get_attribute("id") == "target"
    assert chosen in value and not server.find("#alternatives").is_displayed()
    server.script(f"{word}.focus()")
    server.keys(Keys.ENTER)
    server.shows("#alternatives")
    server.keys(Keys.ESCAPE)
    assert not server.find("#alternatives").is_displayed()
    assert "very" in (server.browser.switch_to.active_element.text or "")


def test_a_changed_word_says_why_and_takes_its_correction_back(server: Server) -> None:
    server.open()
    server.add("la casa es brulo\nel brulo es verde\n")
    server.correct("the house is badger")
    server.at_sentence(2)
    buttons = "[...document.querySelectorAll('#phrases button')]"
    word = f"{buttons}.find((one) => one.textContent.includes(arguments[0]))"
    server.wait(f"return Boolean({word}?.querySelector('.changed'))", "badger")
    server.script(f"{word}.focus()", "badger")
    server.keys(Keys.ENTER)
    server.shows("#alternatives")
    assert "you corrected sentence 1: " in server.text("#alternatives .reason")
    server.keys(Keys.ARROW_UP)  # from the first alternative to the last button
    assert server.browser.switch_to.active_element.text == "Withdraw"
    server.keys(Keys.ENTER)
    server.wait(f"return {word} !== undefined", "brulo")
    assert "brulo" in server.value
    assert "badger" not in server.value


@pytest.mark.slow
def test_what_is_typed_is_completed(server: Server) -> None:
    """Tab takes a word, the right arrow all, keys of an input method nothing; Escape and a switch end it."""
    server.faults()
    server.open()
    server.add("la casa verde\n")

    def offered(typed: str) -> str:
        server.wait(
            "return document.querySelector('#rest').textContent"
            " && document.querySelector('#typed').textContent === arguments[0]",
            typed,
        )
        assert server.find("#take-word").is_displayed()
        return server.text("#rest")

    whole = server.value
    first, *others = whole.split()
    server.keys(Keys.CONTROL, "a")
    server.keys(first[:2])
    assert first[:2] + offered(first[:2]) == whole
    composed = "{key: 'Tab', isComposing: true, cancelable: true, bubbles: true}"
    press = f"document.querySelector('#target').dispatchEvent(new KeyboardEvent('keydown', {composed}))"
    assert server.script(f"return {press}")  # the page does not take it
    assert server.value == first[:2]
    server.keys(Keys.TAB)
    assert server.value == first and offered(first) == whole.removeprefix(first)
    server.find("#take-word").click()
    assert server.value == f"{first} {others[0]}"
    server.keys(Keys.ARROW_RIGHT)
    assert server.value == whole and not server.find("#offer").is_displayed()
    server.keys(Keys.CONTROL, "a")
    server.keys("qqq ")  # which no derivation has
    rest = offered("qqq ")
    assert rest and not rest.startswith(" ")
    server.keys(Keys.ESCAPE)
    assert not server.find("#offer").is_displayed()
    server.keys(Keys.CONTROL, " ")
    server.wait(f"return document.querySelector('#target').value === {json.dumps('qqq ' + rest)}")
    server.keys(Keys.CONTROL, "a")
    server.keys("qqq ")
    offered("qqq ")
    server.keys(Keys.ALT, "r")
    assert server.value == whole and not server.find("#offer").is_displayed() and not server.text("#rest")
    server.switch("completes")
    server.find("#target").send_keys(Keys.CONTROL, "a")
    server.keys(first)
    assert not server.find("#offer").is_displayed()
    server.switch("completes")
    server.switch("starts-empty")
    server.script("sessionStorage.clear()")
    server.browser.refresh()
    assert offered("") == whole and server.value == ""
    server.switch("starts-empty")
    assert not server.faults()


def test_keys_of_an_input_method_do_nothing_else(server: Server) -> None:
    """While a word is composed, Enter chooses it, and Tab and the arrows move among candidates."""
    server.open()
    server.add("la casa verde\nla casa\n")
    server.keys(Keys.CONTROL, "a")
    server.keys("the ")
    server.shows("#offer")
    composed = {"text": "家", "selectionStart": 1, "selectionEnd": 1}
    server.browser.execute_cdp_cmd("Input.imeSetComposition", composed)
    text = "the 家"
    for key in ("Enter", "Tab", "ArrowRight", "Escape"):
        event = {"type": "rawKeyDown", "key": key, "code": key, "windowsVirtualKeyCode": 229}
        server.browser.execute_cdp_cmd("Input.dispatchKeyEvent", event)
        assert server.value == text
    server.browser.execute_cdp_cmd("Input.insertText", {"text": "家"})
    assert server.value == text
    server.at_sentence(1)
    assert server.text("#progress") == "0 of 2 confirmed"
    server.keys(Keys.ENTER)
    server.at_sentence(2)


def test_the_derivation_is_drawn(server: Server) -> None:
    server.open()
    server.add("la casa verde\n")
    server.script("document.querySelector('#derivation summary').focus()")
    server.keys(Keys.ENTER)
    server.wait("return (document.querySelector('#drawing img') ?? {}).naturalWidth > 0")
    image = server.find("#drawing img")
    assert "casa" in (image.get_attribute("alt") or "")


def test_rules_are_withdrawn(server: Server) -> None:
    """One rule by keyboard, and back with the same button; then all that the correction taught."""
    server.open()
    server.add("el plipo\n")
    server.correct("the feather")
    server.wait("return document.querySelector('#rules').textContent.includes('plipo → feather')")
    server.add("plipo\n")
    assert server.value == "feather"
    server.script("document.querySelector('#rules details').open = true")
    button = "document.querySelector('#rules button[aria-label*=\"rule plipo → feather\"]')"
    server.script(f"{button}.focus()")
    for label, text in (("Use again", "plipo"), ("Withdraw", "feather")):
        server.keys(Keys.ENTER)
        server.wait(f"return {button}.textContent === arguments[0]", label)
        server.wait("return document.querySelector('#target').value === arguments[0]", text)
        server.wait(f"return document.activeElement === {button}")
        struck = server.script(f"return {button}.parentElement.querySelector('del') !== null")
        assert struck == (label == "Use again")
    server.script("document.querySelector('#rules button[aria-label*=taught]').focus()")
    server.keys(Keys.ENTER)
    server.wait("return !document.querySelector('#rules').textContent.includes('plipo → feather')")
    server.wait("return document.querySelector('#target').value === 'plipo'")


def test_a_term_is_given_and_removed_and_the_page_says_who_speaks(server: Server) -> None:
    server.open()
    server.add("plipo\n")
    assert "“certain”" in server.find("#expert").text
    server.add_term("plipo", "quill")
    server.wait("return document.querySelector('#target').value === 'quill'")
    server.wait("return document.querySelector('#terms').textContent.includes('plipo → quill')")
    server.find("#terms button").click()
    server.wait("return document.querySelector('#target').value === 'plipo'")
    server.wait("return document.querySelector('#terms').textContent === ''")


@pytest.mark.slow
def test_matches_are_put_into_the_text_by_a_click_or_a_key(server: Server) -> None:
    """A match of the memory takes the place of the text; a term comes where the cursor is; switches."""
    server.faults()
    server.open()
    server.add("el gato come mucho pan\nel gato come mucho arroz\n")
    server.correct("the cat eats much bread")
    server.at_sentence(2)
    server.add_term("arroz", "rice")
    server.wait("return document.querySelectorAll('#matches button').length === 2")
    assert server.texts("#matches button") == [
        "80 %el gato come mucho panthe cat eats much breadAlt+1",
        "termarrozriceAlt+2",
    ]
    assert server.texts("#matches .other") == ["pan"]
    server.wait("return document.querySelector('#term-source').value === ''")
    server.script("document.querySelector('#target').focus()")

    server.keys(Keys.CONTROL, "a")
    server.keys("nothing", Keys.ALT, "1")
    assert server.value == "the cat eats much bread"
    server.script("document.activeElement.setSelectionRange(18, 23)")
    server.script("document.querySelector('#matches li:last-child button').click()")
    assert server.value == "the cat eats much rice"
    for switch, left in (("shows-memory", ["term"]), ("shows-terms", [])):
        server.switch(switch)
        server.wait("return document.querySelectorAll('#matches li').length === arguments[0]", len(left))
    assert not server.find("#matches").is_displayed()
    server.browser.refresh()
    server.at_sentence(2)
    assert server.value == "the cat eats much rice"
    assert not server.find("#shows-memory").is_selected()
    for switch in ("shows-memory", "shows-terms"):
        server.switch(switch)
    server.wait("return document.querySelectorAll('#matches li').length === 2")
    assert not server.faults()


def test_a_sentence_that_the_machine_refuses_is_translated_by_hand(server: Server) -> None:
    """The page says why beside the field, also what is wrong with a correction."""
    server.faults()
    server.open()
    server.add(f"{'la ' * 201}\nla casa\n")
    assert "the source has 201 words, more than 200" in server.find("#problem").text
    assert not server.find("#phrases").is_displayed() and not server.find("#derivation").is_displayed()
    assert server.value == ""
    server.keys(Keys.ENTER)
    assert server.find("#problem").text == "A correction cannot be empty."
    server.keys("the", Keys.ENTER)
    server.at_sentence(2)
    server.said("Sentence 1 is confirmed. Nothing is learned from it")
    assert not server.find("#problem").is_displayed() and server.find("#phrases").is_displayed()
    assert server.text("#progress") == "1 of 2 confirmed"
    assert not server.faults()


def test_somebody_else_was_faster(server: Server) -> None:
    server.open()
    server.add("la casa\n")
    path = server.script(
        "const kept = new URLSearchParams(location.hash.slice(1));"
        "return `/api/sessions/${kept.get('session')}/documents/${kept.get('document')}/sentences/0`"
    )
    server.browser.execute_async_script(
        "fetch(arguments[0], {method: 'PUT', headers: {'content-type': 'application/json'},"
        " body: JSON.stringify({target: 'the hut', revision: 0})}).then(arguments[1])",
        path,
    )
    server.correct("the home")
    server.said("Someone else")
    assert server.value == "the home"
    server.keys(Keys.ENTER)
    server.said("Learned")


HELD = """
window.held = [];
const [kind, path] = arguments;
window.fetched ??= window.fetch;
window.fetch = async (address, options) => {
  const answer = await window.fetched(address, options);
  if (options.method !== kind || !address.endsWith(path)) return answer;
  window.fetch = window.fetched;
  const body = await answer.json();
  answer.json = async () => body;
  return new Promise((resolve) => window.held.push(() => resolve(answer)));
};
"""
"""Hold the next answer of the server to a method and the end of a path."""
RELEASED = "window.held.pop()(); setTimeout(arguments[0])"
"""Give the answer; all that the page does with it is done before the next task."""


def test_the_sentence_that_was_wished_for_last_is_shown(server: Server) -> None:
    """An older answer that comes later is told, not shown; what is typed meanwhile keeps the focus."""
    server.open()
    server.add("la casa\nel florin\nla casa verde\nel zorgulo\n")
    server.script(HELD, "PUT", "/sentences/0")
    server.correct("the house")
    server.wait("return window.held.length === 1")
    server.find("#goto").send_keys("3", Keys.ENTER)
    server.wait("return document.querySelector('#place').textContent.startsWith('Sentence 3 ')")
    server.find("#find").send_keys("casa")
    server.browser.execute_async_script(RELEASED)
    server.said("Learned correction")
    server.at_sentence(3)
    assert server.text("#progress") == "1 of 4 confirmed"
    server.keys(" verde")
    assert server.find("#find").get_attribute("value") == "casa verde"
    server.keys(Keys.CONTROL, "a")
    server.keys(Keys.BACKSPACE)
    assert server.texts("#rows .number") == ["1", "2", "3", "4"]

    server.script(HELD, "GET", "/sentences/1")
    server.find("#target").send_keys(Keys.ALT, Keys.ARROW_UP)
    server.wait("return window.held.length === 1")
    server.keys("!", Keys.ALT, Keys.ARROW_DOWN)  # from the second, which is not shown yet
    server.at_sentence(3)
    server.wait("return document.querySelector('#rows [aria-current]').dataset.state === 'edited'")
    server.keys(Keys.ALT, Keys.ARROW_DOWN)
    server.at_sentence(4)
    server.browser.execute_async_script(RELEASED)
    server.at_sentence(4)
    server.keys(Keys.ALT, Keys.ARROW_UP)
    server.at_sentence(3)
    assert server.value.endswith("!")


def test_a_file_is_uploaded_and_its_texts_are_texts(server: Server, tmp_path: Path) -> None:
    name = "<img src=x onerror=document.title='attacked'>.csv"
    (tmp_path / name).write_text(f'source,target\n"la {ATTACK}",\n')
    server.open()
    server.upload(tmp_path / name)
    server.said("Added")
    assert ATTACK in server.text("#source")
    assert name in server.text("#documents")
    server.correct(f"the {ATTACK}")
    server.said("Learned correction ")
    number = server.text("#status").removeprefix("Learned correction ").partition(".")[0]
    newest = "return document.querySelector('#rules summary').textContent.startsWith(arguments[0])"
    server.wait(newest, f"{number}. ")
    assert f"the {ATTACK}" in server.text("#rules li")
    assert server.browser.title != "attacked"
    assert not server.browser.find_elements(By.CSS_SELECTOR, "main script, header img")


@pytest.fixture(params=["light", "dark"])
def colours(browser: Chrome, request: pytest.FixtureRequest) -> Iterator[str]:
    """Let the browser prefer light or dark colours."""
    preferred = [{"name": "prefers-color-scheme", "value": request.param}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": preferred})
    yield request.param
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


@pytest.mark.slow
def test_no_serious_fault_of_accessibility(server: Server, colours: str) -> None:
    """As axe-core sees it, with everything shown at once, and with a dialog."""
    server.open()
    server.add("la casa es trulla\n")
    ground = server.script("return getComputedStyle(document.body).backgroundColor")
    assert (ground == "rgb(255, 255, 255)") == (colours == "light")
    server.script("document.querySelector('#derivation').open = true")
    server.script("document.querySelector('#phrases button').click()")
    server.shows("#alternatives")
    axe = files("axe_core_python").joinpath("axe.min.js").read_text("utf-8")
    server.script(axe)
    found = []
    for name, opened in (
        ("alternatives", "!document.querySelector('#alternatives').hidden"),
        ("add-document", "document.querySelector('#adding').open"),
        ("open-report", "document.querySelector('#report').open"),
    ):
        server.script(f"document.querySelector('#{name}').click()")
        server.wait(f"return {opened}")
        run = "const done = arguments[0]; axe.run().then(done)"
        found += server.browser.execute_async_script(run)["violations"]
    serious = [one for one in found if one["impact"] in ("serious", "critical")]
    told = [(one["id"], [node["html"][:200] for node in one["nodes"]]) for one in serious]
    assert not told, json.dumps(told, indent=1)


@pytest.mark.slow
def test_all_sentences_are_listed_found_and_opened(server: Server) -> None:
    """Few of many rows are elements; keys, a search, a choice and a number find a sentence."""
    server.faults()
    server.open()
    lines = [f"la casa {number}" for number in range(1, 3001)] + ["el zorgulo", "la casa 7"]
    server.add("\n".join(lines))
    grid = "document.querySelector('#grid')"
    assert server.script(f"return {grid}.getAttribute('aria-rowcount')") == "3002"
    assert 3 < len(server.texts("#rows .number")) < 60
    assert server.text("#progress") == "0 of 3002 confirmed"
    server.script(f"{grid}.focus()")
    server.keys(Keys.END)
    server.wait("return document.querySelector('#rows .active .number')?.textContent === '3002'")
    server.keys(Keys.ARROW_UP, Keys.ENTER)
    server.at_sentence(3001)
    assert server.text("#source") == "el (unknown) zorgulo (unknown)"
    assert server.text("#rows [aria-current] .number") == "3001"
    server.correct("the dragon")
    server.at_sentence(3002)
    server.find("#find").send_keys("DRAGON")
    assert server.texts("#rows .number") == ["3001"]
    server.find("#find").clear()
    server.find("#find").send_keys("nowhere")
    assert server.find("#none-listed").is_displayed()
    server.find("#find").clear()
    server.find("#find").send_keys(Keys.BACKSPACE)
    for choice, expected in (("confirmed", ["3001"]), ("repeated", ["3002"])):
        Select(server.find("#choice")).select_by_value(choice)
        assert server.texts("#rows .number") == expected
    server.find("#goto").send_keys("1500", Keys.ENTER)
    server.at_sentence(1500)
    assert server.text("#progress") == "1 of 3002 confirmed"
    assert not server.faults()


def test_text_from_right_to_left_begins_at_the_right(server: Server) -> None:
    server.open()
    server.add("שלום עולם .\nla casa\n")
    right = "return getComputedStyle(document.querySelector(arguments[0])).direction"
    for selector in ("#source", "#phrases", "#target", "#rows .present :nth-child(2)"):
        assert server.script(right, selector) == "rtl", selector
    server.correct("the house .")
    server.at_sentence(2)
    for selector in ("#source", "#phrases", "#target"):
        assert server.script(right, selector) == "ltr", selector


def test_the_token_in_the_address_opens_the_page(
    browser: Chrome, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("token")
    LIVE.write(folder)
    (folder / "weights").write_text("Right 1\n")
    with Server(browser, folder, *SYSTEM, "--host", "0.0.0.0") as server:
        server.url = server.url.replace("0.0.0.0", "127.0.0.1")
        token = server.url.partition("#token=")[2]
        browser.get(server.url.partition("#")[0])
        server.wait("return document.querySelector('#login').open")
        server.find("#token").send_keys("wrong", Keys.ENTER)
        server.wait("return document.querySelector('#login .problem').textContent !== ''")
        assert server.find("#login .problem").is_displayed() and "--token-file" in server.text("#login label")
        server.open()
        assert token not in browser.current_url
        assert browser.execute_script("return document.cookie") == ""
        browser.get("about:blank")
        browser.get(server.url.partition("#")[0])
        server.wait("return document.querySelector('#sessions').options.length > 0")


@pytest.fixture(scope="module")
def of_text(browser: Chrome, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Yield a server of a system for text as written."""
    folder = tmp_path_factory.mktemp("written")
    write_written_system(folder)
    with Server(browser, folder, *SYSTEM) as server:
        yield server


@pytest.mark.slow
def test_text_is_shown_and_taken_as_written(of_text: Server) -> None:
    server = of_text
    server.faults()  # of the tests before
    server.open()
    server.add("La 𝕔asa es «zorgulo».\nEl zorgulo es ``a b``, la casa.\n")
    assert server.text("#source").startswith("La 𝕔asa (unknown) es « (unknown)zorgulo (unknown)»")
    assert server.find("#source").get_attribute("lang") == "es"
    server.correct("The house is “London”.")
    server.at_sentence(2)
    assert "The house is “London”." in server.text("#rows")
    assert "zorgulo es ``a b``," in server.text("#source")
    value = server.value
    assert "London" in value and " ``a b``, " in value and value.endswith(".")
    server.wait("return document.querySelector('#phrases .changed') !== null")
    assert "London" in server.text("#phrases .changed")
    server.wait("return document.querySelector('#rules').textContent.includes('zorgulo → London')")
    london = "[...document.querySelectorAll('#phrases button')].find(b => b.textContent.startsWith('London'))"
    server.script(f"{london}.click()")
    server.shows("#alternatives")
    assert server.text("#alternatives p").startswith("zorgulo")
    button = server.browser.find_elements(By.CSS_SELECTOR, "#alternatives > button")[-1]
    chosen = server.script("return arguments[0].firstChild.textContent", button)
    button.click()
    replaced = server.value
    assert chosen in replaced and replaced != value and replaced.endswith(value[value.index(" ``a b``") :])
    server.keys(Keys.ENTER)
    server.said("Learned correction 2")
    assert not server.faults()


MISSING = "return [...document.querySelectorAll('#kept .missing')].map((one) => one.dataset.piece)"
"""The pieces that the translation lacks."""
MARKUP = """<html><body><p>La <b>casa</b> es zorgulo. El zorgulo <img src="a.png"> es
<a href="https://example.org/a/long/way/to/the/house">verde</a>.</p><p>La <i>casa</i> verde.</p></body></html>
"""


def test_tags_are_small_marks_and_a_lost_one_is_told(of_text: Server, tmp_path: Path) -> None:
    server = of_text
    (tmp_path / "a.html").write_text(MARKUP)
    server.faults()
    server.open()
    server.upload(tmp_path / "a.html")
    server.said("Added a.html: 3 sentences")
    texts = "return [...document.querySelectorAll(arguments[0])].map((one) => one.firstChild.textContent)"

    def all_of(selector: str) -> list[str]:
        return list(server.script(texts, selector))

    assert all_of("#source .piece") == all_of("#kept button") == ["<b>", "</b>"]
    assert all_of("#phrases .piece") == ["<b>", "</b>"]
    assert not all_of("#kept .missing")
    server.keys(Keys.CONTROL, "a")
    server.keys("The <b>house is London.")
    assert all_of("#kept .missing") == ["</b>"]
    server.keys(Keys.ENTER)
    server.shows("#problem")
    assert server.text("#problem").startswith("The translation has no '</b>'.")
    (refused,) = server.faults()
    assert "412" in refused["message"]
    server.keys(Keys.ENTER)
    server.at_sentence(2)
    server.said("Learned correction")
    assert "</b>" not in server.text("#status")  # what was confirmed is not said again
    server.find("#export").click()
    server.wait("return document.querySelector('#checking').open")
    assert server.text("#faulty") == "Sentence 1the translation has no '</b>'"
    server.find("#faulty button").click()
    server.at_sentence(1)
    server.keys(Keys.ENTER)  # the same text stays confirmed
    server.at_sentence(2)
    server.keys(Keys.ALT, Keys.ARROW_UP)
    server.at_sentence(1)
    server.keys(Keys.ALT, Keys.ARROW_DOWN)
    server.at_sentence(2)
    assert all_of("#source .piece")[0] == '<img src="a.png">' and len(all_of("#kept button")) == 3
    server.keys(Keys.ALT, Keys.ARROW_UP)
    server.at_sentence(1)
    assert all_of("#kept .missing") == ["</b>"]
    field = "document.querySelector('#target')"
    server.script(f"{field}.setSelectionRange(12, 12)")
    server.script("document.querySelector('#kept .missing').click()")
    assert server.value == "The <b>house</b> is London."
    assert not all_of("#kept .missing")
    server.keys(Keys.ENTER)
    server.at_sentence(2)
    assert not server.text("#status").endswith("'</b>'.")
    assert not server.faults()


def test_marks_in_the_field_are_taken_as_a_whole(of_text: Server, tmp_path: Path) -> None:
    """By the keys that move and delete, by a selection, and by the cursor; they can be moved and undone."""
    server = of_text
    (tmp_path / "a.html").write_text('<p>La <b>casa</b> <img src="a.png"> verde.</p>')
    server.faults()
    server.open()
    server.upload(tmp_path / "a.html")
    server.said("Added a.html: 1 sentence")
    script = "const f = document.querySelector('#target'); "

    def select(begin: int, end: int, expected: tuple[int, int]) -> None:
        """Select a part, and wait until all that is expected is selected."""
        server.script(f"{script} f.focus(); f.setSelectionRange({begin}, {end}, 'forward')")
        selected = "JSON.stringify([f.selectionStart, f.selectionEnd])"
        server.wait(f"{script} return {selected} === JSON.stringify(arguments[0])", expected)

    text = 'The <b>house</b> <img src="a.png"> is green.'
    server.keys(Keys.CONTROL, "a")
    server.keys(text)
    assert server.texts("#marks mark") == ["<b>", "</b>", '<img src="a.png">']
    image = text.index("<img"), text.index(" is green")
    select(image[0] + 2, image[0] + 2, (image[0], image[0]))
    select(image[1] - 2, image[1] - 2, (image[1], image[1]))
    select(2, 5, (2, 7))
    select(image[0] + 3, image[0] + 5, image)
    select(image[0], image[0], (image[0], image[0]))
    place = script + "return f.selectionStart"
    server.keys(Keys.ARROW_RIGHT)
    assert server.script(place) == image[1]
    server.keys(Keys.ARROW_LEFT)
    assert server.script(place) == image[0]

    server.keys(Keys.DELETE)
    assert server.value == "The <b>house</b>  is green."
    server.keys(Keys.BACKSPACE, Keys.BACKSPACE)
    assert server.value == "The <b>house is green."
    assert server.script(MISSING) == ["</b>", '<img src="a.png">']
    server.keys(Keys.CONTROL, "z")
    assert server.value == "The <b>house</b> is green."
    assert not server.faults()


def test_a_piece_is_there_in_any_form_that_it_may_have(of_text: Server, tmp_path: Path) -> None:
    server = of_text
    (tmp_path / "a.md").write_text('La [casa](https://e.org "la casa") de 3.5 km.\n')
    server.open()
    server.upload(tmp_path / "a.md")
    server.said("Added a.md: 1 sentence")
    server.keys(Keys.CONTROL, "a")
    server.keys('The [house](https://e.org "the house") of 3,5 km.')
    assert server.script(MISSING) == []
    server.keys(Keys.CONTROL, "a")
    server.keys('The [house](https://e.org/x "the house") of 4,5 km.')
    assert server.script(MISSING) == ['](https://e.org "la casa")', "3.5 km"]


@pytest.mark.slow
def test_documents_and_sessions_are_renamed_and_deleted(server: Server) -> None:
    def delete() -> None:
        server.find("#changing .loss").click()
        server.wait("return document.querySelector('#deleting').open")

    server.faults()
    server.open()
    server.find("#new-session").click()
    server.find("#name").send_keys("Other", Keys.ENTER)
    server.shows("#empty")
    assert not server.find("#change-document").is_displayed()
    server.add("la casa\nel florin\n")
    server.find("#change-document").click()
    server.find("#other-name").clear()
    server.find("#other-name").send_keys("first.txt", Keys.ENTER)
    server.said("The document is called first.txt now.")
    assert server.text("#documents") == "first.txt (0 of 2)"
    server.add("la casa verde\n")
    server.find("#change-document").click()
    delete()
    assert "pasted.txt" in server.find("#deleting-name").text and "taught stays" in server.find("#loss").text
    server.keys(Keys.ENTER)  # which keeps it
    server.wait("return !document.querySelector('#deleting').open")
    assert len(server.find("#documents").find_elements(By.TAG_NAME, "option")) == 2
    server.find("#change-document").click()
    delete()
    server.find("#deleting .loss").click()
    server.said("The document pasted.txt is deleted.")
    assert server.text("#documents") == "first.txt (0 of 2)"
    server.at_sentence(1)
    server.find("#change-session").click()
    server.find("#other-name").send_keys(" one", Keys.ENTER)
    server.said("The session is called Other one now.")
    assert "Other one" in server.text("#sessions")
    server.find("#change-session").click()
    delete()
    server.find("#deleting .loss").click()
    server.said("The session Other one is deleted.")
    assert "Other" not in server.text("#sessions")
    assert not server.faults()


def test_the_end_of_a_document_leads_on(server: Server) -> None:
    """To the sentence that is still open; when none is, to the export."""
    server.open()
    server.add("la casa\nel florin\nla casa verde\n")
    assert not server.find("#end").is_displayed()
    server.keys(Keys.ALT, Keys.ARROW_DOWN)
    server.at_sentence(2)
    server.keys(Keys.ALT, Keys.ARROW_DOWN)
    server.at_sentence(3)
    assert server.find("#end-says").text == "This is the last sentence; 3 of 3 are open."
    server.find("#next-open").click()
    server.at_sentence(1)
    server.find("#goto").send_keys("2", Keys.ENTER)
    server.at_sentence(2)
    server.correct("the flower")
    server.at_sentence(3)
    server.correct("the green house")
    server.at_sentence(1)
    assert server.text("#status").endswith("No later sentence is open: back to sentence 1.")
    assert not server.find("#end").is_displayed()
    server.correct("the house")
    server.wait("return document.activeElement.id === 'export-now'")
    assert server.text("#end-says") == "All 3 sentences are confirmed."
    assert not server.find("#next-open").is_displayed()
    exported = "return fetch(document.activeElement.href).then((answer) => answer.text())"
    assert server.script(exported) == "the house\nthe flower\nthe green house\n"


STATES = """msgid "la casa"
msgstr "the house"

#, fuzzy
msgid "verde"
msgstr "red"

msgid "muy grande"
msgstr ""

msgid "muy"
msgstr ""

msgctxt "again"
msgid "muy"
msgstr ""
"""


@pytest.mark.slow
def test_translations_of_a_document_are_shown_with_their_states(server: Server, tmp_path: Path) -> None:
    """What is typed and left is kept, also where nothing of the tab is; the machine's text is no draft."""
    (tmp_path / "a.po").write_text(STATES)
    server.faults()
    server.open()
    server.upload(tmp_path / "a.po")
    server.said("Added")
    server.at_sentence(2)  # the first that is open
    script = "return [...document.querySelectorAll('#rows > div')].map((one) => one.dataset.state)"

    def states() -> list[str]:
        return list(server.script(script))

    assert states() == ["confirmed", "edited", "new", "new", "repeated"]
    assert server.text("#progress") == "1 of 5 confirmed"
    assert server.value == "red"
    server.keys(Keys.ALT, Keys.ARROW_DOWN)
    server.at_sentence(3)
    assert states() == ["confirmed", "edited", "machine", "new", "repeated"]
    server.keys(Keys.CONTROL, "a")
    server.keys("so tall", Keys.ALT, Keys.ARROW_DOWN)
    server.at_sentence(4)
    assert states() == ["confirmed", "edited", "edited", "machine", "repeated"]
    assert "so tall" in server.text("#rows")
    server.keys("!", Keys.ALT, "r")  # the machine's text again
    server.keys(Keys.ALT, Keys.ARROW_UP)
    server.at_sentence(3)
    server.script("sessionStorage.clear()")
    server.browser.refresh()
    server.at_sentence(3)
    assert states() == ["confirmed", "edited", "edited", "machine", "repeated"]
    for choice, expected in {"open": "2345", "edited": "23", "machine": "4", "new": ""}.items():
        Select(server.find("#choice")).select_by_value(choice)
        assert "".join(server.texts("#rows .number")) == expected, choice
    server.find("#goto").send_keys("3", Keys.ENTER)
    server.at_sentence(3)
    assert server.value == "so tall"
    assert not server.faults()
