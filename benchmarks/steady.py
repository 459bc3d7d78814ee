"""How steadily tuners learn, and which settings to prefer: python benchmarks/steady.py --help."""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

import numpy as np
from tasks import TASKS, add_task_argument, chosen, in_fresh_process, table

from hopefear import Decoder
from hopefear.metrics import Bleu
from hopefear.plugins import create
from hopefear.tuners.catalogue import make_tuner

LEARNED = 0.6
"""The share of a dev set that is learned from; BLEU is that of the rest."""


def learn(run: dict[str, Any]) -> dict[str, Any]:
    """Learn from the first part of a dev set, and translate the rest with the learned weights."""
    start = time.process_time()
    task = TASKS[run["task"]]
    corpus = task.corpus()
    cut = int(LEARNED * len(corpus))
    part, rest = corpus[:cut][: run["sentences"]], corpus[cut:][: run["sentences"]]
    features = [create(name) for name in run["features"]]
    decoder = Decoder(task.config, weights=task.weights("init"), features=features)
    decoder.weights.array[:] *= run["scale"]
    settings = [f"seed={run['seed']}", *([f"passes={run['passes']}"] if run["passes"] else [])]
    tuner = make_tuner(run["tuner"], settings, on_corpus=True)
    tuner.fit(decoder, part)
    bleu = Bleu()
    texts = [decoder.translate(segment).viterbi() for segment in rest]
    statistics = bleu.corpus_stats(texts, [segment.references for segment in rest]).sum(axis=0)
    return {
        "curve": [record.score for record in tuner.passes_],
        "lengths": [getattr(record, "length_ratio", float("nan")) for record in tuner.passes_],
        "BLEU": float(bleu.score(statistics)),
        "length": float(statistics[0] / statistics[1]),
        "seconds": time.process_time() - start,
    }


def fall(curve: list[float]) -> float:
    """How far a pass is below the best before it, at most."""
    return max((max(curve[:n]) - curve[n] for n in range(1, len(curve))), default=0.0)


def choices(runs: list[dict[str, Any]], tasks: list[str], tuners: list[str]) -> list[dict[str, str]]:
    """For each task, what the others choose: the highest mean BLEU, relative to their own means."""

    def mean(task: str, tuner: str) -> float:
        own = [run["BLEU"] for run in runs if run["task"] == task and run["tuner"] == tuner]
        return float(np.mean(own))

    rows = []
    for task in tasks:
        others = [other for other in tasks if other != task]
        best = max(tuners, key=lambda tuner: sum(mean(other, tuner) for other in others))
        own = max(tuners, key=lambda tuner: mean(task, tuner))
        rows.append(
            {
                "left out": task,
                "the others choose": best,
                "BLEU": f"{mean(task, best):.2f}",
                "best on this task": own,
                "its BLEU": f"{mean(task, own):.2f}",
            }
        )
    return rows


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(
        description="Learn from 60 % of the dev sets, translate the rest; tables by task and leaving one out"
    )
    add_task_argument(parser)
    parser.add_argument("--tuner", action="append", metavar="LINE", help="as in a plan; may be repeated")
    parser.add_argument("--choose", action="append", metavar="LINE", help="only these in the choice")
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--passes", type=int, help="the tuner's own number by default")
    parser.add_argument("--sentences", type=int, help="at most so many of each part")
    parser.add_argument("--scale", type=float, default=1.0, help="of the initial weights")
    parser.add_argument("--features", nargs="*", default=[], metavar="PLUGIN", help="plugins that are on")
    parser.add_argument("--log", type=Path, help="JSON lines; what it has is not measured again")
    parser.add_argument("--markdown", action="store_true", help="write Markdown tables")
    options = parser.parse_args()
    tasks = list(chosen(parser, options.tasks))
    tuners: list[str] = options.tuner or ["Mira"]
    known: dict[str, dict[str, Any]] = {}
    if options.log and options.log.exists():
        for line in options.log.read_text("utf-8").splitlines():
            entry = json.loads(line)
            known[json.dumps(entry["run"])] = entry["found"]
    rows, runs = [], []
    for task in tasks:
        for tuner in tuners:
            own = []
            for seed in range(options.seeds):
                run = {
                    "task": task, "tuner": tuner, "seed": seed, "passes": options.passes,
                    "sentences": options.sentences, "scale": options.scale, "features": options.features,
                }  # fmt: skip
                key = json.dumps(run)
                if key not in known:
                    known[key] = in_fresh_process(learn, run)
                    if options.log:
                        with options.log.open("a", encoding="utf-8") as file:
                            file.write(json.dumps({"run": run, "found": known[key]}) + "\n")
                own.append({**run, **known[key]})
            runs += own
            bleu = [run["BLEU"] for run in own]
            rows.append(
                {
                    "task": task,
                    "tuner": tuner,
                    "passes, seed 0": " ".join(f"{score:.1f}" for score in own[0]["curve"]),
                    "largest fall": f"{max(fall(run['curve']) for run in own):.1f}",
                    "BLEU of the rest": " ".join(f"{score:.2f}" for score in bleu),
                    "mean": f"{np.mean(bleu):.2f}",
                    "length": f"{np.mean([run['length'] for run in own]):.2f}",
                    "CPU s": f"{np.mean([run['seconds'] for run in own]):.0f}",
                }
            )
            print(" | ".join(rows[-1].values()), flush=True)
    print(f"\n{table(rows, markdown=options.markdown)}")
    candidates = [line for line in options.choose or tuners if line in tuners]
    if len(tasks) > 1 and len(candidates) > 1:
        print(f"\n{table(choices(runs, tasks, candidates), markdown=options.markdown)}")


if __name__ == "__main__":
    main()
