"""How a command ends when input is wrong, or workers died: one message, no traceback, exit status 2."""

from __future__ import annotations

import errno
import functools
from collections.abc import Callable
from typing import ParamSpec

import typer

from hopefear.decoder import InputError, WorkerDied
from hopefear.decoder.progress import print_line

P = ParamSpec("P")


def warn(message: str) -> None:
    """Say something on standard error."""
    print_line(f"hopefear: {message}")


def refusing(command: Callable[P, None]) -> Callable[P, None]:
    """Make a command report bad input, files it cannot use and dead workers, and exit with status 2."""

    @functools.wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            command(*args, **kwargs)
        except (InputError, WorkerDied) as error:
            warn(str(error))
            raise typer.Exit(2) from None
        except OSError as error:
            if error.errno == errno.EPIPE or error.filename is None:
                raise
            warn(f"{error.filename}: {error.strerror}")
            raise typer.Exit(2) from None

    return run
