"""What a cluster buys, and costs: python benchmarks/cluster.py --help."""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Iterator
from contextlib import contextmanager

from tasks import TASKS, Task, add_task_argument, chosen, in_fresh_process, table

from hopefear.cli.io.answers import Answering
from hopefear.cli.io.output import Output
from hopefear.decoder import Decoder, Segment
from hopefear.parallel import Executor, Serial, Threads
from hopefear.tuners import Mira, ParallelMira

WAYS = ("serial", "threads", "Ray")
DECODED, LEARNED = "bible de-en", "tanaka ja-en"


@contextmanager
def executor(way: str, workers: int) -> Iterator[Executor]:
    """Begin workers."""
    if way == "Ray":
        from hopefear.parallel.ray import Connection

        with Connection(f"local:{workers}") as connection, connection.executor() as ray:
            yield ray
    else:
        with Serial() if way == "serial" else Threads(workers) as here:
            yield here


def read(task: Task, sentences: int | None) -> list[Segment]:
    """Read a dev set."""
    references = [task.lines(path) for path in task.references]
    return [
        Segment(tuple(line.split()), id=i, index=i, references=tuple(lines[i] for lines in references))
        for i, line in enumerate(task.lines(task.source)[:sentences])
    ]


def decode(name: str, way: str, workers: int, sentences: int | None) -> dict[str, float]:
    """Translate a dev set."""
    task = TASKS[name]
    segments = [segment.with_references(()) for segment in read(task, sentences)]
    begun = time.perf_counter()
    with executor(way, workers) as where:
        ready = time.perf_counter()
        translation = Answering(Decoder(task.config, weights=task.weights("init")), Output())
        where.publish(translation.decoder.weights)
        for _ in where.map(translation, segments[: 2 * workers]):  # they read their models
            pass
        start = time.perf_counter()
        count = sum(1 for _ in where.map(translation, segments))
        return {
            "workers": ready - begun,
            "models": start - ready,
            "s": time.perf_counter() - start,
            "n": count,
        }


def learn(name: str, way: str, workers: int, sentences: int | None) -> dict[str, float]:
    """Do one pass of MIRA, as many learners as workers."""
    task = TASKS[name]
    segments = read(task, sentences)
    begun = time.perf_counter()
    with executor(way, workers) as where:
        ready = time.perf_counter()
        decoder = Decoder(task.config, weights=task.weights("init"))
        tuner: Mira = Mira(passes=1)
        if way != "serial":
            tuner = ParallelMira(passes=1, workers=workers, schedule="arrival")
            tuner.executor = where
        times: list[float] = []
        start = time.perf_counter()
        tuner.fit(decoder, segments, on_update=lambda record: times.append(time.perf_counter()))
        end = time.perf_counter()
        # Learners' models are read before the first update; the sentences of the first are not counted.
        learned = len(segments) - (1 if way == "serial" else workers)
        return {
            "workers": ready - begun,
            "models": times[0] - start,
            "s": (end - times[0]) * len(segments) / learned,
            "n": len(segments),
        }


def compare(what: str, name: str, workers: int, sentences: int | None, repeats: int) -> list[dict[str, str]]:
    """Measure all ways, each in fresh processes; the best of some repeats counts."""
    rows, serial = [], 0.0
    for way in WAYS:
        measure = decode if what == "decode" else learn
        found = [in_fresh_process(measure, name, way, workers, sentences) for _ in range(repeats)]
        best = min(found, key=lambda one: one["s"])
        serial = serial or best["s"]
        rows.append(
            {
                "task": f"{what} {name}",
                "way": way if way == "serial" else f"{way}, {workers}",
                "sentences a second": f"{best['n'] / best['s']:.1f}",
                "× serial": f"{serial / best['s']:.2f}",
                "start s: workers": f"{best['workers']:.1f}",
                "models": f"{best['models']:.1f}",
            }
        )
    return rows


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(
        description="Sentences a second by the clock, serially, in threads, and in processes of Ray: "
        "decoding, and one pass of MIRA; start-up apart."
    )
    add_task_argument(parser)
    parser.add_argument("--workers", type=int, default=2, help="threads, and processes (default: 2)")
    parser.add_argument("--sentences", type=int, help="only the first so many of each task")
    parser.add_argument("--repeats", type=int, default=3, help="runs of which the best counts (default: 3)")
    parser.add_argument("--markdown", action="store_true", help="write a Markdown table")
    options = parser.parse_args()
    names = {what: name for what, name in (("decode", DECODED), ("learn", LEARNED))}
    rows = []
    for what, usual in names.items():
        for name in chosen(parser, options.tasks or [usual]):
            rows += compare(what, name, options.workers, options.sentences, options.repeats)
    print(table(rows, markdown=options.markdown))
    print(
        f"\nPeak memory of a process: {resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024:.0f} MB"
    )


if __name__ == "__main__":
    main()
