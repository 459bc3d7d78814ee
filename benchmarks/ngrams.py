"""What n-gram models cost to count, to estimate and to write: python benchmarks/ngrams.py --help."""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from tasks import SHARED, in_fresh_process, table

from hopefear.base.lines import read_texts
from hopefear.grammars.arpa import write_arpa
from hopefear.grammars.lmplz import find_lmplz
from hopefear.grammars.ngram_counts import NgramCounts, count_ngrams
from hopefear.grammars.ngram_files import estimate_arpa
from hopefear.grammars.ngram_model import estimate

T = TypeVar("T")

FOLDS = 5
MODELS = {
    "tanaka en": ("tanaka/train.en.gz", 4, ()),
    "tanaka ja": ("tanaka/train.ja.gz", 4, ()),
    "bible de-en": ("bible-de-en/train.en.gz", 5, ()),
    "bible es-en": ("bible-es-en/train.en.gz", 4, (0, 0, 1)),
}
"""Text, order and pruning thresholds, those of the shared folder's models."""


def timed(call: Callable[..., T], *arguments: Any, **options: Any) -> tuple[T, float]:
    """The result, and CPU seconds."""
    start = time.process_time()
    result = call(*arguments, **options)
    return result, time.process_time() - start


def peak() -> float:
    """MB of the process."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measure(text: str, order: int, prune: tuple[int, ...]) -> dict[str, str]:
    """Build a model, and the one without the first of five folds."""
    with tempfile.TemporaryDirectory() as folder:
        start = peak()
        lines, read = timed(read_texts, SHARED / "data" / text)
        counts, count = timed(count_ngrams, lines, order)
        model, estimation = timed(estimate, counts, prune=prune)
        _, plain = timed(write_arpa, model, Path(folder) / "arpa")
        most = peak()
        _, gz = timed(write_arpa, model, Path(folder) / "arpa.gz")
        folds = [count_ngrams(lines[i::FOLDS], order) for i in range(FOLDS)]
        merged, merging = timed(NgramCounts.merged, folds[1:])
        _, fold = timed(estimate, merged, prune=prune)
    return {
        "n-grams": f"{sum(len(level.first) for level in model.levels):,}",
        "count s": f"{read + count:.2f}",
        "estimate s": f"{estimation:.2f}",
        "write s": f"{plain:.2f}",
        "write gz s": f"{gz:.2f}",
        "fold: merge, estimate s": f"{merging:.2f}, {fold:.2f}",
        "MB at start, peak": f"{start:,.0f}, {most:,.0f}",
    }


def lmplz_seconds(text: str, order: int, prune: tuple[int, ...]) -> float:
    """CPU seconds of lmplz itself, its file plain."""
    with tempfile.TemporaryDirectory() as folder:
        path = SHARED / "data" / text
        estimate_arpa([path], order, Path(folder) / "arpa", prune=prune, use="lmplz")
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description="CPU seconds and memory of n-gram models.")
    parser.add_argument("models", nargs="*", metavar="MODEL", help=f"all by default: {', '.join(MODELS)}")
    parser.add_argument("--markdown", action="store_true", help="write a Markdown table")
    options = parser.parse_args()
    if unknown := set(options.models) - set(MODELS):
        parser.error(f"unknown models {', '.join(sorted(unknown))}, known are {', '.join(MODELS)}")
    rows = []
    for name in options.models or MODELS:
        row = {"text": name, "order": str(MODELS[name][1])}
        row |= in_fresh_process(measure, *MODELS[name])
        if find_lmplz() is not None:
            row["lmplz s"] = f"{in_fresh_process(lmplz_seconds, *MODELS[name]):.2f}"
        rows.append(row)
    print(table(rows, markdown=options.markdown))


if __name__ == "__main__":
    main()
