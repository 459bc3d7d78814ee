"""Runs every command with standard streams that are closed, full or broken; ``python tools/fuzz/streams.py``.

What a run must do then is known from the same run with good streams: what cannot be written is said and gives
the status 2, where nobody reads any more the status is that of SIGPIPE, messages that cannot be written
change nothing else, and a stream that a command does not use changes nothing at all.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

if __name__ == "__main__":
    CHECKOUT = Path(__file__).resolve().parents[2]
    sys.path[:0] = [str(CHECKOUT / "tools"), str(CHECKOUT / "tests")]

from fuzz import kinds
from support.fake_parsers import write_fakes

SECONDS = 120.0
"""After which a command hangs."""

CLOSED_PIPE = 141
"""The status of a program that SIGPIPE ended."""


@dataclass(frozen=True)
class Use:
    """A use of a command that ends with 0 where its streams are good."""

    arguments: tuple[str, ...]
    make: Callable[[Path], None] = kinds.files
    stdin: str = ""


def _annotated(folder: Path) -> None:
    kinds.files(folder)
    write_fakes(folder)


def _annotated_as_written(folder: Path) -> None:
    kinds.documents(folder)
    write_fakes(folder)
    with (folder / "cdec.ini").open("a", encoding="utf-8") as ini:
        ini.write("# hopefear: text=text.json\n")


def _with_scorer(folder: Path) -> None:
    kinds.files(folder)
    (folder / "lengths.py").write_text(
        "class Lengths:\n"
        "    names = ('Length',)\n"
        "    def score(self, sources, translations):\n"
        "        return [len(text) for text in translations]\n"
    )


TEXT = ("-s", "f", "-t", "e")
SETTINGS = ("-c", "cdec.ini", "-w", "weights")
USES = {
    "--version": Use(("--version",)),
    "--help": Use(("--help",)),
    "decode": Use(("decode", *SETTINGS), stdin=kinds.SOURCE),
    "decode -k": Use(("decode", *SETTINGS, "-i", "in", "-k", "3")),
    "decode --consensus": Use(("decode", *SETTINGS, "--consensus"), stdin=kinds.SOURCE),
    "decode --json": Use(("decode", *SETTINGS, "--json"), stdin=kinds.SOURCE),
    "decode --learn": Use(
        ("decode", *SETTINGS, "--learn", "mira", "--save-weights", "w"), stdin=kinds.LESSONS
    ),
    "decode --learn --adapt": Use(
        (*kinds.ADAPT, "--save-weights", "w", "--save-every", "1"), stdin=kinds.LESSONS
    ),
    "combine": Use(("combine", "nbest")),
    "rescore": Use(("rescore", "nbest", "--scorer", "lengths:Lengths", "-s", "f"), _with_scorer),
    "rescore --best": Use(("rescore", "-", "-w", "weights", "--best"), stdin=kinds.KBEST),
    "confidence": Use(("confidence", *SETTINGS, "-i", "f", "-r", "e")),
    "explain": Use(("explain", *SETTINGS), stdin=kinds.SOURCE),
    "explain --json": Use(("explain", *SETTINGS, "-i", "in", "--json")),
    "explain --html": Use(("explain", *SETTINGS, "-i", "in", "--html", "page.html")),
    "score": Use(("score", "-r", "e", "-m", "bleu", "-m", "ter"), stdin=kinds.SOURCE * 4),
    "score --json": Use(("score", "-r", "e", "-i", "f", "--json")),
    "tune": Use((*kinds.TUNE, "--passes", "1")),
    "tune --kbest": Use(("tune", "--kbest", "nbest", "-r", "reference", "-o", "run", "--passes", "1")),
    "report": Use(("report", "run"), kinds.reported),
    "watch --terminal": Use(("watch", "run", "--terminal"), kinds.reported),
    "features": Use(("features", "run"), kinds.reported),
    "train": Use(kinds.TRAIN, kinds.built),
    "hols": Use(kinds.HOLS, kinds.built),
    "experiment": Use((*kinds.EXPERIMENT, "--report"), kinds.experiment),
    "build": Use((*kinds.BUILD, "-o", "again"), kinds.built),
    "align": Use(("align", *TEXT, "-o", "x.align")),
    "extract": Use(("extract", *TEXT, "-a", "align", "-i", "in", "-o", "x.gz")),
    "ngrams": Use(("ngrams", "-s", "e", "-o", "x.arpa", "--order", "2", "--discount-fallback", "0.5 1 1.5")),
    "word-classes": Use(("word-classes", "f", "-o", "x", "--classes", "2")),
    "compile-grammar": Use(("compile-grammar", "grammar", "-o", "x.hfg")),
    "distortion-table": Use(
        ("distortion-table", "f", "e", "align", "-o", "x", "--max-span", "16"), kinds.reordered
    ),
    "annotate": Use(("annotate", "-i", "in", "--conllu", "x.conllu", "--spacy", "model"), _annotated),
    "annotate -c": Use(
        ("annotate", "-c", "cdec.ini", "-i", "in", "--conllu", "x.conllu", "--spacy", "model"),
        _annotated_as_written,
    ),
    "text split": Use(("text", "split", "--language", "de"), stdin=kinds.SOURCE),
    "text join": Use(("text", "join"), stdin=kinds.SOURCE),
    "text learn": Use(("text", "learn", *TEXT, "--languages", "de", "en", "-o", "x.json")),
    "text check": Use(("text", "check", *TEXT, "-o", "x.tsv")),
    "translate": Use(("translate", "in", *SETTINGS, "-o", "out.txt", "--format", "txt")),
    "plugins": Use(("plugins",)),
    "plugins new": Use(("plugins", "new", "my_feature")),
    "list": Use(("list",)),
}
"""The commands that need neither a network nor other programs, by what the counts call them."""

NOT_TRIED = {
    "serve": "runs until it is stopped",
    "demo": "is a use of decode --learn",
    "train-joint": "needs PyTorch",
    "convert": "reads systems of other decoders",
    "cdec-bridge": "needs cdec's headers",
}

DAMAGES = {
    "good": "",
    "full output": "> /dev/full",
    "closed output": ">&-",
    "output without a reader": "| true",
    "closed input": "<&-",
    "closed messages": "2>&-",
    "full messages": "2> /dev/full",
    "messages without a reader": "2> >(true)",
    "all closed": "<&- >&- 2>&-",
}


@dataclass
class Ended:
    """How a command ended."""

    status: int
    output: str
    messages: str


def run(use: Use, damage: str, folder: Path) -> Ended:
    """Run a command under bash, with streams as a redirection makes them."""
    words = " ".join(f"'{word}'" for word in (sys.executable, "-m", "hopefear", *use.arguments))
    line = f"{words} {DAMAGES[damage]}"
    if damage == "output without a reader":
        line += "; exit ${PIPESTATUS[0]}"
    done = subprocess.run(
        ["bash", "-c", line],
        cwd=folder,
        input=use.stdin,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    return Ended(done.returncode, done.stdout, done.stderr)


def fault(damage: str, found: Ended, good: Ended) -> str:
    """Say what is wrong with how a command ended; nothing if it is right."""
    said = found.messages.splitlines()
    if "Traceback" in found.messages or "Exception ignored" in found.messages:
        return "a traceback"
    as_good = found.status == good.status
    if damage in ("full output", "closed output"):
        refused = found.status == 2 and any("standard output: cannot be written" in line for line in said)
        return "" if refused or (as_good and not good.output) else "nothing tells of the output"
    if damage in ("output without a reader", "messages without a reader"):
        return "" if as_good or found.status == CLOSED_PIPE else "not the status of SIGPIPE"
    if damage == "closed input":
        refused = found.status == 2 and any("standard input" in line for line in said)
        return "" if refused or (as_good and found.output == good.output) else "nothing tells of the input"
    if damage == "all closed":
        return "" if found.status in (good.status, 2) else "another status"
    return "" if as_good and found.output == good.output else "what is not written changes more"


def main() -> int:
    """Run the command, and give its exit status: 1 if there was a fault."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--command", action="append", choices=USES, help="may repeat; all if not given")
    given = parser.parse_args()
    faults = total = 0
    with tempfile.TemporaryDirectory(prefix="streams") as made:
        good_set_up, here = Path(made) / "good", Path(made) / "here"
        for name in given.command or USES:
            use = USES[name]
            shutil.rmtree(good_set_up, ignore_errors=True)
            here.mkdir()
            use.make(here)  # in the same place as the runs, for what is kept of paths
            here.rename(good_set_up)
            ended: dict[str, Ended] = {}
            for damage in DAMAGES:
                shutil.copytree(good_set_up, here)
                ended[damage] = run(use, damage, here)
                shutil.rmtree(here)
                total += 1
                said = fault(damage, ended[damage], ended["good"])
                if damage == "good" and ended["good"].status:
                    said = "it does not end with 0 where all is good"
                if said:
                    faults += 1
                    print(f"{name}, {damage}: {said}\n{ended[damage]}", flush=True)
            print(name, *(f"{damage} {one.status}" for damage, one in ended.items()), sep="; ", flush=True)
    print(f"{total} runs, {faults} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
