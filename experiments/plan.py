"""What an experiment is: sets, systems, tuners, the runs that combine them, and the report on them."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ALL = 0
"""The size of a whole set."""

Selection = dict[str, tuple[Any, ...]]
"""Values that columns of `hopefear.experiments.results.Run` may have."""


@dataclass(frozen=True, slots=True)
class Preparation:
    """A command of hopefear that makes what the runs need, such as a table or a grammar.

    Attributes
    ----------
    output : str
        The file or folder that it makes, in the folder ``prepared`` of the results, which paths and feature
        lines call ``{prepared}``.
    command : tuple of str
        Its words without ``hopefear``; ``{output}`` is the output's path.
    """

    output: str
    command: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SentenceSet:
    """Sentences to learn from or to test on, and the configuration that translates them.

    Attributes
    ----------
    name : str
        In the plan.
    config : Path, optional
        A cdec.ini; where there is none, `build` is given.
    source : Path
        Input, one segment a line.
    references : tuple of Path
        None where they stand behind ``|||`` in the input.
    annotations : dict of str to Path
        ``trees``, ``conllu``, ``tags`` and ``classes``, as `hopefear.plugins.annotate` takes them.
    lines : (int, int), optional
        From the first of these lines to before the second, counted from 0; all of them if not given.
    sample : int
        So many of these, drawn at random; `ALL` for all.
    build : Path, optional
        A folder of ``hopefear build``: rules are extracted for each sentence.
    fold : int
        The fold, from 1, that the sentences belong to: rules and n-gram model are those of the others. 0 for
        those of all folds.
    """

    name: str
    config: Path | None
    source: Path
    references: tuple[Path, ...]
    annotations: dict[str, Path]
    lines: tuple[int, int] | None = None
    sample: int = ALL
    build: Path | None = None
    fold: int = 0


@dataclass(frozen=True, slots=True)
class System:
    """A feature set.

    Attributes
    ----------
    name : str
        In the plan.
    weights : Path, optional
        To start from: those of the system, or else of the plan, or else of the configuration.
    features : tuple of str
        Feature functions beside the configuration's: ``NAME arguments``, as if they stood in it.
    """

    name: str
    weights: Path | None
    features: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TunerChoice:
    """A tuner with settings.

    Attributes
    ----------
    name : str
        In the plan.
    line : str
        Name and settings, as `hopefear.experiments.tuner_lines.make_tuner` reads them; ``none`` for weights
        that stay as they are.
    grid : dict of str to tuple of str
        Settings that cross-validation chooses, and their values.
    folds : int
        Of the cross-validation.
    """

    name: str
    line: str
    grid: dict[str, tuple[str, ...]] = field(default_factory=dict)
    folds: int = 2


@dataclass(frozen=True, slots=True)
class Start:
    """A run whose weights others start from: what is None is as with them.

    Attributes
    ----------
    system, tuner : str
        By name.
    tune : str, optional
        The set that it learned from.
    size, draw, seed : int, optional
        See `Runs`.
    """

    system: str
    tuner: str
    tune: str | None = None
    size: int | None = None
    draw: int | None = None
    seed: int | None = None


@dataclass(frozen=True, slots=True)
class Runs:
    """Tuning runs: all combinations of systems × tuners × sets × sizes × draws × seeds.

    Attributes
    ----------
    systems, tuners, tune : tuple of str
        What is combined, by name; `tune` are the sets to learn from.
    test : dict of str to str
        The test sets, by the names that the results have for them.
    sizes : tuple of int
        So many sentences of each set; `ALL` for all.
    draws, seeds : tuple of int
        A draw is a random part of a set; of a whole set the first counts only.
    development : str, optional
        The set that decides when to stop.
    start : Start, optional
        The run whose weights are started from.
    training : tuple of str
        The sets that `hopefear.tuners.Hols` takes gradients over.
    held_out : str, optional
        The set of its line searches but the last.
    last_stage : bool
        Seeds are those of the last line search only; runs share all that comes before.
    """

    systems: tuple[str, ...]
    tuners: tuple[str, ...]
    tune: tuple[str, ...]
    test: dict[str, str]
    sizes: tuple[int, ...] = (ALL,)
    draws: tuple[int, ...] = (0,)
    seeds: tuple[int, ...] = (0,)
    development: str | None = None
    start: Start | None = None
    training: tuple[str, ...] = ()
    held_out: str | None = None
    last_stage: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """A table of the report: mean and standard deviation of the runs that fall together.

    Attributes
    ----------
    title : str
        Above it.
    rows, columns : tuple of str
        Columns of `Run` whose values make the table's rows and columns.
    where : Selection
        Only these runs.
    baseline : dict of str to value
        The row that the others are marked against; none if empty.
    value : str
        The numeric column of `Run` that is shown, or ``difference``: the score less that of the baseline.
    extra : tuple of str
        Numeric columns of `Run` whose mean is shown once a row.
    note : str
        Below it.
    """

    title: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    where: Selection = field(default_factory=dict)
    baseline: dict[str, Any] = field(default_factory=dict)
    value: str = "score"
    extra: tuple[str, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class Curve:
    """A learning curve of the report.

    Attributes
    ----------
    title : str
        Above it.
    x : str
        What the score is drawn over: ``size``, ``pass``, or a setting that the tuners' grids have.
    series : tuple of str
        Columns of `Run`: a line for each of their values.
    where : Selection
        Only these runs.
    value : str
        The numeric column of `Run` that is shown.
    """

    title: str
    x: str
    series: tuple[str, ...]
    where: Selection = field(default_factory=dict)
    value: str = "score"


@dataclass(frozen=True, slots=True)
class Surface:
    """An error surface of the report: the metric over two weights, the others as a run has learned them.

    Attributes
    ----------
    title : str
        Above it.
    features : (str, str)
        Whose weights they are.
    tested_on : str
        The test set, as the results name it.
    where : Selection
        The run; the first of several.
    steps : int
        Points along each weight.
    width : float
        How far from the learned weights to either side: 1 changes what the feature adds to scores by as much
        as the scores of a sentence's translations differ.
    """

    title: str
    features: tuple[str, str]
    tested_on: str
    where: Selection = field(default_factory=dict)
    steps: int = 41
    width: float = 2.0


@dataclass(frozen=True, slots=True)
class Plan:
    """An experiment.

    Attributes
    ----------
    path : Path
        The plan's file.
    title, about : str
        Of the report.
    metrics : tuple of str
        What translations are scored by: ``NAME arguments``.
    preparations : tuple of Preparation
        What is done first, in this order.
    sets, systems, tuners : dict by name
        What can be combined.
    runs : tuple of Runs
        What is combined.
    tables, curves, surfaces : tuple
        The report.
    """

    path: Path
    title: str
    about: str
    metrics: tuple[str, ...]
    preparations: tuple[Preparation, ...]
    sets: dict[str, SentenceSet]
    systems: dict[str, System]
    tuners: dict[str, TunerChoice]
    runs: tuple[Runs, ...]
    tables: tuple[Table, ...]
    curves: tuple[Curve, ...]
    surfaces: tuple[Surface, ...]
