"""Background work: the order of its tasks, and what becomes of those that fail."""

from __future__ import annotations

import pytest

from hopefear.live.server.work_queue import Task, WorkQueue


def test_tasks_are_done_by_kind_and_then_in_turn() -> None:
    queue, done = WorkQueue(), list[str]()
    for kind, name in ((Task.SAVE, ""), (Task.MEASURE, "2"), (Task.MEASURE, "1"), (Task.KEEP, "")):
        queue.add(kind, lambda text=f"{kind.name} {name}": done.append(text), name)  # type: ignore[misc]
    assert queue.pending() == ["keep", "measure 2", "measure 1", "save"]
    names = [step.name for step in iter(queue.step, None)]
    assert names == ["keep", "measure 2", "measure 1", "save"] and queue.pending() == []
    assert done == ["KEEP ", "MEASURE 2", "MEASURE 1", "SAVE "]


def test_a_later_task_takes_the_place_of_one_with_its_name() -> None:
    queue, done = WorkQueue(), list[int]()
    for number in range(3):
        queue.add(Task.PREPARE, lambda number=number: done.append(number))  # type: ignore[misc]
    assert queue.step() is not None and queue.step() is None
    assert done == [2]


def test_a_task_that_fails_waits_on_and_is_tried_again() -> None:
    queue, tries = WorkQueue(), list[int]()

    def fail_once() -> None:
        tries.append(1)
        if len(tries) == 1:
            raise OSError("the disk is full")

    queue.add(Task.SAVE, fail_once)
    with pytest.raises(OSError, match="full"):
        queue.step()
    assert queue.pending() == ["save"]
    queue.step()
    assert queue.pending() == []


def test_tasks_of_a_kind_are_done_until_few_wait() -> None:
    queue = WorkQueue()
    queue.add(Task.SAVE, lambda: None)
    for number in range(5):
        queue.add(Task.MEASURE, lambda: None, str(number))
    queue.run(Task.MEASURE, 2)
    assert queue.pending() == ["measure 3", "measure 4", "save"]
    queue.run(Task.MEASURE)
    assert queue.pending() == ["save"]
