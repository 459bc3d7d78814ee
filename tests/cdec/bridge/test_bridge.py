"""The library that cdec loads, against a stub of cdec's documented interface."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path

import pytest
from support.waiting import PATIENCE
from support.world import World
from typer.testing import CliRunner

from hopefear.base import InputError
from hopefear.cdec import LiveWeights
from hopefear.cdec.bridge import build
from hopefear.cli import app

STUB = Path(__file__).parent / "cdec_stub"
COMPILER = os.environ.get("CXX") or "c++"
BROKEN = """\
from hopefear.plugins import RuleFeatures


class Broken(RuleFeatures):
    def fire(self, rules):
        return 1 / 0
"""


def plugins_file(folder: Path, *lines: str) -> Path:
    path = folder / "plugins.ini"
    path.write_text("".join(f"feature_function={line}\n" for line in lines), "utf-8")
    return path


@pytest.fixture(scope="module")
def stub(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder like cdec's, with an executable that loads the library as cdec does."""
    if shutil.which(COMPILER.split()[0]) is None:
        pytest.skip(f"no C++ compiler ({COMPILER})")
    if not sysconfig.get_config_var("Py_ENABLE_SHARED"):
        pytest.skip("no shared libpython")
    folder = tmp_path_factory.mktemp("cdec") / "cdec"
    shutil.copytree(STUB, folder)
    includes = [f"-I{folder / part}" for part in ("decoder", "utils")]
    compile_with("-std=c++17", *includes, "-c", str(folder / "driver.cc"), "-o", str(folder / "driver.o"))
    link_driver(folder, folder, "-rdynamic")
    return folder


def compile_with(*arguments: str) -> None:
    subprocess.run([*COMPILER.split(), *arguments], check=True)


def link_driver(stub: Path, folder: Path, *flags: str) -> None:
    (folder / "build" / "decoder").mkdir(exist_ok=True)
    output = folder / "build" / "decoder" / "cdec"
    compile_with(str(stub / "driver.o"), "-o", str(output), *flags, "-ldl")


@pytest.fixture(scope="module")
def built(stub: Path) -> tuple[Path, str]:
    """Build the library with the command; give its path and what the command printed."""
    output = stub / "libhopefear_bridge.so"
    arguments = ["--cdec-source", str(stub), "--cdec-build", str(stub / "build"), "--output", str(output)]
    result = CliRunner().invoke(app, ["cdec-bridge", "build", *arguments])
    assert result.exit_code == 0, result.output
    return output, result.stdout


@pytest.fixture
def bridge(built: tuple[Path, str]) -> Path:
    return built[0]


def drive(
    stub: Path, bridge: Path, arguments: str, text: str, status: int = 0
) -> subprocess.CompletedProcess[str]:
    """Run the stub where this very hopefear is found."""
    path = os.pathsep.join(sys.path)
    result = subprocess.run(
        [str(stub / "build" / "decoder" / "cdec"), str(bridge), arguments],
        input=text,
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONPATH": path},
        timeout=PATIENCE,
    )
    assert result.returncode == status, result.stderr
    return result


SCRIPT = """\
R\tX\tla\tthe\t0-0\tp=1 PassThrough=1
R\tX\t[X] casa\t[0] house
R\tX\t[X] [X]\t[1] [0]
S\t3\tla casa\t(S (NP la) (VP casa))
E\t0\t0\t1
E\t1\t0\t2\t0
S\t4\tla la\t(S (NP la la))
E\t0\t0\t1
E\t0\t1\t2
E\t2\t0\t2\t0 1
D\t1
S\t5\tç la\t
"""


def printed(text: str) -> list[dict[str, float]]:
    rows = [line.rstrip("\t").split("\t") for line in text.splitlines()]
    found = [dict(zip(row[::2], map(float, row[1::2]), strict=True)) for row in rows]
    return [{name: value for name, value in each.items() if name != "same"} for each in found]


def same_states(text: str) -> list[int]:
    """Tell of each edge the first one of its sentence that has the same state."""
    return [int(line.rpartition("\t")[2]) for line in text.splitlines() if "same\t" in line]


@pytest.mark.slow
def test_the_library_fires_features(stub: Path, bridge: Path, tmp_path: Path) -> None:
    plugins = plugins_file(tmp_path, "RuleIndicators", "SoftSyntax", "StructuralDistortion", "RuleOwners")
    result = drive(stub, bridge, f"--config {plugins}", SCRIPT)
    the = {"R:X:la:the": 1, "Owner_identity": 1}
    below = {"Distortion_0_1": 1, "Distortion_0_*": 1}
    assert printed(result.stdout) == [
        {**the, "NP=": 1},
        {"R:X:NX_casa:N1_house": 1, "Owner_extracted": 1, "S=": 1, **below},
        the,
        the,
        {
            "R:X:NX_NX:N2_N1": 1,
            "Owner_extracted": 1,
            "NP=": 1,
            "S=": 1,
            "Distortion_1_1": 2,
            "Distortion_1_*": 2,
        },
    ]


STATES = """\
R\tX\tla\tthe
R\tX\tcasa\thouse
R\tX\t[X] [X]\t[1] of [0]
R\tX\t[X] [X]\t[0] [1]
S\t3\tla casa la\t
E\t0\t0\t1
E\t1\t1\t2
E\t2\t0\t2\t0 1
E\t3\t0\t2\t0 1
E\t0\t2\t3
E\t2\t0\t3\t2 4
E\t3\t0\t3\t3 4
E\t2\t0\t3\t2 4
G\t5
S\t4\tla\t
E\t0\t0\t1
G\t0
"""


def test_the_library_keeps_states(stub: Path, bridge: Path, tmp_path: Path) -> None:
    plugins = plugins_file(tmp_path, "TargetNgrams order=2", "SpanSize")
    result = drive(stub, bridge, f"--config {plugins}", STATES)
    ngrams = [{n: v for n, v in row.items() if n.startswith("B:")} for row in printed(result.stdout)]
    assert ngrams == [
        {},
        {},
        {"B:house_of": 1, "B:of_the": 1},
        {"B:the_house": 1},
        {},
        {"B:the_of": 1, "B:of_house": 1},
        {"B:house_the": 1},
        {"B:the_of": 1, "B:of_house": 1},
        {"B:<s>_the": 1, "B:the_</s>": 1},
        {},
        {"B:<s>_the": 1, "B:the_</s>": 1},
    ]
    # The states have first and last word, and the span.
    assert same_states(result.stdout) == [0, 1, 2, 3, 4, 5, 5, 5, 0]


AHEAD = """\
from hopefear.plugins import EdgeFeatures, FeatureTable, RuleFeatures


class Edges(EdgeFeatures):
    def fire(self, edges, segment):
        name = "alone" if len(edges) == 1 else "together"
        return FeatureTable.from_pairs(len(edges), [(e, name) for e in range(len(edges))])


class Rules(RuleFeatures):
    def fire(self, rules):
        name = "alone" if len(rules) == 1 else "together"
        return FeatureTable.from_pairs(len(rules), [(r, name) for r in range(len(rules))])
"""
RULES = """\
[X] ||| la ||| the ||| p=1 PassThrough=1 ||| 0-0
[X] ||| [X,1] casa ||| [1] house
[X] ||| [X,1] [X,2] ||| [2] [1]
"""


def ahead(folder: Path, rules: str = RULES) -> str:
    return f"--parse-ahead {World(rules).write(folder)}"


@pytest.mark.parametrize("live", [False, True], ids=["", "live"])
@pytest.mark.parametrize(
    "lines",
    [
        ["RuleIndicators", "SoftSyntax", "StructuralDistortion", "RuleOwners"],
        ["RuleIndicators", "RuleOwners"],
    ],
    ids=["edges", "rules"],
)
def test_what_is_parsed_ahead_fires_the_same(
    stub: Path, bridge: Path, tmp_path: Path, lines: list[str], live: bool
) -> None:
    arguments = f"--config {plugins_file(tmp_path, *lines)}"
    if live:
        weights = LiveWeights(tmp_path / "live")
        weights.update({"R:X:la:the": 2.5, "Distortion_1_*": -0.25, "NP=": 1.25})
        arguments += f" --live-weights {weights.path}"
    found = []
    for more in ("", ahead(tmp_path)):
        result = drive(stub, bridge, f"{arguments} {more}", SCRIPT)
        found.append((printed(result.stdout), same_states(result.stdout)))
    assert found[0] == found[1] and len(found[0][0]) == 5


@pytest.mark.parametrize("kind", ["Edges", "Rules"])
def test_edges_that_were_not_parsed_ahead_are_asked_for(
    stub: Path, bridge: Path, tmp_path: Path, kind: str
) -> None:
    """Those of a rule that the cdec.ini lacks, or has twice; and of a sentence without a derivation."""
    (tmp_path / "ahead_features.py").write_text(AHEAD)
    config = f"--config {plugins_file(tmp_path, f'ahead_features:{kind}')}"
    together, alone = {"together": 1}, {"alone": 1}
    ambiguous = RULES + "[X] ||| la ||| the ||| p=2\n"
    lacking = RULES.replace("[X] ||| [X,1] casa ||| [1] house\n", "[X] ||| casa ||| house\n")
    for rules, expected in (
        (RULES, [together] * 5),
        (ambiguous, [alone, together, alone, alone, together]),
        (lacking, [together, alone, together, together, together]),
        ("[X] ||| spam ||| spam\n", [alone] * 5),
    ):
        result = drive(stub, bridge, f"{config} {ahead(tmp_path, rules)}", SCRIPT)
        assert printed(result.stdout) == expected, rules


def test_the_library_scores_with_live_weights(stub: Path, bridge: Path, tmp_path: Path) -> None:
    plugins = plugins_file(tmp_path, "RuleIndicators", "StructuralDistortion")
    live = LiveWeights(tmp_path / "live")
    live.update({"R:X:la:the": 2.5, "Distortion_1_*": -0.25, "Distortion_1_1": 10, "other": 3})
    result = drive(stub, bridge, f"--config {plugins} --live-weights {live.path}", SCRIPT)
    scores = [features.get("HopefearPlugins", 0.0) for features in printed(result.stdout)]
    assert scores == [2.5, 0.0, 2.5, 2.5, 19.5]


def test_rule_features_alone_need_no_state(stub: Path, bridge: Path, tmp_path: Path) -> None:
    result = drive(stub, bridge, f"--config {plugins_file(tmp_path, 'RuleShape')}", SCRIPT)
    assert len(printed(result.stdout)) == 5


@pytest.mark.parametrize("more", [lambda folder: "", ahead], ids=["one by one", "ahead"])
@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["SoftSyntaxx"], "hopefear bridge: .*plugins.ini:1: SoftSyntaxx: unknown feature function"),
        (["broken_features:Broken"], "in fire(.*\n)*.*ZeroDivisionError(.*\n)*.*Broken.* on sentence"),
    ],
)
def test_the_library_stops_cdec_where_a_plugin_fails(
    stub: Path, bridge: Path, tmp_path: Path, lines: list[str], message: str, more: Callable[[Path], str]
) -> None:
    (tmp_path / "broken_features.py").write_text(BROKEN)
    config = f"--config {plugins_file(tmp_path, *lines)} {more(tmp_path)}"
    result = drive(stub, bridge, config, SCRIPT, status=1)
    assert re.search(message, result.stderr)


# Building it


def test_the_command_prints_the_line(built: tuple[Path, str]) -> None:
    output, printed = built
    assert printed == f"feature_function=External {output} --config plugins.ini\n"
    assert output.is_file()


@pytest.mark.slow
def test_what_is_missing_is_named(stub: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(source: Path, built: Path) -> str:
        with pytest.raises(InputError) as caught:
            build(source, built, tmp_path / "lib.so")
        assert list(tmp_path.glob("lib.so*")) == []
        return str(caught.value)

    assert "expected decoder/ff.h of cdec" in refused(tmp_path, stub / "build")
    assert "expected config.h of a built cdec" in refused(stub, tmp_path)
    other = tmp_path / "cdec"
    shutil.copytree(STUB, other)
    assert "expected cdec's executable" in refused(other, other / "build")
    link_driver(stub, other)
    assert "-rdynamic" in refused(other, other / "build")
    link_driver(stub, other, "-rdynamic")
    (other / "decoder" / "ff.h").write_text("#error another cdec\n")
    assert "another cdec" in refused(other, other / "build")
    monkeypatch.setenv("CXX", "no-such-compiler -O2")
    assert "got no no-such-compiler" in refused(stub, stub / "build")
