"""``hopefear build``: make a system from parallel text."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from hopefear.base import InputError
from hopefear.base.progress import print_line

from ..command import command, only, option, options_given
from ..options import Extraction, Knowledge, ParallelText, Pieces, Symmetrisation
from .learned_system import FOLDS, Effort, LearnedSystem, Learning
from .ngrams import PRUNE, numbers


@dataclass(frozen=True, kw_only=True)
class Alignment:
    """The options of the word alignment."""

    file: Path | None = option(
        "Word alignment, source-target: 0-0 1-2.",
        "--alignment",
        "-a",
        default=None,
        shown="made by eflomal, which takes no seed",
    )
    reverse: bool = option("The links of --alignment are target-source.", default=False)
    symmetrisation: Symmetrisation = option(
        "Method to combine the alignments of eflomal's two directions.",
        default=Symmetrisation.grow_diag_final_and,
    )

    def check(self) -> None:
        """Refuse options of another alignment than the one that is used."""
        if self.file is None and self.reverse:
            raise InputError("--reverse needs --alignment")
        if self.file is not None and "--symmetrisation" in options_given(self):
            raise InputError("--symmetrisation is for eflomal's alignment: expected no --alignment")


@dataclass(frozen=True, kw_only=True)
class NgramModels:
    """The options of the n-gram models."""

    monolingual: list[Path] = option("More target text for the n-gram model; may repeat.", default=())
    order: int = option("Order of the n-gram models.", default=4, min=2, max=6)
    prune: str = PRUNE
    discount_fallback: bool = option(
        "Use fixed discounts if none can be estimated, for small texts.", default=False
    )


@dataclass(frozen=True, kw_only=True)
class AsWritten:
    """The options of text as written."""

    languages: tuple[str, str] | None = option(
        "The languages of text as written, such as en es: the system takes and gives text with case, signs "
        "and marks. Without them, texts are tokens separated by blanks.",
        metavar="SOURCE TARGET",
        default=None,
    )
    unique: bool = option("Leave out pairs of such text that have stood before.", default=False)


@command
def build(
    *,
    text: ParallelText,
    written: AsWritten,
    pieces: Pieces,
    knowledge: Knowledge,
    output: Path = option("The folder of the system.", "-o", metavar="FOLDER"),
    alignment: Alignment,
    models: NgramModels,
    inputs: list[Path] = option(
        "Sentences that the grammar must translate; may repeat.", "--input", "-i", default=()
    ),
    learning: Annotated[Learning, only("source", "references", "effort", "hours")],
    folds: int | None = option(
        "Number of parts of the text for held-out learning; 0 for none.",
        default=None,
        min=0,
        shown=f"0; {FOLDS} with --dev-source and --effort good or best",
    ),
    rules: Annotated[Extraction, only("top", "feature", "max_span", "samples")],
    threads: int = option("Number of threads that extract the grammar.", default=1, min=1),
) -> None:
    """Build a system from parallel text: word alignment, grammar, n-gram model.

    The folder gets a cdec.ini that hopefear decode and hopefear tune take, the files that it names, and
    weights to start from. The grammar has the rules that the sentences of --input need. The results of all
    stages are kept: after a stop the same command continues, and after a change it repeats only the stages
    that depend on the change.

    The pairs of --memory join the text. The terms of --glossary are kept in the folder, and each decoder of
    the system uses them.

    With --folds 5, the command also makes an n-gram model for each fifth of the text from the other four
    fifths, and rules that translate a fifth can be extracted from the other four. Tuners that learn from the
    parallel text, such as Hols, need folds.

    With --dev-source, further stages learn for the system. fast tunes the weights on the development set.
    good also learns the weights of families of sparse features on the text, and tunes all weights after that.
    best also trains a neural joint model. What scores best on held-out parts of the development set becomes
    the system: cdec.ini has its features and weights, report.html what each stage gained. The command prints
    the stages first, with the time that each will take. base.ini is the system without what was learned.

    For example:

      hopefear build -s train.es -t train.en -o system/ --dev-source dev.es --dev-reference dev.en

      hopefear build -s train.es -t train.en -i dev.es -i test.es -o system/

      hopefear build -s train.es.gz -t train.en.gz -a train.align.gz -i dev.es -i test.es -o system/

      hopefear build -s train.es -t train.en -o system/ --memory old.tmx --glossary terms.tsv

      hopefear build -s train.es -t train.en -i dev.es -i test.es -o system/ --folds 5 --top 15
    """
    from hopefear.grammars.build import Recipe
    from hopefear.grammars.build import build as build_system

    alignment.check()
    learning.check()
    if written.languages is None:
        for name in options_given(written, pieces):
            raise InputError(f"{name} needs --languages")

    def report(stage: str, seconds: float) -> None:
        done = f": {seconds:.1f} s" if seconds else ": nothing changed"
        print_line(f"{stage}{done if seconds >= 0 else ''}")

    learns = learning.source is not None
    if folds is None:
        folds = FOLDS if learns and learning.effort is not Effort.fast else 0
    elif folds < 2 and learns and learning.effort is not Effort.fast:
        raise InputError(f"--effort {learning.effort.value} needs folds: expected at least 2, got {folds}")
    extraction = rules.settings()
    recipe = Recipe(
        source=text.source,
        target=text.target,
        alignment=alignment.file,
        reverse=alignment.reverse,
        symmetrisation=alignment.symmetrisation.value,
        monolingual=tuple(models.monolingual),
        inputs=(*inputs, *([] if learning.source is None else [learning.source])),
        max_words=text.max_words,
        folds=folds,
        order=models.order,
        prune=tuple(numbers(models.prune, int, "--prune")),
        discount_fallback=models.discount_fallback,
        extraction={name: extraction[name] for name in ("max_span", "samples", "top", "features")},
        languages=written.languages,
        unique=written.unique,
        memories=tuple(knowledge.memory),
        glossaries=tuple(knowledge.glossary),
        terms=tuple(knowledge.terms),
        profile=pieces.read(),
    )
    if not learns:
        build_system(recipe, output, report=report, threads=threads)
        return
    learned = LearnedSystem.of(learning, text.source)
    learned.tell_plan()
    try:
        build_system(recipe, output, report=report, threads=threads, learn=learned.learn)
    except KeyboardInterrupt:
        print_line("stopped; the same command continues")
        raise typer.Exit(130) from None
