"""How long a translator at the page of hopefear serve waits for the next sentence: --help tells more."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from random import Random

import numpy as np
from selenium.webdriver import Keys

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from support.browser import chromium
from support.live_page import Server

from hopefear.grammars.sample import sample_path
from hopefear.live.server.received import Received

WATCH = """
const place = document.querySelector("#place"), field = document.querySelector("#target");
let begin, from;
window.waited = [];
function look(now) {
  if (place.textContent !== from && !field.readOnly && field.value) waited.push(now - begin);
  else requestAnimationFrame(look);
}
addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.target !== field) return;
  const isAgain = from === place.textContent; // the first Enter only told of something
  [begin, from] = [performance.now(), place.textContent];
  if (!isAgain) requestAnimationFrame(look);
}, true);
"""
"""Measures from each Enter to the frame that shows the next sentence with its translation."""

WRITE = """
const field = document.querySelector("#target");
field.focus();
field.select();
document.execCommand("insertText", false, arguments[0]);
"""


def measure(
    config: Path, weights: Path, sources: Sequence[str], references: Sequence[str], pause: float
) -> None:
    """Correct a document in the browser, and print how long each next sentence took."""
    draw = Random(0)
    browser = chromium(1280, 900)
    with tempfile.TemporaryDirectory() as folder:
        server = Server(browser, Path(folder), "-c", str(config), "-w", str(weights))
        server.start()
        try:
            server.open()
            server.add("\n".join(sources))
            server.script(WATCH)
            for number, reference in enumerate(references[:-1], 1):
                server.at_sentence(number)
                time.sleep(pause * draw.uniform(0.5, 1.5))
                server.script(WRITE, reference)
                server.keys(Keys.ENTER)
                server.wait("return !document.querySelector('#target').readOnly")
                if server.text("#place").startswith(f"Sentence {number} of "):  # it told of something
                    server.keys(Keys.ENTER)
                server.wait("return waited.length >= arguments[0]", number)
            times = np.array(server.script("return waited"))
        finally:
            server.kill()
            browser.quit()
    median, late = np.quantile(times, (0.5, 0.95))
    waits = f"median {median:.0f} ms, 95 % within {late:.0f} ms"
    print(f"{len(times)} sentences with pauses of {pause:g} s: {waits}")
    slowest = (f"{times[i]:.0f} ms after sentence {i + 1}" for i in np.argsort(-times)[:5])
    print(f"the longest: {', '.join(slowest)}")


def whole(pair: tuple[str, str]) -> bool:
    """Tell whether a pair of lines is one sentence of a document."""
    return len(Received.read("lines.txt", pair[0].encode(), written=True).places) == 1


def main() -> None:
    """Run what the command line asks for."""
    sample = sample_path()
    parser = argparse.ArgumentParser(
        description="Corrects sentences in Chromium. A time goes from Enter to the frame that shows the next "
        "sentence with its translation. Nothing else should run on the machine."
    )
    parser.add_argument("--config", type=Path, default=sample / "written.ini")
    parser.add_argument("--weights", type=Path, default=sample / "weights.init")
    parser.add_argument("--source", type=Path, default=sample / "dev.es.written")
    parser.add_argument("--reference", type=Path, default=sample / "dev.en.written")
    parser.add_argument("--sentences", type=int, default=60)
    parser.add_argument("--pause", type=float, default=2.0, help="mean of the seconds before each correction")
    options = parser.parse_args()
    sides = (path.read_text("utf-8").splitlines() for path in (options.source, options.reference))
    pairs = filter(whole, zip(*sides, strict=True))
    sources, references = zip(*islice(pairs, options.sentences + 1), strict=True)
    measure(options.config, options.weights, sources, references, options.pause)


if __name__ == "__main__":
    main()
