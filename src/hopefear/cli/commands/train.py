"""``hopefear train``: learn weights on the parallel text of a system."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hopefear.base.progress import print_line
from hopefear.decoder.lengths import LEARNED_MAX_WORDS

from ..errors import refusing, warn
from ..options import (
    REPORTED,
    Allow,
    Classes,
    Cluster,
    Conllu,
    Deny,
    DevConllu,
    DevReference,
    DevTags,
    DevTrees,
    ErrorsOption,
    Force,
    HashBits,
    MinCount,
    OnError,
    OnErrorOption,
    ReportSentences,
    Resume,
    Setting,
    Tags,
    Trees,
    WeightsOption,
    make_skipped,
    open_executor,
    read_development,
)
from .listing import FeatureOption, Kind, completing

if TYPE_CHECKING:
    from hopefear.grammars.training_text import LeavingOut, TrainingText
    from hopefear.tuners.contract import Tuner

    from ..io.run import RunFolder
    from ..io.run_record import Files

_SENTENCES_A_SAVE = 500
"""Sentences between two checkpoints where the setting save_every is not given."""


@refusing
def train(
    system: Annotated[Path, typer.Argument(help="Folder made by hopefear build --folds.")],
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", metavar="FOLDER", help="Folder for weights, log, plots and checkpoint."
        ),
    ],
    weights: WeightsOption = None,
    feature: FeatureOption = None,
    tuner: Annotated[
        str,
        typer.Option(
            help="The tuner, one that learns online: see hopefear list learners.",
            autocompletion=completing(Kind.learners),
        ),
    ] = "AdaptiveMira",
    setting: Setting = None,
    sentences: Annotated[
        int | None,
        typer.Option(
            min=1, help="Use this number of sentences of the text, drawn at random.", show_default="all"
        ),
    ] = None,
    max_words: Annotated[
        int,
        typer.Option("--max-words", min=1, help="Leave out sentences of the text with more source words."),
    ] = LEARNED_MAX_WORDS,
    fold_rules: Annotated[
        bool,
        typer.Option(
            "--fold-rules", help="Extract the rules of a sentence from the other folds, not the whole text."
        ),
    ] = False,
    neighbours: Annotated[
        int | None,
        typer.Option(
            min=0,
            help="Leave out this number of sentence pairs on either side of a sentence, too, where its rules "
            "are extracted.",
            show_default="50, and at most a hundredth of the text in all",
        ),
    ] = None,
    pop_limit: Annotated[
        int | None,
        typer.Option(
            "--pop-limit",
            min=1,
            help="The pop limit of cube pruning while learning on the text.",
            show_default="that of the system",
        ),
    ] = None,
    passes: Annotated[int, typer.Option(min=1, help="Passes over the text.")] = 1,
    trees: Trees = None,
    conllu: Conllu = None,
    tags: Tags = None,
    classes: Classes = None,
    dev_source: Annotated[
        Path | None,
        typer.Option(
            "--dev-source",
            help="Development set, on which --tuner-dev tunes afterwards.",
        ),
    ] = None,
    dev_reference: DevReference = None,
    dev_trees: DevTrees = None,
    dev_conllu: DevConllu = None,
    dev_tags: DevTags = None,
    dev_tuner: Annotated[
        str | None,
        typer.Option(
            "--tuner-dev",
            metavar="NAME",
            help="Tuner of --dev-source: SummaryMira tunes the model's own weights and a factor of all "
            "others, Mira all weights.",
            show_default="SummaryMira",
        ),
    ] = None,
    dev_setting: Annotated[
        list[str] | None,
        typer.Option(
            "--set-dev", help="A setting of the tuner of --dev-source, such as passes=5; may repeat."
        ),
    ] = None,
    seed: Annotated[
        int, typer.Option(min=0, help="Seed of the drawn sentences, and of the order of the sentences.")
    ] = 0,
    min_count: MinCount = 1,
    allow: Allow = None,
    deny: Deny = None,
    hash_bits: HashBits = None,
    resume: Resume = False,
    force: Force = False,
    report_sentences: ReportSentences = REPORTED,
    cluster: Cluster = None,
    on_error: OnErrorOption = OnError.stop,
    errors: ErrorsOption = None,
) -> None:
    """Learn weights on the parallel text of a system, each sentence translated by models that leave it out.

    The rules of a sentence are extracted from the whole text without its own sentence pair and those near
    it, as for new text: a document repeats its names and phrases. The n-gram model of a sentence is that
    of the folds that do not contain it. The tuner learns online, from one
    sentence after the other, so that memory depends on the models and the features, not on the number of
    sentences. Sentence pairs with an empty side, and those with more than --max-words source words, are left
    out and counted.

    Files of annotations, such as --trees, have an item for each line of the source side of the text.

    With --dev-source, SummaryMira then tunes the weights of the model's own features on a development set,
    and one factor for the weights of all plugins' features; with --tuner-dev Mira all weights are tuned. The
    folder text/ in the output folder has the run on the text.

    The output folder gets the same files as that of hopefear tune. A run that was stopped, for example by
    Ctrl-C, or killed, continues with --resume and ends with the same weights; if the run is still under way,
    the command waits for its end.

    For example:

      hopefear build -s train.es -t train.en -i dev.es -i test.es -o system/ --folds 5

      hopefear train system/ --feature RuleIndicators -o run/

      hopefear train system/ --feature RuleIndicators -o run/ --dev-source dev.es --dev-reference dev.en

      hopefear train system/ --feature RuleIndicators -o run/ --resume

      hopefear train system/ --feature RuleIndicators -o run/ --pop-limit 30

      hopefear train system/ --feature RuleIndicators --feature WordPairs -o run/ --sentences 10000 --passes 2

      hopefear train system/ --feature RuleIndicators -o run/ --tuner ParallelMira --set workers=2

      hopefear train system/ --feature SoftSyntax --trees train.es.trees.gz -o run/
    """
    from hopefear.base import InputError
    from hopefear.grammars.built import Build
    from hopefear.plugins import Annotations, create
    from hopefear.tuners.catalogue import make_tuner
    from hopefear.tuners.contract import learns_in_parallel

    from ..io.run import RunFolder
    from ..options.selection import make_selection, report_features
    from ..options.weights import weights_file

    def plugins() -> list[Any]:
        return [create(line, base=Path()) for line in feature or ()]

    learner = _learner(tuner, setting or [], passes, seed)
    conditioner = make_tuner(dev_tuner or _conditioner(feature), dev_setting or (), on_corpus=True, seed=seed)
    built = Build.open(system)
    if not built.folds:
        raise InputError("expected a system with folds: build it with --folds 5", path=system)
    if fold_rules and neighbours is not None:
        raise InputError("--neighbours is not for --fold-rules, which leaves out the whole fold")
    if dev_source is None and (dev_reference or dev_tuner or dev_setting):
        message = "--dev-reference, --tuner-dev and --set-dev are for --dev-source: expected --dev-source"
        raise InputError(message)
    development = read_development(
        dev_source, dev_reference, trees=dev_trees, conllu=dev_conllu, tags=dev_tags, classes=classes
    )
    start = weights_file(weights, built.config)
    files: Files = {
        "system": system / "build.json",
        "weights": start,
        "trees": trees,
        "conllu": conllu,
        "tags": tags,
        "classes": classes,
    }
    options = {
        "--feature": feature,
        "--fold-rules": fold_rules,
        "--neighbours": neighbours,
        "--pop-limit": pop_limit,
        "--min-count": min_count,
    }
    annotations = Annotations(trees=trees, conllu=conllu, tags=tags, classes=classes)
    with (
        RunFolder(output, resume=resume, force=force, wait=resume) as run,
        RunFolder(output / "text", resume=resume, force=force)
        if development
        else nullcontext(run) as text_run,
    ):
        skipped = make_skipped(on_error, errors, text_run.errors, append=text_run.resume)
        text = built.training_text(
            sentences=sentences, seed=seed, max_words=max_words, annotations=annotations
        )
        _tell(text)

        def make(**options: Any) -> LeavingOut:
            made = built.leaving_out(
                features=plugins,
                max_words=max_words,
                own_rules=not fold_rules,
                neighbours=neighbours,
                pop_limit=pop_limit,
                **options,
            )
            if skipped is not None:
                made.on_error = skipped.add
            return made

        selection = make_selection(allow, deny, hash_bits)
        leaving_out = make(weights={} if start is None else start, selection=selection)
        if min_count > 1:
            leaving_out = _without_rare(leaving_out, make, text, min_count, text_run)
        try:
            with (
                nullcontext() if cluster is None else open_executor(cluster) as learner.executor,
                text_run.recorded(learner, files, options),
            ):
                finished = text_run.fit(learner, leaving_out, text, progress=True)
        finally:
            if skipped is not None:
                skipped.report()
            if learns_in_parallel(learner) and learner.restarts_:
                warn(f"workers that died and were restarted: {learner.restarts_}")
        if not finished:
            _stop(text_run)
        report_features(leaving_out, "in the text")
        if not development:
            run.report(leaving_out, text, learner, most=report_sentences, progress=True)
        else:
            del leaving_out  # its n-gram models
            files = {
                **files,
                "dev-source": dev_source,
                "dev-reference": dev_reference,
                "dev-trees": dev_trees,
                "dev-conllu": dev_conllu,
                "dev-tags": dev_tags,
            }
            decoder = built.decoder(weights=text_run.final, features=plugins())
            with run.recorded(conditioner, files, options):
                finished = run.fit(conditioner, decoder, development, progress=True)
            if not finished:
                _stop(run)
            run.report(decoder, development, conditioner, most=report_sentences, progress=True)
    print_line(f"learned weights: {run.final}")


def _conditioner(features: list[str] | None) -> str:
    """Name the tuner for the development set; without plugins there is nothing to sum up."""
    return "SummaryMira" if features else "Mira"


def _stop(run: RunFolder) -> None:
    print_line(f"stopped; the same command with --resume continues from {run.checkpoint}")
    raise typer.Exit(130)


def _learner(line: str, settings: list[str], passes: int, seed: int) -> Tuner:
    """Make the tuner, which is to save its state often enough.

    Raises
    ------
    InputError
        There is no such tuner or setting, or the tuner does not learn online.
    """
    from hopefear.base import InputError
    from hopefear.tuners.catalogue import gives, known_learners, make_tuner, tuners

    found = tuners.find(line.partition(" ")[0], base=Path())
    if not getattr(found, "learns_online", False):
        raise InputError(
            f"{found.__name__} learns from a whole corpus at once; "
            f"tuners that learn online: {', '.join(known_learners())}"
        )
    made = make_tuner(line, settings, on_text=True, passes=passes, seed=seed)
    if hasattr(made, "save_every") and not gives(line, settings, "save_every"):
        made.save_every = max(_SENTENCES_A_SAVE // getattr(made, "batch_size", 1), 1)
    return made


def _without_rare(
    decoder: LeavingOut,
    make: Callable[..., LeavingOut],
    text: TrainingText,
    min_count: int,
    run: RunFolder,
) -> LeavingOut:
    """Make a decoder again such that only features fire that weights name or that are frequent in the text.

    The checkpoint of a run that goes on names the features that the run found.
    """
    from hopefear.base.progress import progress_bar
    from hopefear.decoder import FeatureSelection
    from hopefear.tuners import read_checkpoint
    from hopefear.tuners.contract import load_lines

    from ..options.selection import report_features

    given = decoder.weights.nonzero()
    if run.resume:
        names = load_lines(read_checkpoint(run.checkpoint)["arrays"]["names"])
    else:
        sentences = progress_bar(text, len(text), name="features of the text")
        names = decoder.frequent_features(sentences, min_count)
        report_features(decoder, f"before the cut-off at {min_count} sentences")
    selection = replace(decoder.weights.selection or FeatureSelection(), frozen=True)
    made = make(weights=given, selection=selection)
    for name in names:
        made.weights.id(name)
    return made


def _tell(text: TrainingText) -> None:
    """Print how much of the text is learned from."""
    out = text.left_out
    parts = [f"{out.empty:,} with an empty side", f"{out.too_long:,} that are too long"]
    print_line(f"text: learns from {len(text):,} sentence pairs; left out: {', '.join(parts)}")
