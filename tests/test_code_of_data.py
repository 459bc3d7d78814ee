"""Where sources can run code that is not theirs, or open connections: files, with a reason for each."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from support import CHECKOUT

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

PACKAGES = tomllib.loads((CHECKOUT / "pyproject.toml").read_text("utf-8"))["tool"]["scikit-build"]["wheel"][
    "packages"
]

BUILT_IN = frozenset({"eval", "exec", "compile", "__import__"})
MODULES = frozenset({"pickle", "cloudpickle", "dill", "marshal", "shelve", "joblib", "runpy", "imp", "code"})
CLIENTS = frozenset({"requests", "httpx", "aiohttp", "ftplib", "smtplib", "xmlrpc", "telnetlib"})
CALLS = frozenset(
    {
        "importlib.import_module",
        "importlib.util.spec_from_file_location",
        "torch.load",
        "yaml.load",
        "os.system",
        "os.popen",
        "ctypes.CDLL",
        "socket.create_connection",
        "urllib.request",
        "http.client",
    }
)

CLUSTER = "what a worker of the user's own cluster sends, behind Ray's token"
COPY = "a copy that this process has just made"
OWN = "a module of hopefear, by a name in the sources"
ALLOWED = {
    "hopefear/__init__.py": OWN,
    "hopefear/cli/__init__.py": OWN,
    "hopefear/cli/io/taggers.py": "spaCy and the tagger that an option names",
    "hopefear/base/loading.py": "classes that a cdec.ini, an option or an entry point names: SECURITY.md",
    "hopefear/base/state.py": "annotations of classes in the sources",
    "hopefear/decoder/checking/fresh_process.py": "what this process and its child tell each other",
    "hopefear/experiments/board/plugin_look.py": "the plugin that the user looks at",
    "hopefear/metrics/checking.py": COPY,
    "hopefear/parallel/commands.py": "hopefear itself, in a process of its own",
    "hopefear/tuners/checking.py": COPY,
    "hopefear/tuners/parallel/decoder_copies.py": COPY,
    "hopefear/parallel/ray/actors.py": CLUSTER,
    "hopefear/parallel/ray/connection.py": "the head of the user's own cluster",
    "hopefear/parallel/ray/dispatch.py": CLUSTER,
    "hopefear/parallel/ray/processes.py": CLUSTER,
    "hopefear/parallel/ray/worker.py": CLUSTER,
    "hopefear/pycdec/sa/extract.py": "the file of features that an option of cdec's extractor names",
}
"""By file, whose code it runs, or whom it connects to."""


def names_of(tree: ast.Module) -> dict[str, str]:
    """Return what the imported names of a module stand for."""
    found = dict[str, str]()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for each in node.names:
                found[each.asname or each.name.partition(".")[0]] = (each.asname and each.name) or (
                    each.name.partition(".")[0]
                )
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for each in node.names:
                found[each.asname or each.name] = f"{node.module}.{each.name}"
    return found


def dotted(node: ast.expr, names: dict[str, str]) -> str:
    """Return the whole name of what is used, such as ``importlib.import_module``; empty for other things."""
    if isinstance(node, ast.Attribute):
        before = dotted(node.value, names)
        return f"{before}.{node.attr}" if before else ""
    return names.get(node.id, "") if isinstance(node, ast.Name) else ""


def foreign(source: str) -> Iterator[tuple[int, str]]:
    """Iterate over lines that can run code by data, or open a connection, with the name of what they use."""
    tree = ast.parse(source)
    names = names_of(tree)
    for node in ast.walk(tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            modules = [each.name for each in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and not node.level:
                modules = [f"{node.module}.{each.name}" for each in node.names]
            for module in modules:
                is_foreign = {*module.split(".")} & (MODULES | CLIENTS) and not module.startswith("hopefear")
                if is_foreign or any(f"{module}.".startswith(f"{call}.") for call in CALLS):
                    yield node.lineno, module
        elif isinstance(node, ast.Call):
            if isinstance(node.func, ast.Name) and node.func.id in BUILT_IN and node.func.id not in names:
                yield node.lineno, node.func.id
            name = dotted(node.func, names)
            if name in CALLS:
                yield node.lineno, name
            keys = {each.arg: each.value for each in node.keywords}
            if name in ("numpy.load", "np.load"):
                allow = keys.get("allow_pickle")
                if not (isinstance(allow, ast.Constant) and allow.value is False):
                    yield node.lineno, name
            shell = keys.get("shell")
            if isinstance(shell, ast.Constant) and shell.value is True:
                yield node.lineno, "shell=True"


def sources() -> Iterator[tuple[str, Path]]:
    """Iterate over the modules of all packages, with their paths in an installation."""
    roots = sorted(PACKAGES.items())
    for package, folder in roots:
        for path in sorted((CHECKOUT / folder).rglob("*.py")):
            yield f"{package}/{path.relative_to(CHECKOUT / folder).as_posix()}", path


@pytest.mark.slow
def test_code_by_data_and_connections_are_listed() -> None:
    found = {name: [*foreign(path.read_text("utf-8"))] for name, path in sources()}
    used = {name for name, lines in found.items() if lines}
    assert {name: found[name] for name in used - ALLOWED.keys()} == {}
    assert ALLOWED.keys() - used == set()


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("import pickle", ["pickle"]),
        ("from pickle import loads", ["pickle.loads"]),
        ("from ray import cloudpickle", ["ray.cloudpickle"]),
        ("eval(text)", ["eval"]),
        ("import re\nre.compile(text)\nmodel.eval()", []),
        ("import importlib as i\ni.import_module(name)", ["importlib.import_module"]),
        ("from importlib import import_module as get\nget(name)", ["importlib.import_module"] * 2),
        ("import numpy as np\nnp.load(file)\nnp.load(file, allow_pickle=False)", ["numpy.load"]),
        ("from urllib.request import urlopen", ["urllib.request.urlopen"]),
        ("from urllib.parse import quote", []),
        ("import subprocess\nsubprocess.run(line, shell=True)", ["shell=True"]),
    ],
)
def test_what_is_looked_for_is_found(source: str, found: list[str]) -> None:
    assert [name for _, name in foreign(source)] == found


def test_each_download_of_the_build_has_a_checksum() -> None:
    files = [CHECKOUT / "CMakeLists.txt", *sorted((CHECKOUT / "cmake").glob("*.cmake"))]
    texts = {path.name: re.sub(r"#.*", "", path.read_text("utf-8")) for path in files}
    assert "--require-hashes" in texts["FetchSdist.cmake"]
    fetched = re.findall(r"(?<!function\()\bfetch_sdist\(([^)]*)\)", " ".join(texts.values()))
    assert fetched and all(re.search(r"\b[0-9a-f]{64}\b", arguments) for arguments in fetched)
    others = re.compile(r"FetchContent|ExternalProject|file\(\s*DOWNLOAD|\b(curl|wget|git)\b", re.IGNORECASE)
    assert [name for name, text in texts.items() if others.search(text)] == []
    assert [name for name, text in texts.items() if "pip download" in text] == ["FetchSdist.cmake"]
