"""What grammar extraction costs: python benchmarks/extract.py --help."""

from __future__ import annotations

import argparse
import gzip
import resource
import tempfile
import time
from itertools import islice, product
from pathlib import Path

from tasks import SHARED, TASKS, add_task_argument, chosen, in_fresh_process, table

from hopefear.decoder import Segment
from hopefear.grammars.bitext import Bitext
from hopefear.grammars.extractor import GrammarExtractor
from hopefear.grammars.grammar_files import write_sentence_grammars
from hopefear.parallel import in_threads

TEXTS = {
    "tanaka ja-en": ("tanaka", "ja", "en", "train.ja-en.align.gz", False),
    "tanaka en-ja": ("tanaka", "en", "ja", "train.ja-en.align.gz", True),
    "bible de-en": ("bible-de-en", "de", "en", "train.de-en.align.gz", False),
    "bible es-en": ("bible-es-en", "es", "en", "train.es-en.align.gz", False),
}
"""Folder, languages, alignment, and whether its links are target-source."""


def files(name: str) -> tuple[list[Path], bool]:
    """Return a task's parallel text, with its alignment, and whether the links are target-source."""
    folder, source, target, alignment, reverse = TEXTS[name]
    place = SHARED / "data" / folder
    return [place / f"train.{source}.gz", place / f"train.{target}.gz", place / alignment], reverse


def read(name: str) -> Bitext:
    """Read a task's parallel text."""
    paths, reverse = files(name)
    return Bitext.read(*paths, reverse=reverse)


def sentences(name: str, number: int | None) -> list[tuple[str, ...]]:
    """Read the sentences that rules are extracted for."""
    task = TASKS[name]
    return [tuple(line.split()) for line in task.lines(task.source)[:number]]


def peak() -> float:
    """MB of the process."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def extract(extractor: GrammarExtractor, lines: list[tuple[str, ...]]) -> tuple[str, str]:
    """Extract in one thread; give milliseconds and rules a sentence."""
    start = time.process_time()
    rules = sum(len(extractor.grammar(line)) for line in lines)
    seconds = time.process_time() - start
    return f"{1000 * seconds / len(lines):.1f}", f"{rules / len(lines):.0f}"


def measure(name: str, number: int | None) -> dict[str, str]:
    """Extract in one thread, with the whole text and with one sentence pair left out."""
    start, before = time.process_time(), peak()
    bitext = read(name)
    reading = time.process_time() - start
    start = time.process_time()
    extractor = GrammarExtractor(bitext)
    indexing, after = time.process_time() - start, peak()
    lines = sentences(name, number)
    milliseconds, rules = extract(extractor, lines)
    start = time.process_time()
    for i, line in enumerate(lines):
        extractor.grammar(line, exclude=[i])
    without = time.process_time() - start
    return {
        "task": name,
        "read s": f"{reading:.2f}",
        "index and tables s": f"{indexing:.2f}",
        "ms a sentence": milliseconds,
        "one pair left out": f"{1000 * without / len(lines):.1f}",
        "rules a sentence": rules,
        "text and index MB": f"{after - before:.0f}",
        "peak MB": f"{peak():.0f}",
    }


def measure_threads(name: str, number: int | None, threads: int) -> dict[str, str]:
    """Extract all grammars, and write them as files, by the clock."""
    extractor = GrammarExtractor(read(name))
    lines = sentences(name, number)
    segments = [Segment(line, id=i, index=i) for i, line in enumerate(lines)]
    with tempfile.TemporaryDirectory() as folder, in_threads(threads) as executor:
        start = time.perf_counter()
        for _ in executor.map(extractor.grammar, lines):
            pass
        extracting = time.perf_counter() - start
        start = time.perf_counter()
        for _ in write_sentence_grammars(extractor, segments, Path(folder), executor=executor):
            pass
        writing = time.perf_counter() - start
    return {
        "task": name,
        "sentences": f"{len(lines)}",
        f"{threads} threads, s": f"{extracting:.1f}",
        "written as gz files, s": f"{writing:.1f}",
    }


def measure_size(name: str, pairs: int, number: int | None) -> dict[str, str]:
    """Extract in one thread from the first so many sentence pairs, over and over where there are fewer."""
    paths, reverse = files(name)
    with tempfile.TemporaryDirectory() as folder:
        texts = [Path(folder, path.name.removesuffix(".gz")) for path in paths]
        for path, text in zip(paths, texts, strict=True):
            with text.open("wb") as out:
                left = pairs
                while left:
                    with gzip.open(path) as lines:
                        left -= sum(1 for line in islice(lines, left) if out.write(line))
        before, start = peak(), time.process_time()
        bitext = Bitext.read(*texts, reverse=reverse)
        extractor = GrammarExtractor(bitext)
        making, after = time.process_time() - start, peak()
    milliseconds, rules = extract(extractor, sentences(name, number))
    return {
        "task": name,
        "pairs": f"{pairs:,}",
        "read and index s": f"{making:.2f}",
        "text and index MB": f"{after - before:.1f}",
        "KB a pair": f"{1024 * (after - before) / pairs:.2f}",
        "ms a sentence": milliseconds,
        "rules a sentence": rules,
        "more MB for the grammars": f"{peak() - after:.1f}",
    }


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description="Extract grammars for the dev sets.")
    add_task_argument(parser)
    parser.add_argument("--sentences", type=int, help="only the first so many of each task")
    parser.add_argument("--threads", type=int, help="wall-clock time with so many threads")
    parser.add_argument(
        "--sizes", type=int, nargs="+", metavar="PAIRS", help="with so many sentence pairs, each by itself"
    )
    parser.add_argument("--markdown", action="store_true", help="write Markdown tables")
    options = parser.parse_args()
    names = chosen(parser, options.tasks)
    if options.threads:
        rows = [in_fresh_process(measure_threads, n, options.sentences, options.threads) for n in names]
    elif options.sizes:
        cases = product(names, options.sizes)
        rows = [in_fresh_process(measure_size, name, size, options.sentences) for name, size in cases]
    else:
        rows = [in_fresh_process(measure, name, options.sentences) for name in names]
    print(table(rows, markdown=options.markdown))


if __name__ == "__main__":
    main()
