"""Where the coordinator of parallel MIRA saturates: python benchmarks/coordinator.py --help."""

from __future__ import annotations

import argparse
import pickle
import resource
import time
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from typing import Any

from idler import Idler
from tasks import in_fresh_process, table

from hopefear.decoder import Segment
from hopefear.parallel import Actor, Executor, Serial
from hopefear.tuners import ParallelMira
from hopefear.tuners.parallel.coordinator import Coordinator
from hopefear.tuners.parallel.exchange import Mailboxes
from hopefear.tuners.parallel.remote_learner import RemoteLearner
from hopefear.tuners.parallel.schedules import Arrival


class PickledActor(Actor):
    """Does in this process what a cluster's does on the coordinator's side: pickling."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self._object = make()

    def call(self, method: str, *arguments: Any) -> Future[Any]:
        """Pickle the arguments, and unpickle the answer."""
        future: Future[Any] = Future()
        pickle.dumps(arguments)
        future.set_result(pickle.loads(pickle.dumps(getattr(self._object, method)(*arguments))))
        return future

    def restart(self) -> None:
        """Do nothing."""

    def close(self) -> None:
        """Do nothing."""


class PickledActors(Serial):
    """Has such actors."""

    def actor(self, make: Callable[[], Any]) -> Actor:
        """Make one."""
        return PickledActor(make)


def hand_out(executor: Executor, learners: int, sentences: int, size: int) -> dict[str, float]:
    """Let learners go through sentences once."""
    corpus = [Segment(("a",) * 10, id=i, index=i, references=("b",)) for i in range(sentences)]
    make: Any = partial(Idler, size)
    remote = [RemoteLearner(i, executor, make, corpus, snapshot_every=50) for i in range(learners)]
    coordinator = Coordinator(remote, Mailboxes(learners), Arrival(remote), corpus, ParallelMira.EXAMPLE)
    wall, cpu = time.perf_counter(), time.process_time()
    turns = coordinator.go_through(1, range(sentences))
    messages = sum(delivery.segment is not None for _, deliveries in turns for delivery in deliveries)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    for one in remote:
        one.close()
    assert messages == sentences
    return {"wall": wall, "cpu": cpu, "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}


def in_process(learners: int, sentences: int, size: int) -> dict[str, float]:
    """Measure the coordinator with its pickling alone."""
    return hand_out(PickledActors(), learners, sentences, size)


def on_ray(learners: int, sentences: int, size: int) -> dict[str, float]:
    """Measure it with real processes."""
    from hopefear.parallel.ray import Connection

    with Connection("local") as connection, connection.executor() as executor:
        hand_out(executor, learners, 2 * learners, size)
        return hand_out(executor, learners, sentences, size)


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(
        description="The coordinator of parallel MIRA with learners that answer at once."
    )
    parser.add_argument("learners", nargs="*", type=int, help="how many; 2 8 100 1000 by default")
    parser.add_argument("--ray", action="store_true", help="in processes of Ray; 2 4 8 16 by default")
    parser.add_argument("--bytes", type=int, default=2000, help="of a message (default: 2000)")
    parser.add_argument("--sentences", type=int, help="how many (default: 20000, with Ray 4000)")
    parser.add_argument("--markdown", action="store_true", help="write a Markdown table")
    options = parser.parse_args()
    rows = []
    for learners in options.learners or ([2, 4, 8, 16] if options.ray else [2, 8, 100, 1000]):
        sentences = options.sentences or (4000 if options.ray else 20000)
        found = in_fresh_process(on_ray if options.ray else in_process, learners, sentences, options.bytes)
        rows.append(
            {
                "learners": str(learners),
                "CPU ms a sentence": f"{1000 * found['cpu'] / sentences:.3f}",
                "sentences a second": f"{sentences / found['wall']:,.0f}",
                "MB sent to learners a second": (
                    f"{(learners - 1) * options.bytes * sentences / found['wall'] / 1e6:,.1f}"
                ),
                "peak MB": f"{found['peak']:.0f}",
            }
        )
    print(table(rows, markdown=options.markdown))


if __name__ == "__main__":
    main()
