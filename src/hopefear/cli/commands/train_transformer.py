"""``hopefear train-transformer``: train a Transformer on the text of a system."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from hopefear.base import InputError
from hopefear.base.lines import each_line, together
from hopefear.base.progress import print_line
from hopefear.base.texts import split_words
from hopefear.decoder.lengths import LongSentences
from hopefear.neural.model_folder import CHECKPOINT

from ..command import argument, command, option
from ..options import LEFT_OUT
from ..options.networks import RESUME, SEED, SETTING, measured_at_the_end, passes_over_text

if TYPE_CHECKING:
    from hopefear.tuners.transformer.training import PassMeasured, TransformerTraining


@command
def train_transformer(
    system: Path | None = argument(
        "Folder of a system that hopefear build made.", default=None, shown="--source and --target"
    ),
    output: Path = option("Folder for the model.", "-o", metavar="FOLDER", writes=True),
    *,
    source: Path | None = option(
        "Without a system: source sentences, one per line; plain or gz.", "-s", default=None, shown="none"
    ),
    target: Path | None = option("Translations of the source sentences.", "-t", default=None, shown="none"),
    setting: list[str] = SETTING,
    passes: int = passes_over_text(40),
    held_out: int = measured_at_the_end(500),
    seed: int = SEED,
    resume: bool = RESUME,
    max_words: int = LEFT_OUT,
) -> None:
    """Train a Transformer (Vaswani et al., 2017) on the text of a system, or on two files.

    The sizes are chosen by the size of the text. The output is a folder of CTranslate2 with numbers of 8
    bits and the subwords of sentencepiece. A line feature_function=Transformer nmt/ in a cdec.ini, before the
    weights are tuned, makes it a feature. Training needs pip install "hopefear[neural]".

    After each pass, the perplexity of a subword of the held-out sentences is printed, and BLEU of their
    translations without a beam. The output is the model with the best perplexity. The file checkpoint in its
    folder has the state after the last complete pass, from which --resume continues.

    For example:

      hopefear train-transformer system/ -o nmt/

      hopefear train-transformer system/ -o nmt/ --resume --passes 60

      hopefear train-transformer -s train.es -t train.en -o nmt/ --set dropout=0.2
    """
    from hopefear.neural import neural_packages

    with neural_packages():
        import ctranslate2  # noqa: F401  measures each pass

        from hopefear.tuners.transformer.training import TransformerTraining
    from hopefear.grammars.built import Build
    from hopefear.grammars.stages import checksum
    from hopefear.tuners.catalogue import read_settings
    from hopefear.tuners.transformer import TransformerSettings

    settings = TransformerSettings(**read_settings(TransformerSettings, setting, seed=seed))
    if system is not None and (source is not None or target is not None):
        raise InputError("expected a system, or --source and --target, got both")
    if system is not None:
        source, target, _ = Build.open(system).texts
    if source is None or target is None:
        raise InputError("expected a system, or --source and --target")
    text = list(_pairs(source, target, max_words))
    if len(text) < 2:
        raise InputError("expected at least 2 sentence pairs", path=source)
    measured = min(held_out, max(1, len(text) // 10))
    described = f"{checksum(source)} {checksum(target)} without {measured}, of at most {max_words} words"
    training = TransformerTraining(text[:-measured], text[-measured:], settings, described)
    if resume:
        training.resume(output / CHECKPOINT)
    _train(training, len(text) - measured, passes, output)


def _pairs(source: Path, target: Path, max_words: int) -> Iterator[tuple[str, str]]:
    """Iterate over the pairs of two files that have words on both sides."""
    long = LongSentences(max_words)
    for lines in together((source, target), each_line(source), each_line(target)):
        f, e = (split_words(line) for line in lines)
        if f and e and not long.leave_out(len(f), len(e)):
            yield " ".join(f), " ".join(e)
    long.warn()


def _train(training: TransformerTraining, pairs: int, passes: int, output: Path) -> None:
    settings = training.settings
    print_line(
        f"{pairs:,} sentence pairs, {training.length:,} target subwords of {len(training.subwords):,}; "
        f"{training.parameters:,} weights in {settings.layers} layers of width {settings.width}"
    )

    def report(done: PassMeasured) -> None:
        print_line(
            f"pass {done.number}: loss {done.loss:.3f}, perplexity {done.perplexity:.2f}, "
            f"BLEU {done.bleu:.2f}"
        )

    training.run(passes, output, output / CHECKPOINT, report)
    print_line(f"{output}: perplexity {training.best:.2f}")
