"""Extracted rules as files: one grammar for a whole text, or one a sentence."""

from __future__ import annotations

import gzip
import io
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO, cast

from tqdm import tqdm

from hopefear.decoder import InputError, Segment, map_in_order
from hopefear.decoder.files import written_whole

from .bitext import LONGEST
from .extractor import GrammarExtractor


def write_filtered_grammar(
    extractor: GrammarExtractor,
    sentences: Sequence[Sequence[str]],
    path: str | os.PathLike[str],
    *,
    threads: int = 1,
) -> int:
    """Write the rules that some sentences need, each once, to a grammar file; packed if it ends in ``.gz``.

    Parameters
    ----------
    sentences : sequence of sequences of str
        Words.
    threads : int
        Sentences at a time.

    Returns
    -------
    int
        How many rules there are.

    Raises
    ------
    OSError
        The file cannot be written; what stood there before stands there still.
    """

    def lines(tokens: Sequence[str]) -> list[bytes]:
        return io.BytesIO(extractor.grammar(tokens).text().encode()).readlines()  # ends are \n only

    known: set[bytes] = set()  # source sides: their rules are the same in all sentences
    rules = 0
    with ExitStack() as stack:
        file: BinaryIO = stack.enter_context(open(stack.enter_context(written_whole(path)), "wb"))
        if os.fspath(path).endswith(".gz"):
            file = cast(BinaryIO, stack.enter_context(gzip.GzipFile("", "wb", 4, file, mtime=0)))
        for grammar in tqdm(
            map_in_order(lines, sentences, threads=threads),
            total=len(sentences),
            unit="sentence",
            desc="extracting",
            disable=None,
        ):
            last, is_new = b"", False
            for line in grammar:
                source = line.split(b" ||| ", 2)[1]
                if source != last:
                    last, is_new = source, source not in known
                    known.add(source)
                if is_new:
                    file.write(line)
                    rules += 1
    return rules


def write_sentence_grammars(
    extractor: GrammarExtractor,
    segments: Sequence[Segment],
    folder: str | os.PathLike[str],
    *,
    leave_one_out: bool = False,
    threads: int = 1,
) -> Iterator[Segment]:
    """Write a grammar a sentence, ``grammar.0.gz`` and so on by the sentence's index.

    Parameters
    ----------
    segments : sequence of Segment
        Sentences.
    folder : path
        Made where it is missing.
    leave_one_out : bool
        The sentences are those of the parallel text in its order: each grammar is extracted without its own.
    threads : int
        Sentences at a time.

    Returns
    -------
    iterator of Segment
        The same with their grammars' paths, in their order, each when its file is written.

    Raises
    ------
    InputError
        A segment is a lattice, or is not the text's sentence in its place where that should be left out.
    OSError
        A file cannot be written.
    """
    place = Path(folder).resolve()
    place.mkdir(parents=True, exist_ok=True)

    def write(segment: Segment) -> Segment:
        if leave_one_out and segment.index >= len(extractor.bitext):
            message = f"expected a sentence of the parallel text, which has {len(extractor.bitext)}"
            raise InputError(message, path=segment.where)
        tokens = sentence(segment)
        if leave_one_out and extractor.bitext.source(segment.index) != tokens:
            message = (
                f"expected sentence {segment.index + 1} of the parallel text, to be left out; got another"
            )
            raise InputError(message, path=segment.where)
        exclude = [segment.index] if leave_one_out else []
        path = place / f"grammar.{segment.index}.gz"
        extractor.grammar(tokens, exclude=exclude).write(path)
        attributes = {
            name: text for name, text in segment.attributes.items() if not re.fullmatch(r"grammar\d*", name)
        }
        return replace(segment, grammars=(str(path),), attributes={**attributes, "grammar": str(path)})

    return iter(
        tqdm(
            map_in_order(write, segments, threads=threads),
            total=len(segments),
            unit="sentence",
            desc="extracting",
            disable=None,
        )
    )


def sentence(segment: Segment) -> tuple[str, ...]:
    """Give the words of a segment.

    Raises
    ------
    InputError
        It is a lattice, or longer than `bitext.LONGEST`.
    """
    if segment.tokens is None:
        raise InputError("expected a sentence, got a lattice", path=segment.where)
    if len(segment.tokens) > LONGEST:
        raise InputError(f"expected at most {LONGEST} words, got {len(segment.tokens)}", path=segment.where)
    return segment.tokens


def seg_lines(segments: Iterable[Segment]) -> Iterator[str]:
    """Write segments as cdec reads them: ``<seg id="0" grammar="...">words</seg> ||| reference``."""
    for segment in segments:
        attributes = {"id": str(segment.id), **segment.attributes}
        tag = "".join(f' {name}="{_escaped(value)}"' for name, value in attributes.items())
        references = "".join(f" ||| {reference}" for reference in segment.references)
        yield f"<seg{tag}>{' '.join(sentence(segment))}</seg>{references}\n"


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace('"', "&quot;").replace(">", "&gt;")
