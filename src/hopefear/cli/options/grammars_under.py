"""``--grammars-under``: the folder in which input may name grammars."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

GrammarsUnder = Annotated[
    Path | None,
    typer.Option(
        "--grammars-under",
        metavar="FOLDER",
        help='Refuse lines whose <seg grammar="..."> is outside this folder.',
        show_default="any file",
    ),
]
