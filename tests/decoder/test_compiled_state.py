"""State features of one function, in Python, by address and compiled, on all derivations."""

from __future__ import annotations

import ctypes
import pickle
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from support import brute_force as bf
from support.brute_force import MOST, deterministic

from hopefear import CompiledStateFeatures, Decoder, InputError, check_plugin


class Odd(CompiledStateFeatures):
    """Whether the translation has an odd number of u, the joins of two odd parts, and their widths."""

    fires = ("Odd", "Join", "Width")
    state_size = 4

    def begin(self, rules: Any, segment: Any) -> Any:
        symbols = [rules.symbol(s) if s > 0 else "" for s in rules.target.tolist()]
        rule = np.repeat(np.arange(len(rules)), np.diff(rules.target_indptr))
        count = np.bincount(rule, np.array([s == "u" for s in symbols], float), len(rules) + 1)
        is_goal = np.arange(len(rules) + 1) == len(rules)
        return np.stack([count.astype(np.int64), is_goal.astype(np.int64)], axis=1)

    @staticmethod
    def step(rule: Any, spans: Any, tails: Any, state: Any, values: Any) -> None:
        odd = rule[0]
        for t in range(len(tails)):
            odd += tails[t, 0]
        state[0] = odd % 2
        state[3] = -1
        if rule[1] == 1:
            values[0] = state[0]
        if len(tails) == 2 and tails[0, 0] == 1 and tails[1, 0] == 1:
            values[1] = 1
            values[2] = spans[1, 1] - spans[1, 0] - (spans[2, 1] - spans[2, 0])


_Step = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3, ctypes.c_int64, *[ctypes.c_void_p] * 2)


class OddByAddress(Odd):
    columns = 2
    state_of = staticmethod(Odd.step)

    def address(self, columns: int) -> int | None:
        def view(address: int | None, kind: Any, *shape: int) -> Any:
            if not address or 0 in shape:
                return np.zeros(shape, kind)
            size = int(np.prod(shape)) * np.dtype(kind).itemsize
            return np.frombuffer((ctypes.c_char * size).from_address(address), kind).reshape(shape)

        def call(rule: int, spans: int, tails: int, count: int, state: int, values: int) -> None:
            self.state_of(
                view(rule, np.int64, columns),
                view(spans, np.int32, count + 1, 2),
                view(tails, np.int64, count, 4),
                view(state, np.int64, 4),
                view(values, np.float64, 3),
            )

        self._kept = _Step(call)
        return ctypes.cast(self._kept, ctypes.c_void_p).value


class OddInPython(Odd):
    def address(self, columns: int) -> int | None:
        return None


WEIGHTS = {"Odd": -0.5, "Join": 0.75, "Width": 0.125}


def features_of(case: bf.Case, plugin: Odd) -> Counter[tuple[str, tuple[tuple[str, float], ...]]]:
    weights = {**case.weights, **WEIGHTS}
    options = {"features": [plugin], "intersection_strategy": "full"}
    forest = bf.decode(case.rules, " ".join(case.words), weights, **options)
    derivations = list(forest.derivations(100 * MOST))
    for derivation in derivations:
        features = forest.features(derivation)
        assert features.get("Odd", 0) == forest.text(derivation).split().count("u") % 2
        assert forest.score(derivation) == pytest.approx(sum(weights[n] * v for n, v in features.items()))
    return Counter((forest.text(d), tuple(forest.features(d).items())) for d in derivations)


@deterministic
@given(bf.cases)
def test_by_address_and_in_python(case: bf.Case) -> None:
    assert case.derivations
    assert features_of(case, OddByAddress()) == features_of(case, OddInPython())


def test_compiled() -> None:
    pytest.importorskip("numba", reason="numba is not installed")
    rules = [bf.Rule("X", ("a",), (word,), ((f, 1.0),)) for word, f in (("u", "f0"), ("v", "f1"))]
    rules.append(bf.Rule("X", (bf.NT("X"), "a", bf.NT("X")), (2, "u", 1)))
    case = bf.Case(rules, ["a"] * 5, {"f0": 0.5, "f1": -0.25, "Glue": 0.0})
    plugin = Odd()
    assert features_of(case, plugin) == features_of(case, OddInPython())
    assert features_of(case, pickle.loads(pickle.dumps(plugin))) == features_of(case, plugin)


@pytest.mark.slow
def test_the_contract() -> None:
    check_plugin(OddInPython())
    check_plugin(Odd())


def test_names_are_declared() -> None:
    class Anything(Odd):
        fires = ("Odd*",)

    with pytest.raises(InputError, match=r"plugin Anything: fires must be names without \*"):
        Decoder(formalism="scfg", features=[Anything()])


class WrongRows(Odd):
    def begin(self, rules: Any, segment: Any) -> Any:
        return np.zeros((len(rules), 2), np.int64)


class NotFinite(OddByAddress):
    @staticmethod
    def state_of(rule: Any, spans: Any, tails: Any, state: Any, values: Any) -> None:
        values[0] = np.inf


@pytest.mark.parametrize(
    ("plugin", "message"),
    [
        (WrongRows(), r"plugin WrongRows on sentence 1: begin must return .* of shape \(3, columns\)"),
        (NotFinite(), "plugin NotFinite on sentence 1: expected finite values"),
    ],
)
def test_what_is_wrong_names_the_plugin(plugin: Odd, message: str) -> None:
    case = bf.Case([bf.Rule("X", ("a",), ("u",))], ["a"], {})
    with pytest.raises(InputError, match=message):
        features_of(case, plugin)
