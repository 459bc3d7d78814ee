"""docs/use is true: page by page, all commands run in order, by bash, in an empty home.

A page begins in a folder with what its reader has: the files of `reader`, which are parts of the sample under
the names that pages use, and those that the commands of BEFORE make. What cannot run is in CANNOT, with the
reason. writing-plugins.md has a test of its own, `test_tutorial.py`, and the README `cli/test_readme.py`.
"""

from __future__ import annotations

import gzip
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from itertools import compress
from pathlib import Path

import pytest
from support import CHECKOUT
from support.forked_commands import forked_commands
from support.pages import shell_commands
from support.small_sample import small_sample
from support.waiting import PATIENCE

from hopefear.grammars.sample import sample_path

pytestmark = pytest.mark.long
PAGES = {
    page.stem: commands
    for page in sorted((CHECKOUT / "docs" / "use").glob("*.md"))
    if page.stem != "writing-plugins" and (commands := shell_commands(page))
}

CANNOT = {
    r"pip install .*": "needs a network",
    r"hopefear cdec-bridge build .*|.* --decoder cdec": "needs a cdec: tests/integration/test_cdec.py",
    r".* --cluster local:4 .*": "starts Ray, for a minute: tests/cli/commands/test_tune_cluster.py",
    r".* --cluster (head:6379|10\.0\.0\.1:6379|\"\$head:6379\").*": "needs other computers",
    r"\(umask 077;.*|ray .*|export RAY_.*": "needs other computers",
    r"head=.*|srun .*|sleep 20": "needs SLURM",
    r"hopefear experiment chiang2008 .*": "takes hours",
    r"hopefear experiment sample .*": "takes a minute: tests/cli/commands/test_experiment.py",
    r"hopefear convert .*|hopefear decode -c converted/.*": "needs Moses: tests/grammars/conversion",
    r"hopefear hols .*|.* hols/weights\.final .*": "takes a minute: tests/cli/commands/test_hols.py",
    r"hopefear annotate .*": "needs a parser: tests/cli/commands/test_annotate.py",
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
"""In place of a neural model: `test_rescoring_page.py` tests the page's own scorer."""

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

SESSION = "12f694fe7f79"
"""The session of the page: another one here."""

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


class Shell:
    """Runs the commands of a page; a server goes on until the next one begins, or the page ends.

    A server is a process of its own, other commands are forked.
    """

    def __init__(self, folder: Path, home: Path, forked: Path) -> None:
        self.folder, self.variables, self.names = folder, "", dict[str, str]()
        self.server: subprocess.Popen[str] | None = None
        tools = home / "bin"
        tools.mkdir(parents=True)
        (tools / "hopefear").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m hopefear "$@"\n')
        (tools / "hopefear").chmod(0o755)
        path = f"{tools}{os.pathsep}{os.environ['PATH']}"
        self.of_server = os.environ | {"HOME": str(home), "PATH": path}
        self.environment = self.of_server | {"PATH": f"{forked}{os.pathsep}{path}"}

    def run(self, command: str) -> None:
        if re.match(r"hopefear (serve|watch|plugins watch)\b", command):
            self.serve(command.partition("#")[0])
        elif re.match(r"\w+=\S+$", command):
            self.variables += f"{command}\n"
        else:
            script = self.variables + command
            for shown, name in self.names.items():
                script = script.replace(shown, name)
            printed = self.printed(script)
            if command.endswith("/api/sessions"):
                self.names[SESSION] = json.loads(printed)[0]["id"]

    def printed(self, script: str) -> str:
        done = subprocess.run(
            ["bash", "-e", "-o", "pipefail", "-c", script],
            env=self.environment,
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=PATIENCE,
        )
        assert done.returncode == 0, f"$ {script}\n{done.stdout}"
        return done.stdout

    def serve(self, command: str) -> None:
        self.close()
        self.server = subprocess.Popen(
            ["bash", "-c", f"exec {command} --port 0"],
            env=self.of_server,
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        assert self.server.stdout is not None
        printed = ""
        for line in self.server.stdout:
            printed += line
            if found := re.search(r"^ready: http://([^/]+)/", line):
                self.names["localhost:8642"] = found[1]
                return
        raise AssertionError(f"$ {command}\n{printed}")

    def close(self) -> None:
        if self.server is not None:
            self.server.terminate()
            self.server.communicate(timeout=PATIENCE)
            self.server = None


def reason(command: str) -> str | None:
    """Return why a command cannot run here, None where it can."""
    return next((why for pattern, why in CANNOT.items() if re.fullmatch(pattern, command, re.DOTALL)), None)


@pytest.mark.parametrize("page", PAGES)
def test_the_commands_of_a_page(page: str, reader: Path, forked: Path, tmp_path: Path) -> None:
    pytest.importorskip("eflomal", reason="eflomal is not installed")
    if page == "neural":
        pytest.importorskip("torch", reason="PyTorch is not installed")
    folder = shutil.copytree(reader, tmp_path / "work")
    with closing(Shell(folder, tmp_path / "home", forked)) as shell:
        for command in [BEFORE.get(page, "true"), *PAGES[page]]:
            if reason(command) is None:
                shell.run(command)


def test_nothing_is_left_out_for_a_reason_that_is_gone() -> None:
    commands = [command for page in PAGES.values() for command in page]
    for pattern in CANNOT:
        assert any(re.fullmatch(pattern, command, re.DOTALL) for command in commands), pattern
    for test in re.findall(r"tests/\S+", " ".join(CANNOT.values())):
        assert (CHECKOUT / test).exists(), test
    assert PAGES.keys() >= BEFORE.keys()
