"""How a command ends if the input is wrong or workers died: one message, no traceback, exit status 2."""

from __future__ import annotations

import errno
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import typer

from hopefear.base import InputError
from hopefear.base.errors import shown
from hopefear.base.progress import warn
from hopefear.parallel import WorkerDied

_debug = ContextVar("debug", default=False)


def debugging() -> bool:
    """Tell whether the running command was given ``--debug``."""
    return _debug.get()


@contextmanager
def refusing(*, debug: bool) -> Iterator[None]:
    """Report wrong input, lack of memory, unusable files and dead workers; the exit status is 2."""
    _debug.set(debug)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("default", UserWarning)
            # What comes of sums that are too large is refused by name, so NumPy need not tell of them, too.
            for module in ("hopefear", "scipy"):
                warnings.filterwarnings("ignore", ".* encountered in ", RuntimeWarning, rf"{module}\.")
            warnings.showwarning = lambda message, *where: warn(str(message))
            yield
    except (InputError, WorkerDied) as error:
        _refuse(error, str(error), debug)
    except MemoryError as error:
        _refuse(error, "not enough memory", debug)
    except OSError as error:
        if error.errno == errno.EPIPE:
            raise
        where = "" if error.filename is None else f"{shown(error.filename)}: "
        _refuse(error, f"{where}{error.strerror or error}", debug)


def _refuse(error: BaseException, message: str, debug: bool) -> None:
    if debug:
        before: Any = error
        while before is not None:  # also show what `raise ... from None` hides
            before.__suppress_context__ = False
            before = before.__cause__ or before.__context__
        traceback.print_exception(error)
    warn(message)
    raise typer.Exit(2) from None
