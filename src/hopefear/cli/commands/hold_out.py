"""``hopefear hold-out``: cut sets to tune and to test on from a parallel text."""

from __future__ import annotations

from pathlib import Path

from hopefear.base import InputError
from hopefear.base.progress import print_line

from ..command import argument, command, option


@command
def hold_out(
    files: list[Path] = argument(
        "Source, target, and files whose lines belong to theirs, such as trees; plain or gz."
    ),
    sets: list[str] = option(
        "A set and its number of sentences; may repeat.", "--set", metavar="NAME=VALUE", default=()
    ),
    output: Path = option("The folder of the sets; must not be there yet.", "-o", metavar="FOLDER"),
    block: int = option("Draw blocks of so many consecutive lines.", default=1, min=1),
    gap: int = option("Leave out so many lines before and after each block.", default=0, min=0),
    seed: int = option("Seed of the draw.", default=0, min=0),
) -> None:
    """Cut sets to tune and to test on from a parallel text.

    The folder gets a folder for each set, and the folder rest to build a system from, each with these lines
    of all files. No line near a set is in another or in the rest: none within --gap lines of its blocks, and
    none with the same source or target sentence.

    For example:

      hopefear hold-out train.es.gz train.en.gz --set dev=1000 --set test=2500 --block 20 --gap 5 -o cut/

      hopefear build -s cut/rest/train.es -t cut/rest/train.en -i cut/test/train.es -o system/
    """
    from hopefear.grammars.held_out import hold_out as cut

    sizes: dict[str, int] = {}
    for text in sets:
        name, _, number = text.partition("=")
        if not name.isidentifier() or not number.isdecimal() or not int(number) or name in {*sizes, "rest"}:
            raise InputError(f"--set: expected NAME=NUMBER of a new set, got {text}")
        sizes[name] = int(number)
    if not sizes or len(files) < 2:
        raise InputError("expected source, target and at least one --set")
    if output.exists():
        raise InputError("expected a new folder, this is there already", path=output)
    for name, count in cut(files, sizes, output, block=block, gap=gap, seed=seed).items():
        print_line(f"{output / name}: {count:,} lines")
