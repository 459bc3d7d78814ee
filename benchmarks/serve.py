"""How fast hopefear serve answers a correction, and how much memory corrections take: --help tells more."""

from __future__ import annotations

import argparse
import asyncio
import gzip
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from random import Random

import httpx2
import numpy as np
import uvicorn
from tasks import SHARED, TASKS, table

from hopefear.decoder import read_config
from hopefear.grammars.sample import sample_path
from hopefear.live import AdaptingDecoder
from hopefear.live.server import Access, Application, Received, SessionStore, TranslationSystem
from hopefear.tuners import Mira

SAMPLE = "sample"
MEGABYTE = 1 << 20


MARKS = 100, 1_000, 2_000, 5_000, 10_000, 20_000
"""After so many corrections `growth` measures."""


def resident(process: int | str = "self") -> float:
    """Resident memory of a process, by default this one, in megabytes."""
    pages = Path(f"/proc/{process}/statm").read_text().split()[1]
    return int(pages) * os.sysconf("SC_PAGE_SIZE") / MEGABYTE


def cpu_time(process: int) -> float:
    """CPU time of a process, in seconds."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


Times = tuple[float, float]
"""Seconds of wall-clock time, and of CPU time of client and server together."""


async def translator(
    client: httpx2.AsyncClient, session: str, targets: list[str], pause: float, draw: Random
) -> list[Times]:
    """Correct a document; the times from sending each correction to having the next translation.

    Before each correction, the translator thinks for half to one and a half times `pause` seconds.
    """
    path = f"/api/sessions/{session}/documents/1/sentences"
    await client.get(f"{path}/0")
    times = []
    for index, target in enumerate(targets):
        body = {"target": target, "revision": 0, "next": index + 1 if index + 1 < len(targets) else None}
        await asyncio.sleep(pause * draw.uniform(0.5, 1.5))
        start, cpu = time.perf_counter(), time.process_time()
        answer = await client.put(f"{path}/{index}", json=body)
        answer.raise_for_status()
        times.append((time.perf_counter() - start, time.process_time() - cpu))
    return times


async def measure(name: str, corrections: int, sessions: int, pause: float, system: Path | None) -> None:
    """Measure one task over HTTP on the loopback, and print the figures."""
    if name == SAMPLE:
        folder = sample_path()
        config, weights = folder / "cdec.ini", folder / "weights.init"
        sources, references = (
            (folder / f"dev.{side}").read_text("utf-8").splitlines() for side in ("es", "en.0")
        )
    else:
        task = TASKS[name]
        config, weights = task.config, task.weights("init")
        sources, references = task.lines(task.source), task.lines(task.references[0])
    if system is not None:
        config, weights = system / "cdec.ini", system / "weights.init"
    begin = time.perf_counter()
    decoder = AdaptingDecoder(read_config(config), rules=True, model=True, weights=weights)
    started = time.perf_counter() - begin
    decoder.sends_deltas = False
    repeated = -(-corrections // len(sources))
    sources, references = ((side * repeated)[:corrections] for side in (sources, references))
    document = Received.read("task.txt", "\n".join(sources).encode())
    with tempfile.TemporaryDirectory() as state:
        store = SessionStore(TranslationSystem(decoder, lambda: Mira.paper(C=0.01)), Path(state))
        works = [store.create(str(number)) for number in range(sessions)]
        for work in works:
            work.documents.add(document)
        app = Application(store, Access(rate=1e9, burst=1e9))
        server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="critical", lifespan="on"))
        serving = asyncio.create_task(server.serve())
        while not server.started:
            await asyncio.sleep(0.05)
        port = server.servers[0].sockets[0].getsockname()[1]
        before, cpu, clock = resident(), time.process_time(), time.perf_counter()
        async with httpx2.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=600) as client:
            found = await asyncio.gather(
                *(
                    translator(client, work.about.id, references, pause, Random(number))
                    for number, work in enumerate(works)
                )
            )
        times = [one for each in found for one in each]
        all_of_it = 1000 * (time.process_time() - cpu) / len(times)
        busy = 100 * (time.process_time() - cpu) / (time.perf_counter() - clock)
        after = resident()
        median, answer = 1000 * np.median(times, axis=0)
        late = 1000 * np.quantile(times, 0.95, axis=0)[0]
        print(
            f"{name}: {sessions} sessions, {len(times)} corrections: median {median:.0f} ms, 95 % within "
            f"{late:.0f} ms; CPU: median {answer:.0f} ms to the answer, {all_of_it:.0f} ms in all, "
            f"{busy:.0f} % of a core; "
            f"started in {started:.1f} s; memory {before:.0f} MB before, {after:.0f} MB after",
            flush=True,
        )
        server.should_exit = True
        await serving


def short_pairs(words: int) -> Iterator[tuple[str, str]]:
    """Iterate over a training text in Spanish and English, the first `words` words of either side."""
    folder = SHARED / "data" / "bible-es-en"
    with (
        gzip.open(folder / "train.es.gz", "rt") as sources,
        gzip.open(folder / "train.en.gz", "rt") as targets,
    ):
        for pair in zip(sources, targets, strict=True):
            source, target = (" ".join(side.split()[:words]) for side in pair)
            yield source, target


def growth(number: int, words: int, options: list[str]) -> Iterator[dict[str, str]]:
    """Correct a document of so many sentences with `hopefear serve`; measure its memory and its files."""
    pairs = list(islice(short_pairs(words), number))
    marks = sorted({mark for mark in MARKS if mark < len(pairs)} | {len(pairs)})
    with tempfile.TemporaryDirectory() as state:
        command = ["serve", "--state", state, "--port", "0", "--rate", "1e9", *options]
        server = subprocess.Popen(
            [sys.executable, "-m", "hopefear", *command], stdout=subprocess.PIPE, text=True
        )
        assert server.stdout is not None
        address = server.stdout.readline().removeprefix("ready: ").strip()
        try:
            with httpx2.Client(base_url=f"{address}api/sessions/", timeout=600) as client:
                session = client.get(address + "api/sessions").json()[0]["id"]
                text = "\n".join(source for source, _ in pairs).encode()
                binary = {"content-type": "application/octet-stream"}
                added = client.post(f"{session}/documents", content=text, headers=binary).json()["number"]
                path = f"{session}/documents/{added}/sentences"
                client.get(f"{path}/0")
                done, seen, cpu = 0, 0, cpu_time(server.pid)
                for mark in marks:
                    before, begin = done, cpu
                    for _, target in pairs[done:mark]:
                        following = done + 1 if done + 1 < len(pairs) else None
                        body = {"target": target, "revision": 0, "next": following}
                        client.put(f"{path}/{done}", json=body).raise_for_status()
                        seen += len(pairs[done][0].split()) + len(target.split())
                        done += 1
                    while client.get(session).json()["points"][-1]["corrections"] < done:
                        time.sleep(0.2)  # what nobody waits for is not done yet
                    cpu = cpu_time(server.pid)
                    files = sum(one.stat().st_size for one in (Path(state) / session).iterdir())
                    yield {
                        "corrections": f"{done:,}",
                        "words": f"{seen:,}",
                        "memory, MB": f"{resident(server.pid):.0f}",
                        "files, MB": f"{files / 1e6:.1f}",
                        "CPU ms a correction": f"{1000 * (cpu - begin) / (done - before):.0f}",
                    }
        finally:
            server.terminate()
            server.communicate()


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(
        description="Corrections over HTTP, all of learning on: the time from a correction to the next "
        "translation, and resident memory. The references of the dev set are the corrections, over and over."
    )
    known = [SAMPLE, *TASKS]
    parser.add_argument("tasks", nargs="*", metavar="TASK", help=f"from {', '.join(known)}; else {SAMPLE}")
    parser.add_argument("--corrections", type=int, default=100, help="of each session")
    parser.add_argument("--sessions", type=int, default=1, help="that work at once")
    parser.add_argument("--pause", type=float, default=0.0, help="mean of the seconds before each correction")
    parser.add_argument(
        "--system", type=Path, help="folder of a build over the task's text, instead of the task's grammar"
    )
    parser.add_argument(
        "--growth",
        type=int,
        metavar="N",
        help="measure how `hopefear serve` grows with N corrections instead",
    )
    parser.add_argument("--words", type=int, default=10, help="the most words of a sentence for --growth")
    parser.add_argument("--forget", help="as for hopefear serve, for --growth")
    options = parser.parse_args()
    if options.growth:
        more = [] if options.forget is None else ["--forget", options.forget]
        rows = []
        for row in growth(options.growth, options.words, more):
            print(row, flush=True)
            rows.append(row)
        print(table(rows, markdown=True))
        return
    for name in options.tasks or [SAMPLE]:
        if name not in known:
            parser.error(f"unknown task {name!r}, known are {', '.join(known)}")
        asyncio.run(measure(name, options.corrections, options.sessions, options.pause, options.system))


if __name__ == "__main__":
    main()
