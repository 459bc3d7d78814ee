"""What a large model costs to load, to change and to save: python benchmarks/weights.py --help."""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from tasks import in_fresh_process, table

from hopefear import Weights
from hopefear.tuners.solvers.averaging import WeightAverage
from hopefear.tuners.solvers.margin import Constraints, solve

HYPOTHESES = 30
FEATURES = 200
"""A sentence's hypotheses, and the features of each."""


def write_model(path: Path, n: int) -> int:
    """Write n weights in no order, named as rule indicators are; give the bytes of all names."""
    rng = np.random.default_rng(1)
    size = 0
    with path.open("w") as file:
        for start in range(0, n, 100_000):
            count = min(100_000, n - start)
            numbers = np.arange(start, start + count) * 0x9E3779B1 % 2**32  # each once, far apart
            values = rng.normal(size=count).tolist()
            names = [
                f"R:X:{i >> 16:04x}_NX:N1_{i & 0xFFFF:04x}{'er' if i & 2 else 'ness'}"
                for i in numbers.tolist()
            ]
            size += sum(map(len, names))
            file.writelines(f"{name} {value:.6g}\n" for name, value in zip(names, values, strict=True))
    return size


def a_batch(sentences: int, n: int) -> list[Constraints]:
    """Make up the hypotheses of some sentences, with features from all over the model."""
    rng = np.random.default_rng(2)
    batch = []
    for _ in range(sentences):
        pool = rng.integers(n, size=5 * FEATURES)  # hypotheses of a sentence share most of theirs
        batch.append(
            Constraints(
                np.arange(0, HYPOTHESES * FEATURES + 1, FEATURES),
                rng.choice(pool, HYPOTHESES * FEATURES).astype(np.int32),
                np.ones(HYPOTHESES * FEATURES),
                np.concatenate(([0.0], rng.random(HYPOTHESES - 1))),
                0,
            )
        )
    return batch


def seconds_of(call: Callable[[], Any]) -> float:
    """CPU seconds."""
    start = time.process_time()
    call()
    return time.process_time() - start


def status(key: str) -> int:
    """Bytes of the process's memory, from Linux: VmRSS or VmHWM."""
    (line,) = (line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith(key))
    return 1024 * int(line.split()[1])


def measure(path: Path, out: Path, sentences: int) -> dict[str, float]:
    """Load, update by some sentences, save: seconds, and bytes at the peak above those at the start."""
    start = status("VmRSS")
    weights, average = Weights(), WeightAverage()
    load = seconds_of(lambda: weights.read(path))
    loaded = status("VmHWM")

    def update() -> None:
        solution = solve(batch, weights.array, 0.01)
        weights.array[solution.features] += solution.change
        average.add(solution.features, solution.change)

    batch = a_batch(sentences, len(weights))
    first = seconds_of(update)  # pays for new pages of the average
    later = float(np.median([seconds_of(update) for _ in range(9)]))
    touched = len(np.unique(np.concatenate([c.features for c in batch])))
    save = seconds_of(lambda: weights.write(out))
    return {
        "load": load,
        "first": first,
        "later": later,
        "touched": touched,
        "save": save,
        "loaded": loaded - start,
        "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 - start,
    }


def row(folder: Path, n: int, sentences: int) -> dict[str, str]:
    """Measure a model of n weights in a process of its own."""
    path = folder / "weights"
    names = write_model(path, n)
    got = in_fresh_process(measure, path, folder / "out", sentences)

    def mb(size: float) -> str:
        return f"{size / 1e6:,.0f}"

    return {
        "weights": f"{n:,}",
        "load s": f"{got['load']:.2f}",
        "features touched": f"{got['touched']:,}",
        "first, later update ms": f"{1000 * got['first']:.2f}, {1000 * got['later']:.2f}",
        "save s": f"{got['save']:.2f}",
        "MB loaded, peak": f"{mb(got['loaded'])}, {mb(got['peak'])}",
        "weights MB": mb(8 * n),
        "names MB": mb(names),
        "peak above weights": mb(got["peak"] - 8 * n),
        "and above names": mb(got["peak"] - 8 * n - names),
    }


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description="Load, one update and save, in processes of their own.")
    parser.add_argument(
        "sizes", nargs="*", type=float, default=[0.3, 3, 30], metavar="MILLIONS", help="0.3 3 30 by default"
    )
    parser.add_argument("--sentences", type=int, nargs="+", default=[1, 10], help="of an update")
    parser.add_argument("--folder", type=Path, help="for the models; 80 bytes a weight")
    parser.add_argument("--markdown", action="store_true", help="write a Markdown table")
    options = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        for millions in options.sizes:
            for sentences in options.sentences:
                rows.append(row(Path(folder), round(1e6 * millions), sentences))
    print(table(rows, markdown=options.markdown))


if __name__ == "__main__":
    main()
