"""How fast online learning is: python benchmarks/mira.py --help."""

from __future__ import annotations

import argparse
import time

from decode import against
from tasks import (
    REFERENCE_CALIBRATION,
    TASKS,
    add_task_argument,
    calibrate,
    chosen,
    in_fresh_process,
    table,
)

from hopefear import Decoder
from hopefear.plugins import create
from hopefear.tuners import Mira

FAMILIES = ("RuleIndicators", "SoftSyntax", "StructuralDistortion")


def measure(name: str, with_plugins: bool, sentences: int | None) -> dict[str, float]:
    """CPU seconds of one pass of MIRA in one thread: decoding, oracles, updates, averaging."""
    task = TASKS[name]
    names = [name for name in FAMILIES if with_plugins and (name != "SoftSyntax" or task.trees)]
    features = [create(name) for name in names]
    decoder = Decoder(task.config, weights=task.weights("init"), features=features)
    corpus = task.corpus(sentences)
    start = time.process_time()
    Mira.paper(passes=1).fit(decoder, corpus)
    seconds = time.process_time() - start
    return {"seconds": seconds, "sentences": len(corpus), "features": len(decoder.weights)}


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description="One pass of MIRA over the dev sets, from untuned weights.")
    add_task_argument(parser)
    parser.add_argument("--sentences", type=int, help="only the first so many of each task")
    parser.add_argument("--plugins", action="store_true", help="with " + ", ".join(FAMILIES))
    parser.add_argument("--calibration", type=float, help="seconds, where the kenlm module is not installed")
    parser.add_argument("--markdown", action="store_true", help="write a Markdown table")
    options = parser.parse_args()
    tasks = chosen(parser, options.tasks)
    seconds = options.calibration or calibrate()
    scale = seconds / REFERENCE_CALIBRATION
    print(f"Calibration {seconds:.3f} s: cdec's times are scaled by {scale:.2f}.\n")
    rows = []
    for name, task in tasks.items():
        got = in_fresh_process(measure, name, options.plugins, options.sentences)
        comparable = options.sentences is None and not options.plugins
        rows.append(
            {
                "task": name,
                "s a pass": f"{got['seconds']:.2f}",
                "ms a sentence": f"{1000 * got['seconds'] / got['sentences']:.1f}",
                "cdec's s a pass": against(got["seconds"], task.mira if comparable else None, scale),
                "features known": f"{got['features']}",
            }
        )
    print(table(rows, markdown=options.markdown))


if __name__ == "__main__":
    main()
