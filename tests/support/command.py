"""The command line, called in this process as a process of its own would be."""

from __future__ import annotations

import contextlib
import importlib
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO
from unittest import mock

from hopefear.cli import app

STREAMS = ("stdin", "stdout", "stderr")


def hopefear(arguments: list[str]) -> None:
    app(arguments, prog_name="hopefear")


def call(
    arguments: list[str], content: bytes, folder: Path, program: Callable[[list[str]], None] = hopefear
) -> subprocess.CompletedProcess[bytes]:
    """Call a command, or another program, in a folder, with bytes as its standard input.

    What the command raises beside `SystemExit`, a process would end with a traceback for; here it is raised.
    """
    with (
        tempfile.TemporaryFile() as given,
        tempfile.TemporaryFile() as out,
        tempfile.TemporaryFile() as errors,
    ):
        given.write(content)
        given.seek(0)
        status: int | str | None = 0
        with (
            _streams(given, out, errors),
            _in_folder(folder),
            mock.patch.object(sys, "argv", ["hopefear", *arguments]),
        ):
            try:
                program(arguments)
            except SystemExit as end:
                status = end.code
            finally:
                for thread in threading.enumerate():
                    if thread.name == "hopefear-items":  # it reads lines: not those of the next call
                        thread.join()
        assert status is None or isinstance(status, int), status
        out.seek(0)
        errors.seek(0)
        return subprocess.CompletedProcess(arguments, status or 0, out.read(), errors.read())


@contextlib.contextmanager
def _streams(*files: BinaryIO) -> Iterator[None]:
    """Let file descriptors 0, 1 and 2, and the streams of `sys`, be files: the reader of lines uses 0."""
    outer, hook = [getattr(sys, name) for name in STREAMS], sys.excepthook
    for stream in outer[1:]:
        stream.flush()
    saved = [os.dup(number) for number in range(3)]
    try:
        for number, file in enumerate(files):
            os.dup2(file.fileno(), number)
        with (
            open(0, encoding="utf-8", closefd=False) as sys.stdin,
            open(1, "w", encoding="utf-8", closefd=False) as sys.stdout,
            open(2, "w", 1, encoding="utf-8", errors="backslashreplace", closefd=False) as sys.stderr,
        ):
            yield
    finally:
        for number, copy in enumerate(saved):
            os.dup2(copy, number)
            os.close(copy)
        for name, stream in zip(STREAMS, outer, strict=True):
            setattr(sys, name, stream)
        sys.excepthook = hook  # typer sets one


@contextlib.contextmanager
def _in_folder(folder: Path) -> Iterator[None]:
    """Work in a folder; the modules in it, such as plugins, are forgotten at the end."""
    outer, paths, modules = Path.cwd(), sys.path.copy(), set(sys.modules)
    os.chdir(folder)
    sys.path.insert(0, str(folder))
    importlib.invalidate_caches()
    try:
        yield
    finally:
        os.chdir(outer)
        sys.path[:] = paths
        for name in set(sys.modules) - modules:
            file = getattr(sys.modules[name], "__file__", None)
            if file is not None and folder.resolve() in Path(file).resolve().parents:
                del sys.modules[name]
