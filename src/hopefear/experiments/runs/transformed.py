"""The translations of a test set by a Transformer: alone, with the forest, or while it learns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import UNSET

from hopefear.decoder import Hypergraph, ScoredTexts, Segment, Translator, attempt, combine
from hopefear.neural import TranslationModel, neural_packages

from ..plan import PlanSystem
from .post_editing import TestedText

K = 20
"""The translations of the Transformer in a consensus."""


def transformed(
    system: PlanSystem, folder: Path, decoder: Translator, corpus: Sequence[Segment]
) -> Iterator[TestedText]:
    """Translate a test set by the Transformer of a system in the folder of the set."""
    if system.fine_tuning is not UNSET:
        yield from _fine_tuned(system, folder, corpus)
        return
    model = TranslationModel(folder / str(system.transformer))
    together = system.consensus is True
    sources = [" ".join(segment.expect_tokens()) for segment in corpus]
    lists = model.translate(sources, n_best=K if together else 1)
    for segment, found in zip(corpus, lists, strict=True):
        text = found[0].text
        if together:
            said: list[Hypergraph | ScoredTexts] = [
                ScoredTexts([each.text for each in found], [each.log_probability for each in found])
            ]
            with attempt(decoder, segment):
                said.append(decoder.translate(segment).forest)
            text = combine(said)
        yield TestedText(text, text)


def _fine_tuned(system: PlanSystem, folder: Path, corpus: Sequence[Segment]) -> Iterator[TestedText]:
    """Translate sentences in their order; the Transformer learns from each one before the next."""
    with neural_packages():
        from hopefear.tuners.transformer.fine_tuning import FineTuning
    learning = FineTuning(folder / str(system.transformer), system.learning())
    for segment in corpus:
        source = " ".join(segment.expect_tokens())
        ((best,),) = learning.model().translate([source])
        yield TestedText(best.text, best.text)
        learning.learn(source, segment.references[0])
