"""Objects that survive the deaths of their workers: repetition, blame, snapshots."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from functools import partial
from threading import Lock, Timer
from typing import Any

import pytest
from support.mortal_workers import Mortal

from hopefear.parallel import Actor, Call, DurableActor, Executor, Recovery, Serial, Threads, WorkerDied

Dies = Callable[[int, int, str, tuple[Any, ...]], bool]


class Journal:
    """Writes down items; each answer depends on all items so far."""

    def __init__(self) -> None:
        self.items: list[str] = []
        self.selected = ""

    def restore(self, items: list[str] | None) -> None:
        self.items = list(items or [])

    def snapshot(self) -> list[str]:
        return list(self.items)

    def write(self, items: Sequence[str]) -> list[str]:
        answers = []
        for item in items:
            self.items.append(item)
            answers.append("".join(self.items))
        return answers

    def select(self, begin: int) -> None:
        self.selected = "".join(self.items[begin:])

    def read(self) -> str:
        return self.selected

    def fail(self) -> None:
        raise KeyError("no such page")


class Write(Call):
    """Writes items; an item that workers die of is left out, unless none is left."""

    def __init__(self, *items: str, lost: str = "") -> None:
        super().__init__("write", items, changes=True, replaces=("select",))
        self.items, self.size, self.lost = items, len(items), lost

    def parts(self) -> list[Write]:
        return [Write(item) for item in self.items] or [self]

    def without_item(self, died: WorkerDied) -> Write:
        if self.lost:
            raise died
        return Write(lost=self.items[0])


def select(begin: int) -> Call:
    return Call("select", begin, changes=True, replaces=("select",))


def finish(actor: DurableActor, *calls: Call) -> list[str]:
    """Make calls, and return the last answer of each."""
    found = []
    for call in calls:
        actor.begin(call)
        found += [answers[-1] if answers else f"no {own.lost}" for own, answers in actor.take()]
    return found


class Late(Mortal):
    """Replies come some time after the work is done, and are lost if the worker dies meanwhile."""

    def actor(self, make: Callable[[], Any]) -> Actor:
        return LateActor(super().actor(make))


class LateActor(Actor):
    def __init__(self, actor: Actor) -> None:
        self._actor = actor
        self._lock, self._under_way = Lock(), list[Future[Any]]()

    def call(self, method: str, *arguments: Any) -> Future[Any]:
        late: Future[Any] = Future()
        done = self._actor.call(method, *arguments)
        with self._lock:
            self._under_way.append(late)
        if done.exception() is not None:
            self._reply(self._under_way[:], done)
        else:
            Timer(0.05, self._reply, ([late], done)).start()
        return late

    def _reply(self, calls: list[Future[Any]], outcome: Future[Any]) -> None:
        with self._lock:
            left = [call for call in calls if call in self._under_way]
            self._under_way = [call for call in self._under_way if call not in calls]
        for call in left:
            error = outcome.exception()
            call.set_exception(error) if error is not None else call.set_result(outcome.result())

    def restart(self) -> None:
        self._actor.restart()

    def close(self) -> None:
        self._actor.close()


def at(*calls: int) -> Dies:
    return lambda actor, number, method, arguments: number in calls


def holds(item: str) -> Dies:
    return lambda actor, number, method, arguments: method == "write" and item in arguments[0]


def journal(executor: Executor, **settings: Any) -> DurableActor:
    return DurableActor(executor, Journal, name="a journal", **settings)


@pytest.mark.parametrize("snapshot_every", [0, 1, 2, 5])
def test_a_death_changes_no_answer(snapshot_every: int) -> None:
    items, expected = "abcdef", ["a", "ab", "abc", "abcd", "abcde", "abcdef"]
    for executor in (Serial(), Threads(1)):
        actor = journal(executor, snapshot_every=snapshot_every)
        assert finish(actor, *map(Write, items)) == expected
        actor.close()
    for number in range(1, 14):
        mortal = Mortal(at(number))
        actor = journal(mortal, snapshot_every=snapshot_every)
        assert finish(actor, *map(Write, items)) == expected
        assert actor.restarts == mortal.restarts <= 1


def test_a_snapshot_empties_the_log() -> None:
    actor = journal(Serial(), snapshot_every=3)
    finish(actor, *map(Write, "abcdefgh"))
    assert actor.snapshot == ["a", "b", "c", "d", "e", "f"]
    assert [call.items for call in actor.log] == [("g",), ("h",)]


def test_deaths_in_snapshots_blame_nothing() -> None:
    mortal = Mortal(lambda actor, number, method, arguments: method == "snapshot")
    actor = journal(mortal, snapshot_every=1)
    assert finish(actor, *map(Write, "abcdefgh"))[-1] == "abcdefgh"
    assert actor.restarts == 4  # a death is noticed at the next call, which is followed by no snapshot


def test_what_a_call_replaces_is_not_repeated() -> None:
    asked: list[str] = []

    def dies(actor: int, number: int, method: str, arguments: tuple[Any, ...]) -> bool:
        asked.append(method)
        return number == 9

    actor = journal(Mortal(dies))
    for call in (Write("a"), Write("b"), select(0), select(1), Write("c"), select(0), select(1), select(2)):
        actor.begin(call)
        actor.take()
    assert actor.call("read") == "c"
    assert asked[8:] == ["read", "write", "write", "write", "select", "read"]


def test_the_item_that_workers_die_of_is_left_out() -> None:
    actor = journal(Mortal(holds("c")))
    assert finish(actor, Write("a", "b", "c", "d"), Write("e")) == ["a", "ab", "no c", "abd", "abde"]
    assert actor.restarts == 2  # with the others, and alone
    actor = journal(Mortal(holds("c"), Recovery(attempts=3)))
    assert finish(actor, Write("b"), Write("c"), Write("d")) == ["b", "no c", "bd"]
    assert actor.restarts == 3


@pytest.mark.parametrize("calls", [[Write("a", "b"), Write("c"), Write("d")], [Write("a", "b", "c", "d")]])
def test_replies_that_are_lost_with_the_worker_blame_no_other_item(calls: list[Write]) -> None:
    executor = Late(holds("c"))  # behind a snapshot, or behind another item
    actor = journal(executor, snapshot_every=2)
    assert finish(actor, *calls) == (["ab"] if len(calls) > 1 else ["a", "ab"]) + ["no c", "abd"]
    assert executor.restarts == 2


def test_a_call_without_an_item_ends_it() -> None:
    actor = journal(Mortal(lambda actor, number, method, arguments: method == "read"))
    finish(actor, Write("a"))
    with pytest.raises(WorkerDied, match="a journal: workers died 2 times in read: in a test") as died:
        actor.call("read")
    assert died.value.times == 2
    always = journal(Mortal(lambda actor, number, method, arguments: method == "write"))
    with pytest.raises(WorkerDied, match="workers died 2 times in write"):
        finish(always, Write("a"))
    assert always.restarts == 3  # one try more without the item is left out


def test_deaths_while_calls_are_repeated_blame_none_of_them() -> None:
    for failed in range(5):  # in the fourth call, and then while the first is repeated
        actor = journal(Mortal(at(4, *range(5, 5 + 4 * failed, 4))))
        assert finish(actor, *map(Write, "abcde"))[-1] == "abcde"
        assert actor.restarts == 1 + failed
    actor = journal(Mortal(lambda actor, number, method, arguments: number > 3))
    reason = "a journal: a worker that died could not be restarted, 5 times: in a test"
    with pytest.raises(WorkerDied, match=reason) as died:
        finish(actor, *map(Write, "abcde"))
    assert died.value.times == 0


def test_the_first_calls_of_an_object_are_repeated_too() -> None:
    for number in range(1, 5):
        actor = journal(Mortal(at(number)), log=[Write("a"), Write("b")])
        assert finish(actor, Write("c"), Write("d")) == ["abc", "abcd"]


def test_it_can_be_continued_elsewhere() -> None:
    first = journal(Serial(), snapshot_every=3)
    finish(first, *map(Write, "abcde"))
    first.begin(Write("f", "g"))
    assert [(call.items, ends) for call, ends in first.pending()] == [(("f", "g"), True)]
    for dies in (at(), at(3), at(6)):
        second = journal(Mortal(dies), snapshot_every=3)
        second.resume(first.snapshot, first.log, first.pending())
        assert [answers[-1] for _, answers in second.take()][-1] == "abcdefg"
        assert finish(second, Write("h")) == ["abcdefgh"]


def test_who_waits_is_told_of_replies_and_deaths() -> None:
    told: list[bool] = []
    actor = journal(Mortal(at(2)))
    actor.on_reply = partial(told.append, True)
    finish(actor, Write("a"))
    actor.begin(Write("b"))
    assert len(told) == 2
    assert not actor.is_ready() and actor.restarts == 1  # it is brought back
    assert len(told) == 4  # of the repeated call, too
    assert actor.is_ready()
    assert [answers for _, answers in actor.take()] == [["ab"]]


class Held(Mortal):
    """Replies are held back while `holding` is set, and are then released in any order."""

    def __init__(self, dies: Dies) -> None:
        super().__init__(dies)
        self.holding = False
        self.replies: list[tuple[Future[Any], Future[Any]]] = []

    def actor(self, make: Callable[[], Any]) -> Actor:
        return HeldActor(super().actor(make), self)

    def release(self, place: int) -> None:
        reply, done = self.replies[place]
        error = done.exception()
        reply.set_exception(error) if error is not None else reply.set_result(done.result())


class HeldActor(Actor):
    def __init__(self, actor: Actor, owner: Held) -> None:
        self._actor, self._owner = actor, owner

    def call(self, method: str, *arguments: Any) -> Future[Any]:
        done = self._actor.call(method, *arguments)
        if not self._owner.holding:
            return done
        self._owner.replies.append((Future(), done))
        return self._owner.replies[-1][0]

    def restart(self) -> None:
        self._actor.restart()

    def close(self) -> None:
        self._actor.close()


@pytest.mark.parametrize("dies", [at(), at(3)], ids=["alive", "dead"])
def test_who_waits_is_told_when_the_reply_of_a_snapshot_comes_last(dies: Dies) -> None:
    held, told = Held(dies), list[bool]()
    actor = journal(held, snapshot_every=1, on_reply=partial(told.append, True))
    held.holding = True
    actor.begin(Write("a"))  # and a snapshot
    held.release(0)
    assert [answers for _, answers in actor.take()] == [["a"]]
    actor.begin(Write("b"))
    held.release(2)
    assert not actor.is_ready()
    told.clear()
    held.holding = False
    held.release(1)
    assert told
    assert actor.is_ready() or actor.is_ready()  # a dead worker's object is made again first
    assert [answers for _, answers in actor.take()] == [["ab"]]


def test_an_error_is_no_death() -> None:
    actor = journal(Mortal())
    with pytest.raises(KeyError, match="no such page"):
        actor.call("fail")
    assert actor.restarts == 0
