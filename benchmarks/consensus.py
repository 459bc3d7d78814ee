"""What consensus gains and costs: python benchmarks/consensus.py --help."""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence

from tasks import TASKS, Task, add_task_argument, chosen, in_fresh_process, table

from hopefear import Decoder
from hopefear.decoder import Hypergraph, create_consensus
from hopefear.metrics import Bleu, paired_bootstrap

METHODS = ("linear", "fast", "Bleu")


def sides(task: Task, part: str, sentences: int | None) -> tuple[list[str], list[tuple[str, ...]]]:
    """Read sources and references of ``dev`` or ``test``."""
    names = [name.replace("/dev.", f"/{part}.") for name in (task.source, *task.references)]
    source, *references = [task.lines(name)[:sentences] for name in names]
    return source, list(zip(*references, strict=True))


def measure(name: str, part: str, methods: Sequence[str], sentences: int | None) -> list[dict[str, str]]:
    """Translate a set by the model and by each method: BLEU, and CPU seconds a sentence beside decoding."""
    task = TASKS[name]
    decoder = Decoder(task.config, weights=task.weights("tuned"))
    source, references = sides(task, part, sentences)
    for line in source[:5]:  # the first sentences open files
        decoder.translate(line)
    start = time.process_time()
    forests: list[Hypergraph] = []
    best = []
    for line in source:
        forests.append(decoder.translate(line))
        best.append(forests[-1].viterbi())
    seconds = (time.process_time() - start) / len(source)
    bleu = Bleu()
    base = bleu.corpus_stats(best, references)
    rows = []
    words = sum(len(text.split()) for text in best)
    rows.append(_row(name, "1-best", bleu.score(base.sum(0)), words / len(source), f"{1000 * seconds:.1f}"))
    for line in methods:
        method = create_consensus(line)
        start = time.process_time()
        found = [forest.consensus(method).viterbi() for forest in forests]
        more = (time.process_time() - start) / len(source)
        stats = bleu.corpus_stats(found, references)
        test = paired_bootstrap(base, stats, bleu)
        words = sum(len(text.split()) for text in found)
        score = bleu.score(stats.sum(0))
        rows.append(
            _row(name, line, score, words / len(source), f"+{1000 * more:.1f}")
            | {"difference": f"{score - bleu.score(base.sum(0)):+.2f}", "p": f"{test.p_value:.3f}"}
        )
    return rows


def _row(task: str, method: str, bleu: float, words: float, time: str) -> dict[str, str]:
    return {
        "set": task, "method": method, "BLEU": f"{bleu:.2f}", "difference": "", "p": "",
        "words": f"{words:.2f}", "ms": time,
    }  # fmt: skip


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    add_task_argument(parser)
    parser.add_argument("--part", choices=("dev", "test"), default="test")
    parser.add_argument("--method", action="append", help=f"default: {', '.join(METHODS)}")
    parser.add_argument("--sentences", type=int, help="only the first ones")
    parser.add_argument("--markdown", action="store_true")
    options = parser.parse_args()
    rows = []
    for name in chosen(parser, options.tasks):
        rows += in_fresh_process(measure, name, options.part, options.method or METHODS, options.sentences)
    print(table(rows, markdown=options.markdown))


if __name__ == "__main__":
    main()
