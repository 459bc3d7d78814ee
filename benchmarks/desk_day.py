"""A translator's day on the page of hopefear serve, in Chromium: python benchmarks/desk_day.py --help."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from html import escape, unescape
from itertools import islice
from pathlib import Path

import numpy as np
from selenium.webdriver import Keys
from tasks import table

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from support.browser import chromium
from support.live_page import Server

from hopefear.grammars.sample import book_path
from hopefear.text.sentences import spans

TYPED = 15
"""Characters of a correction that are typed at a person's pace; the rest is pasted, a key before Enter."""

PACE = 0.08
"""Seconds from key to key."""

WATCH = """
const times = (window.times = { echo: [], completion: [], next: [] });
let typed = 0, confirmed = 0;
document.querySelector("#target").addEventListener("input", () => {
  const begin = performance.now();
  const alone = begin - typed > 50;  // no part of what came at once
  typed = begin;
  if (alone) requestAnimationFrame(() => setTimeout(() => times.echo.push(performance.now() - begin)));
});
const plain = window.fetch;
window.fetch = async (...given) => {
  const answer = await plain(...given);
  const isFirst = String(given[0]).endsWith("/completion") && JSON.parse(given[1].body).words === 0;
  if (isFirst) times.completion.push(performance.now() - typed);
  return answer;
};
const confirms = () => (confirmed = performance.now());
const isEnter = (event) => event.key === "Enter" && confirms();
document.querySelector("#target").addEventListener("keydown", isEnter, true);
document.querySelector("#confirm").addEventListener("pointerdown", confirms, true);
new MutationObserver(() => {
  if (confirmed) times.next.push(performance.now() - confirmed);
  confirmed = 0;
}).observe(document.querySelector("#place"), { childList: true });
"""
"""Milliseconds in the page: from a change of the field to the next frame, and to the completion; from Enter,
or a finger on the button, to the next sentence."""


def po(sources: Sequence[str]) -> str:
    """Return a gettext file with the sentences."""
    head = 'msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n'
    quoted = (json.dumps(one, ensure_ascii=False) for one in sources)
    return head + "".join(f'\nmsgctxt "{i}"\nmsgid {one}\nmsgstr ""\n' for i, one in enumerate(quoted))


def xliff(sources: Sequence[str]) -> str:
    """Return an XLIFF 1.2 file with the sentences."""
    units = "".join(
        f'<trans-unit id="{i}"><source>{escape(one, quote=False)}</source></trans-unit>\n'
        for i, one in enumerate(sources)
    )
    names = 'original="a" source-language="en" target-language="es" datatype="plaintext"'
    space = 'xmlns="urn:oasis:names:tc:xliff:document:1.2"'
    return f'<xliff version="1.2" {space}><file {names}><body>\n{units}</body></file></xliff>\n'


def html(sources: Sequence[str]) -> str:
    """Return an HTML file with the sentences."""
    paragraphs = "".join(f"<p>{escape(one, quote=False)}</p>\n" for one in sources)
    return f"<!DOCTYPE html>\n<html><body>\n{paragraphs}</body></html>\n"


DOCUMENTS: tuple[tuple[str, Callable[[Sequence[str]], str]], ...] = (
    ("day.po", po),
    ("day.xlf", xliff),
    ("day.html", html),
)


class Day:
    """The work of a day: documents by keyboard, and the last one by touch on a telephone.

    Attributes
    ----------
    times : dict of str to list of float
        Milliseconds by what was waited for.
    """

    def __init__(self, server: Server, targets: dict[str, str]) -> None:
        self.server, self._targets = server, targets
        self.times: dict[str, list[float]] = {}

    def work(self, path: Path, sentences: int, *, touch: bool) -> None:
        """Correct all sentences of a document, and check that the export has them."""
        server, browser = self.server, self.server.browser
        server.upload(path)
        server.said(f"Added {path.name}")
        browser.execute_script(WATCH)
        done = []
        for place in range(1, sentences + 1):
            server.at_sentence(place)
            done.append(self._correct(touch=touch))
            confirmed = "return document.querySelector('#progress').textContent.startsWith(arguments[0])"
            server.wait(confirmed, f"{place} of {sentences} ")
        for name, found in browser.execute_script("return window.times").items():
            self.times.setdefault(f"{name}, {'touch' if touch else 'keyboard'}", []).extend(found)
        with urllib.request.urlopen(str(server.find("#export").get_attribute("href"))) as answer:
            content = unescape(answer.read().decode()).replace('\\"', '"')
        if missing := [one for one in done if one not in content]:
            raise SystemExit(f"{path.name}: the export lacks {missing[0]!r}")
        server.open()  # nothing of the measuring is left

    def _correct(self, *, touch: bool) -> str:
        server, browser = self.server, self.server.browser
        source = server.text("#source").replace(" (unknown)", "")
        target = self._targets[source]
        if touch:
            server.find("#target").click()
        server.keys(Keys.CONTROL, "a")
        server.keys(Keys.BACKSPACE)
        for key in target[:TYPED]:
            server.keys(key)
            time.sleep(PACE)
        server.keys(Keys.ESCAPE)
        browser.execute_cdp_cmd("Input.insertText", {"text": target[TYPED:]})
        time.sleep(PACE)
        if touch:
            browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", server.find("#confirm"))
            server.find("#confirm").click()
        else:
            server.keys(Keys.ENTER)
        return target


def lines(path: Path) -> Iterator[str]:
    """Iterate over the lines of a file."""
    with path.open(encoding="utf-8") as opened:
        yield from (line.rstrip("\n") for line in opened)


def main() -> None:
    """Work through three documents, and print what the translator waited for."""
    parser = argparse.ArgumentParser(description=__doc__)
    book = book_path()
    parser.add_argument("--system", type=Path, help="folder of a system; by default the one of the book")
    parser.add_argument("--source", type=Path, default=book / "book.es.written", help="sentences, one a line")
    parser.add_argument("--target", type=Path, default=book / "book.en.written", help="their translations")
    parser.add_argument("--segments", type=int, default=60, help="sentences of all documents (default: 60)")
    given = parser.parse_args()
    text = zip(lines(given.source), lines(given.target), strict=True)
    whole = ((source, target) for source, target in text if len(spans(source, "es")) == 1)
    pairs = dict(islice(whole, given.segments))
    browser = chromium(1280, 1010)
    settings = list[str]()
    if given.system is not None:
        names = {"-c": "cdec.ini", "-w": "weights.init"}
        settings = [one for key, name in names.items() for one in (key, str(given.system.resolve() / name))]
    try:
        with tempfile.TemporaryDirectory() as folder:
            server = Server(browser, Path(folder), *settings)
            server.start()
            try:
                server.open()
                day = Day(server, pairs)
                share = -(-len(pairs) // len(DOCUMENTS))
                for i, (name, made) in enumerate(DOCUMENTS):
                    path = Path(folder) / name
                    sources = [*pairs][i * share : (i + 1) * share]
                    path.write_text(made(sources), "utf-8")
                    touch = i == len(DOCUMENTS) - 1
                    if touch:
                        screen = {"width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": True}
                        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
                        browser.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": True})
                    day.work(path, len(sources), touch=touch)
                faults = server.faults()
            finally:
                server.kill()
    finally:
        browser.quit()
    quantiles = {"median": 0.5, "95 %": 0.95, "longest": 1.0}
    rows = [
        {"milliseconds": name, "times": str(len(found))}
        | {head: f"{np.quantile(found, share):.0f}" for head, share in quantiles.items()}
        for name, found in day.times.items()
    ]
    print(table(rows, markdown=False))
    if faults:
        sys.exit(f"faults of the page: {faults}")


if __name__ == "__main__":
    main()
