"""``hopefear extract``: translation rules from word-aligned parallel text."""

from __future__ import annotations

import sys
from pathlib import Path

from hopefear.base import InputError
from hopefear.base.progress import print_line
from hopefear.decoder import Segment
from hopefear.plugins.corpus import read_segments

from ..command import command, option
from ..options import Extraction, ParallelText, Workers
from .distortion_table import summary


@command
def extract(
    *,
    text: ParallelText,
    alignment: Path = option("Word alignments of the sentence pairs, source-target: 0-0 1-2.", "-a"),
    source: str = option(
        "Sentences that need the rules; - is standard input.", "--input", "-i", metavar="FILE"
    ),
    output: Path | None = option(
        "File for one grammar; compressed if the name ends in .gz.", "-o", default=None, writes=True
    ),
    output_folder: Path | None = option(
        "Folder for one grammar per sentence; standard output gets the <seg> lines.",
        metavar="FOLDER",
        default=None,
        writes=True,
    ),
    reverse: bool = option("The links of the alignment are target-source.", default=False),
    leave_one_out: bool = option(
        "The input is the source text: extract no rules for a sentence from its own pair.", default=False
    ),
    rules: Extraction,
    distortion_table: Path | None = option(
        "Also write the table of the coarse distortion model to this file.", default=None, writes=True
    ),
    workers: Workers,
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
    from hopefear.grammars.bitext import Bitext
    from hopefear.grammars.built import make_extractor
    from hopefear.grammars.distortion_table import DistortionCounter, count_distortion, write_distortion_table
    from hopefear.grammars.grammar_files import seg_lines, write_filtered_grammar, write_sentence_grammars

    if (output is None) == (output_folder is None):
        raise InputError("expected --output or --output-folder")
    if leave_one_out and output_folder is None:
        raise InputError("--leave-one-out makes a grammar for each sentence: expected --output-folder")
    settings = rules.settings()
    make_extractor(Bitext.from_pairs([]), settings)  # refuses wrong settings before any work
    segments: list[Segment] = []
    for item in read_segments(source):
        if isinstance(item, InputError):
            raise item
        segments.append(item)
    texts = text.source, text.target, alignment
    extractor = make_extractor(Bitext.read(*texts, reverse=reverse), settings)
    if distortion_table is not None:
        counter = DistortionCounter(
            max_span=rules.max_span, max_symbols=rules.max_symbols, min_gap=rules.min_gap
        )
        counts = count_distortion(*texts, counter=counter, reverse=reverse, max_words=text.max_words)
        write_distortion_table(counts, distortion_table)
        print_line(f"{distortion_table}: {summary(counts)}")
    with workers.open() as executor:
        if output is not None:
            found = write_filtered_grammar(
                extractor, segments, output, max_words=text.max_words, executor=executor
            )
            print_line(f"{output}: {found:,} rules for {len(segments):,} sentences")
        elif output_folder is not None:
            done = write_sentence_grammars(
                extractor,
                segments,
                output_folder,
                leave_one_out=leave_one_out,
                max_words=text.max_words,
                executor=executor,
            )
            sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
            sys.stdout.writelines(seg_lines(done))
            print_line(f"{output_folder}: grammars of {len(segments):,} sentences")
