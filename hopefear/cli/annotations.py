"""The options that name files of annotations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hopefear.decoder import InputError, Segment

if TYPE_CHECKING:
    from hopefear.plugins import Annotations

Trees = Annotated[Path | None, typer.Option("--trees", help="The input's Penn trees, one a line.")]
Conllu = Annotated[
    Path | None, typer.Option("--conllu", help="The input's dependencies and tags, in CoNLL-U.")
]
Tags = Annotated[Path | None, typer.Option("--tags", help="The input's tags: word/TAG word/TAG.")]
Classes = Annotated[
    Path | None, typer.Option("--classes", help="Word classes: mkcls's, or Brown clusters' paths.")
]
DevTrees = Annotated[Path | None, typer.Option("--dev-trees", help="Its trees.")]
DevConllu = Annotated[Path | None, typer.Option("--dev-conllu", help="Its dependencies and tags.")]
DevTags = Annotated[Path | None, typer.Option("--dev-tags", help="Its tags.")]


def annotated(
    segments: Iterable[Segment | InputError],
    *,
    trees: Path | None,
    conllu: Path | None,
    tags: Path | None,
    classes: Path | None,
) -> Iterator[Segment | InputError]:
    """Give segments their annotations.

    An annotation that does not fit comes as the error itself and ends the input, as in `read_segments`.

    Raises
    ------
    InputError
        At once: a file is missing, or the classes are malformed.
    """
    from hopefear.plugins import Annotations

    return _attached(segments, Annotations(trees=trees, conllu=conllu, tags=tags, classes=classes))


def _attached(
    segments: Iterable[Segment | InputError], annotations: Annotations
) -> Iterator[Segment | InputError]:
    for segment in segments:
        try:
            yield segment if isinstance(segment, InputError) else annotations.attach(segment)
        except InputError as error:
            yield error
            return
