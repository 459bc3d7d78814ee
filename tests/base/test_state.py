"""State is declared once, as fields; it is saved, checked and loaded by what they declare."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from hopefear.base import InputError
from hopefear.base.state import array, fact, load, part, save


@dataclass(frozen=True)
class Step:
    number: int
    length: float
    note: str | None = None
    ends: tuple[int, int] | None = None


@dataclass
class Speed:
    velocity: NDArray[np.float64] = array(by_feature=True)
    features: NDArray[np.int32] = array("i4", of_features=True)
    total: float = fact(0.0)


@dataclass
class Walk:
    name: str  # no state
    steps: list[Step] = fact([])
    count: int = fact(0, least=0)
    pace: int = fact(1, least=1, optional=True)
    ids: list[int | str] = fact([])
    by_name: dict[str, float] = fact({})
    table: NDArray[np.float64] | None = array(dimensions=2, optional=True)
    keys: NDArray[np.uint64] = array("u8", copied=False)
    counts: NDArray[np.int64] = array("i8", least=0)
    speed: Speed = part(Speed)
    other: Speed | None = part(Speed, optional=True)
    events: list[str] = field(default_factory=list)

    def saving(self) -> None:
        self.events.append("saving")

    def restored(self) -> None:
        self.events.append("restored")
        if self.count != len(self.steps):
            raise ValueError("the number of steps")


def walked() -> Walk:
    walk = Walk("mine")
    walk.steps = [Step(1, 0.5), Step(2, 2.0, "a", (1, 2))]
    walk.count, walk.ids, walk.by_name = 2, [3, "x"], {"a": 1e-300}
    walk.keys, walk.counts = np.array([2**64 - 1], np.uint64), np.array([0, 7])
    walk.speed.velocity = np.array([0.0, 1.5, -2.0, 0.0, 0.0])
    walk.speed.features = np.array([2, 0], np.int32)
    return walk


def test_what_was_saved_is_loaded() -> None:
    walk, again = walked(), Walk("mine")
    state = save(walk)
    assert walk.events == ["saving"]
    assert set(state["arrays"]) == {"keys", "counts", "speed.velocity", "speed.features"}
    load(again, {**state, "facts": json.loads(json.dumps(state["facts"]))}, what="a walk")
    assert again.events == ["restored"]
    assert (again.steps, again.ids, again.by_name) == (walk.steps, walk.ids, walk.by_name)
    assert again.table is None and again.other is None
    assert again.keys.tolist() == walk.keys.tolist()
    assert again.speed.velocity.tolist() == [0.0, 1.5, -2.0]  # zeros at the end are not saved


def test_parts_that_may_be_missing_are_made() -> None:
    walk, again = walked(), Walk("mine")
    walk.other, walk.table = Speed(), np.ones((2, 3))
    walk.other.total = 4.0
    load(again, save(walk), what="a walk")
    assert again.other is not None and again.other.total == 4.0
    assert again.table is not None and again.table.shape == (2, 3)
    load(again, save(walked()), what="a walk")
    assert again.table is None and again.other is None


def test_an_optional_fact_may_be_missing() -> None:
    walk, again = walked(), Walk("mine")
    walk.pace = 3
    state = save(walk)
    load(again, state, what="a walk")
    assert again.pace == 3
    del state["facts"]["pace"]
    again = Walk("mine")
    load(again, state, what="a walk")
    assert again.pace == 1


def test_features_have_the_numbers_of_now() -> None:
    again = Walk("mine")
    load(again, save(walked()), what="a walk", numbers=np.array([4, 0, 1]))
    assert again.speed.velocity.tolist() == [1.5, -2.0, 0.0, 0.0, 0.0]
    assert again.speed.features.tolist() == [1, 4]
    with pytest.raises(InputError, match=r"a walk; missing or wrong: expected speed.velocity of 2 features"):
        load(again, save(walked()), what="a walk", numbers=np.array([4, 0]))


def test_a_state_stays_as_it_was() -> None:
    walk = walked()
    state = save(walk)
    walk.speed.velocity[:] = 7
    walk.steps.append(Step(3, 1.0))
    assert state["arrays"]["speed.velocity"].tolist() == [0.0, 1.5, -2.0]
    assert len(state["facts"]["steps"]) == 2


@pytest.mark.parametrize(
    ("place", "key", "value", "message"),
    [
        ("facts", "count", -1, "expected count to be at least 0, got -1"),
        ("facts", "count", True, "count: expected a whole number, got true or false"),
        ("facts", "count", 1, "the number of steps"),
        ("facts", "steps", {}, "steps: expected a list"),
        ("facts", "steps", [{"number": 1}, {}], r"steps\[0\].length: expected a value, got nothing"),
        ("facts", "steps", [{"number": 1, "length": "a"}], "length: expected a number, got text"),
        ("facts", "steps", [{"number": 1, "length": 1, "ends": [1]}], "ends: expected a list of length 2"),
        ("facts", "steps", [{"number": 1, "length": 10**400}], "length: number out of range"),
        ("facts", "ids", [1.5], "expected a whole number or text, got a number"),
        ("facts", "speed", None, "not subscriptable"),
        ("arrays", "counts", np.array([-1]), "expected numbers of at least 0 in counts, got -1"),
        ("arrays", "counts", np.array([1.0]), "expected counts to be an array of int64 with 1 dimensions"),
        ("arrays", "counts", np.array([[1]]), r"got int64 of shape \(1, 1\)"),
        ("arrays", "counts", None, "expected counts to be an array of int64 .* got None"),
        (
            "arrays",
            "speed.velocity",
            np.array([np.nan]),
            "expected finite numbers in speed.velocity, got nan",
        ),
        ("arrays", "speed.features", np.array([5], np.int32), "expected numbers of saved features in speed"),
    ],
)
def test_damage_is_refused(place: str, key: str, value: Any, message: str) -> None:
    state, again = save(walked()), Walk("mine")
    state[place][key] = value
    with pytest.raises(InputError, match=f"expected the state of a walk; missing or wrong: .*{message}"):
        load(again, state, what="a walk", numbers=np.arange(5))


def test_an_array_of_another_form_is_not_saved() -> None:
    walk = walked()
    walk.counts = np.array([1.0])
    with pytest.raises(ValueError, match=r"expected Walk.counts to be an array of int64 with 1 dimensions"):
        save(walk)
