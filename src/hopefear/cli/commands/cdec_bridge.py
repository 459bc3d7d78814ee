"""``hopefear cdec-bridge``: plugins inside cdec."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..errors import refusing
from ..help import Command, Group

cdec_bridge = typer.Typer(cls=Group, no_args_is_help=True, help="Run plugins inside cdec itself.")


@cdec_bridge.callback()
def group() -> None:
    """Run plugins inside cdec itself."""


@cdec_bridge.command(cls=Command)
@refusing
def build(
    cdec_source: Annotated[Path, typer.Option(metavar="FOLDER", help="Folder of cdec's sources.")],
    cdec_build: Annotated[Path, typer.Option(metavar="FOLDER", help="Folder in which cmake built cdec.")],
    output: Annotated[Path, typer.Option(help="File for the library.")] = Path("libhopefear_bridge.so"),
) -> None:
    """Compile the library that cdec loads, and print the line of a cdec.ini that loads it.

    The compiler is c++, or the program that the environment variable CXX names. The library works with this
    cdec and with the Python that runs this command.
    """
    from hopefear.cdec.bridge import build as compile_bridge

    print(compile_bridge(cdec_source, cdec_build, output).line())
