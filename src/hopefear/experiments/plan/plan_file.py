"""Plans from TOML files."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from hopefear.base import InputError
from hopefear.base.loading import near
from hopefear.base.typed import Key, T, WrongPart
from hopefear.grammars.sample import sample_path
from hopefear.metrics import create_metric
from hopefear.tuners import OnlineTuner
from hopefear.tuners.catalogue import gives, make_learner, make_tuner
from hopefear.tuners.contract import Can, can, learns_in_parallel

from .plan import (
    NONE,
    SENTENCE,
    Claim,
    CorpusTable,
    Curve,
    Plan,
    PlanSystem,
    Preparation,
    Runs,
    ScoreTable,
    SentenceSet,
    Texts,
    TunerChoice,
    Words,
)
from .toml_file import TomlFile, expect_known

PLANS = Path(__file__).parent / "plans"
"""Folder of hopefear's own plans, which follow papers."""

START = "{start}"
"""In a feature's line, the file of the weights that a run starts from."""

PREPARED = "prepared"
"""Folder, in that of the results, of what the plan prepares; also its name in braces in the plan."""

Tables = dict[str, Any]

Named = TypeVar("Named", SentenceSet, PlanSystem, TunerChoice)


class _Titled(Struct, frozen=True):
    title: str


class _Parts(Struct, frozen=True, forbid_unknown_fields=True):
    """The tables of a plan that have names, still as TOML has them."""

    sets: Tables = {}
    systems: Tables = {}
    tuners: Tables = {}


class _Contents(_Parts, frozen=True, kw_only=True):
    """The keys of a plan file; the tables in it are still as TOML has them."""

    title: str
    about: str = ""
    metrics: Texts = ("bleu",)
    weights: Path | None = None
    quick: _Parts = _Parts()
    prepare: list[Tables] = []
    runs: Annotated[list[Tables], Meta(min_length=1)]
    tables: list[Tables] = []
    curves: list[Tables] = []
    corpora: list[Tables] = []
    claims: list[Tables] = []


def find_plan(name: str) -> Path:
    """Find a plan by its path, or one of hopefear's own plans by its name."""
    path = Path(name)
    if path.suffix == ".toml" or path.is_file():
        return path
    known = known_plans()
    if name not in known:
        raise InputError(f"{name}: unknown plan, {near(name, known)}")
    return known[name]


def known_plans() -> dict[str, Path]:
    """Find the plans that come with hopefear, by name."""
    return {plan.stem: plan for plan in sorted(PLANS.glob("*.toml"))}


def plan_title(path: Path) -> str:
    """Return the title of a plan."""
    file = TomlFile(path)
    return file.decoded(_Titled, file.content).title


def read_plan(path: Path, folder: Path, *, data: Path | None = None, quick: bool = False) -> Plan:
    """Read a plan."""
    prepared = (folder / PREPARED).absolute()
    folders = {"data": data, PREPARED: prepared, "sample": sample_path()}
    return _PlanReader(path, folders, quick).plan(prepared)


def settings_text(settings: object, prepared: Path) -> str:
    """Write settings as JSON, in which ``{prepared}`` stands for a folder, so that it can be moved."""
    place = _json(str(prepared.absolute()))
    return _json(settings).replace(place[1:-1], f"{{{PREPARED}}}")


def _json(value: object) -> str:
    return msgspec.json.encode(value, enc_hook=str, order="sorted").decode()


class _PlanReader:
    def __init__(self, path: Path, folders: dict[str, Path | None], quick: bool) -> None:
        self.file, self.folders, self.quick = TomlFile(path, self._made), folders, quick

    def plan(self, prepared: Path) -> Plan:
        contents = self.file.decoded(_Contents, self.file.content)
        with self.file.blamed("metrics"):
            for line in contents.metrics:
                create_metric(line)
        systems = self._systems(contents)
        plan = Plan(
            path=self.file.path,
            title=contents.title,
            about=contents.about,
            metrics=contents.metrics,
            preparations=self._each(Preparation, "prepare", contents.prepare),
            prepared=prepared,
            sets=self._named(SentenceSet, "sets", contents),
            systems=systems,
            tuners=self._named(TunerChoice, "tuners", contents),
            runs=self._each(
                Runs, "runs", [self._run_table(contents, systems, i) for i in range(len(contents.runs))]
            ),
            tables=self._each(ScoreTable, "tables", contents.tables),
            curves=self._each(Curve, "curves", contents.curves),
            corpora=self._each(CorpusTable, "corpora", contents.corpora),
            claims=self._each(Claim, "claims", contents.claims),
        )
        for tuner in plan.tuners.values():
            self._check_tuner(tuner)
        for table, key, names, known in _references(plan, self.quick):
            with self.file.blamed(*table):
                expect_known(key, [name for name in names if name is not None], known)
        for number, runs in enumerate(plan.runs):
            with self.file.blamed("runs", number):
                _check_tuners(plan, runs)
                for system in runs.systems:
                    for name in runs.sets:
                        plan.systems[system].translating(plan.sets[name])
        return plan

    def _made(self, kind: type, value: object) -> object:
        """Make a path, the words of a command or a feature line, and replace the names of folders in it."""
        if not isinstance(value, str):
            raise ValueError(f"expected text, got {value!r}")
        if kind is Words:
            return Words(map(self._expanded, shlex.split(value.removeprefix("hopefear "))))
        text = self._expanded(value)
        return self.file.path.parent / text if kind is Path else kind(text)

    def _expanded(self, text: str) -> str:
        for name, folder in self.folders.items():
            if folder is not None:
                text = text.replace(f"{{{name}}}", str(folder.absolute()))
            elif f"{{{name}}}" in text:
                raise ValueError(f"expected a folder for {{{name}}}: give --{name} FOLDER")
        return text

    def _each(self, kind: type[T], part: str, tables: list[Tables]) -> tuple[T, ...]:
        return tuple(self.file.decoded(kind, table, part, i) for i, table in enumerate(tables))

    def _named(self, kind: type[Named], part: str, contents: _Contents) -> dict[str, Named]:
        entries, over = getattr(contents, part), getattr(contents.quick, part)
        with self.file.blamed("quick"):
            expect_known(part, over, entries)
        made = {}
        for name, entry in entries.items():
            table = over[name] if self.quick and name in over else entry
            if isinstance(table, str) and kind is TunerChoice:
                table = {"line": table}
            elif isinstance(table, dict) and isinstance(entry, dict):
                table = {**entry, **table}
            if isinstance(table, dict):
                table = {"name": name, **table}
            made[name] = self.file.decoded(kind, table, part, name)
            if made[name].name != name:
                self.file.fail((part, name, "name"), "unknown")
        return made

    def _systems(self, contents: _Contents) -> dict[str, PlanSystem]:
        """Make the systems, with one feature less and one more where they ask for it."""
        systems: dict[str, PlanSystem] = {}
        for name, system in self._named(PlanSystem, "systems", contents).items():
            for variant in system.variants():
                if variant.name in systems:
                    self.file.fail(("systems", name), f"there is a system {variant.name} already")
                systems[variant.name] = replace(variant, weights=variant.weights or contents.weights)
        return systems

    def _run_table(self, contents: _Contents, systems: Iterable[str], number: int) -> Tables:
        """Return an entry of ``[[runs]]`` with what it leaves out, and with tables in place of lists."""
        table = {"systems": [*systems], "tuners": [*contents.tuners], **contents.runs[number]}
        over = self.file.decoded(Tables, table.pop("quick", {}), "runs", number, "quick")
        table |= over if self.quick else {}
        test, start = table.get("test"), table.get("start")
        if isinstance(test, list):
            table["test"] = {str(name): name for name in test}
        if isinstance(start, list) and len(start) == 2:
            table["start"] = dict(zip(("system", "tuner"), start, strict=True))
        return table

    def _check_tuner(self, tuner: TunerChoice) -> None:
        blamed = partial(self.file.blamed, "tuners", tuner.name)
        for key, learner in (("live", tuner.live), ("rehearse", tuner.rehearse)):
            with blamed(key):
                if learner not in (NONE, None):
                    make_learner(learner)
        with blamed("line"):
            if tuner.line != NONE:
                make_tuner(tuner.line)
            if gives(tuner.line, (), "seed"):
                raise ValueError("expected seeds in [[runs]], got one here")
        with blamed("grid"):
            for key, values in tuner.grid.items():
                for value in values:
                    make_tuner(tuner.line, [f"{key}={value}"])


def _references(
    plan: Plan, quick: bool
) -> Iterator[tuple[tuple[Key, ...], str, Iterable[str | None], Iterable[str]]]:
    """Iterate over table, key, names and known names of all that refers to other tables."""
    for number, runs in enumerate(plan.runs):
        table = "runs", number
        yield table, "systems", runs.systems, plan.systems
        yield table, "tuners", runs.tuners, plan.tuners
        yield table, "tune", runs.tune, plan.sets
        yield table, "test", runs.test.values(), plan.sets
        yield table, "training", runs.training, plan.sets
        yield table, "development", [runs.development], plan.sets
        yield table, "held_out", [runs.held_out], plan.sets
        if runs.start is not None:
            start = (*table, "start")
            yield start, "system", [runs.start.system], plan.systems
            yield start, "tuner", [runs.start.tuner], plan.tuners
            yield start, "tune", [runs.start.tune], plan.sets
    for number, curve in enumerate(plan.curves):
        yield ("curves", number), "x", [curve.x], ["size", "pass", SENTENCE]
    columns = _columns(plan, quick)
    shown: dict[str, tuple[ScoreTable | Curve, ...]] = {"tables": plan.tables, "curves": plan.curves}
    for part, tables in shown.items():
        for number, shows in enumerate(tables):
            baseline = {name: (value,) for name, value in shows.baseline.items()}
            for key, selection in (("where", shows.where), ("baseline", baseline)):
                for column in selection.keys() & columns.keys():
                    yield (part, number, key), column, map(str, selection[column]), map(str, columns[column])
    for number, claim in enumerate(plan.claims):
        for key, found in (("where", claim.where), ("better", claim.better), ("worse", claim.worse)):
            for column in found.keys() & columns.keys():
                values = found[column] if key == "where" else (found[column],)
                yield ("claims", number, key), column, map(str, values), map(str, columns[column])
    for number, corpora in enumerate(plan.corpora):
        yield ("corpora", number), "sets", corpora.sets, plan.sets


def _columns(plan: Plan, quick: bool) -> dict[str, list[Any]]:
    """Return the values that a plan gives to columns of `Result`; quick runs leave out some of the tests.

    The size of a whole set is that of its file.
    """
    metrics = [create_metric(line) for line in plan.metrics]
    columns: dict[str, list[Any]] = {
        "system": [*plan.systems],
        "tuner": [*plan.tuners],
        "tuned_on": [*plan.sets],
        "metric": [metric.name for metric in metrics],
        "signature": [metric.signature() for metric in metrics],
    }
    if quick:
        return columns
    every: dict[str, Iterable[Any]] = {
        "tuned_on": (name for runs in plan.runs for name in runs.tune),
        "tested_on": (name for runs in plan.runs for name in runs.test),
        "draw": (draw for runs in plan.runs for draw in runs.draws),
        "seed": (seed for runs in plan.runs for seed in runs.seeds),
    }
    return columns | {column: [*dict.fromkeys(values)] for column, values in every.items()}


def _check_tuners(plan: Plan, runs: Runs) -> None:
    """Raise `WrongPart` for tuners that cannot do what runs ask of them."""
    for name in runs.tuners:
        line = plan.tuners[name].line
        tuner = None if line == NONE else make_tuner(line)
        if runs.last_stage and not (tuner and can(tuner, Can.LEARN_FROM_FOLDS)):
            raise WrongPart(("last_stage",), f"expected Hols, which has a last line search, got {name!r}")
        if runs.nested and (not isinstance(tuner, OnlineTuner) or learns_in_parallel(tuner)):
            raise WrongPart(("nested",), f"expected online tuners of one worker, got {name!r}")
