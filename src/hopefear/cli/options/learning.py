"""Options of learning: settings of the tuner, an earlier run, a development set, what a session forgets."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Setting = Annotated[
    list[str] | None, typer.Option("--set", help="A setting of the tuner, such as C=0.01; may repeat.")
]
Resume = Annotated[bool, typer.Option("--resume", help="Continue from what the run in the folder has saved.")]
Force = Annotated[bool, typer.Option("--force", help="Start again, and overwrite the run in the folder.")]
DevReference = Annotated[
    list[Path] | None, typer.Option("--dev-reference", help="References of --dev-source; may repeat.")
]
ForgetOption = Annotated[
    str | None,
    typer.Option(
        "--forget",
        metavar="NUMBER",
        help="Keep only the last corrections, such as 5000, or those of an age, such as 30d.",
        show_default="keep all",
    ),
]
