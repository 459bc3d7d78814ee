"""A joint model inside the search, or in a second pass: python benchmarks/joint_passes.py --help."""

from __future__ import annotations

import argparse
import time
from dataclasses import replace
from pathlib import Path

from tasks import in_fresh_process, table

from hopefear import Decoder, Segment
from hopefear.base.lines import read_texts
from hopefear.decoder import Config, read_config
from hopefear.decoder.rescoring import JOINT_MODEL

WAYS = ("without", "in the search", "second pass")


def configuration(path: Path, way: str, limit: int) -> Config:
    """Read a cdec.ini; its joint models are left out, or go to the second pass, if `way` says so."""
    config = read_config(path)
    first, second, third = config.passes
    joint = [line for line in first.features if line.split()[0] == JOINT_MODEL]
    if way != WAYS[1]:
        first = replace(first, features=[line for line in first.features if line not in joint])
    if way == WAYS[2]:
        second = replace(second, features=joint, pop_limit=limit)
    return replace(config, passes=[replace(first, pop_limit=limit), second, third])


def measure(
    path: Path, weights: Path, source: Path, sentences: int, way: str, limit: int
) -> tuple[float, float]:
    """Translate; return the summed model score and the CPU milliseconds a sentence."""
    decoder = Decoder(configuration(path, way, limit), weights=weights)
    corpus = [Segment(line) for line in read_texts(source)[:sentences]]
    score, start = 0.0, time.process_time()
    for segment in corpus:
        forest = decoder.translate(segment)
        best = forest.best()
        forest.text(best)
        score += forest.score(best)
    return score, 1000 * (time.process_time() - start) / len(corpus)


def main() -> None:
    """Read the options, measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    add = parser.add_argument
    add("config", type=Path, help="a cdec.ini with a line feature_function=JointModel")
    add("weights", type=Path)
    add("source", type=Path)
    add("--sentences", type=int, default=100)
    add("--limits", type=int, nargs="+", default=[30, 100, 200, 500], help="pop limits, of both passes")
    add("--markdown", action="store_true")
    given = parser.parse_args()
    rows = []
    for limit in given.limits:
        for way in WAYS:
            case = (given.config, given.weights, given.source, given.sentences, way, limit)
            score, spent = in_fresh_process(measure, *case)
            rows.append(
                {
                    "pop limit": str(limit),
                    "joint model": way,
                    "summed model score": "" if way == WAYS[0] else f"{score:.2f}",  # of another model
                    "ms a sentence": f"{spent:.1f}",
                }
            )
    print(table(rows, markdown=given.markdown))


if __name__ == "__main__":
    main()
