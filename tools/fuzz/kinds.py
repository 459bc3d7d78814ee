"""The kinds of input: for each a good set-up, the file that is damaged, and the command that reads it."""

from __future__ import annotations

import gzip
import io
import json
import shutil
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from support import compiled_files
from support import small_inputs as good
from support.plans import cells_here
from support.small_inputs import ADAPT, ANNOTATE, BUILD, DECODE, EXPERIMENT, HOLS, TUNE, Make, files, run

from hopefear import cdec
from hopefear.decoder import Decoder, Hypergraph, Weights
from hopefear.tuners.contract.checkpoint import FORMAT

Change = Callable[[bytes], bytes]
Use = Callable[[Path], tuple[int, str]]

MODELS = Path(__file__).with_name("models")

RESUMED = ("--passes", "2", "--feature", "RuleIndicators", "--resume")
PARALLEL = ("--tuner", "ParallelMira", "--set", "workers=2")
DECODED = (*DECODE, "-i", "in")
SAVED = (*ADAPT, "-i", "in", "--save-weights", "w", "--resume")
SCORE = ("score", "-r", "e", "-i", "f")
SCORED = (*SCORE, "-m", "bleu", "-m", "chrf", "-m", "ter", "-m", "ssk", "-m", "nist")
EXTRACTED = ("extract", "-s", "f", "-t", "e", "-a", "align", "-i", "in", "-o", "x.gz")
DISCOUNTS = ("--discount-fallback", "0.5 1 1.5")
RARE = 0.15
"""The share of a kind that takes long."""


@dataclass(frozen=True)
class InputKind:
    """Input of one kind, and the words of the command, or the function, that uses it.

    `inside` says how the file's content is damaged behind its checksums.
    """

    name: str
    file: str
    words: Sequence[str] | Use
    make: Make = files
    inside: Callable[[bytes, Change, Random], bytes] = lambda content, change, draw: change(content)
    share: float = 1.0

    def use(self, folder: Path) -> tuple[int, str]:
        """Use the input of a folder; give the exit status, and what was written to standard error."""
        if callable(self.words):
            return self.words(folder)
        with cells_here():
            return run(folder, *self.words)


def with_line(line: str, *arguments: str) -> Use:
    """Run a command, `decode` if none is given, with one line more in the cdec.ini."""

    def use(folder: Path) -> tuple[int, str]:
        with (folder / "cdec.ini").open("a", encoding="utf-8") as ini:
            ini.write(line + "\n")
        return run(folder, *(arguments or DECODED))

    return use


def with_argument(*before: str, split: bool = False) -> Use:
    """Run a command with the text of the file ``argument``, or its words, as its last argument."""

    def use(folder: Path) -> tuple[int, str]:
        text = (folder / "argument").read_bytes().replace(b"\0", b"").decode("utf-8", "surrogateescape")
        words = text.split() if split else [text]
        return run(folder, *before, *(word for word in words if word not in STARTS_PROCESSES))

    return use


STARTS_PROCESSES = {"--cluster", "--decoder"}


def line_of_ini(folder: Path) -> tuple[int, str]:
    with (folder / "cdec.ini").open("ab") as ini:
        ini.write((folder / "argument").read_bytes())
    return run(folder, *DECODED)


def forest_read(folder: Path) -> tuple[int, str]:
    return _used(Hypergraph.read(folder / "forest.json", Weights()))


def cdec_forest_read(folder: Path) -> tuple[int, str]:
    return _used(cdec.read_forest(folder / "0.bin", Weights()))


def _used(found: Hypergraph) -> tuple[int, str]:
    found.viterbi()
    found.reweight()
    for derivation in found.derivations(20):
        found.text(derivation), found.features(derivation)
    return 0, ""


def grammar_of_call(folder: Path) -> tuple[int, str]:
    decoder = Decoder(folder / "cdec.ini", weights=folder / "weights")
    text = (folder / "own").read_bytes().decode("utf-8", "surrogateescape")
    decoder.translate("la casa verde", text).viterbi()
    return 0, ""


def every_rule(folder: Path) -> tuple[int, str]:
    """Decode with all rules of a grammar."""
    status, errors = run(folder, *DECODED, "--feature", "RuleIndicators")
    return (status, errors) if status else run(folder, "compile-grammar", "--check", "grammar.hfg")


def whole_checkpoint(content: bytes, change: Change, draw: Random) -> bytes:
    """Change a state, and write it with its checksum."""
    _, _, archive = content.partition(b"\n")
    inner = member(archive, change, draw)
    return f"{FORMAT} {sha256(inner).hexdigest()}\n".encode() + inner


def packed_line(content: bytes, change: Change, draw: Random) -> bytes:
    """Change a value in a line of JSON; sometimes, change the compressed text."""
    if draw.random() < 0.1:
        return change(content)
    lines = gzip.decompress(content).splitlines()
    number = draw.randrange(len(lines))
    lines[number] = json_value(lines[number], change, draw)
    return gzip.compress(b"\n".join(lines) + b"\n")


def compiled_section(content: bytes, change: Change, draw: Random) -> bytes:
    """Change a section of a compiled grammar, often a number in it, and write the right checksums."""
    parts = compiled_files.sections(content)
    number = draw.choice([n for n, part in enumerate(parts) if part])
    part = bytearray(parts[number])
    if draw.random() < 0.7 and len(part) >= 4:
        at = draw.randrange(len(part) // 4) * 4
        near = int.from_bytes(part[at : at + 4], "little") + draw.randint(-3, 3)
        value = draw.choice((near, 0, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x7FC00000, draw.randrange(2**32)))
        part[at : at + 4] = (value % 2**32).to_bytes(4, "little")
        parts[number] = bytes(part)
    else:
        parts[number] = change(bytes(part))
    return compiled_files.whole(content, parts)


def member(content: bytes, change: Change, draw: Random) -> bytes:
    """Change a member of a zip archive."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    chosen = draw.choice([*members])
    new = io.BytesIO()
    with zipfile.ZipFile(new, "w") as archive:
        for name, inner in members.items():
            if name == chosen:
                if name.endswith("facts.npy"):
                    inner = _facts(inner, change)
                elif draw.random() < 0.5:  # the header tells dtype and shape
                    head = 10 + int.from_bytes(inner[8:10], "little")
                    inner = inner[:head] + change(inner[head:])
                else:
                    inner = change(inner)
            if name != chosen or draw.random() < 0.95:
                archive.writestr(name, inner)
    return new.getvalue()


def _facts(array: bytes, change: Change) -> bytes:
    """Change JSON in an array of bytes, and say its new length."""
    text = change(np.load(io.BytesIO(array)).tobytes())
    out = io.BytesIO()
    np.save(out, np.frombuffer(text, np.uint8))
    return out.getvalue()


ODD_VALUES: tuple[Any, ...] = (
    *(None, True, "", "x", "\ud800", [], {}, [[]]),
    *(-1, 0, 2**31, 2**63, 2**64, 10**400, 1e308, -1e308, 5e-324, -0.0, float("nan")),
)


def json_value(content: bytes, change: Change, draw: Random) -> bytes:
    """Change a value, so that what is left is JSON; as often, change the text."""
    if draw.random() < 0.5:
        return change(content)
    document = json.loads(content)
    parent: Any = document
    while True:
        key = draw.choice([*parent] if isinstance(parent, dict) else [*range(len(parent))])
        if not isinstance(parent[key], (dict, list)) or not parent[key] or draw.random() < 0.2:
            break
        parent = parent[key]
    if draw.random() < 0.2:
        del parent[key]
    else:
        parent[key] = draw.choice((*ODD_VALUES, [parent[key]], str(parent[key])))
    return json.dumps(document).encode()


def journal_line(content: bytes, change: Change, draw: Random) -> bytes:
    """Change the content of a line, and write it with its checksum."""
    lines = content.splitlines()
    chosen = draw.randrange(len(lines))
    text = json_value(lines[chosen].partition(b" ")[2], change, draw).replace(b"\n", b" ")
    lines[chosen] = sha256(text).hexdigest()[:16].encode() + b" " + text
    return b"".join(line + b"\n" for line in lines)


def kenlm(name: str) -> InputKind:
    def make(folder: Path) -> None:
        files(folder)
        shutil.copy(MODELS / f"{name}.klm", folder / "lm.klm")

    return InputKind(f"KenLM {name}", "lm.klm", with_line("feature_function=KLanguageModel lm.klm"), make)


def resumed(name: str, file: str, *more: str, inside: Any = InputKind.inside) -> InputKind:
    make = good.tuned(*more)
    return InputKind(name, f"run/{file}", (*TUNE, *RESUMED[:-1], *more, "--resume"), make, inside, RARE)


def argument(name: str, text: str, use: Use, share: float = 1.0, make: Make = files) -> InputKind:
    def make_with_argument(folder: Path) -> None:
        make(folder)
        (folder / "argument").write_text(text, "utf-8")

    return InputKind(name, "argument", use, make_with_argument, share=share)


def document(path: Path) -> InputKind:
    words = ("translate", path.name, "-c", "cdec.ini", "-w", "weights", "-o", f"y{path.suffix}")
    use = with_line("# hopefear: text=text.json", *words)
    return InputKind(f"document, {path.suffix[1:]}", path.name, use, good.documents)


def known(path: Path) -> InputKind:
    words = (*ADAPT, "-i", "examples", "--memory") if path.stem == "memory" else (*DECODED, "--glossary")
    return InputKind(path.name.replace(".", ", "), path.name, (*words, path.name), good.knowledge)


PLUGINS = (
    "SoftSyntax trees=trees granularity=coarse",
    "TargetNgrams --order 2",
    "StructuralDistortion --granularity coarse --table distortion",
    "WordPairs --types digits,prefix --combine all",
)
OPTIONS = {
    "decode": (DECODE[:5], "-i in -k 3 --unique --threads 2 --max-words 9 --on-error skip --hash-bits 9"),
    "explain": (("explain", *DECODE[1:5]), "-i in --reference the --rival 2 -k 5 --json --max-words 9"),
    "live learning": (
        (*DECODE[:5], "-i", "examples"),
        "--learn mira --set C=0.1 --save-weights w --save-every 1 --adapt rules,lm --forget 2",
    ),
    "score": (SCORE, "-m bleu -m ter --confidence --samples 20 --seed 1 --json"),
    "ngrams": (
        ("ngrams", "-s", "e", "-o", "x.arpa", *DISCOUNTS),
        "--order 3 --prune 0 --skip-symbols --use ours",
    ),
    "extract": (
        EXTRACTED,
        "--top 5 --max-symbols 4 --max-nonterminals 2 --max-span 9 --min-gap 1 --samples 20 --loose",
    ),
    "word-classes": (("word-classes", "f", "-o", "x"), "--classes 3 --rounds 2"),
    "distortion-table": (
        ("distortion-table", "f", "e", "align", "-o", "x"),
        "--sentences 15 --max-span 16 --max-symbols 4 --max-words 16",
    ),
    "tune": (
        (*TUNE, "--report-sentences", "0", "--passes", "1"),  # any number of passes is obeyed
        "--tuner Mira --seed 3 --set C=0.1 --metric bleu",
    ),
}
"""Options of commands, and what stands before them."""
METRICS = ("bleu --smoothing add-one", "chrf --word-order 2", "ter", "ssk", "nist --order 4")
ORACLES = ("KBestLocal --k 10", "ForestHopeFear hope_mu=0.5 fear_mu=0.5")

KINDS = [
    InputKind("cdec.ini", "cdec.ini", DECODED),
    InputKind("grammar", "grammar", DECODED),
    InputKind("compiled grammar", "grammar.hfg", DECODED, good.compiled),
    InputKind("section of a compiled grammar", "grammar.hfg", every_rule, good.compiled, compiled_section),
    InputKind("grammar of a sentence", "own", (*DECODE, "-i", "segments")),
    InputKind("grammar of a call", "own", grammar_of_call),
    InputKind("weights", "weights", DECODED),
    InputKind("feature selection", "frozen", (*DECODED, "--freeze", "frozen")),
    InputKind("sentences", "in", DECODED),
    InputKind("lattices", "lattices", (*DECODE, "-i", "lattices")),
    InputKind("segments", "segments", (*DECODE, "-i", "segments")),
    InputKind("segments, skipped", "segments", (*DECODE, "-i", "segments", "--on-error", "skip")),
    InputKind("live learning", "examples", (*DECODE[:5], "-i", "examples", "--learn", "mira")),
    InputKind("live learning of rules", "examples", (*ADAPT, "-i", "examples")),
    InputKind("state of a session", "w.session", SAVED, good.live_session, whole_checkpoint),
    InputKind("journal of a session", "w.session.journal", SAVED, good.live_session),
    InputKind("line of a session's journal", "w.session.journal", SAVED, good.live_session, journal_line),
    InputKind("references", "reference", (*TUNE, "--passes", "1"), share=RARE),
    InputKind("translations", "e", SCORED),
    InputKind("trees", "trees", with_line("feature_function=SoftSyntax trees=trees")),
    InputKind("trees of annotations", "trees", (*DECODED, "--trees", "trees")),
    InputKind("CoNLL-U", "conllu", (*DECODED, "--conllu", "conllu")),
    InputKind("tags", "tags", (*DECODED, "--tags", "tags")),
    InputKind("word classes", "classes", (*DECODED, "--classes", "classes")),
    InputKind(
        "k-best lists", "nbest", ("tune", "--kbest", "nbest", "-r", "reference", "-o", "run"), share=RARE
    ),
    InputKind("alignments", "align", EXTRACTED),
    InputKind("parallel text", "f", EXTRACTED),
    InputKind("text of n-grams", "e", ("ngrams", "-s", "e", "--order", "3", *DISCOUNTS, "-o", "x.arpa")),
    InputKind("ARPA", "lm.arpa", with_line("feature_function=KLanguageModel lm.arpa")),
    *map(kenlm, ("probing", "trie", "quantized", "array", "quantized_array")),
    InputKind("class map", "map", with_line("feature_function=KLanguageModel -m map lm.arpa")),
    InputKind(
        "text of a system", "text.json", with_line("# hopefear: text=text.json"), good.documents, json_value
    ),
    InputKind("sentences as written", "in", with_line("# hopefear: text=text.json"), good.documents),
    *map(document, sorted((good.INPUTS / "documents").iterdir())),
    *map(known, sorted((good.INPUTS / "knowledge").iterdir())),
    InputKind("forest", "forest.json", forest_read, good.forest, json_value),
    InputKind("forest of cdec", "0.bin", cdec_forest_read, good.cdec_forest),
    InputKind(
        "distortion table",
        "distortion",
        with_line("feature_function=StructuralDistortion --granularity coarse --table distortion"),
    ),
    InputKind(
        "schedule", "schedule", (*TUNE, *PARALLEL, "--passes", "1", "--set", "replay=schedule"), share=RARE
    ),
    resumed("checkpoint of Mira", "checkpoint"),
    resumed("state of Mira", "checkpoint", inside=whole_checkpoint),
    resumed("state of Pro", "checkpoint", "--tuner", "Pro", inside=whole_checkpoint),
    resumed("state of Mert", "checkpoint", "--tuner", "Mert", "--set", "k=5", inside=whole_checkpoint),
    resumed("state of AdaptiveMira", "checkpoint", "--tuner", "AdaptiveMira", inside=whole_checkpoint),
    resumed("state of ParallelMira", "checkpoint", *PARALLEL, inside=whole_checkpoint),
    resumed("schedule of a run", "checkpoint.schedule", *PARALLEL),
    resumed("log of a run", "log.jsonl"),
    resumed("record of a run", "run.json", inside=json_value),
    resumed("weights of a pass", "weights.pass1"),
    InputKind(
        "sentences of a run",
        "run/sentences.jsonl.gz",
        ("report", "run"),
        good.reported,
        packed_line,
        share=RARE,
    ),
    InputKind("log for a report", "run/log.jsonl", ("report", "run"), good.reported, share=RARE),
    InputKind(
        "families of a run", "run/families.json", ("report", "run"), good.ranked, json_value, share=RARE
    ),
    InputKind(
        "checkpoint of Hols", "run/checkpoint", (*HOLS, "--resume"), good.hols, whole_checkpoint, share=0.05
    ),
    InputKind(
        "description of a system", "system/build.json", (*HOLS, "--force"), good.built, json_value, share=0.05
    ),
    InputKind("record of a build", "system/stages.json", BUILD, good.built, json_value, share=0.1),
    InputKind("n-gram counts", "system/counts/*.npz", BUILD, good.built, member, share=0.1),
    InputKind("plan", "plan.toml", EXPERIMENT, share=0.1),
    InputKind(
        "results of an experiment",
        "out/results.sqlite",
        (*EXPERIMENT, "--report"),
        good.experiment,
        share=0.05,
    ),
    InputKind("rows of a cell", "out/cells/*/cell.json", EXPERIMENT, good.experiment, json_value, share=0.05),
    InputKind("statistics of a cell", "out/cells/*/dev.1.npy", EXPERIMENT, good.experiment, share=0.1),
    InputKind("annotations to go on with", "made.conllu.part", ANNOTATE, good.annotated),
    *(argument(f"arguments of {t.split()[0]}", t, with_argument(*DECODED, "--feature")) for t in PLUGINS),
    *(argument(f"arguments of {t.split()[0]}", t, with_argument(*SCORE, "-m")) for t in METRICS),
    *(
        argument(f"oracle {t.split()[0]}", t, with_argument(*TUNE, "--passes", "1", "--oracle"), RARE)
        for t in ORACLES
    ),
    argument(
        "arguments of KLanguageModel",
        "feature_function=KLanguageModel -x -n Name -m map lm.arpa\n",
        line_of_ini,
    ),
    *(
        argument(
            f"options of {name}",
            text,
            with_argument(*before, split=True),
            share=RARE if name == "tune" else 0.5,
            make=good.reordered if name == "distortion-table" else files,
        )
        for name, (before, text) in OPTIONS.items()
    ),
    argument("setting of a tuner", "C=0.05", with_argument(*TUNE, "--passes", "1", "--set"), RARE),
    argument(
        "pattern of features", "R:[a-z]*", with_argument(*DECODED, "--feature", "RuleIndicators", "--allow")
    ),
]
