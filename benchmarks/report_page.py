"""How fast the report of a run opens, and how large it is: python benchmarks/report_page.py --help."""

from __future__ import annotations

import argparse
import gzip
import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from selenium.webdriver.support.wait import WebDriverWait
from tasks import SHARED, TASKS

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from support.browser import chromium

from hopefear import Decoder, Segment
from hopefear.base.progress import ProgressBar
from hopefear.decoder import Weights
from hopefear.reports import START, read_sentences, sentence_records, write_report, write_sentences

TASK = TASKS["tanaka en-ja"]

WATCH = """
function note(name) {
  requestAnimationFrame(() => setTimeout(() => { window[name] = performance.now(); }));
}
let begun = false;
new MutationObserver((changes, watch) => {
  const rows = document.querySelectorAll("#sentences tr.row").length;
  if (rows && !begun) { begun = true; note("shownAt"); }
  if (rows < ROWS) return;
  watch.disconnect();
  note("drawnAt");
}).observe(document, { childList: true, subtree: true });
"""
"""Notes when the first rows and all rows have been drawn: a timer set before a frame fires after it."""


def corpus(sentences: int) -> Iterator[Segment]:
    """Read sentences of the training text, of which there are enough."""
    data = SHARED / "data" / "tanaka"
    with (
        gzip.open(data / "train.en.gz", "rt", encoding="utf-8") as sources,
        gzip.open(data / "train.ja.gz", "rt", encoding="utf-8") as targets,
    ):
        for number, (source, target) in enumerate(zip(sources, targets, strict=True)):
            if number == sentences:
                return
            yield Segment(tuple(source.split()), id=number, references=(target.strip(),))


def make_run(folder: Path, sentences: int) -> Path:
    """Make the folder of a run that went from untuned to tuned weights, and its report."""
    decoder = Decoder(TASK.config, weights=TASK.weights("tuned"))
    start = Weights()
    start.read(TASK.weights("init"))
    before = decoder.weights.array * 0.0
    for name, value in start.nonzero().items():
        before[decoder.weights.id(name)] = value
    segments = list(corpus(sentences))
    with ProgressBar(len(segments), name="sentences") as bar:
        write_sentences(folder, sentence_records(decoder, segments, before, None, bar))
    start.write(folder / START)
    decoder.weights.write(folder / "weights.final")
    event = {"event": "pass", "pass_number": 1, "metric": "BLEU", "score": 30.0, "length_ratio": 1.0}
    (folder / "log.jsonl").write_text(json.dumps(event) + "\n")
    return write_report(folder)


def measure(page: Path, rows: int, times: int) -> list[dict[str, float]]:
    """Open the page in a new Chromium each time; milliseconds since the navigation began."""
    found = []
    for _ in range(times):
        chrome = chromium(1280, 1010)
        try:
            chrome.execute_cdp_cmd(
                "Page.addScriptToEvaluateOnNewDocument", {"source": WATCH.replace("ROWS", str(rows))}
            )
            chrome.execute_cdp_cmd("Performance.enable", {"timeDomain": "threadTicks"})
            chrome.get(page.as_uri())
            drawn = WebDriverWait(chrome, 120).until(lambda it: it.execute_script("return window.drawnAt"))
            shown = chrome.execute_script("return window.shownAt")
            script = "return performance.getEntriesByType('navigation')[0].loadEventEnd"
            metrics: list[dict[str, Any]] = chrome.execute_cdp_cmd("Performance.getMetrics", {})["metrics"]
            cpu = next(one["value"] for one in metrics if one["name"] == "TaskDuration")
            load = float(chrome.execute_script(script))
            found.append({"load": load, "shown": float(shown), "drawn": float(drawn), "cpu": 1000 * cpu})
        finally:
            chrome.quit()
    return found


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description="Open a run's report in Chromium; time and size.")
    parser.add_argument("--sentences", type=int, default=2000)
    parser.add_argument("--times", type=int, default=5, help="open it so often; the fastest counts")
    parser.add_argument("--keep", type=Path, help="a folder for the run; if it has a report, open that")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        page = folder / "report.html"
        if not page.exists():
            make_run(folder, options.sentences)
        rows = len(read_sentences(folder))
        found = measure(page.resolve(), rows, options.times)
        size = page.stat().st_size
    best = min(found, key=lambda one: one["shown"])
    print(f"{rows:,} rows, {size:,} bytes")
    print(f"load event after {best['load']:.0f} ms, first rows drawn after {best['shown']:.0f} ms (fastest)")
    print(f"all rows drawn after {best['drawn']:.0f} ms")
    print(f"CPU time of the page's main thread: {min(one['cpu'] for one in found):.0f} ms (least)")


if __name__ == "__main__":
    main()
