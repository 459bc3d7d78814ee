"""Options of live learning: the settings of the tuner, and what a session forgets."""

from __future__ import annotations

from typing import Annotated

import typer

Setting = Annotated[
    list[str] | None, typer.Option("--set", help="A setting of the tuner, such as C=0.01; may repeat.")
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
