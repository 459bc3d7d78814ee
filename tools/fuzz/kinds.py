"""The kinds of input: for each a small good set-up, the file that is damaged, and what reads it."""

from __future__ import annotations

import gzip
import io
import json
import shutil
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from hashlib import sha256
from pathlib import Path
from random import Random

from support import command, compiled_files, toy
from support.cdec_archives import small_archive
from support.cells_here import cells_here
from support.fake_parsers import write_fakes
from support.small_parallel_text import write_parallel_text

from hopefear import cdec
from hopefear.decoder import Decoder, Hypergraph, Segment, Weights, read_config
from hopefear.decoder.compiled import compile_grammars
from hopefear.decoder.forest_file import read_forest, write_forest
from hopefear.live import AdaptingDecoder, LiveSession, RuleWithdrawn, StoredSession, Withdrawn
from hopefear.text import Language, Profile, TextSystem
from hopefear.tuners import Mira
from hopefear.tuners.contract.checkpoint import FORMAT

Change = Callable[[bytes], bytes]

MODELS = Path(__file__).with_name("models")

GRAMMAR = toy.grammar("la", "casa", "verde", "es", "la casa") + (
    "[X] ||| casa [X,1] ||| [1] house ||| Swap=1 ||| 0-1\n"
    "[X] ||| [X,1] es [X,2] ||| [1] is [2] ||| Right=0.5 ||| 1-1\n"
)
INI = """\
formalism=scfg
grammar=grammar
scfg_max_span_limit=6
cubepruning_pop_limit=30
add_pass_through_rules=true
feature_function=WordPenalty
"""
SOURCE = "la casa verde\nla casa es verde\ncasa es la casa\n"
REFERENCE = "the green house\nthe house is green\nhouse is the house\n"
LATTICES = """\
((('la',0,1),),(('casa',0.5,1),('verde',-1.25,1),),)
((('la',0,1),('casa',0.25,2),),(('casa',0,1),),(('es',0,1),),)
"""
SEGMENTS = """\
<seg id="1" grammar="own">la casa verde</seg>
<seg id="a-2" parse="(S (DT la) (NN casa))">la casa</seg> ||| the house
<seg id="3">((('la',0,1),),(('casa',0.5,1),),)</seg>
la casa &lt; verde
"""
PAIRS = """\
la casa verde
la casa verde ||| the green house
la casa ||| the house ||| the home
<seg id="4">casa es verde</seg> ||| house is green
"""
TREES = """\
(S (DT la) (NP (NN casa) (JJ verde)))
(S (NP (DT la) (NN casa)) (VP (VB es) (JJ verde)))
(S (NN casa) (VP (VB es) (NP (DT la) (NN casa))))
"""
CONLLU = """\
# text = la casa verde
1	la	la	DET	D	_	2	det	_	_
2	casa	casa	NOUN	N	Number=Sing	0	root	_	_
3	verde	verde	ADJ	A	_	2	amod	_	SpaceAfter=No

1-2	lacasa	_	_	_	_	_	_	_	_
1	la	la	DET	D	_	2	det	_	_
2	casa	casa	NOUN	N	_	4	nsubj	_	_
3	es	ser	AUX	V	_	4	cop	_	_
4	verde	verde	ADJ	A	_	0	root	_	_
4.1	x	_	_	_	_	_	_	_	_

1	casa	casa	NOUN	N	_	0	root	_	_
2	es	ser	AUX	V	_	1	cop	_	_
3	la	la	DET	D	_	4	det	_	_
4	casa	casa	NOUN	N	_	1	obj	_	_

"""
TAGS = "la/D casa/N verde/A\nla/D casa/N es/V verde/A\ncasa/N es/V la/D casa/N\n"
CLASSES = "0110 la 12\n0111 casa 7\n10 verde 3\n"
KBEST = """\
0 ||| the green house ||| lm= -3 tm= -1 -2 ||| -3
0 ||| the house ||| lm= -2 tm= -1 -1 ||| -2
1 ||| the house is green ||| Glue=1 lm= -1 ||| -1
1 ||| the ||| -1.5 -22 0 ||| -1
2 ||| house is the house ||| d: 0 -1 lm=-1e-3 ||| -1
2 ||| house ||| d: 0 -1 lm=-1e-3 ||| -1
"""
FROZEN = """\
# hopefear selection {"allow": ["R:*", "W*"], "deny": ["*x"]}
Right 1
R:X:la:the 0.5
Wrong -1
"""
DISTORTION = """\
# source words of a nonterminal, in order, reversed
1 4 2
2 3 3
""" + "".join(f"{size} 1 2\n" for size in (*range(3, 10), "10+"))
PLAN = """\
title = "A plan"
weights = "weights"

[sets.dev]
config = "cdec.ini"
source = "in"
references = ["reference"]
lines = [0, 3]

[sets.test]
config = "cdec.ini"
source = "in"
trees = "trees"

[systems.base]
[systems.rules]
features = ["RuleIndicators", "SoftSyntax"]

[tuners]
untuned = "none"
MIRA = "Mira C=0.1"
SVM = { line = "StructuralSvm", grid = { lam = [0.1, 1], Q = [10] }, folds = 3 }

[[runs]]
tune = ["dev"]
test = ["dev"]
systems = ["base"]
tuners = ["untuned"]
sizes = [2]
draws = [1, 2]

[[tables]]
title = "All"
rows = ["tuner", "system"]
columns = ["tested_on"]
where = { size = 2, tuner = ["untuned", "MIRA"] }
"""

FILES = {
    "cdec.ini": INI,
    "grammar": GRAMMAR,
    "own": GRAMMAR,
    "weights": "Right 1\nWrong -1\nSwap 0.5\nWordPenalty 0.1\nPassThrough -5\nLanguageModel 0.3\n",
    "frozen": FROZEN,
    "lm.arpa": toy.ARPA,
    "map": "the la -0.5\nhouse casa -1\ngreen green -0.25\n",
    "in": SOURCE,
    "reference": REFERENCE,
    "lattices": LATTICES,
    "segments": SEGMENTS,
    "examples": PAIRS,
    "trees": TREES,
    "conllu": CONLLU,
    "tags": TAGS,
    "classes": CLASSES,
    "nbest": KBEST,
    "distortion": DISTORTION,
    "plan.toml": PLAN,
    "f": SOURCE * 4,
    "e": REFERENCE * 4,
    "align": "0-0 1-2 2-1\n0-0 1-1 2-2 3-3\n0-0 1-1 2-2 3-3\n" * 4,
    "schedule": "0\n1\n0 2\n1\n",
}

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


def _made(folder: Path, *arguments: str) -> None:
    status, message = run(folder, *arguments)
    assert status == 0, message


def files(folder: Path) -> None:
    for name, content in FILES.items():
        (folder / name).write_text(content, "utf-8")


def forest(folder: Path) -> None:
    files(folder)
    decoder = Decoder(folder / "cdec.ini", weights=folder / "weights")
    write_forest(decoder.translate("la casa verde"), folder / "forest.json")


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
    (folder / "cdec.ini").write_text(INI.replace("grammar=grammar", "grammar=grammar.hfg"), "utf-8")


@cache
def tuned(*arguments: str) -> Callable[[Path], None]:
    def make(folder: Path) -> None:
        files(folder)
        _made(folder, *TUNE, "--passes", "1", "--feature", "RuleIndicators", *arguments)
        (folder / "run" / "weights.final").unlink()

    return make


def reported(folder: Path) -> None:
    files(folder)
    _made(folder, *TUNE, "--passes", "1")


def ranked(folder: Path) -> None:
    reported(folder)
    _made(folder, "features", "run")


def built(folder: Path) -> None:
    write_parallel_text(folder, 30, ambiguous=True)
    _made(folder, *BUILD)


def hols(folder: Path) -> None:
    built(folder)
    _made(folder, *HOLS)


def experiment(folder: Path) -> None:
    files(folder)
    with cells_here():
        _made(folder, *EXPERIMENT)


def annotated(folder: Path) -> None:
    files(folder)
    write_fakes(folder)
    _made(folder, *ANNOTATE)
    (folder / "made.conllu").rename(folder / "made.conllu.part")


def live_session(folder: Path) -> None:
    """Make the state of a session, and its journal, which goes on after the state."""
    files(folder)
    (folder / "grammar").write_text(FILES["own"], "utf-8")
    decoder = AdaptingDecoder(
        read_config(folder / "cdec.ini"), rules=True, model=True, weights=folder / "weights"
    )
    with StoredSession(LiveSession(decoder, Mira()), folder / "w.session") as stored:
        for line in (*PAIRS.splitlines()[1:3], "la casa ||| the home"):
            if len(stored.session.ledger.corrections) == 1:
                stored.save()
            stored.session.correct(Segment.from_input(line))
        stored.session.take(RuleWithdrawn("casa", "house"))
        stored.session.take(Withdrawn(1))


def journal_line(content: bytes, change: Change, draw: Random) -> bytes:
    """Change the content of a line, and write it with its checksum."""
    lines = content.splitlines()
    chosen = draw.randrange(len(lines))
    text = json_value(lines[chosen].partition(b" ")[2], change, draw).replace(b"\n", b" ")
    lines[chosen] = sha256(text).hexdigest()[:16].encode() + b" " + text
    return b"".join(line + b"\n" for line in lines)


@dataclass(frozen=True)
class Kind:
    """Input of one kind."""

    name: str
    file: str
    use: Callable[[Path], tuple[int, str]]
    make: Callable[[Path], None] = files
    inside: Callable[[bytes, Change, Random], bytes] = lambda content, change, draw: change(content)
    share: float = 1.0


DOCUMENTS = {
    "po": 'msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n\n'
    '#, c-format\nmsgid "la %s casa"\nmsgstr ""\n',
    "xlf": '<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2"><file><body>'
    '<trans-unit id="1"><source>la <g id="1">casa</g><x id="2"/></source></trans-unit></body></file></xliff>',
    "html": "<p>la <b>casa</b> es <br>verde &amp; <a href='x'>la</a>.</p><ul><li>la casa</ul>",
    "md": "# La casa\n\nLa *casa* es `x` y [verde](u).\n\n| a | b |\n|---|---|\n| la | casa |\n",
    "srt": "1\n00:00:01,000 --> 00:00:02,000\n<i>la</i> casa\n",
    "csv": "source,target\nla casa,\n",
}
"""Small documents, by the endings of their formats."""


KNOWLEDGE = {
    "memory.tmx": '<tmx version="1.4"><header srclang="es"/><body>\n'
    '<tu><tuv xml:lang="es"><seg>la <hi>casa</hi></seg></tuv>\n'
    '<tuv xml:lang="en"><seg>the house</seg></tuv></tu>\n'
    '<tu><tuv xml:lang="es-MX"><seg>casa es verde</seg></tuv>\n'
    '<tuv xml:lang="en"><seg>the house</seg></tuv></tu>\n'
    "</body></tmx>\n",
    "memory.po": 'msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\nLanguage: en\\n"\n\n'
    'msgid "la casa verde"\nmsgstr "the green house"\n\n#, fuzzy\nmsgid "casa"\nmsgstr "home"\n',
    "glossary.tsv": "la casa\tthe house\tnot: home\nverde\tgreen\nverde\tverdant\n",
    "glossary.tbx": '<tbx type="TBX-Basic" xmlns="urn:iso:std:iso:30042:ed-2"><text><body>\n'
    '<conceptEntry id="1"><langSec xml:lang="es"><termSec><term>casa</term></termSec></langSec>'
    '<langSec xml:lang="en"><termSec><term>house</term></termSec></langSec></conceptEntry>\n'
    '<termEntry><langSet xml:lang="es"><tig><term>verde</term></tig></langSet>'
    '<langSet xml:lang="en"><tig><term>green</term><termNote type="administrativeStatus">deprecated'
    "</termNote></tig></langSet></termEntry></body></text></tbx>\n",
}
"""A small translation memory and a small glossary in each of their forms."""


def knowledge(folder: Path) -> None:
    files(folder)
    for name, content in KNOWLEDGE.items():
        (folder / name).write_text(content, "utf-8")


def documents(folder: Path) -> None:
    files(folder)
    TextSystem(Language("es"), Language("en"), Profile.named("html")).save(folder / "text.json")
    for ending, content in DOCUMENTS.items():
        (folder / f"x.{ending}").write_text(content, "utf-8")


def translated(ending: str) -> Callable[[Path], tuple[int, str]]:
    def use(folder: Path) -> tuple[int, str]:
        with (folder / "cdec.ini").open("a", encoding="utf-8") as ini:
            ini.write("# hopefear: text=text.json\n")
        arguments = ("-c", "cdec.ini", "-w", "weights", "-o", f"y.{ending}")
        return run(folder, "translate", f"x.{ending}", *arguments)

    return use


def of_command(*arguments: str) -> Callable[[Path], tuple[int, str]]:
    return lambda folder: run(folder, *arguments)


def with_line(line: str, *arguments: str) -> Callable[[Path], tuple[int, str]]:
    """Decode with one line more in the cdec.ini."""

    def use(folder: Path) -> tuple[int, str]:
        with (folder / "cdec.ini").open("a", encoding="utf-8") as ini:
            ini.write(line + "\n")
        return run(folder, *DECODE, "-i", "in", *arguments)

    return use


_NOT_TRIED = {"--cluster", "--decoder"}
"""Options that start other processes."""


def options(*before: str) -> Callable[[Path], tuple[int, str]]:
    """Run a command with the words of the file ``argument`` as arguments."""

    def use(folder: Path) -> tuple[int, str]:
        given = (folder / "argument").read_bytes().replace(b"\0", b"").decode("utf-8", "surrogateescape")
        words = given.split()
        return run(folder, *before, *(word for word in words if word not in _NOT_TRIED))

    return use


def line_of_ini(folder: Path) -> tuple[int, str]:
    with (folder / "cdec.ini").open("ab") as ini:
        ini.write((folder / "argument").read_bytes())
    return run(folder, *DECODE, "-i", "in")


def argument(*before: str) -> Callable[[Path], tuple[int, str]]:
    """Run a command with the file ``argument`` as one of its arguments, as a shell would give it."""

    def use(folder: Path) -> tuple[int, str]:
        given = (folder / "argument").read_bytes().replace(b"\0", b"").decode("utf-8", "surrogateescape")
        return run(folder, *before, given)

    return use


def forest_read(folder: Path) -> tuple[int, str]:
    return _used(read_forest(folder / "forest.json", Weights()))


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
    status, errors = run(folder, *DECODE, "-i", "in", "--feature", "RuleIndicators")
    return (status, errors) if status else run(folder, "compile-grammar", "--check", "grammar.hfg")


def in_this_process(*arguments: str) -> Callable[[Path], tuple[int, str]]:
    def use(folder: Path) -> tuple[int, str]:
        with cells_here():
            return run(folder, *arguments)

    return use


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
    import numpy as np

    text = change(np.load(io.BytesIO(array)).tobytes())
    out = io.BytesIO()
    np.save(out, np.frombuffer(text, np.uint8))
    return out.getvalue()


def json_value(content: bytes, change: Change, draw: Random) -> bytes:
    """Change a value, so that what is left is JSON; as often, change the text."""
    if draw.random() < 0.5:
        return change(content)
    document = json.loads(content)
    place = document
    while True:
        keys = [*place] if isinstance(place, dict) else [*range(len(place))]
        key = draw.choice(keys)
        if not isinstance(place[key], (dict, list)) or not place[key] or draw.random() < 0.2:
            break
        place = place[key]
    odd = (
        None,
        True,
        -1,
        0,
        2**31,
        2**63,
        2**64,
        10**400,
        1e308,
        -1e308,
        5e-324,
        -0.0,
        float("nan"),
        "",
        "x",
        [],
        {},
        [[]],
        "\ud800",
    )
    if draw.random() < 0.2:
        del place[key]
    else:
        place[key] = draw.choice((*odd, [place[key]], str(place[key])))
    return json.dumps(document).encode()


def _model(name: str) -> Kind:
    def make(folder: Path) -> None:
        files(folder)
        shutil.copy(MODELS / f"{name}.klm", folder / "lm.klm")

    return Kind(f"KenLM {name}", "lm.klm", with_line("feature_function=KLanguageModel lm.klm"), make)


def _resumed(name: str, file: str, more: tuple[str, ...] = (), **settings: object) -> Kind:
    use = of_command(*TUNE, *MORE, *more, "--resume")
    return Kind(name, f"run/{file}", use, tuned(*more), share=0.15, **settings)  # type: ignore[arg-type]


def _argument(name: str, text: str, use: Callable[[Path], tuple[int, str]], share: float = 1) -> Kind:
    make = reordered if name.endswith("distortion-table") else files
    return Kind(name, "argument", use, partial(_with_argument, text, make), share=share)


def _with_argument(text: str, make: Callable[[Path], None], folder: Path) -> None:
    make(folder)
    (folder / "argument").write_text(text, "utf-8")


PLUGINS = (
    "SoftSyntax trees=trees granularity=coarse",
    "TargetNgrams --order 2",
    "StructuralDistortion --granularity coarse --table distortion",
    "WordPairs --types digits,prefix --combine all",
)
OPTIONS = {
    "decode": (
        DECODE[:5],
        "-i in -k 3 --unique --threads 2 --max-words 9 --on-error skip --hash-bits 9",
    ),
    "explain": (("explain", *DECODE[1:5]), "-i in --reference the --rival 2 -k 5 --json --max-words 9"),
    "live learning": (
        (*DECODE[:5], "-i", "examples"),
        "--learn mira --set C=0.1 --save-weights w --save-every 1 --adapt rules,lm --forget 2",
    ),
    "score": (("score", "-r", "e", "-i", "f"), "-m bleu -m ter --samples 20 --seed 1 --json"),
    "ngrams": (
        ("ngrams", "-s", "e", "-o", "x.arpa", "--discount-fallback", "0.5 1 1.5"),
        "--order 3 --prune 0 --skip-symbols --use ours",
    ),
    "extract": (
        ("extract", "-s", "f", "-t", "e", "-a", "align", "-i", "in", "-o", "x.gz"),
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
    Kind("cdec.ini", "cdec.ini", of_command(*DECODE, "-i", "in")),
    Kind("grammar", "grammar", of_command(*DECODE, "-i", "in")),
    Kind("compiled grammar", "grammar.hfg", of_command(*DECODE, "-i", "in"), compiled),
    Kind("section of a compiled grammar", "grammar.hfg", every_rule, compiled, compiled_section),
    Kind("grammar of a sentence", "own", of_command(*DECODE, "-i", "segments")),
    Kind("grammar of a call", "own", grammar_of_call),
    Kind("weights", "weights", of_command(*DECODE, "-i", "in")),
    Kind("feature selection", "frozen", of_command(*DECODE, "-i", "in", "--freeze", "frozen")),
    Kind("sentences", "in", of_command(*DECODE, "-i", "in")),
    Kind("lattices", "lattices", of_command(*DECODE, "-i", "lattices")),
    Kind("segments", "segments", of_command(*DECODE, "-i", "segments")),
    Kind("segments, skipped", "segments", of_command(*DECODE, "-i", "segments", "--on-error", "skip")),
    Kind(
        "live learning",
        "examples",
        of_command("decode", "-c", "cdec.ini", "-w", "weights", "-i", "examples", "--learn", "mira"),
    ),
    Kind("live learning of rules", "examples", of_command(*ADAPT, "-i", "examples")),
    Kind(
        "state of a session",
        "w.session",
        of_command(*ADAPT, "-i", "in", "--save-weights", "w", "--resume"),
        live_session,
        whole_checkpoint,
    ),
    Kind(
        "journal of a session",
        "w.session.journal",
        of_command(*ADAPT, "-i", "in", "--save-weights", "w", "--resume"),
        live_session,
    ),
    Kind(
        "line of a session's journal",
        "w.session.journal",
        of_command(*ADAPT, "-i", "in", "--save-weights", "w", "--resume"),
        live_session,
        journal_line,
    ),
    Kind("references", "reference", of_command(*TUNE, "--passes", "1"), share=0.15),
    Kind(
        "translations",
        "e",
        of_command(
            "score",
            "-r",
            "e",
            "-i",
            "f",
            *(x for m in ("bleu", "chrf", "ter", "ssk", "nist") for x in ("-m", m)),
        ),
    ),
    Kind("trees", "trees", with_line("feature_function=SoftSyntax trees=trees")),
    Kind("trees of annotations", "trees", of_command(*DECODE, "-i", "in", "--trees", "trees")),
    Kind("CoNLL-U", "conllu", of_command(*DECODE, "-i", "in", "--conllu", "conllu")),
    Kind("tags", "tags", of_command(*DECODE, "-i", "in", "--tags", "tags")),
    Kind("word classes", "classes", of_command(*DECODE, "-i", "in", "--classes", "classes")),
    Kind(
        "k-best lists",
        "nbest",
        of_command("tune", "--kbest", "nbest", "-r", "reference", "-o", "run"),
        share=0.15,
    ),
    Kind(
        "alignments",
        "align",
        of_command("extract", "-s", "f", "-t", "e", "-a", "align", "-i", "in", "-o", "x.gz"),
    ),
    Kind(
        "parallel text",
        "f",
        of_command("extract", "-s", "f", "-t", "e", "-a", "align", "-i", "in", "-o", "x.gz"),
    ),
    Kind(
        "text of n-grams",
        "e",
        of_command("ngrams", "-s", "e", "--order", "3", "--discount-fallback", "0.5 1 1.5", "-o", "x.arpa"),
    ),
    Kind("ARPA", "lm.arpa", with_line("feature_function=KLanguageModel lm.arpa")),
    *map(_model, ("probing", "trie", "quantized", "array", "quantized_array")),
    Kind("class map", "map", with_line("feature_function=KLanguageModel -m map lm.arpa")),
    Kind("text of a system", "text.json", with_line("# hopefear: text=text.json"), documents, json_value),
    Kind("sentences as written", "in", with_line("# hopefear: text=text.json"), documents),
    *(Kind(f"document, {name}", f"x.{name}", translated(name), documents) for name in DOCUMENTS),
    *(
        Kind(
            name.replace(".", ", "),
            name,
            of_command(*ADAPT, "-i", "examples", "--memory", name)
            if name.startswith("memory")
            else of_command(*DECODE, "-i", "in", "--glossary", name),
            knowledge,
        )
        for name in KNOWLEDGE
    ),
    Kind("forest", "forest.json", forest_read, forest, json_value),
    Kind("forest of cdec", "0.bin", cdec_forest_read, cdec_forest),
    Kind(
        "distortion table",
        "distortion",
        with_line("feature_function=StructuralDistortion --granularity coarse --table distortion"),
    ),
    Kind(
        "schedule",
        "schedule",
        of_command(*TUNE, *PARALLEL, "--passes", "1", "--set", "replay=schedule"),
        share=0.15,
    ),
    _resumed("checkpoint of Mira", "checkpoint"),
    _resumed("state of Mira", "checkpoint", inside=whole_checkpoint),
    _resumed("state of Pro", "checkpoint", ("--tuner", "Pro"), inside=whole_checkpoint),
    _resumed("state of Mert", "checkpoint", ("--tuner", "Mert", "--set", "k=5"), inside=whole_checkpoint),
    _resumed("state of AdaptiveMira", "checkpoint", ("--tuner", "AdaptiveMira"), inside=whole_checkpoint),
    _resumed("state of ParallelMira", "checkpoint", PARALLEL, inside=whole_checkpoint),
    _resumed("schedule of a run", "checkpoint.schedule", PARALLEL),
    _resumed("log of a run", "log.jsonl"),
    _resumed("record of a run", "run.json", inside=json_value),
    _resumed("weights of a pass", "weights.pass1"),
    Kind(
        "sentences of a run",
        "run/sentences.jsonl.gz",
        of_command("report", "run"),
        reported,
        packed_line,
        share=0.15,
    ),
    Kind("log for a report", "run/log.jsonl", of_command("report", "run"), reported, share=0.15),
    Kind(
        "families of a run", "run/families.json", of_command("report", "run"), ranked, json_value, share=0.15
    ),
    Kind(
        "checkpoint of Hols",
        "run/checkpoint",
        of_command(*HOLS, "--resume"),
        hols,
        whole_checkpoint,
        share=0.05,
    ),
    Kind(
        "description of a system",
        "system/build.json",
        of_command(*HOLS, "--force"),
        built,
        json_value,
        share=0.05,
    ),
    Kind("record of a build", "system/stages.json", of_command(*BUILD), built, json_value, share=0.1),
    Kind("n-gram counts", "system/counts/*.npz", of_command(*BUILD), built, member, share=0.1),
    Kind("plan", "plan.toml", in_this_process(*EXPERIMENT), share=0.1),
    Kind(
        "results of an experiment",
        "out/results.sqlite",
        of_command(*EXPERIMENT, "--report"),
        experiment,
        share=0.05,
    ),
    Kind(
        "rows of a cell",
        "out/cells/*/cell.json",
        in_this_process(*EXPERIMENT),
        experiment,
        json_value,
        share=0.05,
    ),
    Kind(
        "statistics of a cell", "out/cells/*/dev.1.npy", in_this_process(*EXPERIMENT), experiment, share=0.1
    ),
    Kind("annotations to go on with", "made.conllu.part", of_command(*ANNOTATE), annotated),
    *(
        _argument(f"arguments of {t.split()[0]}", t, argument(*DECODE, "-i", "in", "--feature"))
        for t in PLUGINS
    ),
    *(
        _argument(f"arguments of {t.split()[0]}", t, argument("score", "-r", "e", "-i", "f", "-m"))
        for t in METRICS
    ),
    *(
        _argument(f"oracle {t.split()[0]}", t, argument(*TUNE, "--passes", "1", "--oracle"), 0.15)
        for t in ORACLES
    ),
    _argument(
        "arguments of KLanguageModel",
        "feature_function=KLanguageModel -x -n Name -m map lm.arpa\n",
        line_of_ini,
    ),
    *(
        _argument(f"options of {name}", text, options(*before), 0.15 if name == "tune" else 0.5)
        for name, (before, text) in OPTIONS.items()
    ),
    _argument("setting of a tuner", "C=0.05", argument(*TUNE, "--passes", "1", "--set"), 0.15),
    _argument(
        "pattern of features",
        "R:[a-z]*",
        argument(*DECODE, "-i", "in", "--feature", "RuleIndicators", "--allow"),
    ),
]
