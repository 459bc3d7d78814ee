"""``hopefear train-joint``: train a neural joint model on the text of a system."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from hopefear.base import InputError
from hopefear.base.progress import print_line

from ..command import argument, command, option
from ..options import LEFT_OUT
from ..options.networks import RESUME, SEED, SETTING, measured_at_the_end, passes_over_text

if TYPE_CHECKING:
    from hopefear.tuners.joint import Pair
    from hopefear.tuners.joint.training import JointTraining, PassReport


@command
def train_joint(
    system: Path = argument("Folder of a system that hopefear build made."),
    output: Path = option("File for the model.", "-o", writes=True),
    *,
    setting: list[str] = SETTING,
    passes: int = passes_over_text(8),
    held_out: int = measured_at_the_end(1000),
    seed: int = SEED,
    folds: bool = option(
        "Train a model for each fold of the system, too, from the other folds, for hopefear train.",
        default=False,
    ),
    resume: bool = RESUME,
    max_words: int = LEFT_OUT,
) -> None:
    """Train a neural joint model on the text of a system and its word alignment (Devlin et al., 2014).

    The model predicts each target word from the words before it and the source words around the one that it
    is linked to. A line feature_function=JointModel joint.hfn in a cdec.ini, before the weights are tuned,
    uses it in the search. Training needs pip install "hopefear[neural]"; translating does not.

    After each pass, the perplexity of the held-out sentences is printed, beside that of an n-gram model of
    the same text and words. The output is the model with the best one. The file OUTPUT.checkpoint beside it
    has the state after the last complete pass, from which --resume continues.

    With --folds, the folder of each fold of the system gets a model of the same name that was trained without
    the sentences of the fold. With a line in each fold's cdec.ini, hopefear train uses them.

    For example:

      hopefear train-joint system/ -o system/joint.hfn

      hopefear train-joint system/ -o system/joint.hfn --resume --passes 12

      hopefear train-joint system/ -o system/joint.hfn --folds

      hopefear train-joint system/ -o system/back.hfn --set right_to_left=true --set first=256
    """
    from hopefear.neural import neural_packages

    with neural_packages():
        from hopefear.tuners.joint.training import JointTraining
    from hopefear.grammars.built import Build
    from hopefear.tuners.catalogue import read_settings
    from hopefear.tuners.joint import JointSettings
    from hopefear.tuners.joint.system_text import read_pairs

    settings = JointSettings(**read_settings(JointSettings, setting, seed=seed))
    build = Build.open(system)
    if folds and not build.folds:
        raise InputError("expected a system with folds: build it with --folds 5", path=system)
    pairs = read_pairs(build, max_words)
    parts = [(output, range(0)), *((fold.folder / output.name, fold.sentences) for fold in build.folds)]
    for path, left_out in parts if folds else parts[:1]:
        text = [pair for place, pair in pairs.items() if place not in left_out]
        if len(text) < 2:
            raise InputError("expected at least 2 sentence pairs with links", path=system)
        measured = min(held_out, max(1, len(text) // 10))
        described = f"{build.fingerprint} without {measured}, of at most {max_words} words"
        if left_out:
            described += f", without the sentences {left_out.start}-{left_out.stop}"
        model = JointTraining(text[:-measured], text[-measured:], settings, described)
        checkpoint = path.with_name(f"{path.name}.checkpoint")
        if resume and (checkpoint.exists() or not left_out):
            model.resume(checkpoint)
        _train(model, text, measured, passes, path, checkpoint)


def _train(
    model: JointTraining, pairs: Sequence[Pair], measured: int, passes: int, output: Path, checkpoint: Path
) -> None:
    """Train a model, and print how good it is, and an n-gram model of the same words."""
    from hopefear.tuners.joint.network_file import TARGET_MARKS
    from hopefear.tuners.joint.ngram_perplexity import ngram_perplexity

    print_line(
        f"{len(pairs) - measured:,} sentence pairs, {model.words:,} words to learn from; vocabularies of "
        f"{len(model.source.words):,} and {len(model.target.words):,} words"
    )
    targets = [pair.target for pair in pairs]
    order, known = model.settings.history + 1, model.target.words[len(TARGET_MARKS) :]
    ngrams = ngram_perplexity(targets[:-measured], targets[-measured:], order, known)
    print_line(
        f"perplexity of {measured:,} held-out sentences by an n-gram model of order {order}: {ngrams:.2f}"
    )

    def report(done: PassReport) -> None:
        print_line(
            f"pass {done.number}: loss {done.loss:.3f}, perplexity {done.perplexity:.2f}, "
            f"mean |log Z| {done.normaliser:.3f}"
        )

    model.run(passes, output, checkpoint, report)
    print_line(f"{output}: perplexity {model.best:.2f}, of the n-gram model {ngrams:.2f}")
