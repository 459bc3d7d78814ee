"""Progress bars on standard error, and lines that are printed there while a bar is up."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import Any, TextIO, TypeVar

from .errors import shown

Item = TypeVar("Item")

_up: set[ProgressBar] = set()


class ProgressBar:
    """A bar at the bottom of the terminal that counts what is done."""

    def __init__(
        self,
        total: int | None = None,
        *,
        done: int = 0,
        name: str = "",
        unit: str = "sentence",
        scale: bool = False,
        keep: bool = True,
        show: bool = True,
    ) -> None:
        self._bar: Any = None
        if show and at_terminal(sys.stderr):
            from tqdm import tqdm  # takes a while to import, and few need it

            self._bar = tqdm(
                total=total,
                initial=done,
                desc=name or None,
                unit=unit,
                unit_scale=scale,
                leave=keep,
                file=sys.stderr,
                dynamic_ncols=True,
            )
            _up.add(self)

    @property
    def shown(self) -> bool:
        """Whether there is a bar."""
        return self._bar is not None

    def update(self, count: int = 1) -> None:
        """Count what was done."""
        if self._bar is not None:
            self._bar.update(count)

    def name(self, text: str) -> None:
        """Say at the left of the bar what is under way."""
        if self._bar is not None:
            self._bar.set_description(text)

    def note(self, text: str) -> None:
        """Say something at the right of the bar, when it is drawn next."""
        if self._bar is not None:
            self._bar.set_postfix_str(text, refresh=False)

    def close(self) -> None:
        """End the bar: what is printed next stands below it."""
        if self._bar is not None:
            self._bar.close()
            _up.discard(self)

    def __enter__(self) -> ProgressBar:
        """Return the bar itself."""
        return self

    def __exit__(self, *raised: object) -> None:
        """Close it."""
        self.close()


def progress_bar(items: Iterable[Item], total: int | None = None, **options: Any) -> Iterator[Item]:
    """Go through items with a bar that counts them."""
    with ProgressBar(total, **options) as bar:
        for item in items:
            yield item
            bar.update()


def print_line(text: str) -> None:
    """Print a line to standard error; it stands alone, and bars that are up go on below it."""
    if not _up:
        print(text, file=sys.stderr, flush=True)
        return
    from tqdm import tqdm

    with tqdm.external_write_mode(file=sys.stderr):
        print(text, file=sys.stderr, flush=True)


def at_terminal(stream: TextIO | None) -> bool:
    """Tell whether people see a stream as it is written; None is one that is closed."""
    return stream is not None and stream.isatty()


def warn(message: str) -> None:
    """Print a message to standard error; control characters, which input can have, are escaped."""
    print_line("hopefear: " + "\n".join(map(shown, message.split("\n"))))
