"""Score and time at each pop limit, beside cdec's: python benchmarks/frontier.py --help."""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

from decode import make_decoder, segments
from tasks import SHARED, TASKS, add_task_argument, chosen, in_fresh_process, table

LIMITS = [10, 30, 100, 200, 1000]

CDEC_MILLISECONDS = {
    "tanaka en-ja": [15.50, 19.00, 32.26, 54.85, 220.60],
    "tanaka ja-en": [21.55, 34.99, 59.96, 100.29, 479.19],
    "bible es-en": [56.53, 75.88, 187.34, 372.74, 1929.07],
    "bible de-en": [188.18, 241.55, 402.58, 664.47, 3361.41],
}
"""cdec's CPU time a sentence at each of `LIMITS`, measured on a busy machine of 2 cores."""


def cdec_scores(name: str) -> list[list[float]]:
    """Read cdec's 1-best score of each sentence at each of `LIMITS`."""
    golden = json.loads((SHARED / f"golden/frontier/{name.replace(' ', '-')}.json").read_text("utf-8"))
    return [golden["pop_limits"][str(limit)]["scores"] for limit in LIMITS]


def measure(name: str, sentences: int, limits: list[int]) -> list[dict[str, Any]]:
    """Decode a task at each limit: CPU milliseconds a sentence, 1-best scores with six digits, as cdec's."""
    decoder = make_decoder(TASKS[name])
    corpus = segments(TASKS[name], sentences)
    for _ in decoder.translate_all(corpus):  # the first pass fills caches
        pass
    points = []
    for limit in limits:
        for settings in decoder.config.passes:
            settings.pop_limit = limit
        start = time.process_time()
        scores = [float(f"{forest.viterbi_score():.6g}") for forest in decoder.translate_all(corpus)]
        seconds = time.process_time() - start
        points.append({"limit": limit, "ms": 1000 * seconds / len(corpus), "scores": scores})
    return points


def rows(name: str, points: list[dict[str, Any]], cdec: list[list[float]]) -> list[dict[str, str]]:
    """Compare with cdec at the same limits."""
    out = []
    for point in points:
        row = {"task": name, "limit": str(point["limit"]), "score": f"{sum(point['scores']):.2f}"}
        row |= {"ms": f"{point['ms']:.2f}", "cdec's score": "–", "cdec's ms": "–", "better/worse/equal": "–"}
        if point["limit"] in LIMITS:
            at = LIMITS.index(point["limit"])
            pairs = list(zip(point["scores"], cdec[at], strict=False))
            better = sum(ours > its + 1e-4 for ours, its in pairs)
            worse = sum(ours < its - 1e-4 for ours, its in pairs)
            milliseconds = CDEC_MILLISECONDS[name][at]
            row["cdec's score"] = f"{sum(its for _, its in pairs):.2f}"
            row["cdec's ms"] = f"{milliseconds:.2f} ({milliseconds / point['ms']:.1f}×)"
            row["better/worse/equal"] = f"{better} / {worse} / {len(pairs) - better - worse}"
        out.append(row)
    return out


def plot(path: Path, curves: dict[str, dict[str, list[tuple[float, float]]]]) -> None:
    """Draw score over time, one panel a task."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(2, 2, figsize=(10, 7), layout="constrained")
    for axis, (name, of_task) in zip(axes.flat, curves.items(), strict=False):
        for label, points in of_task.items():
            axis.plot(*zip(*sorted(points), strict=True), marker="o", markersize=4, label=label)
        axis.set(title=name, xscale="log", xlabel="CPU ms a sentence", ylabel="summed 1-best score")
        axis.grid(alpha=0.3)
    axes.flat[0].legend()
    figure.savefig(path, dpi=110)


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(
        description="Decode at several pop limits; print score, CPU time, and cdec's figures beside them."
    )
    add_task_argument(parser)
    parser.add_argument("--sentences", type=int, help="only the first so many of each task")
    parser.add_argument("--limits", type=int, nargs="+", default=LIMITS, help="pop limits")
    parser.add_argument("--write", type=Path, help="write the figures to a JSON file")
    parser.add_argument("--before", type=Path, help="figures that --write wrote earlier, for the plot")
    parser.add_argument("--plot", type=Path, help="draw score over time into a PNG file")
    parser.add_argument("--markdown", action="store_true", help="write Markdown tables")
    options = parser.parse_args()
    if options.sentences and options.plot:
        parser.error("--plot needs all sentences: cdec's times are those of whole sets")
    before = json.loads(options.before.read_text("utf-8")) if options.before else {}
    found, lines = {}, []
    curves: dict[str, dict[str, list[tuple[float, float]]]] = {}
    for name in chosen(parser, options.tasks):
        cdec = cdec_scores(name)
        sentences = min(options.sentences or len(cdec[0]), len(cdec[0]))
        cdec = [scores[:sentences] for scores in cdec]
        found[name] = in_fresh_process(measure, name, sentences, options.limits)
        lines += rows(name, found[name], cdec)
        curves[name] = {"cdec": list(zip(CDEC_MILLISECONDS[name], map(sum, cdec), strict=True))}
        for label, points in (("before", before.get(name)), ("hopefear", found[name])):
            if points:
                curves[name][label] = [(point["ms"], sum(point["scores"])) for point in points]
    print(table(lines, markdown=options.markdown))
    if options.write:
        options.write.write_text(json.dumps(found), "utf-8")
    if options.plot:
        plot(options.plot, curves)


if __name__ == "__main__":
    main()
