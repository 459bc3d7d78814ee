"""Plans from TOML files."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from hopefear.base import InputError
from hopefear.base.loading import near
from hopefear.metrics import create_metric
from hopefear.tuners import OnlineTuner
from hopefear.tuners.catalogue import make_learner, make_tuner

from .plan import ALL, NONE, Plan, PostEditing, Preparation, Runs, SentenceSet, Start, System, TunerChoice
from .report_keys import read_corpora, read_curve, read_slices, read_surface, read_table
from .toml_keys import Keys, TomlFile

PLANS = Path(__file__).parent / "plans"
"""Folder of hopefear's own plans, which follow papers."""

PREPARED = "prepared"
"""Folder, in that of the results, of what the plan prepares; also its name in braces in the plan."""

ADAPTS = ("rules", "lm")
"""What a live session can learn beside the weights."""

_ANNOTATIONS = ("trees", "conllu", "tags", "classes")

_OF_TEXT = {"pop_limit": 1, "neighbours": 0}
"""Keys of a set that is a text, with their least values."""

T = TypeVar("T")


def find_plan(name: str) -> Path:
    """Find a plan by its path, or one of hopefear's own plans by its name.

    Raises
    ------
    InputError
        There is no such file and no such plan.
    """
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
    """Read the title of a plan.

    Raises
    ------
    InputError
        With file and line: the file cannot be read, or has no title.
    """
    file = TomlFile(path, {})
    return str(Keys(file, "", file.content).text("title"))


def read_plan(path: Path, folder: Path, *, data: Path | None = None, quick: bool = False) -> Plan:
    """Read a plan.

    Parameters
    ----------
    path : Path
        Relative paths in the file are relative to its folder.
    folder : Path
        Folder of the results; prepared files are in its folder `PREPARED`.
    data : Path, optional
        The folder that replaces ``{data}`` in paths and feature lines.
    quick : bool
        Use the plan's ``quick`` settings in place of the others.

    Raises
    ------
    InputError
        The file cannot be read, or its content is wrong; the error names file and line.
    """
    return _PlanReader(TomlFile(path, {"data": data, PREPARED: folder / PREPARED}), quick).plan()


def settings_text(settings: object, prepared: Path | None) -> str:
    """Write settings as JSON, in which ``{prepared}`` stands for a folder, so that it can be moved."""
    text = json.dumps(settings, default=str, sort_keys=True)
    if prepared is None:
        return text
    return text.replace(json.dumps(str(prepared.absolute()))[1:-1], f"{{{PREPARED}}}")


class _PlanReader:
    def __init__(self, file: TomlFile, quick: bool) -> None:
        self.file, self.quick = file, quick

    def plan(self) -> Plan:
        keys = Keys(self.file, "", self.file.content)
        title, about = keys.text("title"), keys.text("about", "")
        metrics = keys.some_texts("metrics", ["bleu"])
        with keys.blamed("metrics"):
            for line in metrics:
                create_metric(line)
        parts = {name: keys.tables(name) for name in ("sets", "systems", "tuners")}
        quick = Keys(self.file, "quick", keys.take("quick", {}))
        for name, entries in parts.items():
            over = quick.tables(name)
            quick.named(name, over, entries)
            for key, value in over.items() if self.quick else ():
                both = isinstance(value, dict) and isinstance(entries.get(key), dict)
                entries[key] = {**entries[key], **value} if both else value
        quick.done()
        sets = {name: self._set(name, table) for name, table in parts["sets"].items()}
        weights = keys.path("weights")
        systems = {name: self._system(name, table, weights) for name, table in parts["systems"].items()}
        tuners = {name: self._tuner(name, table) for name, table in parts["tuners"].items()}

        def each(name: str, make: Callable[[Keys], T]) -> tuple[T, ...]:
            tables = keys.take(name, [])
            if not isinstance(tables, list):
                keys.fail(name, f"expected [[{name}]], got {tables!r}")
            made = []
            for i, table in enumerate(tables, 1):
                one = Keys(self.file, f"{name} {i}", table)
                made.append(make(one))
                one.done()
            return tuple(made)

        preparations = each("prepare", self._preparation)
        runs = each("runs", lambda one: self._runs(one, sets, systems, tuners))
        if not runs:
            keys.fail("runs", "expected [[runs]], got nothing")
        tables = each("tables", read_table)
        curves = each("curves", lambda one: read_curve(one, tuners))
        surfaces = each("surfaces", lambda one: read_surface(one, runs))
        slices = each("slices", lambda one: read_slices(one, runs))
        corpora = each("corpora", lambda one: read_corpora(one, sets))
        keys.done()
        return Plan(
            path=self.file.path,
            title=title,
            about=about,
            metrics=metrics,
            preparations=preparations,
            sets=sets,
            systems=systems,
            tuners=tuners,
            runs=runs,
            tables=tables,
            curves=curves,
            surfaces=surfaces,
            slices=slices,
            corpora=corpora,
        )

    def _preparation(self, keys: Keys) -> Preparation:
        output, command = keys.text("output"), keys.text("command")
        if not re.fullmatch(r"\w[\w.-]*", output):
            keys.fail("output", f"expected a name without slashes, got {output!r}")
        with keys.blamed("command"):
            words = shlex.split(command.removeprefix("hopefear "))
        return Preparation(output, tuple(self.file.expanded(keys, "command", word) for word in words))

    def _set(self, name: str, table: Any) -> SentenceSet:
        keys = Keys(self.file, f"sets.{name}", table)
        config, source, build = keys.path("config"), keys.path("source"), keys.path("build")
        text = keys.typed("text", bool, "true or false", False)
        if text:
            if build is None or table.keys() - {"build", "text", *_OF_TEXT, *_ANNOTATIONS}:
                others = f"{', '.join(_OF_TEXT)} and those of annotations"
                keys.fail("text", f"expected the key build beside text, and no keys but {others}")
            source = build
        if source is None:
            keys.fail("source", "expected a path, got nothing")
        if (config is None) == (build is None):
            keys.fail(
                "config", f"expected either config or build, got {'neither' if config is None else 'both'}"
            )
        references = [self.file.resolved(keys, "references", path) for path in keys.texts("references", [])]
        annotations = {kind: path for kind in _ANNOTATIONS if (path := keys.path(kind)) is not None}
        lines = keys.counts("lines", [0])
        if "lines" in table and (len(lines) != 2 or lines[0] >= lines[1]):
            keys.fail("lines", f"expected [first, end], first below end, got {list(lines)}")
        fold = keys.whole("fold", 0)
        if fold and build is None:
            keys.fail("fold", "expected the key build beside fold, got none")
        sample = keys.whole("sample", ALL)
        of_text: dict[str, int | None] = {"neighbours": None} if text else {}
        for key, least in _OF_TEXT.items():
            if key in table:
                of_text[key] = keys.whole(key, 0, least=least)
                if not text:
                    keys.fail(key, f"expected text = true beside {key}")
        keys.done()
        return SentenceSet(
            name,
            config,
            source,
            tuple(references),
            annotations,
            lines=(lines[0], lines[1]) if "lines" in table else None,
            sample=sample,
            build=build,
            fold=fold,
            text=text,
            **of_text,
        )

    def _system(self, name: str, table: Any, weights: Path | None) -> System:
        keys = Keys(self.file, f"systems.{name}", table)
        weights = keys.path("weights") or weights
        features = tuple(self.file.expanded(keys, "features", line) for line in keys.texts("features", []))
        keys.done()
        return System(name, weights, features)

    def _tuner(self, name: str, table: Any) -> TunerChoice:
        keys = Keys(self.file, f"tuners.{name}", {"line": table} if isinstance(table, str) else table)
        if "live" in keys.left:
            return self._live_tuner(name, keys)
        line, folds = keys.text("line"), keys.whole("folds", 2, least=2)
        if line != NONE:
            with keys.blamed("line"):
                make_tuner(line, on_corpus=True)
                if any(word.startswith("seed=") for word in shlex.split(line)):
                    raise ValueError("expected seeds in [[runs]], got one here")
        grid = {}
        for key, values in keys.tables("grid").items():
            if not isinstance(values, list) or not values:
                keys.fail("grid", f"expected a list of values of {key}, got {values!r}")
            grid[key] = tuple(str(value) for value in values)
            with keys.blamed("grid"):
                for value in grid[key]:
                    make_tuner(line, [f"{key}={value}"], on_corpus=True)
        keys.done()
        return TunerChoice(name, line, grid, folds)

    def _live_tuner(self, name: str, keys: Keys) -> TunerChoice:
        learn, rehearse = keys.text("live"), keys.text("rehearse", None)
        adapt = keys.texts("adapt", [])
        keys.named("adapt", adapt, ADAPTS)
        for key, line in (("live", learn), ("rehearse", rehearse)):
            with keys.blamed(key):
                if line not in (NONE, None):
                    make_learner(line)
        keys.done()
        return TunerChoice(name, NONE, live=PostEditing(learn, adapt, rehearse))

    def _runs(self, keys: Keys, sets: Any, systems: Any, tuners: Any) -> Runs:
        over = keys.take("quick", {})
        if not isinstance(over, dict):
            keys.fail("quick", f"expected a table, got {over!r}")
        if self.quick:
            keys.left.update(over)
        chosen = {
            "systems": (keys.some_texts("systems", systems), systems),
            "tuners": (keys.some_texts("tuners", tuners), tuners),
            "tune": (keys.some_texts("tune"), sets),
        }
        test = keys.take("test")
        if isinstance(test, list):
            test = {str(name): name for name in test}
        if not isinstance(test, dict) or not test or not all(isinstance(v, str) for v in test.values()):
            keys.fail("test", f"expected a list of sets, or a table of names and sets, got {test!r}")
        for name in test:
            if "/" in name:  # files have these names
                keys.fail("test", f"expected names without slashes, got {name!r}")
        for key, (names, known) in chosen.items():
            keys.named(key, names, known)
        keys.named("test", test.values(), sets)
        sizes = keys.counts("sizes", [ALL])
        draws, seeds = keys.counts("draws", [0]), keys.counts("seeds", [0])
        development = keys.text("development", None)
        if development is not None:
            keys.named("development", [development], sets)
        training, held_out = keys.texts("training", []), keys.text("held_out", None)
        keys.named("training", training, sets)
        keys.named("held_out", [] if held_out is None else [held_out], sets)
        start = self._start(keys, systems, tuners, sets)
        last_stage = keys.typed("last_stage", bool, "true or false", False)
        for name in chosen["tuners"][0] if last_stage else ():
            if tuners[name].line == NONE or not make_tuner(tuners[name].line).learns_from_folds:
                keys.fail("last_stage", f"expected Hols, which has a last line search, got {name!r}")
        nested = keys.typed("nested", bool, "true or false", False)
        for name in chosen["tuners"][0] if nested else ():
            tuner = None if tuners[name].line == NONE else make_tuner(tuners[name].line)
            if not isinstance(tuner, OnlineTuner) or tuner.learns_in_parallel:
                keys.fail("nested", f"expected online tuners of one worker, got {name!r}")
        if nested and set(test.values()) & set(chosen["tune"][0]):
            keys.fail("nested", "expected no test on the set learned from, whose parts the sizes are")
        return Runs(
            systems=chosen["systems"][0],
            tuners=chosen["tuners"][0],
            tune=chosen["tune"][0],
            test=test,
            sizes=sizes,
            draws=draws,
            seeds=seeds,
            nested=nested,
            development=development,
            start=start,
            training=training,
            held_out=held_out,
            last_stage=last_stage,
        )

    def _start(self, keys: Keys, systems: Any, tuners: Any, sets: Any) -> Start | None:
        given = keys.take("start", None)
        if given is None:
            return None
        if isinstance(given, list):
            if [type(part) for part in given] != [str, str]:
                keys.fail("start", f"expected [system, tuner] or a table, got {given!r}")
            given = dict(zip(("system", "tuner"), given, strict=True))
        own = Keys(self.file, f"{keys.name}.start", given)
        start = Start(
            own.text("system"),
            own.text("tuner"),
            own.text("tune", None),
            *(own.whole(key, 0) if key in own.left else None for key in ("size", "draw", "seed")),
        )
        own.done()
        keys.named("start", [start.system], systems)
        keys.named("start", [start.tuner], tuners)
        keys.named("start", [] if start.tune is None else [start.tune], sets)
        return start
