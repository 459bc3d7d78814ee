"""The program hopefear for shells: its commands are forks of one process that has imported hopefear already.

Most of the time of a short command is that of Python, which imports. What is special about the start of a
process is for the tests that start one.
"""

from __future__ import annotations

import gc
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partialmethod
from pathlib import Path

# What a shell starts: it gives away its streams, arguments, folder and environment, and waits for the status.
PROGRAM = """\
#!{python} -IS
import json, os, socket, sys
given = json.dumps([sys.argv[1:], os.getcwd(), dict(os.environ)]).encode()
with socket.socket(socket.AF_UNIX) as connection:
    connection.connect({address!r})
    socket.send_fds(connection, [len(given).to_bytes(8, "big")], [0, 1, 2])
    connection.sendall(given)
    status = connection.recv(1)
sys.exit(status[0] if status else "hopefear: no status")
"""


@contextmanager
def forked_commands(program: Path) -> Iterator[None]:
    """Write the program, which runs as long as the context lasts."""
    folder = tempfile.mkdtemp(prefix="t", dir="/tmp")  # of a name that is short enough for sockets
    address = f"{folder}/socket"
    program.write_text(PROGRAM.format(python=sys.executable, address=address))
    program.chmod(0o755)
    process = subprocess.Popen([sys.executable, __file__, address], stdout=subprocess.PIPE)
    assert process.stdout is not None
    try:
        assert process.stdout.readline() == b"ready\n"
        yield
    finally:
        process.terminate()
        process.communicate()
        shutil.rmtree(folder)


def main(address: str) -> None:
    """Run what programs ask for; returns in a fork, as a command of its own."""
    sys.path.pop(0)  # the folder of this file
    _import()
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(address)
        listener.listen()
        print("ready", flush=True)
        under_way = 0
        while True:
            connection, _ = listener.accept()
            under_way += 1
            if os.fork() == 0:
                break
            connection.close()
            while under_way and os.waitpid(-1, os.WNOHANG)[0]:
                under_way -= 1
    size, streams, _, _ = socket.recv_fds(connection, 8, 3)
    with connection.makefile("rb") as reader:
        arguments, folder, environment = json.loads(reader.read(int.from_bytes(size, "big")))
    if command := os.fork():
        for stream in streams:
            os.close(stream)
        status = os.waitstatus_to_exitcode(os.waitpid(command, 0)[1])
        connection.sendall(bytes([status if status >= 0 else 128 - status]))
        os._exit(0)
    connection.close()
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.path.insert(0, folder)
    sys.argv[:] = ["hopefear", *arguments]


def _import() -> None:
    """Import what commands do: list all that has a name, which imports most of it, and draw a picture."""
    import scipy.optimize
    import scipy.sparse  # noqa: F401
    from matplotlib.figure import Figure
    from typer.main import get_command

    from hopefear.cli import app

    dict(get_command(app).commands)  # type: ignore[attr-defined]  # imports all
    with open(os.devnull, "w") as sys.stdout:
        app(["list"], standalone_mode=False)
    sys.stdout = sys.__stdout__
    Figure().savefig(os.devnull, format="png")
    with suppress(ImportError):
        from eflomal import Aligner

        # For a short text eflomal takes seconds; here no alignment needs to be good.
        Aligner.__init__ = partialmethod(Aligner.__init__, rel_iterations=0.05)
    gc.collect()
    gc.freeze()  # else a fork looks through all that was imported when it ends


if __name__ == "__main__":
    main(sys.argv[1])
    from hopefear.__main__ import main as hopefear

    hopefear()
