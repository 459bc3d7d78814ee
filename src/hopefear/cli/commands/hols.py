"""``hopefear hols``: held-out line search on the parallel text of a system."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from hopefear.base import InputError
from hopefear.base.progress import print_line
from hopefear.decoder import Decoder
from hopefear.plugins import create
from hopefear.plugins.corpus import read_corpus

from ..command import argument, command, named_values, option, without
from ..names import NamedKind
from ..options import Limits, RunOptions, TextForm, Workers, report_features

if TYPE_CHECKING:
    from hopefear.grammars.built import Build
    from hopefear.tuners.contract import Tuner


@dataclass(frozen=True, kw_only=True)
class HolsOptions:
    """The options of HOLS, and of MERT before it."""

    updates: int = option("Number of updates: a gradient and a line search each.", default=1, min=1)
    parts: int = option(
        "Divide the text into this number of parts; each gradient uses one part.", default=1, min=1
    )
    no_conditioning: bool = option("Do not divide gradients by the features' frequency.", default=False)
    setting: list[str] = named_values("A setting of Hols, such as k=500; may repeat.")
    mert_setting: list[str] = named_values(
        "A setting of the first MERT, such as k=500; may repeat.", "--set-mert"
    )
    seed: int | None = option(
        "Seed of MERT and of HOLS.", default=None, min=0, shown="those of Mert and Hols"
    )

    def mert(self, threads: int | None) -> Tuner:
        """Make the first tuner."""
        from hopefear.tuners.catalogue import make_tuner

        return make_tuner("Mert", self.mert_setting, seed=self.seed, threads=threads)

    def hols(self, threads: int | None) -> Tuner:
        """Make the tuner of the sparse features."""
        from hopefear.tuners.catalogue import make_tuner

        return make_tuner(
            "Hols",
            self.setting,
            seed=self.seed,
            threads=threads,
            updates=self.updates,
            parts=self.parts,
            conditioning=False if self.no_conditioning else None,
        )


@dataclass(frozen=True, kw_only=True)
class HeldOut:
    """The options of the held-out fold."""

    no_folds: bool = option("Use models of the whole text for gradients and line searches.", default=False)
    number: int | None = option(
        "Number of the held-out fold for MERT and line searches.",
        "--held-out",
        default=None,
        min=1,
        shown="the last",
    )
    sentences: int = option("Use this number of sentences of the held-out fold.", default=10_000, min=1)

    def fold(self, built: Build) -> int:
        """Return the number of the held-out fold, from 1."""
        folds = len(built.folds)
        if folds < 2:
            raise InputError("expected a system with folds: build it with --folds 5", path=built.folder)
        if (self.number or 1) > folds:
            raise InputError(
                f"expected --held-out from 1 to {folds}, the number of folds, got {self.number}",
                path=built.folder,
            )
        return self.number or folds


@command
def hols(
    *,
    system: Path = argument("Folder made by hopefear build --folds."),
    source: Path = option("Development set, one sentence per line.", "-s"),
    reference: list[Path] = option("References of the development set; may repeat.", "-r"),
    run: Annotated[RunOptions, without("report_sentences")],
    feature: list[str] = option(
        'Sparse features: "NAME arguments"; may repeat.',
        default=(),
        shown="RuleIndicators",
        completion=NamedKind.plugins,
    ),
    learning: HolsOptions,
    held_out: HeldOut,
    form: TextForm,
    limits: Limits,
    workers: Workers,
) -> None:
    """Learn sparse features on the whole parallel text (Flanigan, Dyer & Carbonell 2013).

    MERT first learns weights of the dense features on the held-out fold. Each update then computes a gradient
    over the other folds, each translated with models of the remaining text, and does a line search along the
    gradient on the held-out fold; the last update searches on the development set. Rules are extracted when a
    sentence is translated.

    The output folder gets the same files as that of hopefear tune; its folder mert/ has the run of MERT.

    For example:

      hopefear build -s train.es -t train.en -i dev.es -i test.es -o system/ --folds 5 --top 15

      hopefear hols system/ -s dev.es -r dev.en -o run/ --updates 4 --parts 2

      hopefear hols system/ -s dev.es -r dev.en -o run/ --updates 4 --parts 2 --resume

      hopefear hols system/ -s dev.es -r dev.en -o run/ --cluster local:4
    """
    from hopefear.grammars.built import Build
    from hopefear.tuners import Fold

    built = Build.open(system)
    folds = built.folds
    number = held_out.fold(built)
    first, tuner = learning.mert(workers.threads), learning.hols(workers.threads)
    lines = feature or ["RuleIndicators"]
    plugins, *fold_plugins = [[create(line, base=Path()) for line in lines] for _ in range(len(folds) + 1)]
    corpus = form.prepare(
        read_corpus(source, reference, grammars_under=limits.grammars_under), form.system(built.config)
    )
    limits.check(corpus)
    built_from = system / "build.json"
    files: dict[str, Any] = {"system": built_from, "source": source, "reference": reference}
    searches_in = {"--held-out": number, "--sentences": held_out.sentences}
    options = {"--feature": lines, **searches_in, "--no-folds": held_out.no_folds, "--tokens": form.tokens}

    held = folds[number - 1]
    searched = list(islice(held.segments, held_out.sentences))
    words = limits.max_words
    with (
        run.open() as folder,
        run.open("mert") as mert,
        workers.open_cluster() as executor,
        folder.recorded(tuner, files, options),
    ):
        first.executor = tuner.executor = executor
        translator = held.decoder(max_words=words)
        mert.learn(first, translator, searched, files={"system": built_from}, options=searches_in)

        decoder: Decoder = built.decoder(weights=mert.final, features=plugins, max_words=words)
        decoders = [decoder] * len(folds)
        if not held_out.no_folds:
            pairs = zip(folds, fold_plugins, strict=True)
            decoders = [
                fold.decoder(weights=decoder.weights, features=own, max_words=words) for fold, own in pairs
            ]
            for each in decoders:
                each.sends_deltas = False  # no report of features in the whole text is needed
        whose = zip(decoders, folds, strict=True)
        training = [Fold(own, fold.segments) for own, fold in whose if fold is not held]
        search = Fold(decoders[number - 1], searched)
        if not folder.fit(tuner, decoder, corpus, training=training, held_out=search):
            folder.stop()
        report_features(decoder, "in the development set")
        folder.report(decoder, corpus, tuner, most=run.reported(tuner, corpus))
    print_line(f"learned weights: {folder.final}")
