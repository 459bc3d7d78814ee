"""The options that name files of annotations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hopefear.base import InputError
from hopefear.decoder import Segment

if TYPE_CHECKING:
    from hopefear.plugins import Annotations

Trees = Annotated[Path | None, typer.Option("--trees", help="Penn trees of the input, one per line.")]
Conllu = Annotated[
    Path | None, typer.Option("--conllu", help="Dependencies and tags of the input, in CoNLL-U.")
]
Tags = Annotated[Path | None, typer.Option("--tags", help="Tags of the input: word/TAG word/TAG.")]
Classes = Annotated[
    Path | None, typer.Option("--classes", help="Word classes, a file of mkcls or of Brown clusters (paths).")
]
DevTrees = Annotated[
    Path | None, typer.Option("--dev-trees", help="Penn trees of --dev-source, one per line.")
]
DevConllu = Annotated[
    Path | None, typer.Option("--dev-conllu", help="Dependencies and tags of --dev-source, in CoNLL-U.")
]
DevTags = Annotated[Path | None, typer.Option("--dev-tags", help="Tags of --dev-source: word/TAG word/TAG.")]


def annotated(
    segments: Iterable[Segment | InputError],
    *,
    trees: Path | None,
    conllu: Path | None,
    tags: Path | None,
    classes: Path | None,
) -> Iterator[Segment | InputError]:
    """Add annotations to segments.

    If an annotation does not fit its segment, the error is yielded as the last item, as in `read_segments`.

    Raises
    ------
    InputError
        A file is missing, or the classes are malformed; raised before the first segment.
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
