"""The translator's page in a browser: what a day at the desk asks for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from selenium.webdriver import Chrome, Keys
from support.live_page import SYSTEM, Server
from support.sessions import write_written_system

pytestmark = pytest.mark.long(60)

FIELD = "document.querySelector('#target')"


@pytest.fixture(scope="module")
def server(browser: Chrome, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("serve")
    write_written_system(folder)
    with Server(browser, folder, *SYSTEM) as server:
        yield server


def has(server: Server, text: str) -> None:
    """Wait until the field has a text."""
    server.wait(f"return {FIELD}.value === arguments[0]", text)


@pytest.mark.slow
def test_what_the_page_writes_is_undone_as_what_is_typed(server: Server) -> None:
    """A match, a term, a completion, the machine's text, its rest, and an alternative, each by one Ctrl+Z."""
    server.open()
    server.add("La casa zorgulo muy verde.\nLa casa zorgulo muy grande.\n")
    server.correct("The house dragon very green.")
    server.at_sentence(2)
    server.add_term("muy", "very")
    server.wait("return document.querySelectorAll('#matches button').length === 2")
    server.script(f"{FIELD}.focus()")
    machine = server.value
    server.keys(Keys.CONTROL, "a")
    server.keys("The ")
    server.wait("return document.querySelector('#typed').textContent === 'The '")
    rest = server.text("#rest")

    def done_and_undone(do: Callable[[], None], expected: str) -> None:
        server.keys(Keys.END)
        do()
        has(server, expected)
        server.keys(Keys.CONTROL, "z")
        has(server, "The ")

    done_and_undone(lambda: server.keys(Keys.ARROW_RIGHT), "The " + rest)
    done_and_undone(lambda: server.keys(Keys.ALT, "r"), machine)
    done_and_undone(lambda: server.keys(Keys.ALT, "1"), "The house dragon very green.")
    done_and_undone(lambda: server.keys(Keys.ALT, "2"), "The very")
    done_and_undone(lambda: server.keys(Keys.CONTROL, " "), "The " + rest)
    server.keys(Keys.ALT, "r")
    server.script("document.querySelector('#phrases button').click()")
    server.shows("#alternatives")
    server.script("document.querySelector('#alternatives > button:nth-of-type(2)').click()")
    server.wait(f"return {FIELD}.value !== arguments[0]", machine)
    server.keys(Keys.CONTROL, "z")
    has(server, machine)


@pytest.mark.slow
def test_a_confirmation_a_term_and_a_withdrawal_are_undone(server: Server) -> None:
    """By the button, by Alt+Z, and in the list of what was done."""
    server.open()
    server.add("La brula es verde.\nLa brula es grande.\n")
    server.correct("The badger is green.")
    server.at_sentence(2)
    rules = "document.querySelector('#rules').textContent.includes('badger')"
    server.wait(f"return {rules}")
    server.find("#undo").click()
    server.at_sentence(1)
    assert server.text("#progress") == "0 of 2 confirmed"
    assert server.value == "The badger is green."
    server.wait(f"return !{rules}")
    server.keys(Keys.ENTER)
    server.at_sentence(2)
    server.wait(f"return {rules}")
    server.script("document.querySelector('#rules details').open = true")
    server.script("document.querySelector('#rules button[aria-label*=taught]').click()")
    server.wait(f"return !{rules}")
    server.wait("return document.querySelector('#status').textContent.endsWith('is withdrawn.')")
    server.script(f"{FIELD}.focus()")
    server.keys(Keys.ALT, "z")
    server.wait(f"return {rules}")
    server.add_term("grande", "tall")
    term = "document.querySelector('#terms').textContent.includes('grande → tall')"
    server.wait(f"return {term} && document.querySelector('#term-source').value === ''")
    server.find("#terms button[aria-label*=grande]").click()
    server.wait(f"return !{term}")
    server.said("The term grande is used no more.")
    server.script(f"{FIELD}.focus()")
    server.keys(Keys.ALT, Keys.ARROW_UP)
    server.at_sentence(1)
    assert not server.find("#undo").is_displayed() and server.text("#status") == ""
    server.script("document.querySelector('#acts button').click()")
    server.wait(f"return {term}")


def test_an_input_method_confirms_nothing_in_any_order_of_its_events(server: Server) -> None:
    """Safari ends a composition before the key that ends it; macOS types a letter with Alt and R."""
    server.open()
    server.add("La casa verde.\nLa casa.\n")
    machine = server.value
    made = "new KeyboardEvent('keydown', {...arguments[0], cancelable: true, bubbles: true})"
    press = f"{FIELD}.dispatchEvent({made})"
    for event in ({"key": "Enter", "keyCode": 229}, {"key": "Enter", "keyCode": 13, "isComposing": True}):
        assert server.script(f"return {press}", event), event  # the page does not take it
    server.keys("x")
    assert not server.script(f"return {press}", {"key": "®", "code": "KeyR", "altKey": True})
    has(server, machine)
    server.keys(Keys.ENTER)
    server.at_sentence(2)


def test_alternatives_replace_what_is_clicked_and_are_drawn_inside_the_window(server: Server) -> None:
    server.open()
    server.add("La casa es muy verde, la casa.\n")
    machine = server.value
    count = server.script("return document.querySelectorAll('#phrases button').length")
    boxes = "document.querySelector('#alternatives').getBoundingClientRect()"
    for place in range(count):
        button = "document.querySelectorAll('#phrases button')[arguments[0]]"
        clicked = server.script(f"const one = {button}; one.click(); return one.textContent", place)
        server.shows("#alternatives")
        names = server.texts("#alternatives > button > span:first-child")
        assert len(set(names)) == len(names) and names[0] in machine
        assert all(name != clicked for name in names[1:])
        assert not any(text[-1].isdigit() for text in server.texts("#alternatives > button"))
        assert server.script(f"const box = {boxes}; return box.top >= 0 && box.bottom <= innerHeight")
        last = len(names)
        server.script(f"document.querySelector('#alternatives > button:nth-of-type({last})').click()")
        value = server.value
        assert "  " not in value and " ," not in value and names[-1].replace("(nothing)", "") in value
        server.keys(Keys.ALT, "r")
        has(server, machine)


def test_going_to_a_sentence_shows_its_source_and_the_address_names_it(server: Server) -> None:
    """Also in a low window; a reload stays there, and Back goes to the sentence before."""
    size = {"width": 640, "height": 400, "deviceScaleFactor": 2, "mobile": False}
    server.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        server.open()
        server.add("La casa verde.\nLa casa.\nEl zorgulo verde.\n")
        server.script("scrollTo(0, document.body.scrollHeight)")
        server.find("#goto").send_keys("3", Keys.ENTER)
        server.at_sentence(3)
        top = "document.querySelector('#source').getBoundingClientRect().top"
        bottom = "document.querySelector('#says').getBoundingClientRect().bottom"
        assert server.script(f"return {bottom} <= {top} && {top} < innerHeight")
    finally:
        server.browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    assert "sentence=3" in server.browser.current_url
    server.browser.refresh()
    server.wait("return document.querySelector('#place').textContent.startsWith('Sentence 3 ')")
    server.script(f"{FIELD}.focus()")
    server.keys(Keys.ALT, Keys.ARROW_UP)
    server.at_sentence(2)
    server.browser.back()
    server.at_sentence(3)
    server.browser.back()
    server.at_sentence(1)
    server.find("#goto").clear()
    for wrong in ("0", "4"):
        server.find("#goto").send_keys(Keys.BACKSPACE, wrong, Keys.ENTER)
        server.said("The document has the sentences 1 to 3.")
        server.script("document.querySelector('#status').textContent = ''")
    server.at_sentence(1)


def marked(server: Server, words: list[str]) -> None:
    """Wait until words of the field are marked as left in the source language."""
    texts = "[...document.querySelectorAll('#marks mark.unknown')].map((one) => one.textContent)"
    server.wait(f"return {texts}.join() === arguments[0]", ",".join(words))


def test_doubts_are_told_before_a_translation_is_confirmed(server: Server) -> None:
    """A number, a sign at the end; a second Enter confirms, also after the text was checked once more."""
    server.open()
    server.add("La casa de 1200 florin verde.\nLa casa.\n")
    server.correct("The house of 12 florin green")
    server.shows("#problem")
    problem = server.text("#problem")
    assert problem.startswith("The translation has no 1200; the sentence ends with a full stop, the")
    assert server.text("#progress") == "0 of 2 confirmed"
    marked(server, ["florin"])
    assert server.find("#target").get_attribute("aria-describedby") == "source problem"
    server.keys(".", Keys.ENTER)
    server.wait("return !document.querySelector('#problem').textContent.includes('full stop')")
    server.keys(Keys.ENTER)
    server.at_sentence(2)
    assert not server.find("#problem").is_displayed()


def test_a_laptop_shows_the_sentences_around_and_confirm_stays_in_its_place(server: Server) -> None:
    """Neither the offers nor a problem of the field move the button or what is below."""
    size = {"width": 1280, "height": 800, "deviceScaleFactor": 1, "mobile": False}
    server.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        server.open()
        server.add("".join(f"La casa {word}.\n" for word in ("verde", "grande", "muy", "es", "zorgulo")))
        server.find("#goto").send_keys("3", Keys.ENTER)
        server.at_sentence(3)
        rows = "[...document.querySelectorAll('.context li')]"
        seen = f"return {rows}.every((one) => one.getBoundingClientRect().bottom <= innerHeight)"
        assert server.script(seen) and server.script("return scrollY") == 0
        assert server.texts(".context .number") == ["1", "2", "4", "5"]
        places = "['confirm', 'after', 'segments'].map((id) => document.getElementById(id).offsetTop)"
        before = server.script(f"return {places}")
        server.keys(Keys.CONTROL, "a")
        server.keys("The ")
        server.wait("return document.querySelector('#following').children.length > 0")
        assert server.script(f"return {places}") == before
        server.keys("house", Keys.ENTER)
        server.shows("#problem")
        assert server.script(f"return {places}")[0] == before[0]
        server.script("document.querySelector('#after li').click()")
        server.at_sentence(4)
    finally:
        server.browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_what_is_refused_is_kept_and_said_in_plain_words(server: Server) -> None:
    server.open()
    server.add("La casa verde.\n")
    server.script("document.querySelector('#add-document').click()")
    server.script("document.querySelector('#pasted').value = arguments[0]", " \n")
    server.script("document.querySelector('#adding button.main').click()")
    server.wait("return document.querySelector('#adding .problem').textContent !== ''")
    assert server.find("#adding").is_displayed() and server.find("#pasted").get_attribute("value") == " \n"
    server.script("document.querySelector('#adding button[value=cancel]').click()")
    server.wait("return !document.querySelector('#adding').open")
    server.script(f"{FIELD}.value = 'a'.repeat(20001); {FIELD}.focus()")
    server.keys(Keys.ENTER)
    server.wait("return document.querySelector('#problem').textContent.includes('20,001 characters')")


def test_terms_are_underlined_in_the_source_and_say_what_they_do(server: Server) -> None:
    server.open()
    server.add("La casa grande.\n")
    server.add_term("casa", "cottage")
    server.said("Added the term casa → cottage.")
    terms = "[...document.querySelectorAll('#source .term')].map((one) => one.firstChild.textContent)"
    server.wait(f"return {terms}.includes('casa')")
    server.find("#undo").click()
    server.said("The term casa is used no more.")
    server.wait(f"return !{terms}.includes('casa')")


def test_a_document_of_another_language_is_asked_about(server: Server) -> None:
    """By its letters, and by what it names; added once more, it is taken."""
    server.open()
    for text, problem in (("Зелёный дом.\n", "The document is in Cyrillic letters"),):
        server.script("document.querySelector('#add-document').click()")
        server.script("document.querySelector('#pasted').value = arguments[0]", text)
        server.script("document.querySelector('#adding button.main').click()")
        server.wait(
            "return document.querySelector('#adding .problem').textContent.startsWith(arguments[0])", problem
        )
        server.script("document.querySelector('#adding button.main').click()")
        server.said("Added")
        assert server.text("#source").startswith(text.split()[0])


def test_an_emptied_link_is_told_and_words_left_as_in_the_source_are_marked(
    server: Server, tmp_path: Path
) -> None:
    (tmp_path / "a.html").write_text('<p>La <a href="x">casa</a> JSON es muy verde.</p><p>La casa.</p>')
    server.open()
    server.upload(tmp_path / "a.html")
    server.said("Added a.html: 2 sentences")
    assert not server.texts("#marks mark.unknown")
    server.keys(Keys.CONTROL, "a")
    server.keys('The casa <a href="x"></a> JSON is verde green.')
    marked(server, ["casa", "verde"])  # and no name that stays in any language
    weight = "getComputedStyle(document.querySelector('#marks mark.unknown')).fontWeight"
    assert server.script(f"return {weight} === getComputedStyle({FIELD}).fontWeight")  # else the lines drift
    server.keys(Keys.ENTER)
    server.shows("#problem")
    assert server.text("#problem").startswith('The translation has nothing in <a href="x"></a>.')
    server.keys(Keys.ENTER)
    server.at_sentence(2)


def test_words_inside_a_piece_that_is_kept_are_not_marked(server: Server) -> None:
    server.open()
    server.add("La :func:`muy <muy.x>` es muy.\nLa casa.\n")  # no correction above leaves "muy" as it is
    assert server.texts("#kept button") == [":func:`muy <muy.x>`"]
    server.keys(Keys.CONTROL, "a")
    server.keys("The :func:`muy <muy.x>` is muy.")
    marked(server, ["muy"])
    inside = "document.querySelector('#marks mark.unknown').previousSibling.textContent.endsWith(' is ')"
    assert server.script(f"return {inside}")


def test_a_correction_is_one_line_with_its_rule_as_it_is_written(server: Server) -> None:
    """So is a reason of the alternatives; what a rule leaves open is three dots."""
    server.open()
    server.add("La casa es Fruvio.\nEl Fruvio es muy verde.\n")
    server.correct("The house is Oxford.")
    server.at_sentence(2)
    summary = "document.querySelector('#rules summary')"
    server.wait(f"return {summary}.textContent.endsWith('. Fruvio → Oxford')")
    line = f"parseFloat(getComputedStyle({summary}).lineHeight)"
    assert server.script(f"return {summary}.offsetHeight < 1.5 * {line}")
    assert "The house is Oxford." in server.text("#rules details")
    buttons = "[...document.querySelectorAll('#phrases button')]"
    server.wait(f"return {buttons}.some((one) => one.textContent.includes('Oxford'))")
    server.wait("return document.querySelector('#phrases .changed') !== null")
    server.script(f"{buttons}.find((one) => one.textContent.includes('Oxford')).click()")
    server.shows("#alternatives")
    reasons = server.texts("#alternatives .reason span")
    assert any("Fruvio → Oxford" in text or "… → Oxford" in text for text in reasons), reasons
    assert not any("[X" in text for text in reasons)
