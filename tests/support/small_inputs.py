"""Small good inputs of every kind, made in a folder, and commands that read them."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from hopefear.decoder import Decoder, Segment, read_config
from hopefear.decoder.compiled import compile_grammars
from hopefear.live import AdaptingDecoder, LiveSession, RuleWithdrawn, StoredSession, Withdrawn
from hopefear.text import Language, Profile, TextSystem
from hopefear.tuners import Mira

from . import command
from .cdec_archives import small_archive
from .fake_parsers import write_fakes
from .plans import cells_here
from .world import configure, write_parallel_text

Make = Callable[[Path], None]

INPUTS = Path(__file__).with_name("input_files")
"""Folders of files: plain, of what is known (memories and glossaries), and documents."""


def content(name: str) -> str:
    """Return the content of a plain file."""
    return (INPUTS / "plain" / name).read_text("utf-8")


DECODE = ("decode", "-c", "cdec.ini", "-w", "weights", "-k", "3")
ADAPT = ("decode", "-c", "cdec.ini", "-w", "weights", "--learn", "mira", "--adapt", "rules,lm")
TUNE = ("tune", "-c", "cdec.ini", "-w", "weights", "-s", "in", "-r", "reference", "-o", "run")
MORE = ("--passes", "2", "--feature", "RuleIndicators")
PARALLEL = ("--tuner", "ParallelMira", "--set", "workers=2")
BUILD = ("build", "-s", "train.f", "-t", "train.e", "-a", "train.align", "-i", "test.f", "-o", "system")
BUILD = (*BUILD, "--discount-fallback", "--folds", "3", "--order", "2")
TRAIN = ("train", "system", "--feature", "RuleIndicators", "-o", "run", "--report-sentences", "0")
HOLS = ("hols", "system", "-s", "test.f", "-r", "test.e", "-o", "run", "--sentences", "5", "--updates", "1")
HOLS = (*HOLS, "--set", "k=5", "--set", "line_search_passes=1", "--set-mert", "passes=1", "--set-mert", "k=5")
EXPERIMENT = ("experiment", "plan.toml", "-o", "out")
ANNOTATE = ("annotate", "-i", "in", "--conllu", "made.conllu", "--spacy", "model", "--resume")


def run(folder: Path, *arguments: str) -> tuple[int, str]:
    """Run a command, and give its exit status and what it wrote to standard error."""
    done = command.call([*arguments], b"", folder)
    return done.returncode, done.stderr.decode("utf-8", "backslashreplace")


def _run_well(folder: Path, *arguments: str) -> None:
    status, message = run(folder, *arguments)
    assert status == 0, message


def files(folder: Path) -> None:
    shutil.copytree(INPUTS / "plain", folder, dirs_exist_ok=True)


def forest(folder: Path) -> None:
    files(folder)
    decoder = Decoder(folder / "cdec.ini", weights=folder / "weights")
    decoder.translate("la casa verde").write(folder / "forest.json")


def reordered(folder: Path) -> None:
    """Make an aligned text in which blocks of every size change places."""
    files(folder)
    text = [" ".join("abcdefghijklmnop"[word] for word in range(16))] * 15
    order = [[*range(k, 16), *range(k)] for k in range(1, 16)]
    links = [" ".join(f"{i}-{j}" for i, j in enumerate(places)) for places in order]
    for name, lines in (("f", text), ("e", text), ("align", links)):
        (folder / name).write_text("\n".join(lines) + "\n", "utf-8")


def cdec_forest(folder: Path) -> None:
    (folder / "0.bin").write_bytes(small_archive())


def compiled(folder: Path) -> None:
    files(folder)
    compile_grammars([folder / "grammar"], folder / "grammar.hfg")
    ini = content("cdec.ini").replace("grammar=grammar", "grammar=grammar.hfg")
    (folder / "cdec.ini").write_text(ini, "utf-8")


@cache
def tuned(*arguments: str) -> Callable[[Path], None]:
    def make(folder: Path) -> None:
        files(folder)
        _run_well(folder, *TUNE, "--passes", "1", "--feature", "RuleIndicators", *arguments)
        (folder / "run" / "weights.final").unlink()

    return make


def reported(folder: Path) -> None:
    files(folder)
    _run_well(folder, *TUNE, "--passes", "1")


def ranked(folder: Path) -> None:
    reported(folder)
    _run_well(folder, "features", "run")


def built(folder: Path) -> None:
    write_parallel_text(folder, 30, ambiguous=True)
    _run_well(folder, *BUILD)


def hols(folder: Path) -> None:
    built(folder)
    _run_well(folder, *HOLS)


def experiment(folder: Path) -> None:
    files(folder)
    with cells_here():
        _run_well(folder, *EXPERIMENT)


def annotated(folder: Path) -> None:
    files(folder)
    write_fakes(folder)
    _run_well(folder, *ANNOTATE)
    (folder / "made.conllu").rename(folder / "made.conllu.part")


def live_session(folder: Path) -> None:
    """Make the state of a session, and its journal, which goes on after the state."""
    files(folder)
    shutil.copy(folder / "own", folder / "grammar")
    decoder = AdaptingDecoder(
        read_config(folder / "cdec.ini"), rules=True, model=True, weights=folder / "weights"
    )
    with StoredSession(LiveSession(decoder, Mira.paper()), folder / "w.session") as stored:
        for line in (*content("examples").splitlines()[1:3], "la casa ||| the home"):
            if len(stored.session.active.corrections) == 1:
                stored.save()
            stored.session.correct(Segment.from_input(line))
        stored.session.take(RuleWithdrawn("casa", "house"))
        stored.session.take(Withdrawn(1))


def knowledge(folder: Path) -> None:
    files(folder)
    shutil.copytree(INPUTS / "knowledge", folder, dirs_exist_ok=True)


def documents(folder: Path) -> None:
    files(folder)
    TextSystem(Language("es"), Language("en"), Profile.named("html")).save(folder / "text.json")
    shutil.copytree(INPUTS / "documents", folder, dirs_exist_ok=True)


@dataclass(frozen=True)
class Use:
    """A use of a command that ends with 0."""

    arguments: tuple[str, ...]
    make: Make = files
    stdin: str = ""


def _annotated(folder: Path) -> None:
    files(folder)
    write_fakes(folder)


def _annotated_as_written(folder: Path) -> None:
    documents(folder)
    write_fakes(folder)
    configure(folder, "# hopefear: text=text.json")


def _with_scorer(folder: Path) -> None:
    files(folder)
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
    "decode": Use(("decode", *SETTINGS), stdin=content("in")),
    "decode -k": Use(("decode", *SETTINGS, "-i", "in", "-k", "3")),
    "decode --consensus": Use(("decode", *SETTINGS, "--consensus"), stdin=content("in")),
    "decode --json": Use(("decode", *SETTINGS, "--json"), stdin=content("in")),
    "decode --learn": Use(
        ("decode", *SETTINGS, "--learn", "mira", "--save-weights", "w"), stdin=content("examples")
    ),
    "decode --learn --adapt": Use(
        (*ADAPT, "--save-weights", "w", "--save-every", "1"), stdin=content("examples")
    ),
    "combine": Use(("combine", "nbest")),
    "rescore": Use(("rescore", "nbest", "--scorer", "lengths:Lengths", "-s", "f"), _with_scorer),
    "rescore --best": Use(("rescore", "-", "-w", "weights", "--best"), stdin=content("nbest")),
    "confidence": Use(("confidence", *SETTINGS, "-i", "f", "-r", "e")),
    "explain": Use(("explain", *SETTINGS), stdin=content("in")),
    "explain --json": Use(("explain", *SETTINGS, "-i", "in", "--json")),
    "explain --html": Use(("explain", *SETTINGS, "-i", "in", "--html", "page.html")),
    "score": Use(("score", "-r", "e", "-m", "bleu", "-m", "ter"), stdin=content("in") * 4),
    "score --json": Use(("score", "-r", "e", "-i", "f", "--json")),
    "tune": Use((*TUNE, "--passes", "1")),
    "tune --kbest": Use(("tune", "--kbest", "nbest", "-r", "reference", "-o", "run", "--passes", "1")),
    "report": Use(("report", "run"), reported),
    "compare": Use(("compare", "e", "f", "-r", "e", "-i", "f")),
    "compare -c": Use(("compare", "weights", "weights", "-c", "cdec.ini", "-r", "e", "-i", "f")),
    "compare runs": Use(("compare", "run", "run", "-r", "e", "-i", "f"), reported),
    "watch --terminal": Use(("watch", "run", "--terminal"), reported),
    "features": Use(("features", "run"), reported),
    "train": Use(TRAIN, built),
    "hols": Use(HOLS, built),
    "experiment": Use((*EXPERIMENT, "--report"), experiment),
    "build": Use((*BUILD, "-o", "again"), built),
    "align": Use(("align", *TEXT, "-o", "x.align")),
    "extract": Use(("extract", *TEXT, "-a", "align", "-i", "in", "-o", "x.gz")),
    "ngrams": Use(("ngrams", "-s", "e", "-o", "x.arpa", "--order", "2", "--discount-fallback", "0.5 1 1.5")),
    "hold-out": Use(("hold-out", "f", "e", "--set", "dev=1", "-o", "cut")),
    "word-classes": Use(("word-classes", "f", "-o", "x", "--classes", "2")),
    "compile-grammar": Use(("compile-grammar", "grammar", "-o", "x.hfg")),
    "distortion-table": Use(
        ("distortion-table", "f", "e", "align", "-o", "x", "--max-span", "16"), reordered
    ),
    "annotate": Use(("annotate", "-i", "in", "--conllu", "x.conllu", "--spacy", "model"), _annotated),
    "annotate -c": Use(
        ("annotate", "-c", "cdec.ini", "-i", "in", "--conllu", "x.conllu", "--spacy", "model"),
        _annotated_as_written,
    ),
    "text split": Use(("text", "split", "--language", "de"), stdin=content("in")),
    "text join": Use(("text", "join"), stdin=content("in")),
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
    "train-transformer": "needs PyTorch",
    "decode-transformer": "needs CTranslate2",
    "convert": "reads systems of other decoders",
    "cdec-bridge": "needs cdec's headers",
}
