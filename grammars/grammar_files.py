"""Extracted rules as files: one grammar for a whole text, or one per sentence."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from hopefear.base import InputError
from hopefear.base.files import written_packed
from hopefear.base.progress import progress_bar
from hopefear.decoder import Segment
from hopefear.decoder.lengths import TEXT_MAX_WORDS, LongSentences
from hopefear.parallel import Executor, raise_blame

from .bitext import LONGEST
from .extractor import GrammarExtractor


def write_filtered_grammar(
    extractor: GrammarExtractor,
    segments: Sequence[Segment],
    path: str | os.PathLike[str],
    *,
    max_words: int = TEXT_MAX_WORDS,
    executor: Executor,
) -> int:
    """Write the rules that sentences need, each once, to a grammar file; gzipped if it ends in ``.gz``."""
    long = LongSentences(max_words)
    segments = [segment for segment in segments if not long.leave_out(len(sentence(segment)))]
    long.warn()
    written_sides: set[bytes] = set()  # source sides: their rules are the same in all sentences
    rules = 0
    with written_packed(path, 4) as file:
        grammars = executor.map(_Lines(extractor), segments, on_death=raise_blame)
        for grammar in progress_bar(grammars, len(segments), name="extracting"):
            last, is_new = b"", False
            for line in grammar:
                source = line.split(b" ||| ", 2)[1]
                if source != last:
                    last, is_new = source, source not in written_sides
                    written_sides.add(source)
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
    max_words: int = TEXT_MAX_WORDS,
    executor: Executor,
) -> Iterator[Segment]:
    """Write a grammar for each sentence, ``grammar.0.gz`` and so on by the sentence's index."""
    output = Path(folder).resolve()
    output.mkdir(parents=True, exist_ok=True)
    long = LongSentences(max_words)
    for segment in segments:
        long.leave_out(len(sentence(segment)))
    long.warn()
    write = _Writer(extractor, output, leave_one_out, max_words)
    written = executor.map(write, segments, on_death=raise_blame)
    return progress_bar(written, len(segments), name="extracting")


@dataclass(frozen=True)
class _Lines:
    """Returns the grammar of a sentence as lines."""

    extractor: GrammarExtractor

    def __call__(self, segment: Segment) -> list[bytes]:
        text = self.extractor.grammar(sentence(segment)).text()
        return io.BytesIO(text.encode()).readlines()  # splits at \n only


@dataclass(frozen=True)
class _Writer:
    """Writes the grammar of a segment."""

    extractor: GrammarExtractor
    folder: Path
    leave_one_out: bool
    max_words: int

    def __call__(self, segment: Segment) -> Segment:
        tokens, exclude = sentence(segment), []
        if self.leave_one_out:
            self._check_place(segment, tokens)
            exclude.append(segment.index)
        path = self.folder / f"grammar.{segment.index}.gz"
        words = tokens if len(tokens) <= self.max_words else ()
        self.extractor.grammar(words, exclude=exclude).write(path)
        attributes = {
            name: text for name, text in segment.attributes.items() if not re.fullmatch(r"grammar\d*", name)
        }
        return replace(segment, grammars=(str(path),), attributes={**attributes, "grammar": str(path)})

    def _check_place(self, segment: Segment, tokens: tuple[str, ...]) -> None:
        bitext, number = self.extractor.bitext, segment.index
        if number >= len(bitext):
            message = f"expected a sentence of the parallel text, which has {len(bitext)} sentences"
            raise InputError(message, path=segment.where)
        if bitext.source(number) != tokens:
            place = f"sentence {number + 1} of the parallel text"
            message = f"expected {place}, which is to be left out; got another sentence"
            raise InputError(message, path=segment.where)


def sentence(segment: Segment) -> tuple[str, ...]:
    """Return the words of a segment."""
    words = segment.expect_tokens()
    if len(words) > LONGEST:
        raise InputError(f"expected at most {LONGEST} words, got {len(words)}", path=segment.where)
    return words


def seg_lines(segments: Iterable[Segment]) -> Iterator[str]:
    """Write segments in cdec's input format: ``<seg id="0" grammar="...">words</seg> ||| reference``."""
    for segment in segments:
        attributes = {"id": str(segment.id), **segment.attributes}
        tag = "".join(f' {name}="{_escaped(value)}"' for name, value in attributes.items())
        references = "".join(f" ||| {reference}" for reference in segment.references)
        yield f"<seg{tag}>{' '.join(sentence(segment))}</seg>{references}\n"


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace('"', "&quot;").replace(">", "&gt;")
