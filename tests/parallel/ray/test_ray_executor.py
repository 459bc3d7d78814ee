"""Work in processes, some of which are killed."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path

import pytest
from support.executor_contract import (
    Account,
    ExecutorContract,
    add,
    die_at_13,
    die_behind,
    floats,
    floats_and_kill,
    give_unpicklable,
    hold,
    kill_once,
    meet,
    process,
    raise_unpicklable,
    square,
    wait,
    weight,
)
from support.short_of_memory import ShortAnswering, ShortKBestTask
from support.waiting import PATIENCE, wait_until
from support.world import SPARSE

pytest.importorskip("ray")

from hopefear.base import InputError
from hopefear.cli.io.output import Output
from hopefear.decoder import Weights
from hopefear.parallel import Recovery, Serial, WorkerDied
from hopefear.parallel.ray import Connection, processes, workers
from hopefear.parallel.ray.ray_executor import RayExecutor
from hopefear.tuners.pool.kbest_task import Translate

pytestmark = pytest.mark.long(43)


@pytest.fixture(scope="module")
def executor(ray_here: Connection) -> Iterator[RayExecutor]:
    with ray_here.executor() as executor:
        yield executor


class TestRay(ExecutorContract):
    pass


def test_work_is_elsewhere(executor: RayExecutor) -> None:
    assert executor.workers == 2
    used = set(executor.map(process, range(100)))
    assert len(used) == 2
    assert os.getpid() not in used


def test_short_tasks_share_calls(executor: RayExecutor) -> None:
    list(executor.map(square, range(64)))
    before = executor.calls
    list(executor.map(square, range(3200)))
    assert executor.calls - before < 250


def test_the_traceback_of_a_task_is_kept(executor: RayExecutor) -> None:
    with pytest.raises(RuntimeError, match="in raise_unpicklable") as raised:
        executor.submit(raise_unpicklable, 1).result()
    assert "Unpicklable: 1 and 1" in str(raised.value)
    with pytest.raises(KeyError) as raised:
        executor.submit({}.__getitem__, "a").result()
    assert "Traceback" in str(raised.value.__cause__)


def test_too_little_memory_in_a_worker_is_an_error_of_the_sentence(
    executor: RayExecutor, tmp_path: Path
) -> None:
    decoder = SPARSE.decoder(tmp_path)
    executor.publish(decoder.weights)
    plain = [replace(segment, references=()) for segment in SPARSE.corpus]
    answers = executor.map(ShortAnswering(decoder, Output(), skip=True), plain)
    skipped = {number: answer.skipped for number, answer in enumerate(answers) if answer.skipped is not None}
    assert [*skipped] == [number for number, segment in enumerate(SPARSE.corpus) if segment.length == 4]
    message = "the input: not enough memory for sentence 3, which has 4 words"
    assert str(skipped[2][1]) == message
    task = ShortKBestTask(Translate(decoder), decoder, 5)
    with pytest.raises(InputError, match=message):
        list(executor.map(task, enumerate(SPARSE.corpus)))


def test_what_cannot_be_pickled_is_an_exception_of_its_item_only(executor: RayExecutor) -> None:
    list(executor.map(square, range(64)))
    futures = [executor.submit(give_unpicklable, number) for number in range(5)]
    with pytest.raises(TypeError, match="pickle"):
        futures.pop(3).result()
    assert [future.result() for future in futures] == [0, 1, 2, 4]


def test_a_task_that_exits_is_an_exception_of_its_item(executor: RayExecutor) -> None:
    with pytest.raises(SystemExit):
        executor.submit(sys.exit, 3).result(timeout=PATIENCE)
    assert executor.submit(square, 3).result(timeout=PATIENCE) == 9
    actor = executor.actor(Account)
    with pytest.raises(SystemExit):
        actor.call("leave").result(timeout=PATIENCE)
    assert actor.call("add", 2).result(timeout=PATIENCE) == 2
    actor.close()


def test_items_of_a_killed_worker_are_done_again(executor: RayExecutor, tmp_path: Path) -> None:
    before = executor.restarts
    task = partial(kill_once, at=60, mark=tmp_path / "killed")
    assert list(executor.map(task, range(200))) == list(range(200))
    assert executor.restarts == before + 1


def test_a_worker_killed_from_outside(executor: RayExecutor, capfd: pytest.CaptureFixture[str]) -> None:
    before, got = executor.restarts, []
    victim = executor.submit(process, 0).result()
    for result in executor.map(wait, range(120)):
        got.append(result)
        if result == 20:
            os.kill(victim, signal.SIGKILL)
    assert got == list(range(120))
    assert executor.restarts == before + 1
    assert capfd.readouterr() == ("", "")


@pytest.mark.slow
def test_the_item_that_workers_die_of_is_named(executor: RayExecutor) -> None:
    before = executor.restarts
    got = list(executor.map(die_at_13, range(100), on_death=lambda item, error: (item, str(error))))
    item, message = got.pop(13)
    assert item == 13
    assert message == "workers died 2 times while working on 13; last output: not 13"
    assert got == [number for number in range(100) if number != 13]
    assert executor.restarts == before + 2
    with pytest.raises(WorkerDied, match="while working on 13"):
        list(executor.map(die_at_13, range(20)))


@pytest.mark.slow
def test_a_death_counts_for_its_item_though_the_reply_before_is_lost(
    ray_here: Connection, tmp_path: Path
) -> None:
    with ray_here.executor(workers=1, threads=1) as executor:
        sent = [executor.submit(partial(die_behind, folder=tmp_path), number) for number in range(3)]
        wait_until(lambda: executor.calls == 2, "two calls are in the process")
        (tmp_path / "both are sent").touch()
        assert sent[0].result(PATIENCE) == 0
        with pytest.raises(WorkerDied, match="workers died 2 times while working on 1"):
            sent[1].result(PATIENCE)
        assert sent[2].result(PATIENCE) == 2
        assert executor.restarts == 2
    assert (tmp_path / "deaths").read_text() == "died died "


def test_a_sum_is_the_same_when_a_worker_is_killed(executor: RayExecutor, tmp_path: Path) -> None:
    before, task = executor.restarts, partial(floats_and_kill, at=60, mark=tmp_path / "killed")
    got = executor.reduce(task, add, range(300), chunk=5, fan_in=3)
    assert got.tobytes() == Serial().reduce(floats, add, range(300), chunk=5, fan_in=3).tobytes()
    assert executor.restarts == before + 1


def test_a_worker_made_anew_knows_the_weights(executor: RayExecutor) -> None:
    weights = Weights({"a": 1.0, "b": 2.0})
    executor.publish(weights)
    weights["a"] = 5.0
    executor.publish(weights)
    for _ in range(2):
        os.kill(executor.submit(process, 0).result(), signal.SIGKILL)
        assert list(executor.map(partial(weight, weights), ["a", "b"] * 20)) == [5.0, 2.0] * 20


def test_only_changes_are_published(executor: RayExecutor) -> None:
    weights = Weights({f"feature{number}": 1.0 for number in range(1000)})
    sizes = [executor.bytes_published]
    for _ in range(3):
        executor.publish(weights)
        sizes.append(executor.bytes_published)
        weights["feature7"] += 1.0
    whole, *changes = [after - before for before, after in pairwise(sizes)]
    assert whole > 20_000
    assert changes == [len("feature7") + 4 + 8] * 2


def test_an_actor_that_died(executor: RayExecutor) -> None:
    actor = executor.actor(Account)
    assert actor.call("add", 2).result() == 2
    calls = [actor.call("die"), actor.call("add", 1)]
    for call in calls:
        with pytest.raises(WorkerDied):
            call.result()
    with pytest.raises(WorkerDied):
        actor.call("add", 1).result()
    actor.restart()
    assert actor.call("add", 3).result() == 3
    actor.close()


def test_ctrl_c_is_not_for_workers(executor: RayExecutor) -> None:
    before, worker = executor.restarts, executor.submit(process, 0).result()
    os.kill(worker, signal.SIGINT)
    assert worker in set(executor.map(process, range(50)))
    assert executor.restarts == before


def test_close_ends_processes_and_calls(ray_here: Connection, tmp_path: Path) -> None:
    with ray_here.executor() as executor:
        workers = set(executor.map(process, range(50)))
        waiting = [executor.submit(partial(hold, folder=tmp_path), number) for number in range(20)]
        wait_until(lambda: any(tmp_path.iterdir()), "a call is under way")
    for future in [*waiting, executor.submit(square, 1)]:
        with pytest.raises(WorkerDied, match="the executor was closed"):
            future.result(PATIENCE)
    with pytest.raises(WorkerDied, match="the executor was closed"):
        executor.reduce(floats, add, range(9), chunk=1)
    wait_until(
        lambda: not any(Path(f"/proc/{worker}").exists() for worker in workers), "the processes have ended"
    )


def check_that_all_ends(executor: RayExecutor, tmp_path: Path, reason: str) -> None:
    """Let a worker die; what waits, and what comes after, raises the reason."""
    waiting = [executor.submit(partial(wait, seconds=60), number) for number in range(20)]
    with pytest.raises(WorkerDied, match=reason):
        list(executor.map(partial(kill_once, at=0, mark=tmp_path / "killed"), range(20)))
    for future in [*waiting, executor.submit(square, 1)]:
        with pytest.raises(WorkerDied, match=reason):
            future.result(PATIENCE)
    with pytest.raises(WorkerDied, match=reason):
        executor.reduce(floats, add, range(100), chunk=1, fan_in=2)


@pytest.mark.slow
def test_no_worker_is_left(ray_here: Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recovery = Recovery(starts=2, seconds=0.01)
    with ray_here.executor(workers=1, threads=40, recovery=recovery) as executor:
        monkeypatch.setattr(processes, "version", lambda _: "99.0")
        reason = "no worker is left, and no new worker starts: expected hopefear 99.0"
        check_that_all_ends(executor, tmp_path, reason)
        actor = executor.actor(Account)
        assert actor.call("add", 2).result(PATIENCE) == 2
        actor.close()


def test_work_cannot_be_handed_out(
    ray_here: Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise ValueError("Ray is ill")

    with ray_here.executor(workers=1, threads=40) as executor:
        monkeypatch.setattr(workers, "start_process", refuse)
        check_that_all_ends(executor, tmp_path, "work cannot be sent to workers: ValueError: Ray is ill")


def test_a_worker_may_have_threads(ray_here: Connection) -> None:
    with ray_here.executor(workers=1, threads=4) as executor:
        assert executor.workers == 4
        assert list(executor.map(meet, range(4))) == list(range(4))  # all four at the same time
