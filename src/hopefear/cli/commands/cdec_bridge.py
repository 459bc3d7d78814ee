"""``hopefear cdec-bridge``: plugins inside cdec."""

from __future__ import annotations

from pathlib import Path

import typer

from ..command import command, option
from ..help import Command, Group

cdec_bridge = typer.Typer(cls=Group, no_args_is_help=True, help="Run plugins inside cdec itself.")


@cdec_bridge.callback()
def group() -> None:
    """Run plugins inside cdec itself."""


@cdec_bridge.command(cls=Command)
@command
def build(
    cdec_source: Path = option("Folder of cdec's sources.", metavar="FOLDER"),
    cdec_build: Path = option("Folder in which cmake built cdec.", metavar="FOLDER"),
    output: Path = option("File for the library.", default=Path("libhopefear_bridge.so"), writes=True),
) -> None:
    """Compile the library that cdec loads, and print the line of a cdec.ini that loads it.

    The compiler is c++, or the program that the environment variable CXX names. The library works with this
    cdec and with the Python that runs this command.
    """
    from hopefear.cdec.bridge import build as compile_bridge

    print(compile_bridge(cdec_source, cdec_build, output).line())
