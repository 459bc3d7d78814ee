"""docs/use is true: page by page, all commands and cells run in order, in an empty home.

A page begins in a folder with what its reader has: the files of `reader`, which are parts of the sample under
the names that pages use, and those that the commands of BEFORE make. What cannot run is in CANNOT, with the
reason. The README has `cli/test_readme.py`.

What writing-plugins.md prints is compared, too. There ``python title="NAME"`` is a file; in ``console``
a line ``$ COMMAND`` is run and the lines behind it are what it prints, numbers to one in a thousand; in
``console varies`` (times, and what many updates lead to) numbers may differ. Of tour.ipynb the outputs are
compared so, too, where a cell has no tag ``varies``. ``jupyter execute --inplace docs/use/tour.ipynb``
writes them again.
"""

from __future__ import annotations

import copy
import gzip
import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from itertools import compress
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient
from support import CHECKOUT
from support.forked_commands import forked_commands
from support.page_shell import Shell
from support.pages import assert_alike, shell_commands
from support.small_sample import small_sample

from hopefear.grammars.sample import sample_path

pytestmark = pytest.mark.long(130)
USE = CHECKOUT / "docs" / "use"
PAGES = {
    page.stem: commands
    for page in sorted(USE.glob("*.md"))
    if page.stem != "writing-plugins" and (commands := shell_commands(page))
}

PACKAGES = {"neural": ["torch"], "transformer": ["ctranslate2", "sentencepiece", "torch"]}
"""Packages that the commands of a page need and that tests may lack."""

CANNOT = {
    r"pip install .*": "needs a network",
    r"hopefear cdec-bridge build .*|.* --decoder cdec": "needs a cdec: tests/integration/test_cdec.py",
    r".* --cluster local:4 .*": "starts Ray, for a minute: tests/cli/commands/test_tune_cluster.py",
    r".* --cluster (head:6379|10\.0\.0\.1:6379|\"\$head:6379\").*": "needs other computers",
    r"\(umask 077;.*|ray .*|export RAY_.*": "needs other computers",
    r"hopefear experiment chiang2008 .*": "takes hours",
    r"hopefear experiment sample .*": "takes a minute: tests/cli/commands/test_experiment.py",
    r"hopefear convert .*|hopefear decode -c converted/.*": "needs Moses: tests/grammars/conversion",
    r"hopefear hols .*|.* hols/weights\.final .*": "takes a minute: tests/cli/commands/test_hols.py",
    r"hopefear annotate .*": "needs a parser: tests/cli/commands/test_annotate.py",
    r"hopefear train-transformer system/ .*": "takes minutes: tests/cli/commands/test_train_transformer.py",
    r"hopefear tune .* --trees dev.en.trees .*": "needs the trees of a parser",
}
"""Commands that are not run, as patterns, with the reason; each must be on a page."""

BEFORE = {
    "command-line": """
        hopefear decode -c cdec.ini -w weights -k 20 < dev.es | gzip > run1.nbest.gz
        cp run1.nbest.gz run2.nbest.gz
        """,
    "consensus": """
        for system in one two; do
          { cat cdec.ini; echo "forest_output = $system/forests"; } > $system.ini
          mkdir -p $system/forests
          hopefear decode -c $system.ini -w weights < test.es > $system.out
        done
        hopefear decode -c cdec.ini -w weights -k 20 < test.es > moses.nbest
        """,
    "documents": """
        hopefear build -s train.en -t train.es --languages en es -o system --order 2
        hopefear tune -c system/cdec.ini -s dev.en -r dev.es -o run --passes 1
        """,
    "experiments": """
        mkdir -p data/tanaka
        cp dev.ja train.ja.gz train.en.gz data/tanaka
        cp test.es data/tanaka/test.ja
        """,
    "look": """
        hopefear tune -c cdec.ini -w weights -s dev.es -r dev.en -o run --passes 1
        hopefear tune -c cdec.ini -w weights -s dev.es -r dev.en -o results --passes 1
        """,
    "metrics": "for i in 1 2 3; do cp test.out mira.$i; cp baseline.out mert.$i; done",
    "rescoring": """
        hopefear decode -c cdec.ini -w weights -k 200 --unique < dev.es | awk '{ print NR }' > dev.nmt
        cp dev.nmt dev.lm
        """,
    "transformer": """
        hopefear train-transformer -s dev.es -t dev.en -o nmt/ --passes 1 --set layers=1 --set width=16
        { cat cdec.ini; echo "forest_output = forests"; } > forest.ini
        mkdir forests
        hopefear decode -c forest.ini -w weights < test.es > forest.out
        """,
}
"""What a reader of a page has done before, on other pages or with files of their own."""

SCORER = """
class Translator:
    names = ("NMT",)

    def __init__(self, *, model: str, words: str) -> None:
        pass

    def score(self, sources, translations):
        return [float(len(one)) for one in translations]
"""
"""In place of a neural model: `test_page_code.py` tests the page's own scorer."""

PLUGIN = """
from hopefear.plugins import FeatureTable, RuleFeatures


class Longer(RuleFeatures):
    def fire(self, rules):
        return FeatureTable.from_pairs(len(rules), [(0, "Longer", 1.0)])
"""
CATALOGUE = """
msgid ""
msgstr "Language: es\\nContent-Type: text/plain; charset=UTF-8\\n"

msgid "and god said"
msgstr "y dijo dios"

msgid "and god saw ."
msgstr ""
"""
UNITS = "".join(
    f'<{{unit}} xml:lang="{language}"><{{text}}>{text}</{{text}}></{{unit}}>'
    for language, text in (("es", "la tierra"), ("en", "the earth"))
)
TMX = UNITS.format(unit="tuv", text="seg")
TBX = (
    UNITS.format(unit="langSet", text="term")
    .replace("<term>", "<tig><term>")
    .replace("</term>", "</term></tig>")
)
SENTENCES = 8
"""Of dev and of test."""
LONGEST = 20
"""Words of a sentence of the text to learn from; fewer sentences give no n-gram model."""

WRITTEN = {
    "manual.po": CATALOGUE,
    "project.po": CATALOGUE,
    "old.tmx": f'<tmx version="1.4"><header srclang="es"/><body><tu>{TMX}</tu></body></tmx>',
    "terms.tbx": f'<martif type="TBX"><text><body><termEntry>{TBX}</termEntry></body></text></martif>',
    "terms.tsv": "dios\tgod\n",
    "page.html": "<!DOCTYPE html><html><body><p>and god said</p></body></html>",
    "docs/one.md": "# the earth\n",
    "docs/two.md": "and god said\n",
    "nmt.py": SCORER,
    "my_feature.py": PLUGIN,
    "token": "a-secret-of-thirty-two-characters",
}
"""Files that a reader has written."""


def training_text() -> dict[str, list[str]]:
    """Return the sample's short sentences, by language."""
    whole = sample_path()
    sides = {
        language: [
            line
            for part in ("dev", "test")
            for line in (whole / f"{part}.{ending}").read_text("utf-8").splitlines()
        ]
        for language, ending in (("es", "es"), ("en", "en.0"))
    }
    short = [len(line.split()) <= LONGEST for line in sides["es"]]
    return {language: list(compress(lines, short)) for language, lines in sides.items()}


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a reader's files."""
    small, folder = small_sample(), tmp_path_factory.mktemp("reader")
    (folder / "docs").mkdir()
    for path in small.iterdir():
        if path.name.startswith(("dev.", "test.")):
            lines = path.read_text("utf-8").splitlines(keepends=True)[:SENTENCES]
            (folder / path.name).write_text("".join(lines), "utf-8")
        else:
            shutil.copy(path, folder)
    for name, content in WRITTEN.items():
        (folder / name).write_text(content, "utf-8")
    copies = {
        "dev.en.0": ("dev.en",),
        "dev.en.1": ("news.en",),
        "dev.es": ("dev.ja",),
        "grammar.gz": ("one.gz", "two.gz"),
        "test.en.0": ("test.en",),
        "test.en.1": ("test.out",),
        "test.es": ("in", "baseline.out"),
        "test.es.written": ("text",),
        "weights.init": ("weights",),
    }
    for name, others in copies.items():
        for other in others:
            shutil.copy(folder / name, folder / other)
    for language, lines in training_text().items():
        text = "".join(f"{line}\n" for line in lines)
        (folder / f"train.{language}").write_text(text, "utf-8")
        (folder / f"train.{language}.gz").write_bytes(gzip.compress(text.encode()))
    shutil.copy(folder / "train.es.gz", folder / "train.ja.gz")
    return folder


@pytest.fixture(scope="module")
def forked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Yield a folder with a program hopefear that needs no time to import."""
    folder = tmp_path_factory.mktemp("forked")
    with forked_commands(folder / "hopefear"):
        yield folder


SHORT = 14
TESTED = 45
"""What is left of the sample: to learn from, sentences of so many words; to test, so many sentences."""


def reason(command: str) -> str | None:
    """Return why a command cannot run here, None where it can."""
    return next((why for pattern, why in CANNOT.items() if re.fullmatch(pattern, command, re.DOTALL)), None)


def fenced(page: Path) -> Iterator[tuple[int, str, str]]:
    """Line, info string and content of each fenced block."""
    text = page.read_text("utf-8")
    for match in re.finditer(r"^```([^\n]+)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE):
        yield text.count("\n", 0, match.start()) + 1, match[1], match[2]


def commands(block: str) -> Iterator[tuple[str, str]]:
    """Each command with what it prints."""
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        command, _, printed = part.partition("\n")
        yield command, printed


def cut_parts(folder: Path) -> None:
    """Leave a part of the sample's sentences."""
    for part in ("dev", "test"):
        sources = (folder / f"{part}.es").read_text("utf-8").splitlines()
        kept = [i for i, source in enumerate(sources) if len(source.split()) <= SHORT]
        if part == "test":
            kept = list(range(TESTED))
        assert 30 <= len(kept) < len(sources)
        for path in folder.glob(f"{part}.*"):
            lines = path.read_text("utf-8").splitlines(keepends=True)
            path.write_text("".join(lines[i] for i in kept), "utf-8")


def printed(cell: Mapping[str, Any]) -> str:
    """Join what a cell prints, as text."""
    return "".join(one.get("text") or one["data"]["text/plain"] for one in cell["outputs"])


def run_commands(page: str, request: pytest.FixtureRequest, folder: Path) -> None:
    pytest.importorskip("eflomal", reason="eflomal is not installed")
    for package in PACKAGES.get(page, ()):
        pytest.importorskip(package, reason=f"{package} is not installed")
    work = shutil.copytree(request.getfixturevalue("reader"), folder / "work")
    with closing(Shell(work, folder / "home", request.getfixturevalue("forked"))) as shell:
        for command in [BEFORE.get(page, "true"), *PAGES[page]]:
            if reason(command) is None:
                shell.run(command)


def run_tutorial(page: str, request: pytest.FixtureRequest, folder: Path) -> None:
    shell = Shell(folder, folder / "home", request.getfixturevalue("forked"), installs=True)
    kinds = set()
    for line, info, content in fenced(USE / f"{page}.md"):
        kind, _, rest = info.partition(" ")
        where = f"{page}.md:{line}"
        kinds.add(kind)
        if kind == "python":
            (name,) = re.findall(r'^title="(\w+\.py)"$', rest)
            (shell.folder / name).write_text(content, "utf-8")
            continue
        assert (kind, rest) in {("console", ""), ("console", "varies")}, f"{where}: {info}"
        for command, shown in commands(content):
            assert_alike(shown, shell.run(command), rest == "varies", f"{where}: $ {command}")
            if command.startswith("cd "):
                cut_parts(shell.folder)
    assert kinds == {"python", "console"}


def run_notebook(page: str, request: pytest.FixtureRequest, folder: Path) -> None:
    patch = request.getfixturevalue("monkeypatch")
    for name in ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR"):
        patch.setenv(name, str(folder / name.lower()))
    shown = nbformat.read(USE / f"{page}.ipynb", as_version=4)
    executed = copy.deepcopy(shown)
    NotebookClient(executed, timeout=300, startup_timeout=300).execute()
    cells = [pair for pair in zip(shown.cells, executed.cells, strict=True) if pair[0].cell_type == "code"]
    assert [cell.execution_count for cell, _ in cells] == list(range(1, len(cells) + 1))
    for cell, done in cells:
        kinds, found = ([sorted(one.get("data", ["text"])) for one in run.outputs] for run in (cell, done))
        assert kinds == found, cell.source
        if "varies" not in cell.metadata.get("tags", ()):
            assert_alike(printed(cell), printed(done), False, f"{page}.ipynb: {cell.source}")
    drawn = [one.get("data", {}).get("text/html", "") for cell, _ in cells for one in cell.outputs]
    assert any("<svg" in page for page in drawn)


RUNS: dict[str, Callable[[str, pytest.FixtureRequest, Path], None]] = {
    **dict.fromkeys(PAGES, run_commands),
    "tour": run_notebook,
    "writing-plugins": run_tutorial,
}


# Jupyter's own packages warn of each other.
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("page", RUNS)
def test_a_page(page: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    RUNS[page](page, request, tmp_path)


def test_nothing_is_left_out_for_a_reason_that_is_gone() -> None:
    commands = [command for page in PAGES.values() for command in page]
    for pattern in CANNOT:
        assert any(re.fullmatch(pattern, command, re.DOTALL) for command in commands), pattern
    for test in re.findall(r"tests/\S+", " ".join(CANNOT.values())):
        assert (CHECKOUT / test).exists(), test
    assert PAGES.keys() >= BEFORE.keys()


def test_the_first_plugin_has_ten_lines() -> None:
    code = next(
        content for _, info, content in fenced(USE / "writing-plugins.md") if info.startswith("python")
    )
    assert len([line for line in code.splitlines() if line]) == 10
