"""A finished run of tune: the command that started it, from the run's record, and its final weights."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from hopefear.base import InputError
from hopefear.base.loading import names_only
from hopefear.decoder import Config, Decoder, read_config

from ..command import gathered
from ..options import Selection
from .tune import tune


@dataclass(frozen=True, slots=True)
class FinishedRun:
    """A finished run of tune.

    Attributes
    ----------
    given : dict of str to object
        The arguments of the command that started it.
    config : Config
    weights : Path
        The final weights.
    """

    given: dict[str, Any]
    config: Config
    weights: Path

    def decoder(self, *, max_words: int) -> Decoder:
        """Make the decoder of the run, with the final weights; --min-count was for the start of the run."""
        selection: Selection = replace(self.given["selection"], min_count=1)
        return selection.decoder(self.config, self.weights, max_words=max_words)


@contextmanager
def finished_run(run: Path, *, allow_code: bool) -> Iterator[FinishedRun]:
    """Give a run; until the end, load no class that its record names by a path, unless that is allowed."""
    from hopefear.tuners.contract import RunFiles

    files, record = RunFiles(run), run / "run.json"
    files.check_finished()
    refusal = f"{record} is data; give --allow-code to load what it names"
    with nullcontext() if allow_code else names_only(refusal):
        given = _started_with(record)
        yield FinishedRun(given, read_config(given["files"].config), files.final)


def _started_with(record: Path) -> dict[str, Any]:
    """Return the arguments of the command that started a run."""
    import typer.main

    from hopefear.cli import app
    from hopefear.reports import read_sessions

    try:
        session = read_sessions(record)[0]
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", path=record) from None
    _, name, *arguments = session.command or ("", "nothing")
    command = typer.main.get_command(app)
    if name != "tune":
        raise InputError(f"expected a run of hopefear tune, got one of hopefear {name}", path=record)
    context = command.commands[name].make_context(name, arguments)  # type: ignore[attr-defined]
    given = gathered(tune, context.params)
    texts = given["files"]
    if texts.source is None:
        raise InputError("expected a run with a decoder, got one with --kbest", path=record)
    if not texts.config.exists():
        message = f"no such file; the run was started in {session.folder}: start this command there"
        raise InputError(message, path=texts.config)
    return given
