"""``hopefear train``: learn weights on the parallel text of a system."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from hopefear.base import InputError
from hopefear.base.progress import print_line, progress_bar
from hopefear.decoder import FeatureSelection
from hopefear.decoder.lengths import LEARNED_MAX_WORDS

from ..command import argument, command, files_given, named_values, only, option, without
from ..io.skipped import Skipped
from ..names import NamedKind
from ..options import (
    SETTING,
    AnnotationFiles,
    Development,
    Failures,
    GivenWeights,
    RunOptions,
    Selection,
    TextForm,
    Workers,
    report_features,
)
from .tune import count_learners

if TYPE_CHECKING:
    from hopefear.grammars.built import Build
    from hopefear.grammars.training_text import LeavingOut, TrainingText
    from hopefear.tuners.contract import Tuner

    from ..io.run import CommandRun

_SENTENCES_A_SAVE = 500
"""Sentences between two checkpoints where the setting save_every is not given."""


@dataclass(frozen=True, kw_only=True)
class TextOptions:
    """The options that choose sentences of the text, and the models that translate them."""

    sentences: int | None = option(
        "Use this number of sentences of the text, drawn at random.", default=None, min=1, shown="all"
    )
    max_words: int = option(
        "Leave out sentences of the text with more source words.", default=LEARNED_MAX_WORDS, min=1
    )
    fold_rules: bool = option(
        "Extract the rules of a sentence from the other folds, not the whole text.", default=False
    )
    neighbours: int | None = option(
        "Leave out this number of sentence pairs on either side of a sentence, too, where its rules are "
        "extracted.",
        default=None,
        min=0,
        shown="50, and at most a hundredth of the text in all",
    )
    pop_limit: int | None = option(
        "The pop limit of cube pruning while learning on the text.",
        default=None,
        min=1,
        shown="that of the system",
    )

    def decoder(
        self,
        built: Build,
        text: TrainingText,
        start: Path | None,
        *,
        selection: Selection,
        skipped: Skipped | None,
        run: CommandRun,
    ) -> LeavingOut:
        """Make a decoder for the sentences of the text, in which only the selected features fire.

        With ``--min-count`` these are the features that weights name or that are frequent in the text; the
        checkpoint of a run that goes on names those that the run found.
        """
        from hopefear.tuners import read_checkpoint
        from hopefear.tuners.contract import load_lines

        def make(weights: Any, patterns: FeatureSelection | None) -> LeavingOut:
            made = built.leaving_out(
                weights=weights,
                selection=patterns,
                features=selection.plugins,
                max_words=self.max_words,
                own_rules=not self.fold_rules,
                neighbours=self.neighbours,
                pop_limit=self.pop_limit,
            )
            if skipped is not None:
                made.on_error = skipped.add
            return made

        decoder = make({} if start is None else start, selection.patterns())
        if selection.min_count == 1:
            return decoder
        if run.resume:
            names = load_lines(read_checkpoint(run.checkpoint)["arrays"]["names"])
        else:
            sentences = progress_bar(text, len(text), name="features of the text")
            names = decoder.frequent_features(sentences, selection.min_count)
            report_features(decoder, f"before the cut-off at {selection.min_count} sentences")
        frozen = replace(decoder.weights.selection or FeatureSelection(), frozen=True)
        decoder = make(decoder.weights.nonzero(), frozen)
        for name in names:
            decoder.weights.id(name)
        return decoder


@dataclass(frozen=True, kw_only=True)
class TunedDevelopment(Development):
    """The options of a development set, and of its tuner."""

    source: Path | None = option(
        "Development set, on which --tuner-dev tunes afterwards.", "--dev-source", default=None
    )
    tuner: str | None = option(
        "Tuner of --dev-source: SummaryMira tunes the model's own weights and a factor of all others, Mira "
        "all weights; CrossValidated chooses on held-out parts.",
        "--tuner-dev",
        metavar="NAME",
        default=None,
        shown="CrossValidated",
    )
    setting: list[str] = named_values(
        "A setting of the tuner of --dev-source, such as passes=5; may repeat.", "--set-dev"
    )

    def make_tuner(self, seed: int) -> Tuner:
        """Make the tuner of the set."""
        from hopefear.tuners.catalogue import make_tuner

        return make_tuner(self.tuner or "CrossValidated", self.setting, seed=seed)


@command
def train(
    *,
    system: Path = argument("Folder made by hopefear build --folds."),
    run: RunOptions,
    weights: GivenWeights,
    tuner: str = option(
        "The tuner, one that learns online: see hopefear list learners.",
        default="AdaptiveMira",
        completion=NamedKind.learners,
    ),
    setting: list[str] = SETTING,
    text: TextOptions,
    passes: int = option("Passes over the text.", default=1, min=1),
    seed: int = option("Seed of the drawn sentences, and of the order of the sentences.", default=0, min=0),
    selection: Annotated[Selection, without("freeze")],
    annotations: AnnotationFiles,
    form: TextForm,
    development: TunedDevelopment,
    workers: Annotated[Workers, only("cluster")],
    failures: Failures,
) -> None:
    """Learn weights on the parallel text of a system, each sentence translated by models that leave it out.

    The rules of a sentence are extracted from the whole text without its own sentence pair and those near
    it, as for new text: a document repeats its names and phrases. The n-gram model of a sentence is that
    of the folds that do not contain it. The tuner learns online, from one
    sentence after the other, so that memory depends on the models and the features, not on the number of
    sentences. Sentence pairs with an empty side, and those with more than --max-words source words, are left
    out and counted.

    Files of annotations, such as --trees, have an item for each line of the source side of the text.

    With --dev-source, the weights are then tuned on a development set, if that helps. What helps differs from
    text to text, so that the command chooses. The set is dealt into parts. Each part is translated with the
    weights of the text, and with weights that were tuned on the other parts: by SummaryMira (the weights of
    the model's own features, and one factor for the weights of all plugins' features), by Mira (all
    weights), and half of the way to the weights of Mira. What scores best is done with the whole set; of
    scores that are almost the same, what changes the weights least. The command prints the scores and the
    choice, which are in run.json, too; --tuner-dev NAME fixes the tuner. The folder text/ in the output
    folder has the run on the text.

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
    from hopefear.grammars.built import Build
    from hopefear.tuners.contract import Can, can

    learner = _learner(tuner, setting, passes, seed)
    conditioner = development.make_tuner(seed)
    built = Build.open(system)
    _check(built, text, development, workers, (learner, conditioner) if development.source else (learner,))
    prepare = partial(form.prepare, text=form.system(built.config))
    tested = development.read(classes=annotations.classes, prepare=prepare)
    annotated = annotations.open()
    start = weights.file(built.config)
    files: dict[str, Any] = {"system": system / "build.json", "weights": start, **files_given(annotations)}
    files["annotation"] = [*annotations.own().values()]
    options = {
        "--feature": selection.feature,
        "--fold-rules": text.fold_rules,
        "--neighbours": text.neighbours,
        "--pop-limit": text.pop_limit,
        "--min-count": selection.min_count,
        "--tokens": form.tokens,
        "--annotation": [*annotations.own()],
    }
    with (
        run.open(wait=run.resume) as folder,
        run.open("text") if tested else nullcontext(folder) as text_folder,
    ):
        skipped = failures.open(text_folder.errors, append=text_folder.resume)
        corpus = built.training_text(
            sentences=text.sentences, seed=seed, max_words=text.max_words, annotations=annotated
        )
        _tell(corpus)
        leaving_out = text.decoder(
            built, corpus, start, selection=selection, skipped=skipped, run=text_folder
        )
        with workers.open_cluster(needed=can(learner, Can.USE_CLUSTER)) as learner.executor:
            count_learners(learner, tuner, setting, text_folder)
            text_folder.learn(learner, leaving_out, corpus, files=files, options=options, skipped=skipped)
        report_features(leaving_out, "in the text")
        if not tested:
            folder.report(leaving_out, corpus, learner, most=run.reported(learner, corpus))
        else:
            del leaving_out  # its n-gram models
            decoder = built.decoder(weights=text_folder.final, features=selection.plugins())
            files |= files_given(development)
            options["--tuner-dev"] = development.tuner
            with workers.open_cluster(needed=can(conditioner, Can.USE_CLUSTER)) as conditioner.executor:
                count_learners(conditioner, development.tuner, development.setting, folder)
                folder.learn(conditioner, decoder, tested, files=files, options=options)
            folder.report(decoder, tested, conditioner, most=run.reported(conditioner, tested))
    print_line(f"learned weights: {folder.final}")


def _check(
    built: Build,
    text: TextOptions,
    development: TunedDevelopment,
    workers: Workers,
    used: Sequence[Tuner],
) -> None:
    """Refuse a system without folds, and options that need others or another tuner."""
    from hopefear.tuners.contract import Can, can

    if not built.folds:
        raise InputError("expected a system with folds: build it with --folds 5", path=built.folder)
    if text.fold_rules and text.neighbours is not None:
        raise InputError("--neighbours is not for --fold-rules, which leaves out the whole fold")
    if workers.cluster is not None and not any(can(tuner, Can.USE_CLUSTER) for tuner in used):
        got = " and ".join(type(tuner).__name__ for tuner in used)
        raise InputError(f"--cluster: expected a tuner that runs on one, such as ParallelMira, got {got}")
    of_set = development.references or development.tuner or development.setting
    if development.source is None and of_set:
        message = "--dev-reference, --tuner-dev and --set-dev are for --dev-source: expected --dev-source"
        raise InputError(message)


def _learner(line: str, settings: list[str], passes: int, seed: int) -> Tuner:
    """Make the tuner, which is to save its state often enough."""
    from hopefear.tuners.catalogue import find_tuner, gives, known_learners, make_tuner
    from hopefear.tuners.contract import Can, can

    found = find_tuner(line.partition(" ")[0])
    if not can(found, Can.LEARN_ONLINE):
        raise InputError(
            f"{found.__name__} learns from a whole corpus at once; "
            f"tuners that learn online: {', '.join(known_learners())}"
        )
    made = make_tuner(line, settings, preset="text", passes=passes, seed=seed)
    if hasattr(made, "save_every") and not gives(line, settings, "save_every"):
        made.save_every = max(_SENTENCES_A_SAVE // getattr(made, "batch_size", 1), 1)
    return made


def _tell(text: TrainingText) -> None:
    """Print how much of the text is learned from."""
    out = text.left_out
    parts = [f"{out.empty:,} with an empty side", f"{out.too_long:,} that are too long"]
    print_line(f"text: learns from {len(text):,} sentence pairs; left out: {', '.join(parts)}")
