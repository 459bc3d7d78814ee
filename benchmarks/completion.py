"""What completion saves a translator, and what a key costs: python benchmarks/completion.py --help."""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from tasks import SHARED, TASKS, add_task_argument, chosen, in_fresh_process, sides, table

from hopefear import Decoder
from hopefear.decoder import Hypergraph, Segment, read_config
from hopefear.live import AdaptingDecoder, LiveSession
from hopefear.metrics import Cer, Ksmr, typed_words, typing_work
from hopefear.tuners import Mira

Translate = Callable[[str], Hypergraph]

DOCUMENTS = ("python-docs/en-es/test.en", "python-docs/en-es/test.es")


@dataclass
class Timed:
    """Completes by a forest, and keeps the CPU milliseconds of each key."""

    forest: Hypergraph
    keys: list[float] = field(default_factory=list)
    opened: float = 0.0

    def __call__(self, typed: str) -> str:
        """Complete what has been typed."""
        start = time.process_time()
        found = self.forest.complete(typed)
        ms = 1000 * (time.process_time() - start)
        if typed:
            self.keys.append(ms)
        else:  # the tables are made
            self.opened = ms
        return found


def measure(name: str, translate: Translate, lines: list[tuple[str, str]]) -> dict[str, str]:
    """Type the references of a set, by keys and by words."""
    for source, _ in lines[:5]:  # the first sentences open files
        translate(source)
    keys: list[float] = []
    opened: list[float] = []
    parsed = 0.0
    actions = characters = words = reference_words = edits = fewest = 0
    for source, reference in lines:
        start = time.process_time()
        forest = translate(source)
        parsed += 1000 * (time.process_time() - start)
        complete = Timed(forest)
        work = typing_work(complete, reference)
        keys += complete.keys
        opened.append(complete.opened)
        actions += work.actions
        characters += work.characters
        words += typed_words(forest.complete, reference)
        reference_words += len(reference.split())
        edits += int(Cer().stats(forest.written(), [reference])[0])
        fewest += int(Ksmr().stats(forest.written(), [reference])[0]) + 1  # the translation is accepted
    keys.sort()
    return {
        "set": name,
        "sentences": str(len(lines)),
        "WSR": f"{100 * words / reference_words:.1f}",
        "KSMR": f"{100 * actions / characters:.1f}",
        "KSMR, post-edit": f"{100 * fewest / characters:.1f}",
        "characters edited, post-edit": f"{100 * edits / characters:.1f}",
        "saved": f"{100 * (1 - actions / fewest):.0f} %",
        "parse ms": f"{parsed / len(lines):.1f}",
        "open ms": f"{sum(opened) / len(opened):.1f}",
        "key ms": f"{sum(keys) / len(keys):.1f}",
        "95 % ms": f"{keys[int(0.95 * len(keys))]:.1f}",
        "CPU s": f"{time.process_time():.0f}",
        "MB": f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000:.0f}",
    }


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.partition(":")[0])
    add_task_argument(parser)
    parser.add_argument(
        "--system",
        type=Path,
        help="type the Spanish of the manual with this built system, which has text as written, and no tasks",
    )
    parser.add_argument("--sentences", type=int, default=100, help="the first ones of each test set")
    parser.add_argument("--markdown", action="store_true")
    options = parser.parse_args()
    rows = []
    if options.system:
        rows.append(in_fresh_process(measure_system, options.system, options.sentences))
    else:
        for name in chosen(parser, options.tasks):
            rows.append(in_fresh_process(measure_task, name, options.sentences))
    print(table(rows, markdown=options.markdown))


def measure_task(name: str, sentences: int) -> dict[str, str]:
    """Measure a task's test set, by the first reference."""
    task = TASKS[name]
    source, references = sides(task, "test", sentences)
    decoder = Decoder(task.config, weights=task.weights("tuned"))
    return measure(
        name, decoder.translate, list(zip(source, (first for first, *_ in references), strict=True))
    )


def measure_system(folder: Path, sentences: int) -> dict[str, str]:
    """Measure a system of text as written; nothing is learned."""
    texts = [(SHARED / "data" / path).read_text("utf-8").splitlines()[:sentences] for path in DOCUMENTS]
    decoder = AdaptingDecoder(
        read_config(folder / "cdec.ini"), rules=True, model=False, weights=folder / "weights.init"
    )
    session = LiveSession(decoder, Mira.paper())
    return measure(
        "python-docs en-es",
        lambda line: session.translate(Segment.from_input(line)),
        list(zip(*texts, strict=True)),
    )


if __name__ == "__main__":
    main()
