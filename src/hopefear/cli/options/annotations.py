"""The options that name files of annotations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
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


def read_development(
    source: Path | None,
    references: Sequence[Path] | None,
    *,
    trees: Path | None,
    conllu: Path | None,
    tags: Path | None,
    classes: Path | None,
    grammars_under: Path | None = None,
) -> list[Segment] | None:
    """Read the development set with its annotations; None without --dev-source.

    Raises
    ------
    InputError
        Annotations are given without a set; otherwise as in `read_corpus` and `annotate`.
    """
    from hopefear.plugins import annotate
    from hopefear.plugins.corpus import read_corpus

    if source is None:
        if trees or conllu or tags:
            raise InputError("--dev-trees, --dev-conllu and --dev-tags need --dev-source")
        return None
    corpus = read_corpus(source, references or (), grammars_under=grammars_under)
    return list(annotate(corpus, trees=trees, conllu=conllu, tags=tags, classes=classes))


def _attached(
    segments: Iterable[Segment | InputError], annotations: Annotations
) -> Iterator[Segment | InputError]:
    for segment in segments:
        try:
            yield segment if isinstance(segment, InputError) else annotations.attach(segment)
        except InputError as error:
            yield error
            return
