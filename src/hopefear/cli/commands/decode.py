"""``hopefear decode``: translate, and optionally learn."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hopefear.base.lines import count_lines
from hopefear.base.progress import ProgressBar, at_terminal
from hopefear.decoder.lengths import MAX_WORDS
from hopefear.plugins.corpus import read_segments

from ..errors import debugging, refusing, warn
from ..options import (
    OWN,
    Allow,
    Classes,
    Cluster,
    Conllu,
    DecoderOption,
    Deny,
    ErrorsOption,
    ForgetOption,
    Freeze,
    GrammarsUnder,
    HashBits,
    MaxWords,
    OnError,
    OnErrorOption,
    Setting,
    Skipped,
    Tags,
    Threads,
    Trees,
    WeightsOption,
    annotated,
    make_skipped,
    open_executor,
    start_cdec,
)
from .listing import FeatureOption, Kind, completing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from hopefear.base import InputError
    from hopefear.cdec import CdecProcess
    from hopefear.decoder import Config, Decoder, Segment, Translator
    from hopefear.live import AdaptingDecoder
    from hopefear.parallel import Executor
    from hopefear.tuners.contract import OnlineLearner

    from ..io.output import Output


@refusing
def decode(
    config: Annotated[Path, typer.Option("--config", "-c", help="The cdec.ini.")],
    weights: WeightsOption = None,
    source: Annotated[
        str | None,
        typer.Option(
            "--input",
            "-i",
            help="File of sentences, one per line; - is standard input.",
            show_default="the cdec.ini's input, else -",
        ),
    ] = None,
    k: Annotated[
        int | None,
        typer.Option(
            "-k",
            "--k-best",
            min=1,
            help="Write k-best lists of this length.",
            show_default="the cdec.ini's k_best, else no lists",
        ),
    ] = None,
    unique: Annotated[
        bool, typer.Option("--unique", help="Write only different strings in k-best lists.")
    ] = False,
    threads: Threads = None,
    cluster: Cluster = None,
    decoder: DecoderOption = OWN,
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
    learn: Annotated[
        str | None,
        typer.Option(
            "--learn",
            help="Learn from lines with references, with this tuner; see hopefear list learners.",
            show_default="the cdec.ini's online_tuner, else none",
            autocompletion=completing(Kind.learners),
        ),
    ] = None,
    setting: Setting = None,
    save_weights: Annotated[
        Path | None, typer.Option("--save-weights", help="Write the learned weights to this file.")
    ] = None,
    save_every: Annotated[
        int, typer.Option(min=1, help="Save the weights after this number of updates, and at the end.")
    ] = 10,
    adapt: Annotated[
        str | None,
        typer.Option(
            "--adapt",
            metavar="rules|lm",
            help="Let references also teach rules, an n-gram model (lm), or both: rules,lm. Needs --learn.",
            show_default="weights only",
        ),
    ] = None,
    forget: ForgetOption = None,
    resume: Annotated[
        bool,
        typer.Option("--resume", help="Continue the session whose state is beside --save-weights."),
    ] = False,
    max_words: MaxWords = MAX_WORDS,
    on_error: OnErrorOption = OnError.stop,
    errors: ErrorsOption = None,
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

    With --cluster, the sentences of a worker that died are translated again. A sentence that kills workers
    counts as a sentence without a translation, or is skipped. All machines must see the same files and
    folders.

    With --decoder cdec, cdec itself translates, and --learn learns from its forests. The cdec.ini is read by
    cdec alone; give -i, -k and --learn here.

    For example:

      hopefear decode -c cdec.ini -w weights < in > out

      hopefear decode -c cdec.ini -w weights -k 100 --unique < in > nbest

      hopefear decode -c cdec.ini -w weights --threads 2 < in > out

      hopefear decode -c cdec.ini -w weights --cluster local:2 < in > out

      hopefear decode -c cdec.ini -w weights --feature SoftSyntax --trees in.trees < in

      hopefear decode -c cdec.ini -w weights --learn mira --save-weights new

      hopefear decode -c cdec.ini -w weights --learn mira --adapt rules,lm --save-weights new

      hopefear decode -c cdec.ini -w weights --on-error skip --errors bad.tsv < in > out
    """
    from hopefear.base import InputError
    from hopefear.decoder import Config, Decoder, read_config

    from ..io.output import Output
    from ..options.selection import selected_decoder
    from ..options.weights import check_given, checked, weights_file

    own = decoder == OWN
    if own:
        settings = read_config(config)
        check_given(weights, settings)
    else:  # it has options that only cdec knows
        settings = Config(base=config.parent, path=str(config))
    check_learning(
        settings.online_tuner if learn is None else learn,
        threads=threads,
        cluster=cluster,
        setting=setting,
        save_weights=save_weights,
    )
    adapted = check_adapting(adapt, forget=forget, resume=resume, learn=learn, settings=settings)
    if resume and save_weights is None:
        raise InputError("--resume needs --save-weights, beside which the state is")
    learner = chosen_learner(settings, learn, setting or ())
    translator: Decoder | CdecProcess
    if own:
        translator = selected_decoder(
            settings,
            weights,
            feature or (),
            allow=allow,
            deny=deny,
            hash_bits=hash_bits,
            freeze=freeze,
            max_words=max_words,
            kind=Decoder if adapted is None else adapting_kind(adapted),
        )
    else:
        translator = start_cdec(
            decoder,
            config,
            weights,
            max_words=max_words,
            skipped=None,
            excluded={
                "--feature": feature,
                "--allow": allow,
                "--deny": deny,
                "--hash-bits": hash_bits,
                "--freeze": freeze,
                "--trees": trees,
                "--conllu": conllu,
                "--tags": tags,
                "--classes": classes,
                "--adapt": adapted,
            },
        )
    translator.sends_deltas = False  # no report of fired features is needed
    if source is None:
        source = settings.input if settings.input == "-" else str(settings.base / settings.input)
    # Where translations go to the terminal, they show how far it is.
    shown = at_terminal(sys.stderr) and not at_terminal(sys.stdout)
    total = count_lines(source) if shown else None
    lines = read_segments(source, go_on=on_error is OnError.skip, grammars_under=grammars_under)
    segments = annotated(lines, trees=trees, conllu=conllu, tags=tags, classes=classes)
    if isinstance(translator, Decoder):
        segments = checked(segments, translator, weights_file(weights, settings))
    sys.stdout.reconfigure(encoding="utf-8", line_buffering=True)  # type: ignore[union-attr]
    output = Output.from_config(settings, k=k, unique=unique)
    skipped = make_skipped(on_error, errors, Path("hopefear-errors.tsv"))
    typed = source == "-" and at_terminal(sys.stdin)
    if learner is not None:
        from .live import Live, open_session

        with open_session(translator, learner, save_weights, forget=forget, resume=resume) as session:
            live = Live(
                translator, learner, output, save_weights, save_every, skipped, tell=typed, session=session
            )
            failed = live.run(segments)
    else:
        if typed:
            warn("ready: type one sentence per line, and Ctrl-D to end")
        with open_executor(cluster, threads) as executor:
            bar = ProgressBar(total, name="translating", show=shown)
            failed = translate(translator, segments, output, executor, skipped, bar)
    if skipped is not None:
        skipped.report()
    if debugging() and isinstance(translator, Decoder):
        for report in translator.table_report():
            warn(str(report))
    if failed:
        raise typer.Exit(1)


ADAPTS = ("rules", "lm")
"""What can learn beside the weights."""


def check_adapting(
    adapt: str | None, *, forget: str | None, resume: bool, learn: str | None, settings: Config
) -> list[str] | None:
    """Read the value of ``--adapt``; None without the option."""
    from hopefear.base import InputError

    if adapt is None:
        if forget is not None or resume:
            raise InputError("--forget and --resume need --adapt")
        return None
    if learn is None and settings.online_tuner is None:
        raise InputError("--adapt needs --learn or a line online_tuner=... in the cdec.ini")
    names = [name.strip() for name in adapt.split(",")]
    if not set(names) <= set(ADAPTS):
        raise InputError(f"--adapt: expected {', '.join(ADAPTS)} or both, got {adapt!r}")
    return names


def adapting_kind(names: Sequence[str]) -> Callable[..., AdaptingDecoder]:
    """Give what makes a decoder that adapts; a decoder that does not never loads the tuners."""
    from hopefear.live import adapting

    return adapting("rules" in names, "lm" in names)


def chosen_learner(config: Config, learn: str | None, settings: Sequence[str]) -> OnlineLearner | None:
    """Make the tuner that the option or the cdec.ini names; None if neither names one."""
    from hopefear.base import InputError

    line = config.online_tuner if learn is None else learn
    if line is None:
        return None
    from hopefear.tuners.catalogue import make_learner

    if learn is None:
        with config.naming(f"online_tuner {line}"):
            return make_learner(line, settings)
    try:
        return make_learner(line, settings)
    except InputError as error:
        raise InputError(f"--learn: {error}") from error


def check_learning(
    tuner: str | None,
    *,
    threads: int | None,
    cluster: str | None,
    setting: list[str] | None,
    save_weights: Path | None,
) -> None:
    """Refuse options that exclude each other."""
    from hopefear.base import InputError

    if tuner is None and (setting or save_weights is not None):
        raise InputError("--set and --save-weights need --learn or a line online_tuner=... in the cdec.ini")
    if tuner is not None and (threads or 1) > 1:
        raise InputError("learning handles one sentence at a time: expected --threads 1")
    if tuner is not None and cluster is not None:
        raise InputError("learning handles one sentence at a time: expected no --cluster")


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
        for text, problem, wrong in answers:
            sys.stdout.write(text)
            if problem is not None:
                failed = True
                warn(problem)
            if wrong is not None and skipped is not None:
                skipped.add(*wrong)
            bar.update()
    return failed
