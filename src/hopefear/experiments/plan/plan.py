"""The plan of an experiment: sets, systems, tuners, the runs that combine them, and the report."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ALL = 0
"""The size of a whole set."""

NONE = "none"
"""The line of a plan for no tuner: the weights stay as they are."""

SENTENCE = "sentence"
"""The x-axis of a curve over the sentences of a test set."""

Selection = dict[str, tuple[Any, ...]]
"""Values that columns of `hopefear.experiments.results.Result` may have."""


@dataclass(frozen=True, slots=True)
class Preparation:
    """A hopefear command that makes a file for the runs, such as a table or a grammar.

    Attributes
    ----------
    output : str
        The file or folder that the command makes in the folder ``prepared`` of the results; paths and feature
        lines refer to that folder as ``{prepared}``.
    command : tuple of str
        The words of the command without ``hopefear``; ``{output}`` is the output's path.
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
        A cdec.ini; None if `build` is given.
    source : Path
        Input, one segment per line.
    references : tuple of Path
        Empty if the input has the references after ``|||``.
    annotations : dict of str to Path
        ``trees``, ``conllu``, ``tags`` and ``classes``, as `hopefear.plugins.annotate` takes them.
    lines : (int, int), optional
        First line, counted from 0, and line after the last; all lines if not given.
    sample : int
        Number of these lines, drawn at random; `ALL` for all.
    build : Path, optional
        A folder of ``hopefear build``: rules are extracted for each sentence.
    fold : int
        The fold, from 1, that the sentences belong to: rules and n-gram model come from the other folds. 0:
        they come from all folds.
    text : bool
        Whether the set is the parallel text of the build itself, each sentence translated by models that
        leave it out; `source` is then the folder of the build. A part of it is drawn by `size` and `draw`.
    pop_limit : int, optional
        Of a text: the pop limit of its decoder in place of the build's.
    neighbours : int, optional
        Of a text: number of sentence pairs on either side of a sentence that are left out, too; None: as
        `LeaveOneOutDecoder` chooses.
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
    text: bool = False
    pop_limit: int | None = None
    neighbours: int | None = 0


@dataclass(frozen=True, slots=True)
class System:
    """A feature set.

    Attributes
    ----------
    name : str
        In the plan.
    weights : Path, optional
        Weights to start from: those of the system, else of the plan, else of the configuration.
    features : tuple of str
        Feature functions besides the configuration's, as in a cdec.ini: ``NAME arguments``.
    """

    name: str
    weights: Path | None
    features: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PostEditing:
    """Simulated post-editing: a live session translates a set in its order, and learns from its references.

    Attributes
    ----------
    learn : str
        What learns the weights from each sentence: name and settings, as
        `hopefear.tuners.catalogue.make_learner` reads them; ``none`` for weights that stay.
    adapt : tuple of str
        What else learns: ``rules``, ``lm``.
    rehearse : str, optional
        What learns the weights in passes over the set to learn from, before the test sets.
    """

    learn: str
    adapt: tuple[str, ...] = ()
    rehearse: str | None = None


@dataclass(frozen=True, slots=True)
class TunerChoice:
    """A tuner with settings.

    Attributes
    ----------
    name : str
        In the plan.
    line : str
        Name and settings, as `hopefear.tuners.catalogue.make_tuner` reads them; ``none`` for no
        tuning.
    grid : dict of str to tuple of str
        Settings that cross-validation chooses, and their possible values.
    folds : int
        Number of folds of the cross-validation.
    live : PostEditing, optional
        What learns while the test sets are translated; `line` is then ``none``.
    """

    name: str
    line: str
    grid: dict[str, tuple[str, ...]] = field(default_factory=dict)
    folds: int = 2
    live: PostEditing | None = None


@dataclass(frozen=True, slots=True)
class Start:
    """A run whose weights other runs start from; None takes the value of the run that starts.

    Attributes
    ----------
    system, tuner : str
        Names in the plan.
    tune : str, optional
        The set that the run learned from.
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
        Names of what is combined; `tune` are the sets to learn from.
    test : dict of str to str
        The test sets, by their names in the results.
    sizes : tuple of int
        Numbers of sentences of each set; `ALL` for all.
    draws, seeds : tuple of int
        A draw is a random part of a set; a whole set has only the first draw.
    nested : bool
        Whether one run, of the largest size, serves all sizes: the others have what it has learned after so
        many sentences.
    development : str, optional
        The set that decides when to stop.
    start : Start, optional
        The run whose weights these runs start from.
    training : tuple of str
        The sets over which `hopefear.tuners.Hols` computes gradients.
    held_out : str, optional
        The set of all its line searches but the last.
    last_stage : bool
        Whether seeds affect only the last line search; runs then share everything before.
    """

    systems: tuple[str, ...]
    tuners: tuple[str, ...]
    tune: tuple[str, ...]
    test: dict[str, str]
    sizes: tuple[int, ...] = (ALL,)
    draws: tuple[int, ...] = (0,)
    seeds: tuple[int, ...] = (0,)
    nested: bool = False
    development: str | None = None
    start: Start | None = None
    training: tuple[str, ...] = ()
    held_out: str | None = None
    last_stage: bool = False

    def largest(self) -> int:
        """Return the largest of the sizes."""
        return ALL if ALL in self.sizes else max(self.sizes)


@dataclass(frozen=True, slots=True)
class Table:
    """A table of the report: mean and standard deviation of the runs of each cell.

    Attributes
    ----------
    title : str
        Above it.
    rows, columns : tuple of str
        Columns of `Result` whose values make the table's rows and columns.
    where : Selection
        The runs to show.
    baseline : dict of str to value
        The row or column that the others are compared with; no comparison if empty.
    value : str
        The numeric column of `Result` that is shown, or ``difference``: the score minus the baseline's score.
    extra : tuple of str
        Numeric columns of `Result` whose mean is shown once per row.
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
        The x-axis: ``size``, ``pass``, ``sentence``, or a setting in the tuners' grids.
    series : tuple of str
        Columns of `Result`; each combination of their values is a line.
    where : Selection
        The runs to draw.
    value : str
        The numeric column of `Result` that is shown.
    baseline : dict of str to value
        Over sentences: the runs whose mean score is subtracted; no subtraction if empty.
    window : int
        Over sentences: how many sentences up to a place have the score that is shown there.
    """

    title: str
    x: str
    series: tuple[str, ...]
    where: Selection = field(default_factory=dict)
    value: str = "score"
    baseline: dict[str, Any] = field(default_factory=dict)
    window: int = 100


@dataclass(frozen=True, slots=True)
class Surface:
    """An error surface of the report: the metric over two weights; a run's learned weights are the others.

    Attributes
    ----------
    title : str
        Above it.
    features : (str, str)
        The features of the two weights.
    tested_on : str
        The test set, as the results name it.
    where : Selection
        The run; if several fit, the first.
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
class Slices:
    """The metric over one weight at a time, and the objective of the 1-slack SVM over the first of them.

    Attributes
    ----------
    title : str
        Above it.
    features : tuple of str
        The features, each with a line of its own; with `frequent` or `rare` patterns of their names.
    tested_on : str
        The test set, as the results name it.
    where : Selection
        The run; if several fit, the first.
    lam : tuple of float
        The objective is drawn for these values of λ.
    Q : float
        The factor of the objective's loss.
    frequent, rare : int
        Numbers of features that are drawn at random among the most frequent, and among those in the list of
        one sentence.
    steps : int
        Points along a weight.
    width : float
        How far from the learned weight to either side, in lengths of the weights.
    """

    title: str
    features: tuple[str, ...]
    tested_on: str
    where: Selection = field(default_factory=dict)
    lam: tuple[float, ...] = ()
    Q: float = 1000.0
    frequent: int = 0
    rare: int = 0
    steps: int = 201
    width: float = 2.0


@dataclass(frozen=True, slots=True)
class CorpusTable:
    """A table of the numbers of sentences and words of sets.

    Attributes
    ----------
    title : str
        Above it.
    sets : tuple of str
        Names of the plan's sets; no run need use them.
    note : str
        Below it.
    """

    title: str
    sets: tuple[str, ...]
    note: str = ""


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
        The metrics that score the translations: ``NAME arguments``.
    preparations : tuple of Preparation
        Commands that run first, in this order.
    sets, systems, tuners : dict by name
        What can be combined.
    runs : tuple of Runs
        What is combined.
    tables, curves, surfaces, slices, corpora : tuple
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
    slices: tuple[Slices, ...] = ()
    corpora: tuple[CorpusTable, ...] = ()
