"""``hopefear explain``: why a translation won, and why others did not."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from hopefear.base import InputError
from hopefear.base.files import written_whole
from hopefear.base.progress import at_terminal, print_line
from hopefear.decoder import Segment, attempt, read_config
from hopefear.decoder.views import explain as explained
from hopefear.plugins.corpus import read_segments
from hopefear.text import TextSystem

from ..command import argument, command, option, without
from ..errors import warn
from ..options import CONFIG, AnnotationFiles, GivenWeights, Limits, Selection, TextForm, checked


@command
def explain(
    *,
    config: Path = CONFIG,
    sentence: str | None = argument("A line of input.", default=None, shown="the lines of --input"),
    weights: GivenWeights,
    source: str = option(
        "File of sentences, one per line; - is standard input.", "--input", "-i", metavar="FILE", default="-"
    ),
    reference: list[str] = option(
        "A reference of the sentence; may repeat.", "-r", metavar="TRANSLATION", default=()
    ),
    rival: list[str] = option(
        "A translation to compare with the best one; may repeat.", metavar="TRANSLATION", default=()
    ),
    k: int = option("Length of the k-best lists.", "-k", "--k-best", default=5, min=1),
    selection: Annotated[Selection, without("min_count")],
    annotations: AnnotationFiles,
    form: TextForm,
    limits: Limits,
    html: Path | None = option(
        "Write a page, with drawings of derivations, to this file.", default=None, writes=True
    ),
    as_json: bool = option("Write one JSON object per sentence, each in a line.", "--json", default=False),
) -> None:
    """Show why the decoder prefers its translation.

    For each sentence: the derivation as a tree over the source, the features of each rule times their
    weights, and the k-best list. A reference can follow ||| in the line. With references, or with --rival,
    the features that differ show why these translations are not the best one; words that no rule produces
    are named. With references, the lists of hope and fear are those of MIRA's oracle.

    Exit status: 0; 1 if a sentence has no translation; 2 if input is wrong.

    For example:

      hopefear explain -c cdec.ini -w weights "la casa roja" --reference "the red house"

      hopefear explain -c cdec.ini -w weights --html why.html < in

      hopefear explain -c cdec.ini -w weights --json < in
    """
    from hopefear.reports import explanation_page
    from hopefear.tuners import Mira

    if sentence is not None and source != "-":
        raise InputError("expected a sentence or --input, got both")
    settings = read_config(config)
    text = form.system(settings)
    weights.check(settings)
    start = weights.file(settings)
    decoder = selection.decoder(settings, start, max_words=limits.max_words)
    if sentence is None and source == "-" and at_terminal(sys.stdin):
        warn("ready: type one sentence per line, and Ctrl-D to end")
    lines = (
        read_segments(source, grammars_under=limits.grammars_under) if sentence is None else _given(sentence)
    )
    segments = annotations.attach(lines, text)
    oracle = partial(Mira.paper().hypotheses, decoder)
    failed = False
    found = []
    for segment in checked(segments, decoder, start):
        if isinstance(segment, InputError):
            raise segment
        if segment.length == 0:
            continue
        if reference:
            segment = _with_references(segment, reference, text)
        with attempt(decoder, segment) as work:
            one = explained(decoder, segment, rivals=rival, k=k, oracle=oracle)
        if work.failure is not None:
            failed = True
            warn(str(work.failure))
            continue
        if html is not None:
            found.append(one)
        if as_json:
            print(json.dumps(one.record(), ensure_ascii=False))
        elif html is None:
            print(f"{one}\n")
    if html is not None:
        with written_whole(html) as path:
            path.write_text(explanation_page(found), "utf-8")
        print_line(f"{html}: {len(found):,} sentence{'s' * (len(found) != 1)}")
    if failed:
        raise typer.Exit(1)


def _given(sentence: str) -> Iterator[Segment]:
    yield Segment.from_input(sentence)


def _with_references(segment: Segment, more: Sequence[str], text: TextSystem | None) -> Segment:
    """Return a segment with more references, as written if the segment is."""
    if segment.written is None or text is None:
        return segment.with_references((*segment.references, *more))
    own = segment.written.references
    return text.prepare(replace(segment, written=None, references=(*own, *more)))
