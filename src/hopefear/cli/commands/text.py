"""``hopefear text``: text as written, tokens, and back."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import typer

from hopefear.base import InputError
from hopefear.base.lines import STANDARD_INPUT, decoded
from hopefear.decoder.lengths import TEXT_MAX_WORDS

from ..command import command, option
from ..help import Command, Group
from ..options import Pieces

text = typer.Typer(
    cls=Group,
    no_args_is_help=True,
    help="Split text as written into tokens, join tokens, check and learn text.",
)

LANGUAGE = option("The code of the language, such as en, pt-BR or ja.", "--language", metavar="LANGUAGE")


@text.callback()
def group() -> None:
    """Split text as written into tokens, join tokens, check text."""


@text.command(cls=Command)
@command
def split(language: str = LANGUAGE) -> None:
    """Split lines of standard input into tokens, separated by single spaces.

    Nothing is lost: hopefear text join makes each line again. A token has a mark where it does not lie beside
    its neighbour as usual: ￭ for no space, ▁ for a space.

    For example:

      hopefear text split --language en < text > tokens

      hopefear text split --language ja < text | hopefear text join --language ja
    """
    from hopefear.text import split_line, splitter

    splitter(language)  # refuses what is no language
    _each_line(lambda line: " ".join(split_line(line, language)))


@text.command(cls=Command)
@command
def join(
    language: str | None = option("The code of the language.", metavar="LANGUAGE", default=None),
) -> None:
    """Join the tokens of each line of standard input to a line of text.

    For example:

      hopefear text join < tokens > text
    """
    from hopefear.text import join_line, splitter

    if language is not None:
        splitter(language)  # refuses what is no language
    _each_line(join_line)


@text.command(cls=Command)
@command
def learn(
    *,
    source: Path = option("Source sentences, one per line; plain or gz.", "-s"),
    target: Path = option("Translations of the source sentences, one per line; plain or gz.", "-t"),
    languages: tuple[str, str] = option("The languages.", metavar="SOURCE TARGET"),
    output: Path = option("The file to write; compressed if the name ends in .gz.", "-o", writes=True),
    pieces: Pieces,
    others: bool = option(
        "The system's tokens are those of other tools, in small letters; the texts are the same as written.",
        default=False,
    ),
) -> None:
    """Learn what a system must know about text as written: the case of words, and pieces that stay.

    hopefear build with --languages does this itself. The line "# hopefear: text=FILE" of a cdec.ini names the
    file. With --others, a system of cdec that somebody has made of tokens in small letters takes and gives
    text as written.

    For example:

      hopefear text learn -s train.en.gz -t train.es.gz --languages en es --profile rst -o text.json.gz
    """
    from hopefear.grammars.written_text import learn_text

    learn_text(source, target, languages, pieces.read(), others=others).save(output)


@text.command(cls=Command)
@command
def check(
    *,
    source: Path = option("Source sentences, one per line; plain or gz.", "-s"),
    target: Path = option("Translations of the source sentences, one per line; plain or gz.", "-t"),
    pieces: Pieces,
    max_words: int = option("The most words of a line.", default=TEXT_MAX_WORDS, min=1),
    unique: bool = option("Leave out pairs that have stood before.", default=False),
    output: Path | None = option(
        "A file for the pairs that are left out: line, reason, source and target, separated by tabs.",
        "-o",
        default=None,
        writes=True,
    ),
) -> None:
    """Count the pairs of parallel text that are fit to learn from, and tell why the others are not.

    hopefear build with --languages leaves the same pairs out.

    For example:

      hopefear text check -s train.en.gz -t train.es.gz --profile rst -o left-out.tsv
    """
    from hopefear.base.files import written_packed
    from hopefear.text.pairs import check_pairs, read_pairs

    found = check_pairs(source, target, profile=pieces.read(), max_words=max_words, unique=unique)
    for line in found.lines():
        print(line)
    if output is None:
        return
    reasons = {number: reason for reason, numbers in found.left_out.items() for number in numbers}
    with written_packed(output, 6) as file:
        for number, f, e in read_pairs(source, target, name="writing"):
            if number in reasons:
                row = (str(number).encode(), reasons[number].value.encode(), f, e)
                file.write(b"\t".join(cell.replace(b"\t", b" ") for cell in row) + b"\n")


def _each_line(change: Callable[[str], str]) -> None:
    """Write each line of standard input changed; its line end, or that it has none, stays."""
    for number, line in enumerate(sys.stdin.buffer, 1):
        body = line.removesuffix(b"\n")
        try:
            changed = change(decoded(body, STANDARD_INPUT, number))
        except InputError as error:
            if error.line is not None:
                raise
            raise InputError(str(error), path=STANDARD_INPUT, line=number) from None
        sys.stdout.buffer.write(changed.encode() + line[len(body) :])
    sys.stdout.buffer.flush()
