"""What corrections of a live session cost: python benchmarks/corrections.py --help."""

from __future__ import annotations

import argparse
import gzip
import time
from collections.abc import Callable, Iterator
from itertools import islice, pairwise
from pathlib import Path
from statistics import mean, median
from typing import Any

from extract import TEXTS
from tasks import SHARED, TASKS, table

from hopefear import Segment
from hopefear.decoder import read_config
from hopefear.grammars.bitext import Bitext
from hopefear.grammars.extractor import CDEC_FEATURES, POST_EDIT_SUPPORT, GrammarExtractor
from hopefear.grammars.sample import sample_path
from hopefear.live import POST_EDIT_MODEL, ActiveCorrections, AdaptingDecoder, Event, Forget, LiveSession
from hopefear.live.active_corrections import Effect
from hopefear.live.corrections import Correction
from hopefear.live.corrections_model import CorrectionsModel
from hopefear.live.session_text import SessionText, SharedText
from hopefear.tuners import LeastWork, Mira

DOCUMENTS = ("python-docs/en-es/test.en", "python-docs/en-es/test.es")


class Fixed:
    """A tuner of a session whose weights stay."""

    def partial_fit(self, *ignored: object) -> None:
        """Change nothing."""


class Parts:
    """Milliseconds of processor time of the parts of a step."""

    def __init__(self) -> None:
        self.of: dict[str, list[float]] = {}

    def time(self, name: str, part: Callable[[], Any]) -> Any:
        """Do a part, and return what it returns."""
        begin = time.process_time()
        found = part()
        self.of.setdefault(name, []).append(1000 * (time.process_time() - begin))
        return found


def parts(name: str, number: int, warm: int) -> list[str]:
    """Measure the parts of the adaptation to corrections: medians after the first `warm` ones."""
    task = TASKS[name]
    folder, source, target, alignment, reverse = TEXTS[name]
    place = SHARED / "data" / folder
    paths = (place / f"train.{source}.gz", place / f"train.{target}.gz", place / alignment)
    bitext = Bitext.read(*paths, reverse=reverse)
    features = [*CDEC_FEATURES, POST_EDIT_SUPPORT]
    shared = SharedText(GrammarExtractor(bitext, features=features, corrections_from=len(bitext)))
    active = ActiveCorrections()
    text = SessionText(shared, active)
    decoder = AdaptingDecoder(read_config(task.config), rules=True, model=True)
    feature = decoder.weights.id(POST_EDIT_MODEL)
    model = CorrectionsModel(decoder.background, decoder.ngram_model, feature, active)
    measured = Parts()
    lines = [task.lines(path) for path in (task.source, task.references[0])]
    pairs = [(tuple(one.split()), tuple(other.split())) for one, other in zip(*lines, strict=True)][:number]
    for index, (words, correction) in enumerate(pairs):
        if index == warm:
            measured = Parts()
        measured.time("rules", lambda words=words: text.grammar(words))
        measured.time("rules, prepared", lambda words=words: text.grammar(words))
        links = measured.time("links", lambda one=words, other=correction: text.align(one, other))
        kept = Correction(words, correction, tuple(links), number=index + 1, time=0.0)
        effect = Effect(Event(), [kept])
        measured.time("text", lambda effect=effect: text.apply(effect))
        measured.time("n-grams", lambda effect=effect: model.apply(effect))
    return [name, *(f"{median(values):.2f}" for values in measured.of.values())]


def steps(system: Path, number: int, warm: int) -> list[str]:
    """Measure what a translator waits for, from a correction to the next translation, with a built system.

    The next sentence was prepared and foreseen before. Sentences and corrections are those of the
    Spanish-English dev set.
    """
    begin, before = time.perf_counter(), resident()
    decoder = AdaptingDecoder(
        read_config(system / "cdec.ini"), rules=True, model=True, weights=str(system / "weights.init")
    )
    started, loaded = time.perf_counter() - begin, resident() - before
    session = LiveSession(decoder, Mira.paper(C=0.01))
    task = TASKS["bible es-en"]
    pairs = zip(*(task.lines(path)[: number + 1] for path in (task.source, task.references[0])), strict=True)
    segments = [Segment(tuple(source.split()), references=(target,)) for source, target in pairs]
    measured = Parts()
    session.answer(segments[0])
    for index, (segment, following) in enumerate(pairwise(segments)):
        if index == warm:
            measured = Parts()
        measured.time("prepared", lambda following=following: session.prepare(following))
        measured.time("foreseen", lambda following=following: session.foresee(following))
        event = measured.time("accepted", lambda segment=segment: session.accept(segment))
        measured.time("learned", lambda event=event: session.learn(event))
        measured.time("translated", lambda following=following: session.answer(following))
    parts = [measured.of[name] for name in ("accepted", "learned", "translated")]
    waits = [sum(one) for one in zip(*parts, strict=True)]
    ahead = [measured.of[name] for name in ("prepared", "foreseen")]
    figures = [median(values) for values in (*ahead, *parts, waits)]
    late = sorted(waits)[int(0.95 * len(waits))]
    memory = f"{loaded:.0f}", f"{resident() - before:.0f}"
    return [
        f"{decoder.text.begin:,}" if decoder.text else "",
        f"{started:.1f}",
        *memory,
        *(f"{ms:.0f}" for ms in (*figures, late)),
    ]


def experts(system: Path, number: int, warm: int) -> list[str]:
    """Measure what the experts cost against one translation of the untouched system.

    Sentences and corrections are the first ones of the test set of python-docs English-Spanish. Means, since
    some sentences need a search more than others.
    """
    decoder = AdaptingDecoder(
        read_config(system / "cdec.ini"), rules=True, model=True, weights=str(system / "weights.init")
    )
    session = LiveSession(decoder, Mira.paper(C=0.001, oracle=LeastWork()))
    texts = [(SHARED / "data" / path).read_text("utf-8").splitlines() for path in DOCUMENTS]
    segments = [
        decoder.segment(Segment.from_input(source).with_references((target,)))
        for source, target in list(zip(*texts, strict=True))[: number + 1]
    ]
    measured = Parts()
    session.answer(segments[0])
    for index, (segment, following) in enumerate(pairwise(segments)):
        if index == warm:
            measured = Parts()
        session.prepare(following)
        measured.time("untouched", lambda following=following: session.foresee(following))
        event = session.accept(segment)
        measured.time("learned", lambda event=event: session.learn(event))
        measured.time("answered", lambda following=following: session.answer(following))
    untouched, learned, answered = (mean(measured.of[name]) for name in ("untouched", "learned", "answered"))
    times = (f"{ms:.1f}" for ms in (untouched, answered, learned))
    ratios = (f"{ms / untouched:.2f}" for ms in (answered, untouched + answered))
    return [system.name, *times, *ratios]


def growth(number: int, forget: int | None, every: int) -> Iterator[list[str]]:
    """Measure a session of the sample that receives corrections: memory, log, time of a correction."""
    sample, data = sample_path(), SHARED / "data" / "bible-es-en"
    decoder = AdaptingDecoder(
        read_config(sample / "cdec.ini"), rules=True, model=True, weights=str(sample / "weights.init")
    )
    session = LiveSession(decoder, Fixed(), forget=Forget(most=forget))
    probe = Segment.from_input((sample / "test.es").read_text("utf-8").splitlines()[1])
    events: list[Event] = []
    session.readers.append(events.append)
    session.translate(probe)
    before, words, size, measured = resident(), 0, 0, Parts()
    with gzip.open(data / "train.es.gz", "rt") as sources, gzip.open(data / "train.en.gz", "rt") as targets:
        pairs = islice(zip(sources, targets, strict=True), number)
        for done, (source, target) in enumerate(pairs, 1):
            segment = Segment(source.strip(), references=(target.strip(),))
            words += len(source.split()) + len(target.split())
            measured.time("correction", lambda segment=segment: session.correct(segment))
            size += len(events.pop().line())
            if done % every:
                continue
            for _ in range(5):
                measured.time("translation", lambda: session.translate(probe))
            figures = [f"{median(measured.of[name]):.2f}" for name in ("correction", "translation")]
            grown = resident() - before
            yield [f"{done:,}", f"{words:,}", f"{grown:.1f}", f"{size / 1e6:.2f}", *figures]
            measured = Parts()


def resident() -> float:
    """MB of the process now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096 / 1e6


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__.partition(":")[0])
    parser.add_argument("--task", choices=TEXTS, action="append", help="may repeat; all if nothing is given")
    parser.add_argument("--sentences", type=int, default=200)
    parser.add_argument("--warm", type=int, default=50, help="sentences at the beginning that do not count")
    parser.add_argument("--growth", type=int, metavar="CORRECTIONS", help="measure growth instead")
    parser.add_argument(
        "--system",
        type=Path,
        action="append",
        help="measure what a translator waits for with this built system instead; may repeat",
    )
    parser.add_argument(
        "--experts",
        type=Path,
        metavar="SYSTEM",
        help="measure what the experts cost with this system of python-docs en-es instead",
    )
    parser.add_argument("--forget", type=int, help="corrections that are kept")
    given = parser.parse_args()
    if given.growth:
        head = ["corrections", "words", "MB", "log MB", "correction ms", "translation ms"]
        rows = growth(given.growth, given.forget, max(1, given.growth // 10))
    elif given.experts:
        head = ["system", "untouched, ahead, ms", "answer ms", "learning ms", "answer / untouched"]
        head += ["both / untouched"]
        rows = iter([experts(given.experts, given.sentences, given.warm)])
    elif given.system:
        head = ["pairs", "start, s", "MB", "MB, at the end", "prepared ms", "foreseen ms", "accepted ms"]
        head += ["learned ms", "translated ms", "all that is waited for, ms", "95 %, ms"]
        rows = (steps(system, given.sentences, given.warm) for system in given.system)
    else:
        head = ["task", "rules ms", "rules ms, prepared", "links ms", "text ms", "n-grams ms"]
        rows = (parts(name, given.sentences, given.warm) for name in given.task or TEXTS)
    print(table([dict(zip(head, row, strict=True)) for row in rows], markdown=True))


if __name__ == "__main__":
    main()
