"""``hopefear tune``: learn weights on a corpus."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from hopefear.base import InputError
from hopefear.base.progress import print_line, warn
from hopefear.decoder import Translator, read_config

from ..command import command, files_given, named_values, only, option, options_given
from ..names import NamedKind
from ..options import (
    AnnotationFiles,
    ChosenDecoder,
    Development,
    Failures,
    GivenWeights,
    Limits,
    RunOptions,
    Selection,
    TextForm,
    Workers,
    check_weights,
    report_features,
)

if TYPE_CHECKING:
    from hopefear.tuners.contract import Tuner

    from ..io.run import CommandRun


_MOST_LEARNERS = 20  # where the number is not given
_WITH_KBEST = ("--kbest", "--language", "--reference", "--output", "--force")


@dataclass(frozen=True, kw_only=True)
class TuningFiles:
    """The options that say what to learn from."""

    config: Path | None = option("The cdec.ini; required without --kbest.", "-c", default=None)
    source: Path | None = option(
        "Sentences to learn from, one per line; required without --kbest.", "-s", default=None
    )
    kbest: list[Path] = option(
        "Learn from these k-best lists of Moses, Joshua or cdec, without decoding; may repeat.", default=()
    )
    language: str | None = option(
        "With --kbest: texts are as written in this language, as in hopefear score.",
        metavar="LANGUAGE",
        default=None,
        shown="words are separated by blanks",
    )
    reference: list[Path] = option(
        "References of the sentences; may repeat.",
        "-r",
        default=(),
        shown="the references after ||| in the source",
    )


@dataclass(frozen=True, kw_only=True)
class TunerOptions:
    """The options that choose a tuner and its settings."""

    tuner: str | None = option(
        "The tuner, see hopefear list tuners; with a preset: Mira.paper, Mira.text.",
        default=None,
        shown="Mira; with --kbest: BatchMira",
        completion=NamedKind.tuners,
    )
    setting: list[str] = named_values(
        "A setting of the tuner, such as C=0.01; may repeat. With --cluster and without workers=N, "
        "ParallelMira has one learner per worker, at most 20."
    )
    oracle: str | None = option(
        'Oracle for the translations to learn from, such as "KBestLocal --k 100".',
        default=None,
        shown="the tuner's own",
        completion=NamedKind.oracles,
    )
    metric: str | None = option(
        'Metric to optimise, such as "chrf --word-order 2".',
        default=None,
        shown="Bleu",
        completion=NamedKind.metrics,
    )
    passes: int | None = option("Passes over the corpus.", default=None, min=1, shown="the tuner's own")
    seed: int | None = option(
        "Seed of the order of the sentences.", default=None, min=0, shown="the tuner's own"
    )

    @property
    def settings(self) -> list[str]:
        """The settings as ``name=value``."""
        named = (("oracle", self.oracle), ("metric", self.metric))
        return [*self.setting, *(f"{name}={line}" for name, line in named if line)]

    def make(self, usual: str = "Mira") -> Tuner:
        """Make the tuner, or the usual one if none is named."""
        from hopefear.tuners.catalogue import make_tuner

        line = self.tuner or usual
        return make_tuner(line, self.settings, passes=self.passes, seed=self.seed)


def count_learners(tuner: Tuner, line: str | None, settings: Sequence[str], run: CommandRun) -> None:
    """Set the number of learners, if none is given, to that of the resumed run or of the workers.

    The most is that of the paper (Chiang, Marton & Resnik 2008, section 4), because the messages to each
    learner grow with the number of learners.
    """
    from hopefear.tuners import read_checkpoint
    from hopefear.tuners.catalogue import gives
    from hopefear.tuners.contract import learns_in_parallel

    if not learns_in_parallel(tuner) or gives(line or "", settings, "workers"):
        return
    saved = read_checkpoint(run.checkpoint)["facts"].get("settings", {}) if run.resume else {}
    if "workers" in saved:
        tuner.workers = int(saved["workers"])
        print_line(f"learners: {tuner.workers}, as in the checkpoint")
    elif tuner.executor is not None:
        tuner.workers = min(tuner.executor.workers, _MOST_LEARNERS)
        print_line(f"learners: {tuner.workers}, on {tuner.executor.workers} workers")


_ONE_SEARCH = (
    "the weights also search for the list that they choose from, and may run away: tune without this feature "
    "first, then with --search-weights FILE behind it"
)


@command
def tune(
    *,
    run: RunOptions,
    files: TuningFiles,
    weights: GivenWeights,
    learner: TunerOptions,
    decoder: ChosenDecoder,
    selection: Selection,
    annotations: AnnotationFiles,
    development: Development,
    form: TextForm,
    limits: Limits,
    workers: Annotated[Workers, only("cluster")],
    failures: Failures,
) -> None:
    """Learn weights on a corpus with references.

    The output folder gets weights.pass1, weights.pass2, ... (the weights after each pass), weights.final
    (the result, in cdec's format), log.jsonl (a line for each update and each pass), learning.png,
    report.html (score and sentences before and after, curves, weights), run.json (command, settings,
    versions and times) and checkpoint. A run that was stopped, for example by Ctrl-C, continues with
    --resume and ends with the same weights. The weights files contain the selection of features, which
    decode applies. Batch tuners such as Pro can also learn from the k-best lists of another decoder.

    With --cluster, batch tuners and ParallelMira work in processes of Ray. The order in which the workers of
    ParallelMira finish then depends on the clock; checkpoint.schedule records it, and --set replay=FILE
    repeats it. With --on-error skip, a sentence on which a plugin fails, which needs more memory than there
    is, or which has more than --max-words words, is written to errors.tsv in the output folder, or to the
    file of --errors, and the tuner does not learn from it.

    With --decoder cdec, cdec itself translates, with all options of its cdec.ini; the tuner learns from the
    forests that cdec writes, and sends it the changed weights with each sentence.

    For example:

      hopefear tune -c cdec.ini -w weights.init -s dev.es -r dev.en -o run/

      hopefear tune -c cdec.ini -s dev.es -r dev.en.0 -r dev.en.1 -o run/

      hopefear tune -c cdec.ini -s in -r ref -o run/ --set C=0.005 --passes 4

      hopefear tune -c cdec.ini -s in -r ref -o run/ --feature RuleIndicators --min-count 3

      hopefear tune -c cdec.ini -s in -r ref -o run/ --oracle KBestLocal --metric ter

      hopefear tune -c cdec.ini -s in -r ref -o run/ --resume

      hopefear tune -c cdec.ini -s in -r ref -o run/ --tuner Pro

      hopefear tune -c cdec.ini -s in -r ref -o run/ --tuner ParallelMira --cluster local:4

      hopefear tune -c cdec.ini -s in -r ref -o run/ --decoder cdec/build/decoder/cdec

      hopefear tune --kbest nbest.gz -r ref -o run/ --tuner Pro
    """
    from hopefear.cdec import weights_of

    from .tune_kbest import tune_kbest

    tuner = learner.make("BatchMira" if files.kbest else "Mira")
    if files.kbest:
        given = options_given(
            files, decoder, selection, annotations, development, form, limits, run, workers, failures
        )
        for name in given:
            if name not in _WITH_KBEST:
                raise InputError(f"--kbest excludes {name}, because nothing is decoded")
        tune_kbest(tuner, files.kbest, files.reference, weights.file(), run, files.language)
        return
    if files.language is not None:
        raise InputError("--language needs --kbest: a system that was built with languages knows them")
    if files.config is None or files.source is None:
        raise InputError("expected --config and --source, or --kbest")
    _check(tuner, development, workers)
    own = read_config(files.config) if decoder.own else None
    text = form.system(own) if own is not None else None
    under, prepare = limits.grammars_under, partial(form.prepare, text=text)
    tested = development.read(classes=annotations.classes, grammars_under=under, prepare=prepare)
    corpus = annotations.read(files.source, files.reference, grammars_under=under, prepare=prepare)
    if not failures.skip:
        limits.check((*corpus, *(tested or ())))
    start = weights.file(own) if own or weights.weights else weights_of(files.config)
    inputs: dict[str, Any] = {"config": files.config, "weights": start}
    inputs |= files_given(files, annotations, selection, development)
    inputs["annotation"] = [*annotations.own().values()]
    inputs["dev-annotation"] = [*development.own().values()]
    options = {
        "--decoder": decoder.name,
        "--feature": selection.feature,
        "--min-count": selection.min_count,
        "--tokens": form.tokens,
        "--annotation": [*annotations.own()],
    }
    with run.open() as folder:
        skipped = failures.open(folder.errors, append=folder.resume)
        translator: Translator
        if own is None:
            sets = replace(development, source=None, references=[])
            excluded = options_given(selection, annotations, sets)
            translator = decoder.start_cdec(
                files.config, weights, max_words=limits.max_words, excluded=excluded, skipped=skipped
            )
        else:
            translator = selection.decoder(
                own, start, max_words=limits.max_words, corpus=corpus, skipped=skipped
            )
            check_weights(translator, start, corpus[0], refuse=False)
            for plugin in translator.plugins:
                if plugin.level == "list" and plugin.search_weights is None:
                    warn(f"{type(plugin).__name__}: {_ONE_SEARCH}")
        with workers.open_cluster() as tuner.executor:
            count_learners(tuner, learner.tuner, learner.settings, folder)
            folder.learn(tuner, translator, corpus, tested, files=inputs, options=options, skipped=skipped)
        report_features(translator, "while tuning")
        folder.report(translator, corpus, tuner, tested, most=run.reported(tuner, corpus))
        print_line(f"learned weights: {folder.final}")


def _check(tuner: Tuner, development: Development, workers: Workers) -> None:
    """Refuse options that need others or another tuner."""
    from hopefear.tuners.contract import Can, can

    if workers.cluster is not None and not can(tuner, Can.USE_CLUSTER):
        raise InputError(
            f"{type(tuner).__name__} does not run on a cluster: "
            "expected ParallelMira, Hols or a batch tuner, such as BatchMira, with --cluster"
        )
    if (development.source is None) != (not development.references):
        raise InputError("--dev-source needs --dev-reference, and --dev-reference needs --dev-source")
