"""``hopefear decode``: translate, and optionally learn."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hopefear.base import InputError
from hopefear.base.lines import count_lines
from hopefear.base.progress import ProgressBar, at_terminal
from hopefear.decoder import Config, Decoder, Segment, Translator, read_config
from hopefear.parallel import Executor
from hopefear.plugins.corpus import read_segments

from ..command import command, option, options_given, without
from ..errors import debugging, warn
from ..io.skipped import Skipped
from ..options import (
    CONFIG,
    AnnotationFiles,
    ChosenConsensus,
    ChosenDecoder,
    Failures,
    GivenWeights,
    Knowledge,
    Limits,
    SavedLearning,
    Selection,
    TextForm,
    Workers,
    adapting_kind,
    checked,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hopefear.cdec import CdecProcess

    from ..io.output import Output


@dataclass(frozen=True, kw_only=True)
class ListOptions:
    """What is written of a sentence: its best translation, a k-best list or an object."""

    k: int | None = option(
        "Write k-best lists of this length.",
        "-k",
        "--k-best",
        default=None,
        min=1,
        shown="the cdec.ini's k_best, else no lists",
    )
    unique: bool = option("Write only different strings in k-best lists.", default=False)
    as_json: bool = option("Write one JSON object for each line of input.", "--json", default=False)


@command
def decode(
    *,
    config: Path = CONFIG,
    weights: GivenWeights,
    source: str | None = option(
        "File of sentences, one per line; - is standard input.",
        "--input",
        "-i",
        metavar="FILE",
        default=None,
        shown="the cdec.ini's input, else -",
    ),
    lists: ListOptions,
    consensus: ChosenConsensus,
    workers: Workers,
    decoder: ChosenDecoder,
    selection: Annotated[Selection, without("min_count")],
    annotations: AnnotationFiles,
    form: TextForm,
    learning: SavedLearning,
    knowledge: Knowledge,
    limits: Limits,
    failures: Failures,
) -> None:
    """Translate sentences or lattices, one per line.

    A line is plain text, a lattice in PLF, or either of them in <seg id="..." grammar="...">...</seg>. A
    reference can follow ||| in the line: the translation must then be this reference (forced decoding), or,
    with --learn, the reference changes the weights. The lines of the cdec.ini about input, k-best lists,
    forests, rules and derivations apply; the options of this command override them.

    Exit status: 0; 1 if a sentence had no translation (its output line is empty); 2 if input was wrong or a
    plugin failed. With --on-error skip, a line that is wrong or on which a plugin fails is written to
    hopefear-errors.tsv, or to the file of --errors, and its output line is empty. A line is also wrong if its
    sentence has more than --max-words words, or if there is not enough memory for it.

    With --json, each line of input has one object: the translation and its score, where its words stand, how
    probable it is that an editor keeps each (confidence), their alignment, and with -k the k-best list.

    With --consensus, the translation is the one that agrees best with all others in the forest; scores in
    k-best lists are then gains.

    With --glossary, terms are translated as it says. With --memory and --learn, a sentence that was
    translated before is translated as it was, and a close one takes its pieces.

    With --cluster, the sentences of a worker that died are translated again. A sentence that kills workers
    counts as a sentence without a translation, or is skipped. All machines must see the same files and
    folders.

    With --decoder cdec, cdec itself translates, and --learn learns from its forests. The cdec.ini is read by
    cdec alone; give -i, -k and --learn here.

    For example:

      hopefear decode -c cdec.ini -w weights < in > out

      hopefear decode -c cdec.ini -w weights -k 100 --unique < in > nbest

      hopefear decode -c cdec.ini -w weights --json < in > out.jsonl

      hopefear decode -c cdec.ini -w weights --threads 2 < in > out

      hopefear decode -c cdec.ini -w weights --cluster local:2 < in > out

      hopefear decode -c cdec.ini -w weights --feature SoftSyntax --trees in.trees < in

      hopefear decode -c cdec.ini -w weights --learn mira --save-weights new

      hopefear decode -c cdec.ini -w weights --learn mira --adapt rules,lm --save-weights new

      hopefear decode -c cdec.ini -w weights --consensus < in > out

      hopefear decode -c cdec.ini -w weights --glossary terms.tsv < in > out

      hopefear decode -c cdec.ini -w weights --learn mira --adapt rules,lm --memory old.tmx

      hopefear decode -c cdec.ini -w weights --on-error skip --errors bad.tsv < in > out
    """
    from ..io.output import Output

    if decoder.own:
        settings = read_config(config)
        weights.check(settings)
    else:  # it has options that only cdec knows
        settings = Config(base=config.parent, path=str(config))
    if lists.unique and lists.k is None and settings.k_best is None:
        raise InputError("--unique needs --k-best or a line k_best=... in the cdec.ini")
    knowledge.add_terms(settings)
    text = form.system(settings)
    learning.check(settings, workers)
    adapted = learning.adapts(settings)
    learner = learning.tuner(settings)
    knowledge.check(learns=learner is not None)
    if adapted is None and knowledge.memory:
        adapted = []
    start = weights.file(settings)
    translator: Decoder | CdecProcess
    if decoder.own:
        kind = Decoder if adapted is None else adapting_kind(adapted, knowledge.memory)
        translator = selection.decoder(settings, start, max_words=limits.max_words, kind=kind)
    else:
        excluded = options_given(selection, annotations, knowledge)
        if adapted:
            excluded["--adapt"] = adapted
        translator = decoder.start_cdec(config, weights, max_words=limits.max_words, excluded=excluded)
    translator.sends_deltas = False  # no report of fired features is needed
    if source is None:
        source = settings.input if settings.input == "-" else str(settings.base / settings.input)
    # Where translations go to the terminal, they show how far it is.
    shown = at_terminal(sys.stderr) and not at_terminal(sys.stdout)
    total = count_lines(source) if shown else None
    lines = read_segments(source, go_on=failures.skip, grammars_under=limits.grammars_under)
    segments = annotations.attach(lines, text)
    if isinstance(translator, Decoder):
        segments = checked(segments, translator, start)
    sys.stdout.reconfigure(encoding="utf-8", line_buffering=True)  # type: ignore[union-attr]
    method = consensus.method(settings)
    output = Output.from_config(
        settings, k=lists.k, unique=lists.unique, consensus=method, as_json=lists.as_json
    )
    skipped = failures.open(Path("hopefear-errors.tsv"))
    typed = source == "-" and at_terminal(sys.stdin)
    if learner is not None:
        from .live import Live, open_session

        with open_session(translator, learner, learning, method) as session:
            live = Live(translator, learner, learning, output, skipped, tell=typed, session=session)
            failed = live.run(segments)
    else:
        if typed:
            warn("ready: type one sentence per line, and Ctrl-D to end")
        with workers.open() as executor:
            bar = ProgressBar(total, name="translating", show=shown)
            failed = translate(translator, segments, output, executor, skipped, bar)
    if skipped is not None:
        skipped.report()
    if debugging() and isinstance(translator, Decoder):
        for report in translator.table_report():
            warn(str(report))
    if failed:
        raise typer.Exit(1)


def translate(
    decoder: Translator,
    segments: Iterable[Segment | InputError],
    output: Output,
    executor: Executor,
    skipped: Skipped | None,
    bar: ProgressBar,
) -> bool:
    """Translate segments and write the output in their order; tell whether one had no translation."""
    from ..io.answers import Answering

    failed = False
    answer = Answering(decoder, output, skip=skipped is not None)
    executor.publish(decoder.weights)
    answers = executor.map(answer, segments, on_death=answer.lost)
    with bar:
        for text, problem, wrong, complaints in answers:
            sys.stdout.write(text)
            for complaint in complaints:
                warn(complaint)
            if problem is not None:
                failed = True
                warn(problem)
            if wrong is not None and skipped is not None:
                skipped.add(*wrong)
            bar.update()
    return failed
