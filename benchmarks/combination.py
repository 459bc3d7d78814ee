"""What a combination of systems gains: python benchmarks/combination.py --help."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from itertools import product
from pathlib import Path

import numpy as np
from consensus import sides
from numpy.typing import NDArray
from tasks import TASKS, table

from hopefear import Decoder
from hopefear.decoder import Hypergraph, ScoredTexts, combine
from hopefear.decoder.consensus import Linear, create_consensus
from hopefear.metrics import Bleu, paired_bootstrap

SHARES = (0.0, 0.5, 1.0, 2.0)
"""The weights that are tried on the development set for each system but the first, which has 1."""

References = list[tuple[str, ...]]


class Measured:
    """Translations of the test set, scored."""

    def __init__(self, texts: list[str], references: References) -> None:
        bleu = Bleu()
        self.stats: NDArray[np.float64] = bleu.corpus_stats(texts, references)
        self.score = bleu.score(self.stats.sum(0))
        self.words = sum(len(text.split()) for text in texts) / len(texts)

    def row(self, name: str, *bases: Measured) -> dict[str, str]:
        """Return a row of the table, with differences to others."""
        row = {"": name, "BLEU": f"{self.score:.2f}", "words": f"{self.words:.2f}"}
        for head, base in zip(("1-best", "consensus"), bases, strict=True):
            p = paired_bootstrap(base.stats, self.stats, Bleu()).p_value
            row |= {f"to the best {head}": f"{self.score - base.score:+.2f}", f"p, {head}": f"{p:.3f}"}
        return row


class Side:
    """What the systems say of one set."""

    def __init__(self, task: str, part: str, decoders: Sequence[Decoder], sentences: int | None) -> None:
        source, self.references = sides(TASKS[task], part, sentences)
        self.forests = [[decoder.translate(line) for line in source] for decoder in decoders]

    def combined(self, weights: Sequence[float], method: Linear, lists: int = 0) -> list[str]:
        """Return the combination of each sentence; of the k best translations of each system if asked."""
        return [
            combine([listed(forest, lists) if lists else forest for forest in each], weights, method)
            for each in zip(*self.forests, strict=True)
        ]


def listed(forest: Hypergraph, k: int) -> ScoredTexts:
    """Return the k best translations as another engine would give them."""
    found = list(forest.derivations(k, unique=True))
    return ScoredTexts([forest.text(each) for each in found], [forest.score(each) for each in found])


def bleu_of(texts: list[str], references: References) -> float:
    """Return BLEU of a set."""
    bleu = Bleu()
    return bleu.score(bleu.corpus_stats(texts, references).sum(0))


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.partition(":")[0])
    parser.add_argument("task", choices=TASKS)
    parser.add_argument(
        "--system", nargs=2, action="append", required=True, metavar=("CONFIG", "WEIGHTS"),
        help="another system for the task's sentences; may repeat",
    )  # fmt: skip
    parser.add_argument("--lists", type=int, default=0, help="combine lists of so many translations")
    parser.add_argument("--by", default="linear", help="the settings of the consensus")
    parser.add_argument("--sentences", type=int, help="only the first ones")
    parser.add_argument("--markdown", action="store_true")
    options = parser.parse_args()
    method = create_consensus(options.by)
    if not isinstance(method, Linear):
        parser.error("--by: expected linear and its arguments")
    task = TASKS[options.task]
    decoders = [
        Decoder(task.config, weights=task.weights("tuned")),
        *(Decoder(Path(config), weights=Path(weights)) for config, weights in options.system),
    ]
    dev, test = (Side(options.task, part, decoders, options.sentences) for part in ("dev", "test"))
    rows = []
    singles: list[list[Measured]] = []
    for forests in test.forests:
        best = [forest.viterbi() for forest in forests]
        agreed = [forest.consensus(method).viterbi() for forest in forests]
        singles.append([Measured(texts, test.references) for texts in (best, agreed)])
    tops = [max(column, key=lambda each: each.score) for column in zip(*singles, strict=True)]
    for number, pair in enumerate(singles, 1):
        rows += [
            one.row(f"system {number}, {name}", *tops)
            for one, name in zip(pair, ("1-best", "consensus"), strict=True)
        ]
    tried = {}
    for rest in product(SHARES, repeat=len(decoders) - 1):
        weights = (1.0, *rest)
        tried[weights] = bleu_of(dev.combined(weights, method, options.lists), dev.references)
    print("on the development set:", {weights: round(score, 2) for weights, score in tried.items()})
    chosen = max(tried, key=lambda weights: tried[weights])
    for weights in dict.fromkeys([(1.0,) * len(decoders), chosen]):
        found = Measured(test.combined(weights, method, options.lists), test.references)
        rows.append(found.row("weights " + " ".join(f"{each:g}" for each in weights), *tops))
    print(table(rows, markdown=options.markdown))


if __name__ == "__main__":
    main()
