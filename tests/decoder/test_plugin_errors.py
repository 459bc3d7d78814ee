"""A plugin that fails stops its sentence, with an error that says all; the decoder stays as it was."""

from __future__ import annotations

import copy
import re
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from support import world
from support.command import call
from support.world import World

from hopefear.base import InputError
from hopefear.decoder import Decoder, Segment
from hopefear.plugins import (
    EdgeFeatures,
    FeatureTable,
    NgramFeatures,
    PluginError,
    RuleFeatures,
    RuleStrings,
    StateFeatures,
)

Spoil = Callable[[Any], Any]


def one_feature(items: int) -> FeatureTable:
    return FeatureTable.from_dense(("One",), np.ones((items, 1)))


class Rule(RuleFeatures):
    spoil: Spoil = staticmethod(lambda answer: answer)

    def fire(self, rules: Any) -> Any:
        return self.spoil(one_feature(len(rules)))


class Edge(EdgeFeatures):
    spoil: Spoil = staticmethod(lambda answer: answer)

    def fire(self, edges: Any, segment: Any) -> Any:
        return self.spoil(one_feature(len(edges)))


class Attribute(EdgeFeatures):
    spoil: Spoil = staticmethod(lambda answer: answer)

    def rule_attributes(self, rules: Any) -> Any:
        return self.spoil(np.ones(len(rules), np.int32))

    def fire(self, edges: Any, segment: Any) -> Any:
        return FeatureTable.from_dense(("One",), edges.attribute[:, None])


class Ngram(NgramFeatures):
    spoil: Spoil = staticmethod(lambda answer: answer)
    order = 1
    boundaries = False

    def strings(self, rules: Any) -> Any:
        symbols = np.where(rules.target > 0, 0, rules.target - 1).astype(np.int32)
        return self.spoil(RuleStrings(("One",), rules.target_indptr.copy(), symbols))


class State(StateFeatures):
    spoil: Spoil = staticmethod(lambda answer: answer)

    def fire(self, edges: Any, sentence: Any) -> Any:
        return self.spoil((one_feature(len(edges)), np.zeros((len(edges), 1), np.int64)))


def raises(error: BaseException) -> Spoil:
    def spoil(answer: Any) -> Any:
        raise copy.copy(error)  # a new one: an exception keeps the frames it came through

    return spoil


def table(**fields: Any) -> Spoil:
    """Change fields of the answer's table."""

    def spoil(answer: Any) -> Any:
        found = answer[0] if isinstance(answer, tuple) else answer
        changed = {name: getattr(found, name) for name in FeatureTable.__dataclass_fields__}
        for name, value in fields.items():
            changed[name] = value(changed[name]) if callable(value) else value
        new = FeatureTable(**changed)
        return (new, answer[1]) if isinstance(answer, tuple) else new

    return spoil


def not_a_number(values: Any) -> Any:
    return np.full(len(values), np.nan)


SPOILED = {
    "raises": (
        raises(LookupError("no  such\nword")),
        r"failed: LookupError: no such word \(\S*test_plugin_errors.py:\d+, in spoil\)$",
    ),
    "exits": (raises(SystemExit(0)), r"failed: SystemExit: 0 \(\S*test_plugin_errors.py:\d+, in spoil\)$"),
    "ends a generator": (raises(GeneratorExit()), r"failed: GeneratorExit \("),
    "refuses": (raises(PluginError("no such word")), "failed: no such word$"),
    "misuses a table": (
        lambda answer: FeatureTable.from_dense(("One",), np.ones(3)),
        r"\(\S*test_plugin_errors.py:\d+, in <lambda>\)$",
    ),
    "refuses a file": (
        raises(InputError("no such word", path="dev.trees", line=3)),
        "dev.trees:3: no such word",
    ),
    "nothing": (lambda answer: None, "NoneType"),
    "another thing": (lambda answer: SimpleNamespace(names=()), "SimpleNamespace"),
}
TABLES = {
    "float32": (table(values=lambda values: values.astype(np.float32)), "values"),
    "two dimensions": (table(indptr=lambda indptr: indptr[:, None]), "indptr"),
    "too few": (table(indptr=lambda indptr: indptr[:-1]), "expected|ascend"),
    "no number": (table(values=not_a_number), "must be finite"),
    "columns": (table(columns=lambda columns: columns + 1), "columns must be in"),
    "no text": (table(names=(1,)), r"expected names\[0\] to be of type str, got int"),
    "white space": (table(names=["O ne"]), "white space"),
}
ATTRIBUTES = {
    "int64": (lambda answer: answer.astype(np.int64) + 2**40, "int32"),
    "too few": (lambda answer: answer[1:], "int32 array of shape"),
}
STRINGS = {
    "symbols": (lambda s: RuleStrings(s.units, s.indptr, s.symbols + 1), "symbols must be below 1"),
    "indptr": (lambda s: RuleStrings(s.units, s.indptr[:-1], s.symbols), "indptr must have"),
    "units": (lambda s: RuleStrings(("",), s.indptr, s.symbols), "must not be empty"),
}
STATES = {
    "shape": (lambda answer: (answer[0], answer[1][:, :0]), "states"),
    "int32": (lambda answer: (answer[0], answer[1].astype(np.int32)), "states"),
    "no states": (lambda answer: answer[0], "FeatureTable"),
}
CASES = [
    pytest.param(kind, spoil, message, id=f"{kind.__name__}-{name}")
    for kind, more in (
        (Rule, TABLES),
        (Edge, TABLES),
        (Attribute, ATTRIBUTES),
        (Ngram, STRINGS),
        (State, {**TABLES, **STATES}),
    )
    for name, (spoil, message) in {**SPOILED, **more}.items()
]


@pytest.mark.parametrize(("kind", "spoil", "message"), CASES)
def test_the_error_says_all_and_the_decoder_stays_usable(kind: Any, spoil: Spoil, message: str) -> None:
    plugin = kind()
    decoder = Decoder(formalism="scfg", features=[plugin])
    sentence = Segment(("la", "roja"), id="s7", where="dev.en:8")

    def decode() -> dict[str, float]:
        return dict(decoder.translate(sentence, world.COSTS).viterbi_features())

    good = decode()
    assert good["One"] > 0
    plugin.spoil = spoil
    with pytest.raises(InputError, match=message) as caught:
        decode()
    text = str(caught.value)
    assert f"plugin {kind.__name__}" in text
    assert "sentence s7" in text
    assert text.startswith(("dev.en:8: ", "dev.trees:3: "))
    del plugin.spoil
    assert decode() == good


MODULE = """\
from hopefear.plugins import StateFeatures

CHECKED = {check}
ERROR = {error}


class Mine(StateFeatures):
    def __init__(self, *, at: str = "prepare"):
        self.at = at
        self.reach("constructor")

    def reach(self, place):
        if self.at == place:
            raise ERROR(f"bad {{place}}")

    def prepare(self):
        self.reach("prepare")

    def begin(self, rules, segment):
        self.reach("begin")

    def fire(self, edges, sentence):
        pass
"""


@pytest.mark.parametrize(
    ("module", "at", "message"),
    [
        ("mine", "prepare", r"Mine: cannot be prepared: .*bad prepare \(\S*mine.py:14, in reach\)"),
        ("mine", "begin", r"plugin mine:Mine on sentence 1: failed: .*bad begin \(\S*mine.py:14, in reach\)"),
        ("mine", "constructor", r"mine:Mine: cannot be made: .*bad constructor \(\S*mine.py:14, in reach\)"),
        ("unmade", "", r"cannot import unmade: ZeroDivisionError: .* \(\S*unmade.py:3, in <module>\)"),
    ],
)
@pytest.mark.parametrize("error", ["ValueError", "SystemExit"])
def test_errors_outside_fire_give_the_plugins_own_line(
    tmp_path: Path, module: str, at: str, message: str, error: str
) -> None:
    (tmp_path / "mine.py").write_text(MODULE.format(check=1, error=error))
    (tmp_path / "unmade.py").write_text(MODULE.format(check="1 / 0", error=error))
    ini = tmp_path / "cdec.ini"
    ini.write_text(f"formalism=scfg\nfeature_function={module}:Mine --at {at}\n")
    with pytest.raises(InputError, match=message):
        Decoder(ini).translate("la roja", world.COSTS)


class Exits(Ngram):
    """Ends on one sentence only."""

    def strings(self, rules: Any) -> Any:
        if "casa" in map(rules.symbol, rules.source.tolist()):
            sys.exit(0)
        return super().strings(rules)


def test_the_end_of_one_sentence_is_not_that_of_the_others(tmp_path: Path) -> None:
    World(lines=[f"feature_function={__name__}:Exits"]).write(tmp_path)
    command = ["decode", "-c", "cdec.ini", "-w", "none", "--threads", "2"]
    stopped = call(command, b"la\ncasa roja\nroja\n", tmp_path)
    assert stopped.returncode == 2
    assert re.search(
        rb"^hopefear: standard input:2: plugin .*: SystemExit: 0 \(.*, in strings\)$", stopped.stderr
    )
    skipped = call([*command, "--on-error", "skip", "--errors", "errors"], b"la\ncasa roja\nroja\n", tmp_path)
    assert (skipped.returncode, skipped.stdout) == (0, b"the\n\nred\n")
    assert "SystemExit: 0" in (tmp_path / "errors").read_text()
