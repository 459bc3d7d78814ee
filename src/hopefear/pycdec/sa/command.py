"""What the commands of the extractor share."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable

from hopefear.base import InputError


def run(main: Callable[[], None]) -> None:
    """Run a command; wrong input and unusable files end it with one message and exit status 2."""
    logging.basicConfig(level=logging.INFO, format="%(levelname)s:%(name)s:%(message)s")
    try:
        main()
    except InputError as error:
        _refuse(str(error))
    except BrokenPipeError:
        raise
    except OSError as error:
        _refuse(f"{error.filename}: {error.strerror}")


def _refuse(message: str) -> None:
    print("".join(c if c.isprintable() else repr(c)[1:-1] for c in message), file=sys.stderr)
    sys.exit(2)
