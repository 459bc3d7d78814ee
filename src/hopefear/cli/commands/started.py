"""The command that started a run of tune, from the run's record."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

from hopefear.base import InputError
from hopefear.base.loading import names_only

from ..command import gathered
from .tune import tune


def naming_only(record: Path, *, allow_code: bool) -> AbstractContextManager[None]:
    """Load no class that a record names by its path, unless that is allowed."""
    return (
        nullcontext()
        if allow_code
        else names_only(f"{record} is data; give --allow-code to load what it names")
    )


def started_with(record: Path) -> dict[str, Any]:
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
