"""``hopefear compile-grammar``: a grammar as a file that processes map into memory."""

from __future__ import annotations

from pathlib import Path

import typer

from hopefear.base.progress import print_line
from hopefear.decoder.compiled import check_compiled, compile_grammars

from ..command import argument, command, option


@command
def compile_grammar(
    grammar: list[Path] = argument("Grammars in cdec's text form, plain or gz; together one grammar."),
    output: Path | None = option(
        "The compiled grammar, a name that ends in .hfg.", "-o", default=None, writes=True
    ),
    check: bool = option("Check compiled grammars from their first byte to their last.", default=False),
) -> None:
    """Compile a grammar, so that decoders open it at once and share its memory.

    A line grammar=grammar.hfg of a cdec.ini names the file. It gives the same translations as the text.

    For example:

      hopefear compile-grammar grammar.gz -o grammar.hfg

      hopefear compile-grammar --check grammar.hfg
    """
    if check == (output is not None):
        raise typer.BadParameter("expected either --output or --check")
    if output is not None:
        rules = compile_grammars(grammar, output)
        print_line(f"{output}: {rules} rules")
        return
    for path in grammar:
        check_compiled(path)
        print_line(f"{path}: as it was written")
