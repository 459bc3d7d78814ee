"""Loads hopefear serve with slow connections, streams and translators; ``python tools/fuzz/load.py --help``.

A server of its own, on the loopback only, is asked by all at once for a while. Slow connections say nothing,
or a byte of a request in a second, and are opened again when the server ends them. Streams watch sessions.
Translators correct one sentence after the other. An answer to a correction must come within a second, and no
stream may end.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import resource
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from urllib.parse import urlsplit

if __name__ == "__main__":
    CHECKOUT = Path(__file__).resolve().parents[2]
    sys.path[:0] = [str(CHECKOUT / "tools"), str(CHECKOUT / "tests")]

from fuzz.kills import ask

SERVE = ("serve", "-c", "cdec.ini", "-w", "weights", "--state", "state", "--port", "0")
LONGEST = 1.0
"""How many seconds the answer to a correction may take."""

PAUSE = 1.0
"""Seconds until a slow connection that the server has ended is opened again."""

THINKING = 2.0
"""Seconds between the corrections of a translator."""

POST = b"POST /api/sessions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
SLOW = {
    "silent": b"",
    "half a header": b"GET /api/sessions HTTP/1.1\r\nHost: localhost\r\nX-Slow: ",
    "half a body": POST + b'Content-Length: 100000\r\n\r\n{"name": "',
}
"""How slow connections begin."""


@dataclass
class Found:
    """What came of a load."""

    seconds: list[float] = field(default_factory=list)
    opened: Counter[str] = field(default_factory=Counter)
    ended: Counter[str] = field(default_factory=Counter)
    events: int = 0
    faults: list[str] = field(default_factory=list)

    def report(self) -> str:
        ordered = sorted(self.seconds) or [float("nan")]
        return (
            f"slow connections: {self.opened.total()} opened, {self.ended.total()} ended by the server\n"
            f"streams: {self.events} events\n"
            f"corrections: {len(self.seconds)}, median {statistics.median(ordered):.3f} s, "
            f"99 % within {ordered[int(0.99 * (len(ordered) - 1))]:.3f} s, longest {ordered[-1]:.3f} s\n"
            f"faults: {len(self.faults)}"
        )


@dataclass
class Load:
    """Clients of a server."""

    url: str
    end: float
    found: Found = field(default_factory=Found)

    def left(self) -> float:
        return self.end - asyncio.get_running_loop().time()

    async def connect(self, begin: bytes) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Open a connection that reads no more than a few bytes ahead, and say something."""
        parts = urlsplit(self.url)
        reader, writer = await asyncio.open_connection(parts.hostname, parts.port, limit=1000)
        writer.write(begin)
        return reader, writer

    async def slow(self, number: int) -> None:
        """Keep a slow connection open, again and again."""
        kind = [*SLOW][number % len(SLOW)]
        draw = Random(number)
        await asyncio.sleep(draw.uniform(0, 1))
        while self.left() > 0:
            with contextlib.suppress(OSError):
                reader, writer = await self.connect(SLOW[kind])
                self.found.opened[kind] += 1
                try:
                    while self.left() > 0 and not (reader.at_eof() or writer.is_closing()):
                        await asyncio.sleep(draw.uniform(0.5, 1.5))
                        if kind.startswith("half"):
                            writer.write(b"x")
                            await writer.drain()
                finally:
                    self.found.ended[kind] += self.left() > 0
                    writer.transport.abort()
            await asyncio.sleep(PAUSE)

    async def stream(self, session: str) -> None:
        """Watch a session."""
        request = f"GET /api/sessions/{session}/events HTTP/1.1\r\nHost: localhost\r\n\r\n"
        reader, writer = await self.connect(request.encode())
        try:
            while self.left() > 0:
                part = await asyncio.wait_for(reader.read(65536), self.left())
                if not part:
                    self.found.faults.append(f"a stream of session {session} ended")
                    return
                self.found.events += part.count(b"data:")
        except asyncio.TimeoutError:
            pass
        except OSError as error:
            self.found.faults.append(f"a stream of session {session}: {error}")
        finally:
            writer.transport.abort()

    async def translate(self, session: str, first: int, pool: ThreadPoolExecutor) -> None:
        """Correct every sentence from the first on, each after a look at its translation."""
        loop, index = asyncio.get_running_loop(), first
        await asyncio.sleep(Random(session + str(first)).uniform(0, THINKING))
        while self.left() > 0:
            path = f"api/sessions/{session}/documents/1/sentences/{index}"
            body = json.dumps({"target": f"the house is word{index}", "revision": 0}).encode()
            try:
                await loop.run_in_executor(pool, ask, self.url, path)
                begin = time.monotonic()
                await loop.run_in_executor(pool, ask, self.url, path, "PUT", body)
                self.found.seconds.append(time.monotonic() - begin)
            except (OSError, urllib.error.HTTPError) as error:
                self.found.faults.append(f"sentence {index} of session {session}: {error}")
            index += 1
            await asyncio.sleep(THINKING)


async def load(url: str, given: argparse.Namespace) -> Found:
    """Ask the server by all clients at once."""
    text = "".join(f"la casa es palabra{i}\n" for i in range(1000)).encode()
    with ThreadPoolExecutor(given.translators) as pool:
        sessions = []
        for number in range(given.sessions):
            made = ask(url, "api/sessions", "POST", json.dumps({"name": f"Session {number}"}).encode())
            ask(url, f"api/sessions/{made['id']}/documents?name=a.txt", "POST", text)
            sessions.append(made["id"])
        clients = Load(url, asyncio.get_running_loop().time() + given.seconds)
        each = 1000 // given.translators
        await asyncio.gather(
            *(clients.stream(sessions[i % len(sessions)]) for i in range(given.streams)),
            *(clients.slow(i) for i in range(given.slow)),
            *(
                clients.translate(sessions[i % len(sessions)], i * each, pool)
                for i in range(given.translators)
            ),
        )
    return clients.found


def main() -> int:
    """Run the command, and give its exit status: 1 if an answer took too long or a stream ended."""
    from support.small_session import write_system

    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--slow", type=int, default=1000, help="slow connections")
    parser.add_argument("--streams", type=int, default=100)
    parser.add_argument("--translators", type=int, default=20)
    parser.add_argument("--sessions", type=int, default=20, help="that the translators and streams share")
    parser.add_argument("--seconds", type=float, default=30.0, help="after which all ends")
    given = parser.parse_args()
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    with tempfile.TemporaryDirectory(prefix="load") as folder:
        write_system(Path(folder))
        server = subprocess.Popen(
            [sys.executable, "-m", "hopefear", *SERVE], cwd=folder, stdout=subprocess.PIPE, text=True
        )
        try:
            assert server.stdout is not None
            url = server.stdout.readline().removeprefix("ready: ").strip()
            found = asyncio.run(load(url, given))
            if server.poll() is not None:
                found.faults.append(f"the server ended with status {server.returncode}")
        finally:
            server.send_signal(signal.SIGTERM)
            server.communicate()
    for fault in found.faults[:20]:
        print(fault)
    print(found.report())
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"processor time of the server: {used.ru_utime + used.ru_stime:.1f} s")
    return 1 if found.faults or not found.seconds or max(found.seconds) > LONGEST else 0


if __name__ == "__main__":
    sys.exit(main())
