"""What is done on two nodes; run as a program on the first, it prints what it found.

Usage: ``on_two_nodes.py map|mira HOST:PORT FOLDER``. Where the second node is to be killed, a file
``held`` is made in the folder.
"""

from __future__ import annotations

import json
import os
import sys
import time
from functools import partial
from pathlib import Path

from hopefear.parallel import Serial
from hopefear.parallel.ray import open_executor
from hopefear.parallel.ray.ray_executor import RayExecutor
from hopefear.tuners import UpdateRecord
from support.executor_contract import add, floats
from support.parallel_runs import learn
from support.waiting import wait_until
from support.world import SPANS


def where(_: int) -> tuple[str, int, str]:
    time.sleep(0.005)
    return os.environ["TEST_NODE"], os.stat("/proc/self/ns/net").st_ino, os.getcwd()


class Placed:
    def node(self) -> str:
        return os.environ["TEST_NODE"]


def held(number: int, *, folder: Path) -> int:
    """Return a number; on the second node hold one until the node is killed."""
    time.sleep(0.002)
    if os.environ["TEST_NODE"] == "1":
        hold(folder)
    return number


def hold(folder: Path) -> None:
    try:
        (folder / "held").touch(exist_ok=False)
    except FileExistsError:
        return
    time.sleep(600)


def map_and_lose(executor: RayExecutor, folder: Path) -> dict[str, object]:
    found = set(executor.map(where, range(100)))
    actors = [executor.actor(Placed) for _ in range(4)]
    nodes = [actor.call("node").result() for actor in actors]
    for actor in actors:
        actor.close()
    expected = Serial().reduce(floats, add, range(600), chunk=3, fan_in=3)
    got = executor.reduce(floats, add, range(600), chunk=3, fan_in=3)
    results = list(executor.map(partial(held, folder=folder), range(500)))
    return {
        "workers": executor.workers,
        "nodes": sorted({node for node, _, _ in found}),
        "actors": [sorted(nodes[i : i + 2]) for i in range(0, len(nodes), 2)],
        "namespaces": len({namespace for _, namespace, _ in found}),
        "folders": len({at for _, _, at in found}),
        "same sum": got.tobytes() == expected.tobytes(),
        "all results": results == list(range(500)),
        "restarts": executor.restarts,
    }


def learn_and_lose(executor: RayExecutor, folder: Path) -> dict[str, object]:
    """Lose the second node, and the learners there, in the middle of parallel MIRA."""

    def kill_in_the_middle(record: UpdateRecord) -> None:
        if record.update == 30:
            (folder / "held").touch()
            wait_until((folder / "killed").exists, "the second node was killed")

    decoder, run = SPANS.decoder(folder), folder / "run"
    tuner, learned = learn(decoder, executor, workers=4, checkpoint=run, on_update=kill_in_the_middle)
    replay = str(folder / "run.schedule")
    again = learn(SPANS.decoder(folder), Serial(), workers=4, replay=replay)[1]
    return {"same": learned == again, "lost learners": tuner.restarts_}


if __name__ == "__main__":
    name, address, where_marks_are = sys.argv[1:]
    do = {"map": map_and_lose, "mira": learn_and_lose}[name]
    with open_executor(address) as executor:
        print(json.dumps(do(executor, Path(where_marks_are))))
