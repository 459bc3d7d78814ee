"""The script that cut the book of the package: python tools/cut_book.py --help."""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

from cut_sample import (
    LANGUAGES,
    SOURCE,
    WRITTEN,
    as_text,
    filter_arpa,
    gzipped,
    read_lines,
    read_rules,
    read_weights,
    write,
    write_text_system,
)

from hopefear.base.errors import InputError
from hopefear.base.texts import split_words
from hopefear.decoder import Decoder

BOOK = "Y ACONTECIÓ en los días de Assuero", "HUBO un varón en tierra de Hus"
"""How the first line of the book of Esther begins, and that of the book after it."""

LINES = 100
"""Lines of the book that are kept, from its first one."""

MODELS = ("--order", "3", "--prune", "0 1 1")
"""Options of the system's n-gram model: a small one."""

DENSITY = 8.0
"""The rules of a sentence are those of this multiple of its best derivation's edges."""


def cut_book(data: Path, out: Path, work: Path) -> None:
    """Cut a book and a system whose text lacks it, from the same data as the sample.

    The system is built from the parallel text without the book, and MIRA learns its weights from the dev
    part. Of its grammar, the rules of each sentence's best derivations are kept, so the best translations are
    those of the whole system. Its language model is cut as that of the sample.
    """
    for folder in (out, work):
        folder.mkdir(parents=True, exist_ok=True)
    written = list(read_lines(data / WRITTEN / f"train.{SOURCE}.gz"))
    first, last = (_line_that_begins(written, text) for text in BOOK)
    kept = slice(first, min(first + LINES, last))
    sides = []
    for language in LANGUAGES:
        tokens, texts = (list(read_lines(place / f"train.{language}.gz")) for place in (data, data / WRITTEN))
        sides.append(tokens[kept])
        write(out / f"book.{language}.{WRITTEN}", as_text(texts[kept]))
        for name, lines in ((f"train.{language}", tokens), (f"train.{language}.{WRITTEN}", texts)):
            write(work / f"{name}.gz", gzipped(as_text(lines[:first] + lines[last:])))
    write(out / f"book.{SOURCE}", as_text(sides[0]))
    links = list(read_lines(data / "train.es-en.align.gz"))
    write(work / "train.align.gz", gzipped(as_text(links[:first] + links[last:])))

    system, weights = _build(data, work, out / f"book.{SOURCE}")
    write(out / "weights", weights.read_bytes())
    _cut_models(system, weights, *sides, out)
    write(out / "cdec.ini", (data / "cdec.ini").read_bytes())
    write_text_system(data, [work / f"train.{language}.{WRITTEN}.gz" for language in LANGUAGES], out)


def _line_that_begins(written: Sequence[str], text: str) -> int:
    for number, line in enumerate(written):
        if line.startswith(text):
            return number
    raise InputError(f"expected a line that begins with {text!r}, got none")


def _build(data: Path, work: Path, book: Path) -> tuple[Path, Path]:
    """Build the whole system and learn its weights; return its folder and the file of the weights."""
    system, run = work / "system", work / "run"
    source, target = (work / f"train.{language}.gz" for language in LANGUAGES)
    dev = [data / f"dev.{SOURCE}", data / "dev.en.0"]
    text = ["-s", source, "-t", target, "-a", work / "train.align.gz"]
    _hopefear("build", *text, *MODELS, "-i", dev[0], "-i", book, "-o", system)
    start = ["-c", system / "cdec.ini", "-w", system / "weights.init"]
    _hopefear("tune", *start, "-s", dev[0], "-r", dev[1], "-o", run, "--force")
    return system, run / "weights.final"


def _hopefear(*words: str | Path) -> None:
    subprocess.run([sys.executable, "-m", "hopefear", *map(str, words)], check=True)


def _cut_models(
    system: Path, weights: Path, sources: Sequence[str], references: Sequence[str], out: Path
) -> None:
    """Cut grammar and language model of a system to sentences: their best derivations and references."""
    decoder = Decoder(system / "cdec.ini", weights=str(weights))
    users: defaultdict[str, set[int]] = defaultdict(set)  # the sentences that can use a target word
    rules = set[tuple[str, str]]()
    for index, (source, reference) in enumerate(zip(sources, references, strict=True)):
        forest = decoder.translate(source)
        forest.prune(density=DENSITY)
        for edge in range(len(forest.edges)):
            rule = forest.rule(edge)
            rules.add((_side(rule.source), _side(rule.target)))
            for word in rule.target:
                users[str(word)].add(index)
        for word in (*split_words(source), *split_words(reference)):
            users[word].add(index)
    for word in ("<s>", "</s>", "<unk>"):
        users[word] = set(range(len(sources)))
    known = read_rules(system / "grammar.gz", read_weights(weights))
    lines = sorted(rule.line for rule in known if (rule.source, rule.target) in rules)
    write(out / "grammar.gz", gzipped(as_text(lines)))
    write(out / "lm.arpa.gz", gzipped(as_text(filter_arpa(system / "lm.arpa.gz", users))))


def _side(symbols: Iterable[str | int | tuple[str, int]]) -> str:
    """Return a side of a rule as a grammar file has it."""
    numbers = (symbol[1] if isinstance(symbol, tuple) else symbol for symbol in symbols)
    return " ".join(one if isinstance(one, str) else f"[X,{one}]" for one in numbers)


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description="Cut the book of Esther and a system that lacks it.")
    parser.add_argument("data", type=Path, help="folder of the full Spanish-English model")
    parser.add_argument("out", type=Path, help="folder of the book")
    parser.add_argument("work", type=Path, help="folder for the whole system")
    given = parser.parse_args()
    cut_book(given.data, given.out, given.work)


if __name__ == "__main__":
    main()
