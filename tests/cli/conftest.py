"""A toy set-up, the shipped sample, and the command line."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from support import command
from support.small_sample import small_sample, write_corpus
from support.waiting import PATIENCE
from support.world import World

from hopefear.parallel.ray import Connection

if TYPE_CHECKING:
    from hopefear.parallel.ray.ray_executor import RayExecutor

COMMAND = (sys.executable, "-m", "hopefear")

Run = Callable[..., subprocess.CompletedProcess[str]]
Start = Callable[..., subprocess.Popen[str]]


@pytest.fixture(name="toy")
def toy_folder(tmp_path: Path) -> Path:
    """Return a folder with a cdec.ini, a grammar and weights."""
    return World(lines=["feature_function=WordPenalty"], weights={"p": -1}).write(tmp_path).parent


def checked(done: subprocess.CompletedProcess[bytes], status: int) -> subprocess.CompletedProcess[str]:
    out = subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())
    assert "Traceback" not in out.stderr, out.stderr
    assert out.returncode == status, out.stderr
    return out


@pytest.fixture
def run(tmp_path: Path, request: pytest.FixtureRequest) -> Run:
    """Run a command in this process to its end, its exit status checked; no traceback ever.

    With ``--cluster local:n`` the workers belong to the Ray that all tests share. The picture of learning
    and the report, which take longer than learning does, are made only with `draw`.
    """

    def call(
        *arguments: object, text: str | bytes = "", status: int = 0, draw: bool = False
    ) -> subprocess.CompletedProcess[str]:
        content = text if isinstance(text, bytes) else text.encode()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("hopefear.parallel.ray.Connection", partial(open_connection, request))
            if arguments[0] in ("tune", "hols", "train") and not draw:
                for name in ("plot_learning", "write_report", "RunFolder.report"):
                    patch.setattr(f"hopefear.runs.folder.{name}", lambda *given, **options: None)
            return checked(command.call([*map(str, arguments)], content, tmp_path), status)

    return call


def open_connection(
    request: pytest.FixtureRequest, address: str
) -> AbstractContextManager[Connection | SharedConnection]:
    """Do as `Connection`, but give `ray_here` where a Ray would start on this machine."""
    name, _, workers = address.partition(":")
    if name == "local" and workers.isdecimal() and int(workers):
        return nullcontext(SharedConnection(request.getfixturevalue("ray_here"), int(workers)))
    return Connection(address)


class SharedConnection:
    def __init__(self, connection: Connection, workers: int) -> None:
        self._connection, self._workers = connection, workers

    def executor(self, *, threads: int | None = None) -> RayExecutor:
        return self._connection.executor(workers=self._workers, threads=threads)


@pytest.fixture
def run_process(tmp_path: Path) -> Run:
    """Do as `run`, in a process of its own: for what that has of its own, and a few whole commands."""

    def call(*arguments: object, text: str | bytes = "", status: int = 0) -> subprocess.CompletedProcess[str]:
        content = text if isinstance(text, bytes) else text.encode()
        done = subprocess.run(
            [*COMMAND, *map(str, arguments)],
            input=content,
            capture_output=True,
            cwd=tmp_path,
            timeout=PATIENCE,
        )
        return checked(done, status)

    return call


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Start a command with pipes at both ends."""
    started: list[subprocess.Popen[str]] = []

    def call(*arguments: object) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [*COMMAND, *map(str, arguments)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=tmp_path,
            text=True,
        )
        started.append(process)
        return process

    yield call
    for process in started:
        process.kill()
        process.communicate()


@pytest.fixture
def sample() -> Path:
    """Return a part of the shipped sample."""
    return small_sample()


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """Return a folder with the first 12 sentences of the sample's dev part: es, en.0, en.1."""
    write_corpus(tmp_path)
    return tmp_path


@pytest.fixture
def tune(sample: Path, corpus: Path) -> tuple[object, ...]:
    """Return the words of a command that tunes the sample's weights on the corpus."""
    weights = ("-w", sample / "weights.init")
    return ("tune", "-c", sample / "cdec.ini", *weights, "-s", corpus / "es", "-r", corpus / "en.0")
