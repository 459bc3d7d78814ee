"""The command line, as the program ``hopefear`` and as ``python -m hopefear``."""

from __future__ import annotations

import signal


def main() -> None:
    """Run the command that the process was started with."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # until the command begins, see `hopefear.cli.command`
    from hopefear.cli import app
    from hopefear.cli.io.streams import standard_streams

    with standard_streams():
        app(prog_name="hopefear")


if __name__ == "__main__":
    main()
