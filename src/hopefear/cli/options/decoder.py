"""``--decoder``: what translates."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .skipped import Skipped
from .weights import NONE

if TYPE_CHECKING:
    from hopefear.cdec import CdecProcess

OWN = "hopefear"

DecoderOption = Annotated[
    str,
    typer.Option(
        "--decoder",
        metavar="NAME",
        help="What translates: hopefear, or a program of cdec: its name, such as cdec, or its file.",
    ),
]


def start_cdec(
    executable: str,
    config: Path,
    weights: str | None,
    *,
    max_words: int,
    skipped: Skipped | None,
    excluded: Mapping[str, Any],
) -> CdecProcess:
    """Start a cdec that gives forests.

    Parameters
    ----------
    executable : str
        The value of ``--decoder``.
    config : Path
        A cdec.ini, which cdec reads itself.
    weights : str or None
        The value of ``--weights``.
    excluded : mapping
        Options of hopefear's own decoder with their values, none of which may be given.

    Raises
    ------
    InputError
        An option is excluded, or cdec cannot be started.
    """
    from hopefear.base import InputError
    from hopefear.cdec import CdecProcess

    if given := [name for name, value in excluded.items() if value]:
        raise InputError(
            f"{given[0]} is for hopefear's own decoder: expected no --decoder {executable}; the file of the "
            "bridge names plugins inside cdec (hopefear cdec-bridge)"
        )
    cdec = CdecProcess(
        config,
        executable=executable,
        weights={} if weights == NONE else weights,
        max_words=max_words,
    )
    if skipped is not None:
        cdec.on_error = skipped.add
    return cdec
