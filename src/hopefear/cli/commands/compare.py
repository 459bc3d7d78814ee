"""``hopefear compare``: two outputs, weights or runs on a set."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from hopefear.base import InputError
from hopefear.base.lines import read_texts
from hopefear.base.progress import ProgressBar, print_line
from hopefear.decoder import Config, Decoder, Segment, read_config

from ..command import argument, command, option, options_given, without
from ..names import NamedKind
from ..options import AnnotationFiles, Limits, Selection, TextForm, check_weights

if TYPE_CHECKING:
    from hopefear.metrics import Metric
    from hopefear.reports import Output


@dataclass(frozen=True, kw_only=True)
class Translating:
    """The options of sides that are translated."""

    config: Path | None = option("The cdec.ini; the sides are then weights.", "--config", "-c", default=None)
    source: Path | None = option(
        "File of the sentences, one per line; weights and runs translate them.",
        *("--input", "-i"),
        metavar="FILE",
        default=None,
    )
    threads: int = option("Number of threads.", default=1, min=1)
    allow_code: bool = option("Load classes that a run names by their paths.", default=False)


@command
def compare(
    first: Path = argument("Translations; weights, with --config; or the folder of a run of tune."),
    second: Path = argument("The same of the other system."),
    *,
    reference: list[Path] = option("File of references, one per line; may repeat.", "-r"),
    translating: Translating,
    metric: list[str] = option(
        'A metric: "NAME arguments", see hopefear list metrics; may repeat. The first scores sentences.',
        "-m",
        default=(),
        shown="Bleu and Chrf",
        completion=NamedKind.metrics,
    ),
    language: str | None = option(
        "The texts are as written in this language: metrics of words compare those of sacrebleu's tokeniser.",
        metavar="LANGUAGE",
        default=None,
        shown="that of the system's text, else words are separated by blanks",
    ),
    selection: Annotated[Selection, without("min_count")],
    annotations: AnnotationFiles,
    form: TextForm,
    limits: Limits,
    output: Path = option("The page.", "-o", default=Path("compare.html"), writes=True),
) -> None:
    """Compare two outputs, two files of weights or two runs of tune on a set, in one page.

    The page has the scores with intervals and a paired test, the lengths of sentences and the frequencies of
    words in which the systems differ, n-grams won and lost, and all sentences beside one another. Of weights
    and runs it also has the features and the rules that made the difference, and both derivations of each
    sentence. A run translates with its own configuration, features and final weights; start this command in
    the folder in which the run was started.

    For example:

      hopefear compare base.out new.out -r test.en -i test.es

      hopefear compare weights.init run/weights.final -c cdec.ini -i test.es -r test.en

      hopefear compare mira/ pro/ -i test.es -r test.en -m bleu -m ter -o tuners.html
    """
    from hopefear.metrics import create_metric
    from hopefear.metrics.significance import SAMPLES, SEED
    from hopefear.reports import compare_outputs, differing_names

    from .score import measuring
    from .scores import Tokeniser, signature

    metrics = [create_metric(line, base=Path()) for line in metric or ["bleu", "chrf"]]
    set_ = _Set(translating, reference, annotations, limits)
    if translating.config is None and (excluded := options_given(selection, form)):
        raise InputError(f"{next(iter(excluded))} needs --config")
    names = differing_names([first, second])
    one, other = (
        set_.output(path, name, selection, form) for path, name in zip((first, second), names, strict=True)
    )
    if language is None and set_.languages:
        language = set_.languages[0]
    tokeniser = None if language is None else Tokeniser(language)

    def settings(metric: Metric) -> str:
        name = tokeniser.name if tokeniser is not None and metric.of_words else None
        return f"{signature(metric, len(reference), name)}|bootstrap:{SAMPLES}|seed:{SEED}"

    with measuring(reference):
        found = compare_outputs(
            *(one, other, set_.sources),
            [*zip(*set_.references, strict=True)],
            metrics,
            None if tokeniser is None else tokeniser.split,
            settings,
        )
    for test in found.tests:
        print(test)
    print_line(f"page: {found.write(output)}")


class _Set:
    """The sentences and references on which the sides are compared."""

    def __init__(
        self, options: Translating, paths: Sequence[Path], annotations: AnnotationFiles, limits: Limits
    ) -> None:
        self._options, self._paths, self._annotations, self._limits = options, paths, annotations, limits
        self.references = [read_texts(path) for path in paths]
        self.sources = [""] * len(self.references[0])
        self.languages: list[str] = []
        """Target languages of systems whose texts are as written."""
        if options.source is not None:
            self.sources = self._read(options.source)
        for path in paths[1:]:
            self._read(path)

    def _read(self, path: Path) -> list[str]:
        from .score import read_translations

        return read_translations(path, self._paths, self.references)

    def output(self, path: Path, name: str, selection: Selection, form: TextForm) -> Output:
        """Return what a side says."""
        from hopefear.reports import Output

        if path.is_dir():
            return self._of_run(path, name)
        if self._options.config is None:
            return Output(name, self._read(path))
        config = read_config(self._options.config)
        decoder = partial(selection.decoder, config, path, max_words=self._limits.max_words)
        return self._translated(name, config, form, decoder, path)

    def _of_run(self, run: Path, name: str) -> Output:
        from .started import finished_run

        with finished_run(run, allow_code=self._options.allow_code) as finished:
            decoder = partial(finished.decoder, max_words=self._limits.max_words)
            return self._translated(name, finished.config, finished.given["form"], decoder, finished.weights)

    def _translated(
        self, name: str, config: Config, form: TextForm, make: Callable[[], Decoder], weights: Path
    ) -> Output:
        from hopefear.reports import translated_output

        source = self._options.source
        if source is None:
            raise InputError(f"{name}: expected the sentences to translate, by --input")
        text = form.system(config)
        corpus: list[Segment] = self._annotations.read(
            source,
            self._paths,
            grammars_under=self._limits.grammars_under,
            prepare=partial(form.prepare, text=text),
        )
        decoder = make()
        check_weights(decoder, weights, corpus[0])
        if text is not None:
            self.languages.append(text.target.code)
        with ProgressBar(len(corpus), name=f"translating, {name}") as bar:
            return translated_output(name, decoder, corpus, bar, threads=self._options.threads)
