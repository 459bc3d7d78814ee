"""Memories, glossaries, the concordance and the list on the translator's page."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import quote
from urllib.request import Request, urlopen
from xml.sax.saxutils import escape

import pytest
from selenium.webdriver import Keys
from support.live_page import Server

ATTACK = "\"><img src=x onerror='document.title=1'><script>document.title=1</script>"
SEGMENTS = (
    '<xliff xmlns="urn:oasis:names:tc:xliff:document:1.2" version="1.2"><file source-language="es" '
    'target-language="en"><body>{}</body></file></xliff>'
)
SEGMENT = "<trans-unit id='{0}'><source>la {0} {1}</source><note>{1}</note></trans-unit>"


def test_files_of_translators_help_and_are_searched(server: Server, tmp_path: Path) -> None:
    (tmp_path / "old.tsv").write_text("la casa es grande\tthe house is very big\n", "utf-8")
    (tmp_path / "terms.tsv").write_text("zorgulo\tdragon\nverde\tgreenish\n", "utf-8")
    server.open()
    server.add("la casa es grande\nel zorgulo es verde\nla cása verde\n")
    server.find("#memory-file").send_keys(str(tmp_path / "old.tsv"))
    server.said("Added the memory old.tsv: 1 pair.")
    server.wait("return document.querySelector('#memories').textContent.includes('old.tsv')")
    server.wait("return document.querySelector('#matches').textContent.includes('very big')")
    server.find("#glossary-file").send_keys(str(tmp_path / "terms.tsv"))
    server.said("Added 2 terms of terms.tsv.")
    server.wait("return document.querySelectorAll('#terms li').length === 2")
    server.find("#target").send_keys(Keys.ALT, "k")
    server.wait("return document.querySelector('#concordance').open")
    server.find("#wanted").clear()
    server.find("#wanted").send_keys("CASA")
    server.wait("return document.querySelector('#concorded mark')?.textContent === 'casa'")
    assert server.texts("#concorded mark") == ["casa", "casa", "cása"]
    assert "a memory" in server.text("#concorded") and "pasted.txt, sentence 3" in server.text("#concorded")
    server.find("#concordance button").click()
    server.wait("return !document.querySelector('#concordance').open")
    server.find("#find").send_keys("CASA VERDE")
    server.wait("return document.querySelectorAll('#rows > div').length === 1")
    server.find("#find-learned").send_keys("GREEN")
    server.wait("return document.querySelectorAll('#terms li').length === 1")
    server.find("#find-learned").clear()
    server.find("#memories button").click()
    server.wait("return document.querySelectorAll('#memories li').length === 0")


def test_a_term_is_made_of_what_is_selected(server: Server) -> None:
    server.open()
    server.add("el zorgulo duerme\n")
    server.script(
        "const text = document.querySelector('#source'), range = document.createRange();"
        "range.selectNodeContents(text); getSelection().removeAllRanges(); getSelection().addRange(range);"
    )
    server.script(
        "document.dispatchEvent(new KeyboardEvent('keydown', { altKey: true, code: 'KeyT', bubbles: true }))"
    )
    assert server.find("#term-source").get_attribute("value") == "el zorgulo duerme"
    server.wait("return document.activeElement.id === 'term-target'")


def test_dropped_files_are_documents_and_memories(server: Server) -> None:
    server.open()
    server.script(
        "const drop = new DataTransfer();"
        "drop.items.add(new File(['la casa\\n'], 'b.txt'));"
        'drop.items.add(new File([\'<tmx version="1.4"><header srclang="es"/><body><tu><tuv xml:lang="es">'
        '<seg>la casa</seg></tuv><tuv xml:lang="en"><seg>the home</seg></tuv></tu></body></tmx>\'],'
        "'c.tmx'));"
        "document.dispatchEvent(new DragEvent('drop', { dataTransfer: drop, bubbles: true }))"
    )
    server.wait("return document.querySelector('#memories').textContent.includes('c.tmx: 1 pair')")
    server.wait(
        "return document.querySelector('#documents').selectedOptions[0].textContent.startsWith('b.txt')"
    )
    server.wait("return document.querySelector('#matches').textContent.includes('the home')")


def test_rows_are_translated_while_nobody_types_and_alt_arrows_keep_to_the_list(server: Server) -> None:
    server.open()
    server.add("la casa\nel florin\nla casa verde\nverde\n")
    server.wait("return document.querySelectorAll('#rows [data-state]').length === 4")
    server.wait("return [...document.querySelectorAll('#rows .target')].every((one) => one.textContent)")
    server.find("#find").send_keys("casa")
    server.wait("return document.querySelectorAll('#rows > div').length === 2")
    server.find("#target").send_keys(Keys.ALT, Keys.ARROW_DOWN)
    server.at_sentence(3)
    server.find("#target").send_keys(Keys.ALT, Keys.ARROW_UP)
    server.at_sentence(1)


def test_a_text_is_replaced_in_all_translations(server: Server) -> None:
    server.open()
    server.add("la casa\nel florin\nla casa verde\n")
    server.correct("the house [1]")
    server.at_sentence(2)
    server.wait("return [...document.querySelectorAll('#rows .target')].every((one) => one.textContent)")
    server.find("#replace").click()
    server.find("#replaced").send_keys("house")
    server.wait("return document.querySelectorAll('#to-replace tr').length > 0")
    rows = server.script("return document.querySelectorAll('#to-replace tr').length")
    server.find("#replacement").send_keys("$& home")
    server.find("#replace-all").click()
    server.said(f"Replaced in {rows} of {rows} sentences.")
    server.wait("return document.querySelector('#rows .target').textContent === 'the $& home [1]'")
    assert server.texts("#rows .state")[0] == "confirmed"
    assert all("house" not in text for text in server.texts("#rows .target"))


def test_rows_have_two_lines_and_show_what_was_found(server: Server) -> None:
    """A hit far behind the begin of a long sentence is seen, too."""
    server.open()
    long = " ".join(["la casa es muy grande y"] * 12)
    server.add(f"{long} el zórgulo es verde\nla casa\n")
    server.find("#find").send_keys("ZORGULO")
    server.wait("return document.querySelectorAll('#rows > div').length === 1")
    assert server.text("#rows mark") == "zórgulo"
    row, hit = (
        f"document.querySelector('#rows .source{one}').getBoundingClientRect()" for one in ("", " mark")
    )
    assert server.script(f"return {hit}.top >= {row}.top && {hit}.bottom <= {row}.bottom + 1")
    assert server.script(f"return {row}.height > 1.5 * {hit}.height")


XLIFF = """<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2">
<file source-language="es" target-language="en" original="a" datatype="plaintext"><body>
<trans-unit id="u1"><source>la casa</source>
<target state="signed-off">the home</target><note>A title.</note></trans-unit>
<trans-unit id="u2"><source>la casa verde</source>
<target state="needs-review-translation">green house</target></trans-unit>
<trans-unit id="u3"><source>verde</source><target state="final">green</target></trans-unit>
</body></file></xliff>
"""


def test_comments_and_the_states_of_a_reviewer_are_shown_and_kept(server: Server, tmp_path: Path) -> None:
    """What is confirmed anew is translated; what nobody changes keeps its state."""
    (tmp_path / "a.xlf").write_text(XLIFF)
    server.open()
    server.upload(tmp_path / "a.xlf")
    server.said("Added a.xlf")
    server.at_sentence(2)
    assert server.text("#place") == "Sentence 2 of 3, needs-review-translation in the document"
    assert server.text("#notes") == "u2" and server.value == "green house"
    server.keys(Keys.CONTROL, "a")
    server.keys("the green house", Keys.ENTER)
    server.wait("return document.querySelector('#progress').textContent === '3 of 3 confirmed'")
    server.find("#goto").send_keys("1", Keys.ENTER)
    server.at_sentence(1)
    assert server.text("#place").endswith(", signed-off in the document")
    assert server.text("#notes") == "u1\nA title." and server.find("#notes").is_displayed()
    link = "document.querySelector('#export').href"
    fetched = f"fetch({link}).then((answer) => answer.text()).then(arguments[0])"
    exported = server.browser.execute_async_script(fetched)
    assert exported == XLIFF.replace(
        'state="needs-review-translation">green house', 'state="translated">the green house'
    )


def ask(server: Server, path: str, content: bytes, kind: str = "application/octet-stream") -> Any:
    request = Request(f"{server.url}api/sessions{path}", content, {"content-type": kind}, method="POST")
    with urlopen(request, timeout=60) as answer:
        return json.loads(answer.read())


@pytest.mark.slow
def test_markup_in_every_text_is_text(server: Server, tmp_path: Path) -> None:
    """Names, sources, comments, terms, memories, corrections, errors, and every dialog that shows them."""
    file = ATTACK.replace("/", "")
    name = quote(file, safe="")
    session = f"/{ask(server, '', json.dumps({'name': ATTACK}).encode(), 'application/json')['id']}"
    text = SEGMENTS.format("".join(SEGMENT.format(i, escape(ATTACK)) for i in range(3)))
    ask(server, f"{session}/documents?name={name}.xlf", text.encode())
    ask(server, f"{session}/glossary?name={name}.tsv", f"la {ATTACK}\tthe {ATTACK}\t{ATTACK}\n".encode())
    ask(server, f"{session}/memories?name={name}.tsv", f"la 1 {ATTACK}\tthe 1 {ATTACK}\n".encode())
    server.browser.get("about:blank")
    server.browser.get_log("browser")
    server.browser.get(f"{server.url}#session={session[1:]}")
    server.at_sentence(1)
    for texts in "sessions", "source", "notes", "phrases", "terms", "rows", "matches":
        assert ATTACK in server.text(f"#{texts}").replace(" (unknown)", ""), texts
    server.correct(f"the 0 {ATTACK}", sure=True)
    server.said("Learned correction 1.")
    wrong = tmp_path / f"{file}.docx"
    wrong.write_text("no archive")
    server.upload(wrong)
    shows = "return document.querySelector(arguments[0]).textContent.includes('onerror')"
    server.wait(shows, "#adding .problem")
    server.script("document.querySelector('#adding').close()")
    server.script("for (const fold of document.querySelectorAll('details')) fold.open = true")
    server.wait("return document.querySelector('#drawing img') !== null")
    for button, field, shown in (
        ("look-up", "wanted", "concorded"),
        ("replace", "replaced", "to-replace"),
        ("open-report", None, "reported"),
    ):
        server.script("document.querySelector(arguments[0]).click()", f"#{button}")
        if field is not None:
            server.find(f"#{field}").send_keys("onerror")
        server.wait(shows, f"#{shown}")
        server.script("document.querySelector('dialog[open]').close()")
    made = "return document.querySelectorAll('img[src=x], script:not([src]), [onerror]').length"
    assert server.script(made) == 0 and server.browser.title != "1"
    assert [one for one in server.faults() if "status of 422" not in one["message"]] == []
