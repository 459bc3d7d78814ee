"""One cell: learn the weights, translate the test sets, store all results."""

from __future__ import annotations

import dataclasses
import os
import shlex
import shutil
import traceback
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from hopefear.base import InputError
from hopefear.base.files import written_whole
from hopefear.decoder import Segment, Translator, Weights, attempt
from hopefear.live import AdaptingDecoder
from hopefear.runs import learn, naming
from hopefear.tuners import CrossValidated, CrossValidation, Fold, OnlineTuner
from hopefear.tuners.contract import AnyTuner, Can, Record, RunFiles, can

from ..cell_file import DONE, checked, problem, read_facts, write_facts
from ..plan import ALL, START, Cell, PlanSystem, make_cell_tuner
from ..results import FailedRun, Result
from .corpora import in_drawn_order, read_documents, read_set
from .decoders import Decoders, initial_weights
from .points import Points, files_of, read_point
from .post_editing import Rehearsals, TestedText, post_edit
from .scoring import (
    CELLS,
    measure,
    read_translations,
    translations_file,
    write_statistics,
    write_translations,
)
from .transformed import transformed

WEIGHTS = "weights"
FINGERPRINT = "fingerprint"
STAGES = "stages"
"""Name of the folder of the states before the last line search, which cells share."""


def finished_runs(folder: Path, cell: Cell) -> list[Result] | None:
    """Return the rows of a finished cell; None if it is not finished or had other settings."""
    place = folder / CELLS / cell.name
    if not (place / DONE).exists():
        return None
    facts = read_facts(place)
    if facts["fingerprint"] != cell.fingerprint(folder):
        return None
    results = [Result(**row) for row in facts["runs"]]
    for result in results:
        checked(place, Path(result.statistics).name, facts)
    return results


def scored_otherwise(folder: Path, cell: Cell) -> dict[str, Any] | None:
    """Return the facts of a finished cell whose settings differ in the metrics only; else None."""
    place = folder / CELLS / cell.name
    if not (place / DONE).exists():
        return None
    facts = read_facts(place)
    metrics = tuple(facts.get("metrics", cell.metrics))
    earlier = dataclasses.replace(cell, metrics=metrics)
    if metrics == cell.metrics or facts["fingerprint"] != earlier.fingerprint(folder):
        return None
    for name in _lasting_files(cell):
        what = problem(place, name, facts)
        if what:
            raise InputError(what, path=place / name)
    return facts


def is_begun(folder: Path, cell: Cell) -> bool:
    """Tell whether the folder of a cell belongs to a run with the same settings."""
    fingerprint = folder / CELLS / cell.name / FINGERPRINT
    return fingerprint.exists() and fingerprint.read_text("utf-8", "replace") == cell.fingerprint(folder)


def stage_file(folder: Path, cell: Cell) -> Path | None:
    """Name the file that the cell shares with others; the first of these cells makes it."""
    stage = cell.stage(folder)
    return None if stage is None else folder / STAGES / stage


def run_cell(folder: Path, cell: Cell) -> list[Result]:
    """Run a cell, or continue it where it was interrupted; its folder is ``folder/cells/<its name>``.

    If it is finished, but with other metrics, its translations are scored anew.

    The folder gets the weights, ``log.jsonl`` (a line per pass), for each test set the translations, also as
    they are written if the set is, and the sentences' statistics, all in the order of the set, and at the end
    ``cell.json``: the rows of the results, and of test sets with documents the order of the sentences in
    simulated post-editing.
    """
    place = folder / CELLS / cell.name
    try:
        earlier = scored_otherwise(folder, cell)
    except InputError:
        earlier = None
    if earlier is not None:
        return _score_anew(folder, cell, earlier)
    files = RunFiles(place)
    if not is_begun(folder, cell):
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        _write_fingerprint(folder, cell)
    if cell.start is None:
        weights = initial_weights(cell.system, cell.tune)
    else:
        weights = Weights()
        if not cell.part:
            weights.read(checked(folder / CELLS / cell.start, WEIGHTS), may_be_empty=True)
    decoders = Decoders(_started(folder, cell), weights, cell.tuner)
    learned = _learn_part(folder, files, weights, cell) if cell.part else _learn(files, decoders, cell)
    choice, runs, orders = learned.choice, [], {}
    for name, sentences in cell.tests.items():
        learns = cell.tuner.live is not None or cell.system.fine_tuning is not UNSET
        documents = read_documents(sentences) if learns else None
        if documents is not None:
            orders[name] = in_drawn_order(documents, cell.seed)
        for row in _test(place, name, decoders.of(sentences), tested_corpus(cell, name), cell, documents):
            runs.append(
                Result(
                    cell=cell.name,
                    system=cell.system.name,
                    tuner=cell.tuner.name,
                    tuned_on=cell.tune.name,
                    size=learned.sentences,
                    draw=cell.draw,
                    seed=cell.seed,
                    tested_on=name,
                    features=learned.features,
                    passes=len(learned.passes),
                    seconds=learned.seconds,
                    **row,
                )
            )
    facts = {
        "fingerprint": cell.fingerprint(folder),
        "version": version("hopefear"),
        "settings": {} if choice is None else choice.best,
        "choices": [] if choice is None else [*zip(choice.grid, choice.scores, strict=True)],
        "metrics": cell.metrics,
        "runs": [dataclasses.asdict(run) for run in runs],
        "orders": orders,
    }
    write_facts(place, facts, [*_lasting_files(cell), *_statistics(runs)])
    files.checkpoint.unlink(missing_ok=True)
    return runs


def _started(folder: Path, cell: Cell) -> PlanSystem:
    """Return the system of a cell, whose features name the weights that it starts from."""
    if cell.start is None:
        return cell.system
    start = shlex.quote(str((folder / CELLS / cell.start / WEIGHTS).absolute()))
    return replace(cell.system, features=tuple(line.replace(START, start) for line in cell.system.features))


def _write_fingerprint(folder: Path, cell: Cell) -> None:
    with written_whole(folder / CELLS / cell.name / FINGERPRINT) as path:
        path.write_text(cell.fingerprint(folder), "utf-8")


def _lasting_files(cell: Cell) -> list[str]:
    """Name the files of a finished cell that do not depend on the metrics."""
    return [WEIGHTS, *files_of(cell.points), *map(translations_file, cell.tests)]


def _statistics(runs: Iterable[Result]) -> list[str]:
    return [Path(run.statistics).name for run in runs]


def _score_anew(folder: Path, cell: Cell, facts: Mapping[str, Any]) -> list[Result]:
    """Score the stored translations of a finished cell, given its facts."""
    # All is computed before a file changes, and cell.json changes last: a run that is stopped scores again.
    place = folder / CELLS / cell.name
    before = [Result(**row) for row in facts["runs"]]
    row_of = {run.tested_on: run for run in before}
    scores = {
        name: measure(read_translations(place, name), tested_corpus(cell, name), cell.metrics)
        for name in cell.tests
    }
    runs = [
        dataclasses.replace(row_of[name], **row)
        for name, measured in scores.items()
        for row in write_statistics(place, name, measured)
    ]
    facts = {
        **facts,
        "fingerprint": cell.fingerprint(folder),
        "metrics": cell.metrics,
        "runs": [dataclasses.asdict(run) for run in runs],
    }
    write_facts(place, facts, [*_lasting_files(cell), *_statistics(runs)])
    _write_fingerprint(folder, cell)
    for name in {*_statistics(before)} - {*_statistics(runs)}:
        (place / name).unlink(missing_ok=True)
    return runs


def _tuner_of(
    cell: Cell, decoder: Translator, corpus: Sequence[Segment]
) -> tuple[AnyTuner, CrossValidation | None]:
    """Make what learns the weights before the tests."""
    if cell.tuner.rehearse is None:
        return make_cell_tuner(cell, decoder, corpus)
    return Rehearsals(cell.tuner.rehearse), None


def tested_corpus(cell: Cell, name: str) -> Sequence[Segment]:
    """Read a test set; if it is the set learned from, the same sentences."""
    same = cell.tests[name] == cell.tune
    return read_set(cell.tests[name], size=cell.size if same else ALL, draw=cell.draw)


@dataclass(frozen=True, slots=True)
class _Learned:
    """What a cell has learned."""

    sentences: int
    features: int
    passes: Sequence[Record]
    choice: CrossValidation | None = None

    @property
    def seconds(self) -> float:
        """Processor time of learning; with that of the choice of a tuner."""
        choosing = 0.0 if self.choice is None else self.choice.seconds
        return choosing + sum(record.seconds for record in self.passes)


def _learn_part(folder: Path, files: RunFiles, weights: Weights, cell: Cell) -> _Learned:
    """Return what the cell that this one is a part of had learned after so many sentences."""
    assert cell.start is not None
    record = read_point(folder / CELLS / cell.start, cell.size, weights)
    files.mend_log()
    files.complete_log([record])
    learned = weights.nonzero()
    files.write_weights(WEIGHTS, learned, weights)
    return _Learned(cell.size, len(learned), [record])


def _learn(files: RunFiles, decoders: Decoders, cell: Cell) -> _Learned:
    """Tune, from the checkpoint if there is one."""
    corpus, decoder = read_set(cell.tune, size=cell.size, draw=cell.draw), decoders.of(cell.tune)
    if cell.points and max(cell.points) >= len(corpus):
        raise InputError(
            f"{cell.tune.name}: expected more than {max(cell.points)} sentences for nested sizes, got "
            f"{len(corpus)}",
            path=cell.tune.source,
        )
    with naming(cell.tuner.line):
        tuner, choice = _tuner_of(cell, decoder, corpus)
        _fit(files, tuner, decoders, corpus, cell)
    choice = tuner.choice_ if isinstance(tuner, CrossValidated) else choice
    return _Learned(len(corpus), len(tuner.weights_), tuner.passes_, choice)


def _fit(
    files: RunFiles,
    tuner: AnyTuner,
    decoders: Decoders,
    corpus: Sequence[Segment],
    cell: Cell,
) -> None:
    """Let a tuner learn."""
    decoder = decoders.of(cell.tune)
    options: dict[str, Any] = {}
    if cell.points:
        assert isinstance(tuner, OnlineTuner), "a plan has nested sizes only for such tuners"
        points = Points(files, tuner, decoder.weights, cell.points)
        options |= {"on_sentence": points.keep, "on_save": lambda state: points.keep()}
    if cell.development is not None:
        options["development"] = read_set(cell.development)
    if (cell.training or cell.held_out) and not can(tuner, Can.LEARN_FROM_FOLDS):
        raise InputError(f"{cell.tuner.line}: training folds are for Hols only")
    if cell.training:
        options["training"] = [Fold(decoders.of(part), read_set(part)) for part in cell.training]
    stage = stage_file(files.folder.parent.parent, cell)
    if stage is not None:
        stage.parent.mkdir(exist_ok=True)
        options["before_last"] = stage
    if cell.held_out is not None:
        options["held_out"] = Fold(decoders.of(cell.held_out), read_set(cell.held_out))

    files.mend_log()
    learn(
        *(files, tuner, decoder, corpus),
        resume=files.checkpoint.exists(),
        on_pass=lambda record: files.complete_log(tuner.passes_),
        **options,
    )
    if tuner.passes_:
        files.complete_log(tuner.passes_)  # the run may have been stopped between a checkpoint and the log
    files.write_weights(WEIGHTS, tuner.weights_, decoder.weights)


def _translated(decoder: Translator, corpus: Sequence[Segment]) -> Iterator[TestedText]:
    for segment in corpus:
        text = TestedText()
        with attempt(decoder, segment):
            text = TestedText.of(decoder.translate(segment), segment)
        yield text


def _test(
    place: Path,
    name: str,
    decoder: Translator,
    corpus: Sequence[Segment],
    cell: Cell,
    documents: list[int] | None,
) -> Iterator[dict[str, Any]]:
    """Translate a test set, score it, and return the columns of its rows in the results.

    What learns while it translates takes the documents in the order of the cell's seed.
    """
    forest_alone = cell.system.transformer is UNSET
    order = [*range(len(corpus))] if documents is None else in_drawn_order(documents, cell.seed)
    stream = [corpus[i] for i in order]
    if cell.tuner.live is not None:
        assert isinstance(decoder, AdaptingDecoder)
        numbers = None if documents is None else [documents[i] for i in order]
        found = post_edit(decoder, cell.tuner.live, stream, cell.tuner.shown, numbers)
    elif forest_alone:
        found = _translated(decoder, stream)
    else:
        found = transformed(cell.system, cell.tests[name].folder, decoder, stream)
    in_place = dict(zip(order, found, strict=True))
    outputs = [in_place[i] for i in range(len(corpus))]
    written = forest_alone and any(segment.written is not None for segment in corpus)
    write_translations(place, name, outputs, written=written)
    measured = measure([output.words for output in outputs], corpus, cell.metrics)
    yield from write_statistics(place, name, measured)


Outcome = list[Result] | FailedRun


@dataclass(frozen=True, slots=True)
class RunCell:
    """Runs cells in the calling process; returns a `FailedRun` for a cell that fails."""

    folder: Path
    directory: Path

    def __call__(self, cell: Cell) -> Outcome:
        """Run a cell."""
        try:
            os.chdir(self.directory)
            return run_cell(self.folder, cell)
        except (InputError, OSError) as error:
            return FailedRun(cell.name, str(error))
        except Exception as error:  # of a plugin, say: the other cells go on
            traceback.print_exc()
            return FailedRun(cell.name, f"{type(error).__name__}: {error}")
