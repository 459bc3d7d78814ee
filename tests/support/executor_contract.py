"""What every executor does; tasks are here, where workers can import them."""

from __future__ import annotations

import os
import signal
import sys
import time
from functools import partial
from pathlib import Path
from threading import Barrier, Event, Lock

import numpy as np
import pytest

from hopefear.base import InputError
from hopefear.decoder import Weights
from hopefear.parallel import Executor

from .waiting import PATIENCE, wait_until


class Unpicklable(Exception):
    """Cannot be made from its arguments."""

    def __init__(self, first: int, second: int) -> None:
        super().__init__(f"{first} and {second}")
        self.lock = Lock()


class Account:
    def __init__(self) -> None:
        self.amount = 0

    def add(self, amount: int) -> int:
        if amount < 0:
            raise InputError("expected an amount", path="account", line=3)
        self.amount += amount
        return self.amount

    def die(self) -> None:
        os._exit(1)

    def leave(self) -> None:
        raise SystemExit(3)


def square(number: int) -> int:
    return number * number


def refuse_7(number: int) -> int:
    if number == 7:
        raise InputError("expected another number", path="numbers", line=number)
    return number


def raise_unpicklable(number: int) -> int:
    raise Unpicklable(number, number)


def give_unpicklable(number: int) -> object:
    return Lock() if number == 3 else number


def wait(number: int, *, seconds: float = 0.01) -> int:
    time.sleep(seconds)
    return number


def hold(number: int, *, folder: Path) -> int:
    """Say that work has begun, and never end."""
    (folder / str(number)).touch()
    Event().wait()
    return number


_MEETING = Barrier(4)


def meet(number: int) -> int:
    """Come back when four threads of a process are here at the same time."""
    _MEETING.wait(PATIENCE)
    return number


def process(_: int) -> int:
    time.sleep(0.002)
    return os.getpid()


def die_at_13(number: int) -> int:
    time.sleep(0.001)
    if number == 13:
        print("not 13", file=sys.stderr)
        os._exit(3)
    return number


def die_behind(number: int, *, folder: Path) -> int:
    """Die in item 1. The first worker dies in item 0, as if its reply were lost when 1 died behind it."""
    wait_until((folder / "both are sent").exists, "both items are sent")
    if number == 1 or not (folder / "deaths").exists():
        with (folder / "deaths").open("a") as file:
            file.write("died ")
        os._exit(3)
    return number


def kill_once(number: int, *, at: int, mark: Path) -> int:
    """Be killed at one item, the first time."""
    time.sleep(0.002)
    if number == at and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def floats(numbers: list[int]) -> np.ndarray:
    """Sums that depend on the order they are added in."""
    return np.array([1.0 / (1 + number) for number in numbers]).cumsum()[-1] * np.array([1.0, 1e-3, 1e9])


def floats_and_kill(numbers: list[int], *, at: int, mark: Path) -> np.ndarray:
    kill_once(numbers[0], at=at, mark=mark)
    return floats(numbers)


def add(sums: list[np.ndarray]) -> np.ndarray:
    total = sums[0].copy()
    for one in sums[1:]:
        total += one
    return total


def weight(weights: Weights, name: str) -> float:
    return weights[name]


class ExecutorContract:
    """Tests; whoever inherits has a fixture `executor`."""

    def test_results_come_in_the_items_order(self, executor: Executor) -> None:
        assert list(executor.map(square, range(300))) == [number**2 for number in range(300)]
        assert list(executor.map(square, [])) == []

    def test_only_some_items_are_taken_ahead(self, executor: Executor) -> None:
        items = iter(range(2000))
        results = executor.map(wait, items)
        assert next(results) == 0
        assert next(items) <= 4 * 32 * executor.workers

    def test_an_exception_comes_when_it_is_its_items_turn(self, executor: Executor) -> None:
        results = executor.map(refuse_7, range(20))
        assert [next(results) for _ in range(7)] == list(range(7))
        with pytest.raises(InputError, match="numbers:7: expected another number") as raised:
            next(results)
        assert (raised.value.path, raised.value.line) == ("numbers", 7)
        with pytest.raises(InputError, match="another number"):
            executor.submit(refuse_7, 7).result()

    def test_items_that_cannot_be_had_are_an_exception_when_it_is_their_turn(
        self, executor: Executor
    ) -> None:
        def items():
            yield 1
            raise InputError("expected more")

        results = executor.map(square, items())
        assert next(results) == 1
        with pytest.raises(InputError, match="expected more"):
            next(results)

    def test_a_result_does_not_wait_for_the_next_item(self, executor: Executor) -> None:
        asked = Event()

        def items():
            yield 3
            assert asked.wait(PATIENCE)
            yield 4

        results = executor.map(square, items())
        assert next(results) == 9
        asked.set()
        assert list(results) == [16]

    def test_submit(self, executor: Executor) -> None:
        futures = [executor.submit(partial(wait, seconds=0.001), number) for number in range(50)]
        assert [future.result(PATIENCE) for future in futures] == list(range(50))

    @pytest.mark.parametrize(("items", "chunk", "fan_in"), [(1, 5, 2), (40, 3, 2), (100, 3, 3), (64, 1, 8)])
    def test_sums_do_not_depend_on_where_they_are_added(
        self, executor: Executor, items: int, chunk: int, fan_in: int
    ) -> None:
        def tree(sums: list[np.ndarray]) -> np.ndarray:
            """Merge full groups on each level, then what is left from the lowest level up."""
            left: list[list[np.ndarray]] = []
            while sums:
                full = len(sums) // fan_in * fan_in
                left.append(sums[full:])
                sums = [add(sums[i : i + fan_in]) for i in range(0, full, fan_in)]
            found: list[np.ndarray] = []
            for level in left:
                found = [*level, *found]
                found = [add(found)] if len(found) > 1 else found
            return found[0]

        numbers, done = list(range(items)), []
        expected = tree([floats(numbers[i : i + chunk]) for i in range(0, items, chunk)])
        got = executor.reduce(floats, add, numbers, chunk=chunk, fan_in=fan_in, on_chunk=done.append)
        assert got.tobytes() == expected.tobytes()
        assert done == [len(numbers[i : i + chunk]) for i in range(0, items, chunk)]

    def test_nothing_cannot_be_reduced(self, executor: Executor) -> None:
        with pytest.raises(ValueError, match="expected at least one item, got none"):
            executor.reduce(floats, add, [], chunk=3)

    def test_an_exception_ends_a_reduction(self, executor: Executor) -> None:
        with pytest.raises(TypeError):
            executor.reduce(floats, add, ["no number"], chunk=3)

    def test_an_actor_keeps_its_state_and_its_order(self, executor: Executor) -> None:
        actor = executor.actor(Account)
        assert [future.result(PATIENCE) for future in [actor.call("add", n) for n in (1, 2, 3)]] == [1, 3, 6]
        with pytest.raises(InputError, match="account:3: expected an amount"):
            actor.call("add", -1).result(PATIENCE)
        assert actor.call("add", 1).result(PATIENCE) == 7
        actor.restart()
        assert actor.call("add", 1).result(PATIENCE) == 1
        actor.close()

    def test_tasks_see_weights_as_published(self, executor: Executor) -> None:
        weights = Weights({"a": 1.0, "b": 2.0})
        for change in ({}, {"a": 3.0, "new": -1.0}, {"b": 0.0}):
            weights.update(change)
            executor.publish(weights)
            expected = [weights[name] for name in ("a", "b", "new")]
            assert list(executor.map(partial(weight, weights), ["a", "b", "new"])) == expected
