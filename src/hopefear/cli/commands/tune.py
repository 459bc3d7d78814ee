"""``hopefear tune``: learn weights on a corpus."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hopefear.base.progress import print_line
from hopefear.decoder.lengths import MAX_WORDS, check_length

from ..errors import refusing, warn
from ..options import (
    OWN,
    REPORTED,
    Allow,
    Classes,
    Cluster,
    Conllu,
    DecoderOption,
    Deny,
    DevConllu,
    DevReference,
    DevTags,
    DevTrees,
    ErrorsOption,
    Force,
    Freeze,
    GrammarsUnder,
    HashBits,
    MaxWords,
    MinCount,
    OnError,
    OnErrorOption,
    ReportSentences,
    Resume,
    Tags,
    Trees,
    WeightsOption,
    make_skipped,
    open_executor,
    read_development,
    start_cdec,
)
from .listing import FeatureOption, Kind, completing

if TYPE_CHECKING:
    from hopefear.decoder import Translator
    from hopefear.tuners.contract import ParallelLearner

    from ..io.run import RunFolder


_MOST_LEARNERS = 20  # where the number is not given


@refusing
def tune(
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", metavar="FOLDER", help="Folder for weights, log, plots and checkpoint."
        ),
    ],
    config: Annotated[
        Path | None, typer.Option("--config", "-c", help="The cdec.ini; required without --kbest.")
    ] = None,
    source: Annotated[
        Path | None,
        typer.Option(
            "--source", "-s", help="Sentences to learn from, one per line; required without --kbest."
        ),
    ] = None,
    kbest: Annotated[
        list[Path] | None,
        typer.Option(
            "--kbest",
            help="Learn from these k-best lists of Moses, Joshua or cdec, without decoding; may repeat.",
        ),
    ] = None,
    weights: WeightsOption = None,
    reference: Annotated[
        list[Path] | None,
        typer.Option(
            "--reference",
            "-r",
            help="References of the sentences; may repeat.",
            show_default="the references after ||| in the source",
        ),
    ] = None,
    tuner: Annotated[
        str | None,
        typer.Option(
            help="The tuner, see hopefear list tuners.",
            show_default="Mira; with --kbest: BatchMira",
            autocompletion=completing(Kind.tuners),
        ),
    ] = None,
    setting: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            help="A setting of the tuner, such as C=0.01; may repeat. With --cluster and without workers=N, "
            "ParallelMira has one learner per worker, at most 20.",
        ),
    ] = None,
    oracle: Annotated[
        str | None,
        typer.Option(
            help='Oracle for the translations to learn from, such as "KBestLocal --k 100".',
            show_default="the tuner's own",
            autocompletion=completing(Kind.oracles),
        ),
    ] = None,
    metric: Annotated[
        str | None,
        typer.Option(
            help='Metric to optimise, such as "chrf --word-order 2".',
            show_default="Bleu",
            autocompletion=completing(Kind.metrics),
        ),
    ] = None,
    passes: Annotated[
        int | None, typer.Option(min=1, help="Passes over the corpus.", show_default="the tuner's own")
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(min=0, help="Seed of the order of the sentences.", show_default="the tuner's own"),
    ] = None,
    decoder: DecoderOption = OWN,
    feature: FeatureOption = None,
    min_count: MinCount = 1,
    allow: Allow = None,
    deny: Deny = None,
    hash_bits: HashBits = None,
    freeze: Freeze = None,
    trees: Trees = None,
    conllu: Conllu = None,
    tags: Tags = None,
    classes: Classes = None,
    dev_source: Annotated[
        Path | None,
        typer.Option(
            "--dev-source", help="Second set of sentences: the result are the weights that score best on it."
        ),
    ] = None,
    dev_reference: DevReference = None,
    dev_trees: DevTrees = None,
    dev_conllu: DevConllu = None,
    dev_tags: DevTags = None,
    grammars_under: GrammarsUnder = None,
    resume: Resume = False,
    force: Force = False,
    report_sentences: ReportSentences = REPORTED,
    cluster: Cluster = None,
    max_words: MaxWords = MAX_WORDS,
    on_error: OnErrorOption = OnError.stop,
    errors: ErrorsOption = None,
) -> None:
    """Learn weights on a corpus with references.

    The output folder gets weights.pass1, weights.pass2, ... (the weights after each pass), weights.final (the
    result, in cdec's format), log.jsonl (a line for each update and each pass), learning.png, report.html
    (scores, weights, and sentences before and after), run.json (command, settings, versions and times) and
    checkpoint. A run that was stopped, for example by Ctrl-C,
    continues with --resume and ends with the same weights. The weights files contain the selection of
    features, which decode applies. Batch tuners such as Pro can also learn from the k-best lists of another
    decoder.

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
    from hopefear.base import InputError
    from hopefear.cdec import weights_of
    from hopefear.decoder import read_config
    from hopefear.plugins import annotate
    from hopefear.plugins.corpus import read_corpus
    from hopefear.tuners.catalogue import gives, make_tuner
    from hopefear.tuners.contract import learns_in_parallel

    from ..io.run import RunFolder
    from ..options.selection import report_features, selected_decoder
    from ..options.weights import check_weights, weights_file
    from .tune_kbest import tune_kbest

    settings = [*(setting or ())]
    settings += [f"{key}={line}" for key, line in (("oracle", oracle), ("metric", metric)) if line]
    line = tuner or ("BatchMira" if kbest else "Mira")
    chosen = make_tuner(line, settings, on_corpus=True, passes=passes, seed=seed)
    if kbest:
        needless = {
            "--config": config,
            "--source": source,
            "--decoder": decoder != OWN,
            "--feature": feature,
            "--min-count": min_count > 1,
            "--allow": allow,
            "--deny": deny,
            "--hash-bits": hash_bits,
            "--freeze": freeze,
            "--trees": trees,
            "--conllu": conllu,
            "--tags": tags,
            "--classes": classes,
            "--dev-source": dev_source,
            "--dev-reference": dev_reference,
            "--dev-trees": dev_trees,
            "--dev-conllu": dev_conllu,
            "--dev-tags": dev_tags,
            "--grammars-under": grammars_under,
            "--resume": resume,
            "--cluster": cluster,
            "--on-error": on_error is OnError.skip,
            "--errors": errors,
        }
        if given := [name for name, value in needless.items() if value]:
            raise InputError(f"--kbest excludes {given[0]}, because nothing is decoded")
        tune_kbest(chosen, kbest, reference or (), weights_file(weights), output, force=force)
        return
    if config is None or source is None:
        raise InputError("expected --config and --source, or --kbest")
    if cluster is not None and not chosen.on_cluster:
        raise InputError(
            f"{type(chosen).__name__} does not run on a cluster: "
            "expected ParallelMira, Hols or a batch tuner, such as BatchMira, with --cluster"
        )
    if on_error is OnError.skip and not chosen.skips:
        raise InputError(f"{type(chosen).__name__} skips no sentences: --on-error skip is not possible")
    if (dev_source is None) != (not dev_reference):
        raise InputError("--dev-source needs --dev-reference, and --dev-reference needs --dev-source")
    development = read_development(
        dev_source,
        dev_reference,
        trees=dev_trees,
        conllu=dev_conllu,
        tags=dev_tags,
        classes=classes,
        grammars_under=grammars_under,
    )
    corpus = read_corpus(source, reference or (), grammars_under=grammars_under)
    corpus = list(annotate(corpus, trees=trees, conllu=conllu, tags=tags, classes=classes))
    if on_error is OnError.stop:
        for segment in (*corpus, *(development or ())):
            check_length(segment, max_words)
    own = read_config(config) if decoder == OWN else None
    start = weights_file(weights, own) if own or weights else weights_of(config)
    files = {
        "config": config,
        "weights": start,
        "source": source,
        "reference": reference,
        "trees": trees,
        "conllu": conllu,
        "tags": tags,
        "classes": classes,
        "freeze": freeze,
        "dev-source": dev_source,
        "dev-reference": dev_reference,
        "dev-trees": dev_trees,
        "dev-conllu": dev_conllu,
        "dev-tags": dev_tags,
    }
    options = {
        "--decoder": decoder,
        "--feature": feature,
        "--min-count": min_count,
    }
    with RunFolder(output, resume=resume, force=force) as run:
        skipped = make_skipped(on_error, errors, run.errors, append=run.resume)
        translator: Translator
        if own is None:
            translator = start_cdec(
                decoder,
                config,
                weights,
                max_words=max_words,
                skipped=skipped,
                excluded={
                    "--feature": feature,
                    "--min-count": min_count > 1,
                    "--allow": allow,
                    "--deny": deny,
                    "--hash-bits": hash_bits,
                    "--freeze": freeze,
                    "--trees": trees or dev_trees,
                    "--conllu": conllu or dev_conllu,
                    "--tags": tags or dev_tags,
                    "--classes": classes,
                },
            )
        else:
            translator = selected_decoder(
                own,
                weights,
                feature or (),
                allow=allow,
                deny=deny,
                hash_bits=hash_bits,
                freeze=freeze,
                max_words=max_words,
                min_count=min_count,
                corpus=corpus,
                skipped=skipped,
            )
            check_weights(translator, start, corpus[0], refuse=False)
        try:
            with nullcontext() if cluster is None else open_executor(cluster) as chosen.executor:
                if learns_in_parallel(chosen) and not gives(line, settings, "workers"):
                    _count_learners(chosen, run)
                with run.recorded(chosen, files, options):
                    finished = run.fit(chosen, translator, corpus, development, progress=True)
        finally:
            if skipped is not None:
                skipped.report()
            if learns_in_parallel(chosen) and chosen.restarts_:
                warn(f"workers that died and were restarted: {chosen.restarts_}")
        if finished:
            report_features(translator, "while tuning")
            run.report(translator, corpus, chosen, most=report_sentences, progress=True)
            print_line(f"learned weights: {run.final}")
        else:
            print_line(f"stopped; the same command with --resume continues from {run.checkpoint}")
            raise typer.Exit(130)


def _count_learners(tuner: ParallelLearner, run: RunFolder) -> None:
    """Set the number of learners to that of the resumed run, or to the number of workers in the cluster.

    The most is that of the paper (Chiang, Marton & Resnik 2008, section 4), because the messages to each
    learner grow with the number of learners.
    """
    from hopefear.tuners import read_checkpoint

    saved = read_checkpoint(run.checkpoint)["facts"].get("settings", {}) if run.resume else {}
    if "workers" in saved:
        tuner.workers = int(saved["workers"])
        print_line(f"learners: {tuner.workers}, as in the checkpoint")
    elif tuner.executor is not None:
        tuner.workers = min(tuner.executor.workers, _MOST_LEARNERS)
        print_line(f"learners: {tuner.workers}, on {tuner.executor.workers} workers")
