"""``hopefear explain``: why a translation won, and why others did not."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hopefear.base.progress import at_terminal
from hopefear.decoder.lengths import MAX_WORDS
from hopefear.plugins.corpus import read_segments

from ..errors import refusing, warn
from ..options import (
    Allow,
    Classes,
    Conllu,
    Deny,
    Freeze,
    GrammarsUnder,
    HashBits,
    MaxWords,
    Tags,
    Trees,
    WeightsOption,
    annotated,
)
from .listing import FeatureOption

if TYPE_CHECKING:
    from hopefear.decoder import Segment


@refusing
def explain(
    config: Annotated[Path, typer.Option("--config", "-c", help="The cdec.ini.")],
    sentence: Annotated[
        str | None,
        typer.Argument(help="A line of input.", show_default="the lines of --input"),
    ] = None,
    weights: WeightsOption = None,
    source: Annotated[
        str, typer.Option("--input", "-i", help="File of sentences, one per line; - is standard input.")
    ] = "-",
    reference: Annotated[
        list[str] | None,
        typer.Option(
            "--reference", "-r", metavar="TRANSLATION", help="A reference of the sentence; may repeat."
        ),
    ] = None,
    rival: Annotated[
        list[str] | None,
        typer.Option(
            "--rival", metavar="TRANSLATION", help="A translation to compare with the best one; may repeat."
        ),
    ] = None,
    k: Annotated[int, typer.Option("-k", "--k-best", min=1, help="Length of the k-best lists.")] = 5,
    feature: FeatureOption = None,
    allow: Allow = None,
    deny: Deny = None,
    hash_bits: HashBits = None,
    freeze: Freeze = None,
    trees: Trees = None,
    conllu: Conllu = None,
    tags: Tags = None,
    classes: Classes = None,
    grammars_under: GrammarsUnder = None,
    max_words: MaxWords = MAX_WORDS,
    html: Annotated[
        Path | None, typer.Option("--html", help="Write a page, with drawings of derivations, to this file.")
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Write one JSON object per sentence, each in a line.")
    ] = False,
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
    from hopefear.base import InputError, ParseFailed
    from hopefear.base.files import written_whole
    from hopefear.base.web_page import page
    from hopefear.decoder import read_config
    from hopefear.decoder.views import explain as explained
    from hopefear.tuners import Mira

    from ..options.selection import selected_decoder
    from ..options.weights import check_given, checked, weights_file

    settings = read_config(config)
    check_given(weights, settings)
    decoder = selected_decoder(
        settings,
        weights,
        feature or (),
        allow=allow,
        deny=deny,
        hash_bits=hash_bits,
        freeze=freeze,
        max_words=max_words,
    )
    if sentence is None and source == "-" and at_terminal(sys.stdin):
        warn("ready: type one sentence per line, and Ctrl-D to end")
    lines = read_segments(source, grammars_under=grammars_under) if sentence is None else _given(sentence)
    segments = annotated(lines, trees=trees, conllu=conllu, tags=tags, classes=classes)
    oracle = partial(Mira().hypotheses, decoder)
    failed = False
    pages = []
    for segment in checked(segments, decoder, weights_file(weights, settings)):
        if isinstance(segment, InputError):
            raise segment
        if segment.length == 0:
            continue
        with_references = segment.with_references((*segment.references, *(reference or ())))
        try:
            one = explained(decoder, with_references, rivals=rival or (), k=k, oracle=oracle)
        except ParseFailed as error:
            failed = True
            warn(str(error))
            continue
        if html is not None:
            pages.append(one._repr_html_())
        if as_json:
            print(json.dumps(one.record(), ensure_ascii=False))
        elif html is None:
            print(f"{one}\n")
    if html is not None:
        with written_whole(html) as path:
            path.write_text(page("Why these translations won", pages), "utf-8")
    if failed:
        raise typer.Exit(1)


def _given(sentence: str) -> Iterator[Segment]:
    from hopefear.decoder import Segment

    yield Segment.from_input(sentence)
