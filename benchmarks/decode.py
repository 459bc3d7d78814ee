"""How fast the decoder is: python benchmarks/decode.py --help."""

from __future__ import annotations

import argparse
import re
import resource
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from tasks import (
    REFERENCE_CALIBRATION,
    TASKS,
    Task,
    add_task_argument,
    calibrate,
    chosen,
    in_fresh_process,
    table,
)

from hopefear import Decoder, Segment
from hopefear.decoder import read_config
from hopefear.decoder.compiled import compile_grammars


def make_decoder(task: Task) -> Decoder:
    """Load a task's decoder with its tuned weights."""
    return Decoder(task.config, weights=task.weights("tuned"))


def segments(task: Task, sentences: int | None) -> list[Segment]:
    """Read the sources."""
    lines = task.lines(task.source)[:sentences]
    return [Segment(tuple(line.split()), id=i, index=i) for i, line in enumerate(lines)]


def measure_grammar(name: str) -> float:
    """CPU seconds to load the grammar without the language model."""
    config = read_config(TASKS[name].config)
    for settings in config.passes:
        settings.features = []
    start = time.process_time()
    Decoder(config)
    return time.process_time() - start


def measure_decode(name: str, sentences: int | None) -> dict[str, float]:
    """Load and decode in one thread: CPU seconds, peak memory in MB, summed model score."""
    task = TASKS[name]
    start = time.process_time()
    decoder = make_decoder(task)
    load = time.process_time() - start
    corpus = segments(task, sentences)
    start = time.process_time()
    score = 0.0
    for forest in decoder.translate_all(corpus):
        best = forest.best()
        forest.text(best)
        score += forest.score(best)
    seconds = (time.process_time() - start) / len(corpus)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"load": load, "seconds": seconds, "score": score, "peak": peak}


def forests_row(name: str, sentences: int | None) -> dict[str, str]:
    """CPU seconds of inside and outside, and of the gradient of the entropy, over the forests of a task."""
    task = TASKS[name]
    decoder = make_decoder(task)
    edges, seconds = 0, [0.0, 0.0]
    for forest in decoder.translate_all(segments(task, sentences)):
        edges += len(forest.edges)
        for i, compute in enumerate((forest.outside, lambda f=forest: f.entropy().by_scores())):
            start = time.process_time()
            compute()
            seconds[i] += time.process_time() - start
    inside_outside, gradient = (f"{1e9 * each / edges:.1f}" for each in seconds)
    return {
        "task": name,
        "edges": f"{edges}",
        "inside, outside ms a million": inside_outside,
        "gradient": gradient,
    }


def private_memory() -> float:
    """MB of memory that no other process shares."""
    text = Path("/proc/self/smaps_rollup").read_text()
    return sum(map(int, re.findall(r"^Private_\w+: +(\d+) kB", text, re.MULTILINE))) / 1024


def measure_opening(name: str, grammar: str) -> tuple[float, float]:
    """Open a grammar without the language model: CPU seconds, and MB of private memory."""
    config = read_config(TASKS[name].config)
    Decoder(formalism="scfg")  # what every decoder needs
    config.grammars = [Path(grammar)]
    for settings in config.passes:
        settings.features = []
    memory, start = private_memory(), time.process_time()
    decoder = Decoder(config)
    seconds, grown = time.process_time() - start, private_memory() - memory
    del decoder
    return seconds, grown


def compiled_row(name: str) -> dict[str, str]:
    """Compile the grammar of a task, and open it as text and compiled."""
    (grammar,) = read_config(TASKS[name].config).grammars
    with tempfile.TemporaryDirectory() as folder:
        compiled = Path(folder, "grammar.hfg")
        rules = compile_grammars([grammar], compiled)
        opened = [in_fresh_process(measure_opening, name, str(path)) for path in (grammar, compiled)]
        size = compiled.stat().st_size / 2**20
    return {
        "task": name,
        "rules": str(rules),
        "MB": f"{size:.1f}",
        "open s, text": f"{opened[0][0]:.3f}",
        "compiled": f"{opened[1][0]:.3f}",
        "private MB, text": f"{opened[0][1]:.1f}",
        "compiled ": f"{opened[1][1]:.1f}",
    }


def measure_threads(name: str, sentences: int | None, counts: Sequence[int]) -> list[float]:
    """Wall-clock sentences a second for each number of threads."""
    task = TASKS[name]
    decoder = make_decoder(task)
    corpus = segments(task, sentences)
    rates = []
    for threads in counts:
        start = time.perf_counter()
        for forest in decoder.translate_all(corpus, threads=threads):
            forest.viterbi()
        rates.append(len(corpus) / (time.perf_counter() - start))
    return rates


def against(ours: float, cdec: float | None, scale: float = 1.0) -> str:
    """Say what cdec has, scaled, and how many times ours that is."""
    if cdec is None:
        return "–"
    scaled = cdec * scale
    return f"{scaled:.0f} ({scaled / ours:.1f}×)" if scaled >= 100 else f"{scaled:.3g} ({scaled / ours:.1f}×)"


def decode_row(name: str, options: argparse.Namespace, scale: float) -> dict[str, str]:
    """Measure one task."""
    task = TASKS[name]
    grammar = in_fresh_process(measure_grammar, name)
    got = in_fresh_process(measure_decode, name, options.sentences)
    whole = options.sentences is None
    return {
        "task": name,
        "ms a sentence": f"{1000 * got['seconds']:.2f}",
        "cdec's": against(1000 * got["seconds"], task.seconds and 1000 * task.seconds, scale),
        "model score": f"{got['score']:.1f}",
        "cdec's score": f"{task.score:.1f}" if task.score and whole else "–",
        "load s": f"{got['load']:.2f}",
        "of it grammar, model": f"{grammar:.2f}, {max(got['load'] - grammar, 0):.2f}",
        "cdec's load": against(got["load"], task.load, scale),
        "peak MB": f"{got['peak']:.0f}",
        "cdec's peak": against(got["peak"], task.peak),
    }


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description="Decode the dev sets with their tuned weights.")
    add_task_argument(parser)
    parser.add_argument("--sentences", type=int, help="only the first so many of each task")
    parser.add_argument("--compiled", action="store_true", help="open each grammar as text and compiled")
    parser.add_argument("--forests", action="store_true", help="inside and outside over the forests")
    parser.add_argument("--threads", type=int, nargs="+", help="wall-clock throughput with so many threads")
    parser.add_argument("--calibration", type=float, help="seconds, where the kenlm module is not installed")
    parser.add_argument("--markdown", action="store_true", help="write Markdown tables")
    options = parser.parse_args()
    tasks = chosen(parser, options.tasks)
    rows = []
    if options.compiled:
        rows = [compiled_row(name) for name in tasks]
    elif options.forests:
        rows = [in_fresh_process(forests_row, name, options.sentences) for name in tasks]
    elif options.threads:
        for name in tasks:
            rates = in_fresh_process(measure_threads, name, options.sentences, options.threads)
            cells = {
                f"{n} threads, sentences/s": f"{r:.1f} ({r / rates[0]:.2f}×)"
                for n, r in zip(options.threads, rates, strict=True)
            }
            rows.append({"task": name, **cells})
    else:
        seconds = options.calibration or calibrate()
        scale = seconds / REFERENCE_CALIBRATION
        print(f"Calibration {seconds:.3f} s: cdec's times are scaled by {scale:.2f}.\n")
        rows = [decode_row(name, options, scale) for name in tasks]
    print(table(rows, markdown=options.markdown))


if __name__ == "__main__":
    main()
