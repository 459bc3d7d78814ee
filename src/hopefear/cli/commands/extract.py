"""``hopefear extract``: translation rules from word-aligned parallel text."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import refusing
from ..options import Cluster, Threads, open_executor

if TYPE_CHECKING:
    from hopefear.decoder import Segment


@refusing
def extract(
    source: Annotated[
        Path, typer.Option("--source", "-s", help="Source sentences, one per line; plain or gz.")
    ],
    target: Annotated[
        Path, typer.Option("--target", "-t", help="Translations of the source sentences; plain or gz.")
    ],
    alignment: Annotated[
        Path,
        typer.Option(
            "--alignment", "-a", help="Word alignments of the sentence pairs, source-target: 0-0 1-2."
        ),
    ],
    text: Annotated[
        str, typer.Option("--input", "-i", help="Sentences that need the rules; - is standard input.")
    ],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="File for one grammar; compressed if the name ends in .gz."),
    ] = None,
    output_folder: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Folder for one grammar per sentence; standard output gets the <seg> lines.",
        ),
    ] = None,
    reverse: Annotated[
        bool, typer.Option("--reverse", help="The links of the alignment are target-source.")
    ] = False,
    leave_one_out: Annotated[
        bool,
        typer.Option(
            "--leave-one-out",
            help="The input is the source text: extract no rules for a sentence from its own pair.",
        ),
    ] = False,
    top: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Keep only this number of rules per source side, the most frequent.",
            show_default="all",
        ),
    ] = None,
    feature: Annotated[
        list[str] | None,
        typer.Option(help="A feature of the rules; may repeat.", show_default="the seven features of cdec"),
    ] = None,
    max_symbols: Annotated[int, typer.Option(min=1, max=255, help="Most symbols of a source side.")] = 5,
    max_nonterminals: Annotated[int, typer.Option(min=0, max=3, help="Most nonterminals of a rule.")] = 2,
    max_span: Annotated[int, typer.Option(min=1, max=255, help="Most words of a phrase, on each side.")] = 15,
    min_gap: Annotated[int, typer.Option(min=1, max=255, help="Fewest source words of a nonterminal.")] = 1,
    samples: Annotated[
        int, typer.Option(min=1, help="Most occurrences of a source side that are sampled.")
    ] = 300,
    loose: Annotated[
        bool, typer.Option("--loose", help="Phrases may begin and end with words without links.")
    ] = False,
    distortion_table: Annotated[
        Path | None, typer.Option(help="Also write the table of the coarse distortion model to this file.")
    ] = None,
    threads: Threads = None,
    cluster: Cluster = None,
) -> None:
    """Extract the rules that input sentences need from a parallel text.

    With --output, the command writes one grammar with the rules for all input sentences. With
    --output-folder, it writes one grammar per sentence, and standard output gets the sentences as <seg
    id="..." grammar="..."> lines, which are input for decode, tune and cdec. Rules and features are those of
    cdec's extractor; further features are LogProbEgivenF, LogProbFgivenE, LogLexEgivenF and LogLexFgivenE.

    For example:

      hopefear extract -s train.es -t train.en -a train.align -i dev.es -o grammar.gz

      hopefear extract -s train.es -t train.en -a train.align -i dev.es --output-folder grammars > dev.sgm
    """
    from hopefear.base import InputError
    from hopefear.grammars.bitext import Bitext
    from hopefear.grammars.built import make_extractor
    from hopefear.grammars.distortion_table import DistortionCounter, count_distortion, write_distortion_table
    from hopefear.grammars.extractor import CDEC_FEATURES
    from hopefear.grammars.grammar_files import (
        seg_lines,
        write_filtered_grammar,
        write_sentence_grammars,
    )
    from hopefear.plugins.corpus import read_segments

    if (output is None) == (output_folder is None):
        raise InputError("expected --output or --output-folder")
    if leave_one_out and output_folder is None:
        raise InputError("--leave-one-out makes a grammar for each sentence: expected --output-folder")
    settings = {
        "max_symbols": max_symbols,
        "max_nonterminals": max_nonterminals,
        "max_span": max_span,
        "min_gap": min_gap,
        "tight": not loose,
        "samples": samples,
        "features": feature or CDEC_FEATURES,
        "top": top,
    }
    make_extractor(Bitext.from_pairs([]), settings)  # refuses wrong settings before any work
    segments: list[Segment] = []
    for item in read_segments(text):
        if isinstance(item, InputError):
            raise item
        segments.append(item)
    extractor = make_extractor(Bitext.read(source, target, alignment, reverse=reverse), settings)
    if distortion_table is not None:
        counter = DistortionCounter(max_span=max_span, max_symbols=max_symbols, min_gap=min_gap)
        counts = count_distortion(source, target, alignment, counter=counter, reverse=reverse)
        write_distortion_table(counts, distortion_table)
    with open_executor(cluster, threads) as executor:
        if output is not None:
            write_filtered_grammar(extractor, segments, output, executor=executor)
        elif output_folder is not None:
            done = write_sentence_grammars(
                extractor, segments, output_folder, leave_one_out=leave_one_out, executor=executor
            )
            sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
            sys.stdout.writelines(seg_lines(done))
