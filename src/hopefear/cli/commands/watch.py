"""``hopefear watch``: a live board of runs that are under way."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from hopefear.base import InputError
from hopefear.base.progress import at_terminal, print_line

from ..command import argument, command, option

_EVERY = 1.0  # seconds


@command
def watch(
    *,
    folders: list[Path] = argument("Folders of runs of tune, train or hols, or of experiments."),
    terminal: bool = option("Show the board in the terminal, until all runs are over.", default=False),
    port: int = option("Port of the page; 0 is any that is free.", default=0, min=0, max=65535),
) -> None:
    """Show runs while they learn: scores, weights, the sentence of now and the time left.

    The board is a page for a browser of this machine, or, with --terminal, text. It reads what runs write
    into their folders: runs may begin and end while it is shown, and need not know of it. Of an experiment,
    it shows all runs as a grid that fills, and the curves of those under way.

    For example:

      hopefear watch run/

      hopefear watch mira/ pro/ results/ --terminal
    """
    from hopefear.experiments.board import board_html, board_page, board_text, look_at_all, serve

    if terminal and port:
        raise InputError("--port is for the page: expected no --terminal")

    look_at_all(folders)  # a folder that is wrong is refused at once
    if not terminal:
        try:
            serve(
                board_page(),
                lambda: board_html(look_at_all(folders)),
                port=port,
                on_ready=lambda host, own: print_line(f"ready: http://{host}:{own}/"),
            )
        except KeyboardInterrupt:
            return
    clear = "\x1b[H\x1b[2J" if at_terminal(sys.stdout) else ""
    try:
        while True:
            found = look_at_all(folders)
            print(f"{clear}{board_text(found)}\n", flush=True)
            if all(state.is_over for state in found):
                return
            time.sleep(_EVERY)
    except KeyboardInterrupt:
        return
