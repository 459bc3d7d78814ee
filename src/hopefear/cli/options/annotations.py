"""Files of annotations, and the development set with its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hopefear.base import InputError
from hopefear.decoder import Segment
from hopefear.plugins import Annotations, annotate
from hopefear.plugins.corpus import read_corpus
from hopefear.text import TextSystem

from ..command import option


@dataclass(frozen=True, kw_only=True)
class AnnotationFiles:
    """The options that name the files of `hopefear.plugins.Annotations`."""

    trees: Path | None = option("Penn trees of the input, one per line.", default=None)
    conllu: Path | None = option("Dependencies and tags of the input, in CoNLL-U.", default=None)
    tags: Path | None = option("Tags of the input: word/TAG word/TAG.", default=None)
    classes: Path | None = option("Word classes, a file of mkcls or of Brown clusters (paths).", default=None)

    annotation: list[str] = option(
        "Annotations of your own: a text a line, or a JSON value if FILE ends in .json; may repeat.",
        metavar="NAME=FILE",
        default=(),
    )

    def own(self) -> dict[str, Path]:
        """Return the files of annotations of one's own by name."""
        return _own_files("--annotation", self.annotation)

    def open(self) -> Annotations:
        """Open the files."""
        return Annotations(**self._files())

    def read(
        self,
        source: Path | str,
        references: Sequence[Path],
        *,
        grammars_under: Path | None = None,
        prepare: Callable[[Iterable[Segment]], list[Segment]] = list,
    ) -> list[Segment]:
        """Read sentences with their references and annotations."""
        corpus = prepare(read_corpus(source, references, grammars_under=grammars_under))
        return list(annotate(corpus, **self._files()))

    def attach(
        self, segments: Iterable[Segment | InputError], text: TextSystem | None = None
    ) -> Iterator[Segment | InputError]:
        """Open the files and add annotations to segments, of whose text as written tokens are made before.

        If an annotation does not fit its segment, the error is yielded as the last item, as in
        `read_segments`.
        """
        return _attached(segments, self.open(), text)

    def _files(self) -> dict[str, Any]:
        return {
            "trees": self.trees,
            "conllu": self.conllu,
            "tags": self.tags,
            "classes": self.classes,
            "own": self.own(),
        }


@dataclass(frozen=True, kw_only=True)
class Development:
    """The options of a development set."""

    source: Path | None = option(
        "Second set of sentences: the result is the weights that score best on it.",
        "--dev-source",
        default=None,
    )
    references: list[Path] = option("References of --dev-source; may repeat.", "--dev-reference", default=())
    trees: Path | None = option("Penn trees of --dev-source, one per line.", "--dev-trees", default=None)
    conllu: Path | None = option(
        "Dependencies and tags of --dev-source, in CoNLL-U.", "--dev-conllu", default=None
    )
    tags: Path | None = option("Tags of --dev-source: word/TAG word/TAG.", "--dev-tags", default=None)
    annotation: list[str] = option(
        "Annotations of --dev-source of your own, as --annotation; may repeat.",
        "--dev-annotation",
        metavar="NAME=FILE",
        default=(),
    )

    def own(self) -> dict[str, Path]:
        """Return the files of annotations of one's own by name."""
        return _own_files("--dev-annotation", self.annotation)

    def read(
        self,
        *,
        classes: Path | None,
        grammars_under: Path | None = None,
        prepare: Callable[[Iterable[Segment]], list[Segment]] = list,
    ) -> list[Segment] | None:
        """Read the development set with its annotations; None without --dev-source."""
        files = AnnotationFiles(
            trees=self.trees,
            conllu=self.conllu,
            tags=self.tags,
            classes=classes,
            annotation=[f"{name}={path}" for name, path in self.own().items()],
        )
        if self.source is not None:
            return files.read(self.source, self.references, grammars_under=grammars_under, prepare=prepare)
        if self.trees or self.conllu or self.tags or self.annotation:
            raise InputError("--dev-trees, --dev-conllu, --dev-tags and --dev-annotation need --dev-source")
        return None


def _own_files(option: str, words: Iterable[str]) -> dict[str, Path]:
    """Read the values NAME=FILE of an option."""
    files = dict[str, Path]()
    for word in words:
        name, _, path = word.partition("=")
        if not name or not path:
            raise InputError(f"expected {option} NAME=FILE, got {word!r}")
        if name in files:
            raise InputError(f"expected {option} {name}=FILE once, got {files[name]} and {path}")
        files[name] = Path(path)
    return files


def _attached(
    segments: Iterable[Segment | InputError], annotations: Annotations, text: TextSystem | None
) -> Iterator[Segment | InputError]:
    failed = False
    for segment in segments:
        failed = isinstance(segment, InputError)
        try:
            if isinstance(segment, InputError):
                yield segment
            else:
                yield annotations.attach(segment if text is None else text.prepare(segment))
        except InputError as error:
            yield error
            return
    if failed:
        return  # annotations of what was not read are left
    try:
        annotations.finish()
    except InputError as error:
        yield error
