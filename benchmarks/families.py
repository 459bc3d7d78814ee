"""What each feature family costs: python benchmarks/families.py --help."""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path
from typing import Any

from tasks import SHARED, TASKS, Task, add_task_argument, chosen, in_fresh_process, table

from hopefear import Decoder, Segment
from hopefear.grammars.distortion_table import count_distortion, write_distortion_table
from hopefear.plugins import create

RULE_AND_EDGE = (
    "RuleIndicators",
    "RuleShape",
    "RuleSourceBigrams",
    "RuleTargetBigrams",
    "RuleOwners",
    "Arity",
    "WordPairs",
    "Deletion",
    "LexicalFeatures",
    "Insertion",
    "Hierarchical --heads content",
    "SoftSyntax",
    "SoftSyntax --granularity coarse",
    "StructuralDistortion",
    "StructuralDistortion --granularity coarse --table {table}",
    "CMRReordering",
    "SpanSize",
    "SpanBoundary",
    "SourcePath",
)
NGRAMS = ("TargetBigrams", "WordPairBigrams")


def families(task: Task) -> tuple[str, ...]:
    """Those for which the task has what they need."""
    return tuple(line for line in RULE_AND_EDGE if task.trees or not line.startswith("SoftSyntax"))


def distortion_table(task: Task, folder: Path) -> Path:
    """Estimate P(R | S) from 10,000 sentence pairs of the training data, where there are some."""
    path = folder / "distortion"
    data = SHARED / "data" / "tanaka"
    if task.folder == "tanaka/ja-en":
        files = data / "train.ja.gz", data / "train.en.gz", data / "train.ja-en.align.gz"
        write_distortion_table(count_distortion(*files, sentences=10_000), path)
    else:  # any table costs the same
        path.write_text("".join(f"{s} 3 1\n" for s in (*range(1, 10), "10+")), "utf-8")
    return path


def measure(name: str, sentences: int | None, lines: tuple[str, ...]) -> dict[str, float]:
    """Decode with and without some families, sentence by sentence in turns.

    Returns
    -------
    dict of float
        ``plain``, ``first`` and ``second``: CPU seconds a sentence without them, with them in the first pass,
        in which rules and names are new, and in the second; ``features``: how many fired.
    """
    task = TASKS[name]
    trees: list[Any] = task.lines(task.trees) if task.trees else []
    corpus = [
        Segment(tuple(line.split()), id=i, index=i, tree=trees[i] if trees else None)
        for i, line in enumerate(task.lines(task.source)[:sentences])
    ]
    with tempfile.TemporaryDirectory() as folder:
        path = distortion_table(task, Path(folder)) if any("{table}" in line for line in lines) else None
        plugins = [create(line.format(table=path)) for line in lines]
        decoders = [
            Decoder(task.config, weights=task.weights("tuned"), features=features)
            for features in ((), plugins)
        ]
    seconds = [[0.0, 0.0], [0.0, 0.0]]
    for number in range(2):
        for segment in corpus:
            for which, decoder in enumerate(decoders):
                start = time.process_time()
                decoder.translate(segment).viterbi()
                seconds[number][which] += time.process_time() - start
    n = len(corpus)
    return {
        "plain": (seconds[0][0] + seconds[1][0]) / (2 * n),
        "first": seconds[0][1] / n,
        "second": seconds[1][1] / n,
        "features": sum(row.features for row in decoders[1].feature_report()),
    }


def row(label: str, got: dict[str, float]) -> dict[str, str]:
    """Lay a measurement out."""
    plain = got["plain"]
    return {
        "features": label,
        "plain ms": f"{1000 * plain:.2f}",
        "added ms, first pass": f"{1000 * (got['first'] - plain):.2f} ({got['first'] / plain:.2f}×)",
        "second": f"{1000 * (got['second'] - plain):.2f} ({got['second'] / plain:.2f}×)",
        "fired": f"{got['features']:,.0f}",
    }


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description="Decode with feature families on, one by one and together.")
    add_task_argument(parser)
    parser.add_argument("--sentences", type=int, help="only the first so many of each task")
    parser.add_argument("--line", action="append", help="measure this cdec.ini line instead of all families")
    parser.add_argument("--together", action="store_true", help="only all rule and edge families at once")
    parser.add_argument("--markdown", action="store_true", help="write Markdown tables")
    options = parser.parse_args()
    for name, task in chosen(parser, options.tasks or ["tanaka en-ja"]).items():
        together = families(task)
        groups = {line: (line,) for line in options.line or (*together, *NGRAMS)}
        if options.together:
            groups = {}
        if not options.line:
            groups["all rule and edge families"] = together
        rows = []
        for label, lines in groups.items():
            got = in_fresh_process(measure, name, options.sentences, lines)
            rows.append(row(label.replace(" --table {table}", ""), got))
        print(f"{name}\n\n{table(rows, markdown=options.markdown)}\n")


if __name__ == "__main__":
    main()
