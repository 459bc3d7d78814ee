"""``hopefear train-joint``: train a neural joint model on the text of a system."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from hopefear.base import InputError
from hopefear.base.progress import print_line

from ..command import argument, command, option
from ..options import LEFT_OUT


@dataclass(frozen=True, kw_only=True)
class Sizes:
    """The options that say how large a joint model is."""

    history: int = option("Target words before the one that is predicted.", default=3, min=1, max=16)
    around: int = option("Source words on either side of the affiliated one.", default=5, min=0, max=31)
    words: int = option("The most words of each vocabulary.", default=16_000, min=1)
    embedding: int = option("Numbers per word.", default=96, min=1)
    first: int = option("Units of the first hidden layer, a multiple of 16.", default=192, min=16)
    second: int = option("Units of the second hidden layer; 0 for one layer.", default=0, min=0)


@command
def train_joint(
    system: Path = argument("Folder of a system that hopefear build made."),
    output: Path = option("File for the model.", "-o", writes=True),
    *,
    sizes: Sizes,
    passes: int = option("Passes over the text.", default=8, min=1),
    held_out: int = option(
        "Sentence pairs at the end of the text that are measured, not learned from; at most a tenth of all.",
        default=1000,
        min=1,
    ),
    seed: int = option("Seed of the initial numbers and of the order of the words.", default=0, min=0),
    resume: bool = option("Continue a training that was stopped.", default=False),
    max_words: int = LEFT_OUT,
) -> None:
    """Train a neural joint model on the text of a system and its word alignment (Devlin et al. 2014).

    The model predicts each target word from the words before it and the source words around the one that it
    is linked to. A line feature_function=JointModel joint.hfn in a cdec.ini, before the weights are tuned,
    uses it in the search. Training needs pip install "hopefear[neural]"; translating does not.

    After each pass, the perplexity of the held-out sentences is printed, beside that of an n-gram model of
    the same text and words. The output is the model with the best one. The file OUTPUT.checkpoint beside it
    has the state after the last complete pass, from which --resume continues.

    For example:

      hopefear train-joint system/ -o system/joint.hfn

      hopefear train-joint system/ -o system/joint.hfn --resume --passes 12
    """
    try:
        from hopefear.tuners.joint.training import JointSettings, JointTraining, PassReport
    except ImportError as error:
        if error.name is None or error.name.partition(".")[0] != "torch":
            raise
        raise InputError('PyTorch is not installed: pip install "hopefear[neural]"') from None
    from hopefear.grammars.built import Build
    from hopefear.tuners.joint.network_file import TARGET_MARKS
    from hopefear.tuners.joint.ngram_perplexity import ngram_perplexity
    from hopefear.tuners.joint.system_text import read_pairs

    settings = JointSettings(**vars(sizes), seed=seed)
    build = Build.open(system)
    pairs = read_pairs(build, max_words)
    if len(pairs) < 2:
        raise InputError("expected at least 2 sentence pairs with links", path=system)
    measured = min(held_out, max(1, len(pairs) // 10))
    text, rest = pairs[:-measured], pairs[-measured:]
    training = JointTraining(
        text, rest, settings, f"{build.fingerprint} without {measured}, of at most {max_words} words"
    )
    checkpoint = output.with_name(f"{output.name}.checkpoint")
    if resume:
        training.resume(checkpoint)
    known = training.target.words[len(TARGET_MARKS) :]
    print_line(
        f"{len(text):,} sentence pairs, {training.words:,} words to learn from; vocabularies of "
        f"{len(training.source.words):,} and {len(training.target.words):,} words"
    )
    order = settings.history + 1
    ngrams = ngram_perplexity((each.target for each in text), [each.target for each in rest], order, known)
    print_line(
        f"perplexity of {measured:,} held-out sentences by an n-gram model of order {order}: {ngrams:.2f}"
    )

    def report(done: PassReport) -> None:
        print_line(
            f"pass {done.number}: loss {done.loss:.3f}, perplexity {done.perplexity:.2f}, "
            f"mean |log Z| {done.normaliser:.3f}"
        )

    training.run(passes, output, checkpoint, report)
    print_line(f"{output}: perplexity {training.best:.2f}, of the n-gram model {ngrams:.2f}")
