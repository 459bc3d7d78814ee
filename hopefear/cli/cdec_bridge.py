"""``hopefear cdec-bridge``: plugins inside cdec."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .errors import refusing
from .help import Command, Group

cdec_bridge = typer.Typer(cls=Group, no_args_is_help=True, help="Run plugins inside cdec itself.")


@cdec_bridge.callback()
def group() -> None:
    """Run plugins inside cdec itself."""


@cdec_bridge.command(cls=Command)
@refusing
def build(
    cdec_source: Annotated[Path, typer.Option(metavar="FOLDER", help="Where cdec's sources are.")],
    cdec_build: Annotated[Path, typer.Option(metavar="FOLDER", help="Where cmake has built it.")],
    output: Annotated[Path, typer.Option(help="The library to write.")] = Path("libhopefear_bridge.so"),
) -> None:
    """Compile the library that cdec loads, and print the line of a cdec.ini that loads it.

    It is compiled by c++, or what the variable CXX names, for that cdec and for the Python that runs this
    command.
    """
    from hopefear.plugins.cdec_bridge import build as compile_bridge

    print(compile_bridge(cdec_source, cdec_build, output).line())
