"""``hopefear annotate``: trees, tags and dependencies for input sentences."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from hopefear.base import InputError
from hopefear.base.texts import split_lines
from hopefear.decoder import Segment, read_config
from hopefear.decoder.lengths import TEXT_MAX_WORDS, LongSentences
from hopefear.plugins import annotate as attach
from hopefear.plugins.corpus import read_segments

from ..command import command, option, options_given
from ..errors import warn
from ..options import TextForm

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from hopefear.text import TextSystem

    from ..io.link_parser import LinkParser
    from ..io.pieces import PieceFile
    from ..io.taggers import Tagger

    Make = Callable[[Sequence[Segment]], Iterator[str]]


@dataclass(frozen=True, kw_only=True)
class Parsing:
    """The options of link-parser."""

    dictionary: str = option("Dictionary of link-parser, such as en.", metavar="LANGUAGE", default="en")
    timeout: int = option("Time limit of link-parser for a sentence, in seconds.", default=10, min=1)


@command
def annotate(
    *,
    source: str = option("Sentences, one per line.", "--input", "-i", metavar="FILE", default="-"),
    config: Path | None = option(
        "The cdec.ini of a system whose texts are as written: sentences are divided into its words.",
        "--config",
        "-c",
        default=None,
        shown="sentences are tokens separated by blanks",
    ),
    trees: Path | None = option("Write trees to this file, made by link-parser.", default=None),
    parser: Parsing,
    conllu: Path | None = option("Write tags and dependencies to this file.", default=None),
    spacy: str | None = option(
        "Make tags and dependencies with this spaCy model, a name or a folder.", metavar="MODEL", default=None
    ),
    stanza: str | None = option(
        "Make tags and dependencies with Stanza's models for this language.", metavar="LANGUAGE", default=None
    ),
    max_words: int = option(
        "The most words of a sentence; a longer one is left out, and counted: it gets no tree, and no tags.",
        default=TEXT_MAX_WORDS,
        min=1,
    ),
    resume: bool = option("Continue a job that was stopped.", default=False),
    force: bool = option("Start again, and delete the output of a stopped job.", default=False),
) -> None:
    """Make trees, or tags and dependencies, for sentences.

    hopefear decode and hopefear tune take the files as --trees and --conllu. The file of trees has a line for
    each input line: () if the parser found no tree, a blank line for a blank input line. The CoNLL-U file has
    a sentence for each input line; for a blank input line, the sentence has only comments.

    An unfinished file has the name FILE.part; it gets its own name when it is complete. Ctrl-C stops the
    command, --resume continues it.

    For example:

      hopefear annotate -i test.en --trees test.en.trees

      hopefear annotate -i dev.es --conllu dev.es.conllu --spacy es_core_news_sm

      hopefear annotate -i dev.es -c system/cdec.ini --conllu dev.es.conllu --spacy es_core_news_sm

      hopefear annotate -i dev.es --conllu dev.es.conllu --stanza es
    """
    from ..io.link_parser import NO_TREE, LinkParser
    from ..io.pieces import PieceFile
    from ..io.taggers import SpacyTagger, StanzaTagger

    if trees is None and conllu is None:
        raise InputError("expected --trees FILE or --conllu FILE, or both")
    if trees is None:
        for name in options_given(parser):
            raise InputError(f"{name} needs --trees")
    if (conllu is None) != (spacy is None and stanza is None) or (spacy is not None and stanza is not None):
        raise InputError("--conllu needs one of --spacy MODEL and --stanza LANGUAGE, and these need --conllu")
    if conllu == trees:
        raise InputError("expected different files for --trees and --conllu", path=trees)
    if resume and force:
        raise InputError("expected --resume or --force, got both")
    tools: list[tuple[str, Path, bytes, Make]] = []  # a missing tool is refused before the input is read
    if trees is not None:
        link_parser = LinkParser(parser.dictionary, timeout=parser.timeout)
        tools.append(("trees", trees, b"", tree_lines(link_parser, max_words)))
    if conllu is not None:
        tagger = SpacyTagger(spacy) if spacy is not None else StanzaTagger(stanza or "")
        tools.append(("conllu", conllu, b"\n", blocks(tagger, max_words)))
    segments = read_sentences(source, None if config is None else text_of(config))
    long = LongSentences(max_words)
    for segment in segments:
        long.leave_out(segment.length)
    long.warn()
    jobs = [
        (kind, PieceFile(path, end=end, resume=resume, force=force), make) for kind, path, end, make in tools
    ]
    for kind, file, make in jobs:
        write(kind, file, segments, make)
    if trees is not None:
        failed = split_lines(trees.read_text("utf-8")).count(NO_TREE)
        if failed:
            warn(f"no tree for {failed} of {len(segments)} sentences")


def text_of(config: Path) -> TextSystem:
    """Return what a system knows about text as written."""
    text = TextForm(tokens=False).system(read_config(config))
    if text is None:
        raise InputError("expected a system that was built with --languages", path=config)
    return text


def read_sentences(source: str, text: TextSystem | None = None) -> list[Segment]:
    """Read the input sentences."""
    segments = []
    for segment in read_segments(source):
        if isinstance(segment, InputError):
            raise segment
        segment.expect_tokens()
        segments.append(segment if text is None else text.prepare(segment))
    return segments


def words_of(segment: Segment) -> Sequence[str]:
    """Return the tokens of a sentence; of a sentence as written, with its characters, but without blanks."""
    if segment.written is None:
        return segment.tokens or ()
    words = (re.sub(r"\s", "", segment.written.text[slice(*place)]) for place in segment.written.places)
    return [word for word in words if word]


def tree_lines(parser: LinkParser, max_words: int) -> Make:
    """Make a function that returns a line with a tree for each sentence, ``()`` for one that is left out."""
    from ..io.link_parser import NO_TREE

    def make(segments: Sequence[Segment]) -> Iterator[str]:
        trees = parser.trees([words_of(segment) for segment in segments if segment.length <= max_words])
        for segment in segments:
            yield f"{next(trees) if segment.length <= max_words else NO_TREE}\n"

    return make


def blocks(tagger: Tagger, max_words: int) -> Make:
    """Make a function that returns a CoNLL-U block for each sentence."""
    from ..io.taggers import conllu_blocks

    return lambda segments: conllu_blocks(
        tagger, [(s.id, words_of(s)) for s in segments], max_words=max_words
    )


def write(kind: str, file: PieceFile, segments: Sequence[Segment], make: Make) -> None:
    """Write the rest of a file."""
    if file.pieces > len(segments) or (file.whole and file.pieces < len(segments)):
        raise InputError(f"expected {len(segments)} sentences, got {file.pieces}", path=file.found)
    if file.pieces:
        for _ in attach(segments[: file.pieces], **{kind: file.found}):
            pass
    status = file.write(make(segments[file.pieces :]), total=len(segments), progress=kind)
    if status:
        warn(f"stopped; the same command with --resume continues from {file.part}")
        raise typer.Exit(status)
