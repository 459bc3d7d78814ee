"""The plan of an experiment: sets, systems, tuners, the runs that combine them, and the report.

Each class is a table of the plan file: its fields are the keys, checked when the file is read.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

from msgspec import UNSET, Meta, Struct, UnsetType
from msgspec.structs import force_setattr, replace

from hopefear.base import InputError
from hopefear.base.signatures import Positive
from hopefear.base.typed import Key, WrongPart, typed
from hopefear.live.experts import LEARNED, PRIOR
from hopefear.tuners.catalogue import read_settings
from hopefear.tuners.contract import Families

from ..results import Result
from .toml_file import expect_known

if TYPE_CHECKING:
    from hopefear.tuners.transformer import FineTuningSettings

ALL = 0
"""The size of a whole set."""

NONE = "none"
"""The line of a plan for no tuner: the weights stay as they are."""

SENTENCE = "sentence"
"""The x-axis of a curve over the sentences of a test set."""

ADAPTS = ("rules", "lm")
"""What a live session can learn beside the weights."""

TRUSTED = "trusted"
"""The expert of a live session that is trusted most, which changes while the session goes on."""

NUMBERS = ("size", "draw", "seed", "features", "passes", "seconds")
"""The numeric columns of `Result`, besides the score."""

OF_A_RUN = ("system", "tuner", "tuned_on", "size", "draw", "seed")
"""The columns of `Result` that identify a tuning run."""

_COLUMNS = get_type_hints(Result)

Count = Annotated[int, Meta(ge=0, le=2**63 - 1)]  # what SQLite can hold
Points = Annotated[int, Meta(ge=2)]
Part = tuple[Count, Count]
Texts = Annotated[tuple[str, ...], Meta(min_length=1)]
Counts = Annotated[tuple[Count, ...], Meta(min_length=1)]

Selection = dict[str, tuple[Any, ...]]
"""Values that columns of `hopefear.experiments.results.Result` may have."""


def _selection(key: str, given: dict[str, Any]) -> Selection:
    """Return the values of columns as tuples, of the columns' types."""
    expect_known(key, given, _COLUMNS)
    several = {name: tuple(v) if isinstance(v, (list, tuple)) else (v,) for name, v in given.items()}
    for name, values in several.items():
        try:
            for value in values:
                typed(_COLUMNS[name], value)
        except WrongPart as error:
            raise WrongPart((key,), f"{name}: {error}") from None
    return several


def _one_each(key: str, given: dict[str, Any]) -> dict[str, Any]:
    """Return one value of each column."""
    several = _selection(key, given)
    for name, values in several.items():
        if len(values) != 1:
            raise WrongPart((key,), f"expected one {name}, got {list(values)}")
    return {name: value for name, (value,) in several.items()}


def _expect_part(keys: tuple[Key, ...], part: Part) -> None:
    if part[0] >= part[1]:
        raise WrongPart(keys, f"expected [first, end], first below end, got {list(part)}")


class Words(tuple[str, ...]):
    """The words of a command, which a plan has as one text."""


class FeatureLine(str):
    """A feature function as in a cdec.ini: ``NAME arguments``."""


class _TomlTable(Struct, frozen=True, forbid_unknown_fields=True):
    """A table of the plan file."""


class Preparation(_TomlTable, frozen=True):
    """A hopefear command that makes a file for the runs, such as a table or a grammar."""

    output: str
    command: Words

    def __post_init__(self) -> None:
        if not re.fullmatch(r"\w[\w.-]*(/\w[\w.-]*)*", self.output):
            raise WrongPart(("output",), f"expected names with / between them, got {self.output!r}")


class SentenceSet(_TomlTable, frozen=True):
    """Sentences to learn from or to test on, and the configuration that translates them."""

    name: str
    source: Path = Path()
    config: Path | None = None
    references: tuple[Path, ...] = ()
    trees: Path | None = None
    conllu: Path | None = None
    tags: Path | None = None
    classes: Path | None = None
    lines: Part | None = None
    sample: Count = ALL
    build: Path | None = None
    fold: Count = 0
    text: bool = False
    pop_limit: Positive | None = None
    neighbours: Count | None = None
    documents: Path | UnsetType = UNSET  # which the settings of a run have only if it is given
    annotations: dict[str, Path] | UnsetType = UNSET  # so are these

    def __post_init__(self) -> None:
        if self.text:
            others = self.config, self.references, self.lines, self.sample, self.fold
            if self.build is None or any(others) or self.source not in (Path(), self.build):
                allowed = "pop_limit, neighbours and those of annotations"
                raise WrongPart(("text",), f"expected the key build beside text, and no keys but {allowed}")
            force_setattr(self, "source", self.build)
        for key in () if self.text else ("pop_limit", "neighbours"):
            if getattr(self, key) is not None:
                raise WrongPart((key,), f"expected text = true beside {key}")
        if self.source == Path():
            raise WrongPart(("source",), "expected a path, got nothing")
        if self.documents is not UNSET and (self.text or self.sample):
            raise WrongPart(("documents",), "expected neither text nor sample beside documents")
        if (self.config is None) == (self.build is None):
            got = "neither" if self.config is None else "both"
            raise WrongPart(("config",), f"expected either config or build, got {got}")
        if self.lines is not None:
            _expect_part(("lines",), self.lines)
        if self.fold and self.build is None:
            raise WrongPart(("fold",), "expected the key build beside fold, got none")

    @property
    def folder(self) -> Path:
        """The folder of the build or of the cdec.ini, to which the paths of feature lines are relative."""
        return self.build or (self.config or Path()).parent

    @property
    def annotation_files(self) -> dict[str, Any]:
        """The files of `hopefear.plugins.Annotations` by kind."""
        kinds = {"trees": self.trees, "conllu": self.conllu, "tags": self.tags, "classes": self.classes}
        files: dict[str, Any] = {kind: path for kind, path in kinds.items() if path is not None}
        return files | ({} if self.annotations is UNSET else {"own": self.annotations})


class PlanSystem(_TomlTable, frozen=True):
    """A feature set.

    Attributes
    ----------
    weights : Path, optional
        The weights to start from.
    features : tuple of FeatureLine
        Feature functions beside those of the cdec.ini; ``{start}`` is the file of the weights that a run
        starts from.
    config : Path, optional
        The cdec.ini that translates all sets, in place of theirs.
    leave_one_out : tuple of FeatureLine, optional
        Some of the features: for each, the plan also has the system ``NAME-FEATURE`` without it.
    transformer : str, optional
        A Transformer in the folder of each set, which translates the test sets in place of the forest.
    consensus : bool, optional
        The test sets get the consensus of the forest and of the Transformer's k-best list.
    fine_tuning : str, optional
        Settings of `FineTuning`, such as ``steps=2``: the Transformer learns from the first reference of each
        sentence of a test set before it translates the next.
    add_one_in : tuple of FeatureLine, optional
        Other features: for each, the plan also has the system ``NAME+FEATURE`` with it.
    """

    name: str
    weights: Path | None = None
    features: tuple[FeatureLine, ...] = ()
    # which the settings of a run have only if they are given
    config: Path | UnsetType = UNSET
    leave_one_out: tuple[FeatureLine, ...] | UnsetType = UNSET
    add_one_in: tuple[FeatureLine, ...] | UnsetType = UNSET
    transformer: str | UnsetType = UNSET
    consensus: bool | UnsetType = UNSET
    fine_tuning: str | UnsetType = UNSET

    def __post_init__(self) -> None:
        if self.leave_one_out is not UNSET:
            expect_known("leave_one_out", self.leave_one_out, self.features)
        for key in ("consensus", "fine_tuning"):
            if getattr(self, key) is not UNSET and self.transformer is UNSET:
                raise WrongPart((key,), f"expected the key transformer beside {key}, got none")
        if self.consensus is not UNSET and self.fine_tuning is not UNSET:
            raise WrongPart(("consensus",), "expected either consensus or fine_tuning, got both")
        if self.fine_tuning is not UNSET:
            try:
                self.learning()
            except InputError as error:
                raise WrongPart(("fine_tuning",), str(error)) from None
        if self.add_one_in is not UNSET and (both := {*self.add_one_in}.intersection(self.features)):
            raise WrongPart(("add_one_in",), f"expected other features than its own, got {min(both)}")

    def learning(self) -> FineTuningSettings:
        """Return the settings of fine-tuning."""
        from hopefear.tuners.transformer import FineTuningSettings

        words = shlex.split(str(self.fine_tuning))
        return FineTuningSettings(**read_settings(FineTuningSettings, words))

    def translating(self, sentences: SentenceSet) -> SentenceSet:
        """Return a set with the configuration of the system, if it has one."""
        if self.config is UNSET:
            return sentences
        if sentences.config is None:
            raise WrongPart(("config",), f"expected sets with a config, got a build: {sentences.name}")
        return replace(sentences, config=self.config)

    def variants(self) -> Iterator[PlanSystem]:
        """Iterate over the system and those without one of its features, or with one more."""
        yield replace(self, leave_one_out=UNSET, add_one_in=UNSET)
        for sign, lines in (("-", self.leave_one_out), ("+", self.add_one_in)):
            for line in () if lines is UNSET else lines:
                kept = tuple(one for one in self.features if one != line)
                features = kept if sign == "-" else (*self.features, line)
                name = self.name + sign + re.sub(r"[^\w.=]+", "_", line)
                yield replace(self, name=name, features=features, leave_one_out=UNSET, add_one_in=UNSET)


class TunerChoice(_TomlTable, frozen=True):
    """A tuner with settings, or a session of live learning in simulated post-editing.

    Such a session translates a set in its order, and learns from the references of each sentence.
    """

    name: str
    line: str = ""
    grid: dict[str, Annotated[tuple[str | int | float, ...], Meta(min_length=1)]] = {}
    folds: Points = 2
    families: dict[str, dict[str, float | bool]] | UnsetType = UNSET  # which become a part of the line
    live: str | None = None
    adapt: tuple[str, ...] = ()
    rehearse: str | None = None
    expert: str | UnsetType = UNSET  # which the settings of a run have only if it is given

    def __post_init__(self) -> None:
        if isinstance(self.expert, str):
            expect_known("expert", (self.expert,), (*PRIOR, TRUSTED))
        if self.live is None:
            if not self.line:
                raise WrongPart(("line",), "expected text, got nothing")
            if self.adapt or self.rehearse is not None or self.expert is not UNSET:
                raise WrongPart(("live",), "expected text beside adapt, rehearse and expert, got nothing")
        elif self.line not in ("", NONE) or self.grid or self.folds != 2 or self.families is not UNSET:
            raise WrongPart(("live",), "expected no line, grid, folds or families beside live")
        else:
            force_setattr(self, "line", NONE)
        if isinstance(self.families, dict):
            if self.line == NONE:
                raise WrongPart(("families",), "expected a tuner that learns beside families, got none")
            force_setattr(self, "line", f"{self.line} {shlex.quote(f'families={Families(self.families)}')}")
            force_setattr(self, "families", UNSET)
        force_setattr(self, "grid", {name: tuple(map(str, values)) for name, values in self.grid.items()})
        expect_known("adapt", self.adapt, ADAPTS)

    @property
    def shown(self) -> str | None:
        """The expert that is shown; None for the one that is trusted most."""
        if isinstance(self.expert, str):
            return None if self.expert == TRUSTED else self.expert
        return LEARNED


class Start(_TomlTable, frozen=True):
    """A run whose weights other runs start from; None takes the value of the run that starts."""

    system: str
    tuner: str
    tune: str | None = None
    size: Count | None = None
    draw: Count | None = None
    seed: Count | None = None


class Runs(_TomlTable, frozen=True):
    """Tuning runs: all combinations of systems × tuners × sets × sizes × draws × seeds."""

    systems: Texts
    tuners: Texts
    tune: Texts
    test: Annotated[dict[str, str], Meta(min_length=1)]
    sizes: Counts = (ALL,)
    draws: Counts = (0,)
    seeds: Counts = (0,)
    nested: bool = False
    development: str | None = None
    start: Start | None = None
    training: tuple[str, ...] = ()
    held_out: str | None = None
    last_stage: bool = False

    def __post_init__(self) -> None:
        for name in self.test:
            if "/" in name:  # files have these names
                raise WrongPart(("test",), f"expected names without slashes, got {name!r}")
        if self.nested and set(self.test.values()) & set(self.tune):
            raise WrongPart(
                ("nested",), "expected no test on the set learned from: the sizes are parts of it"
            )

    @property
    def sets(self) -> list[str]:
        """The names of all sets."""
        named = [*self.tune, *self.test.values(), *self.training, self.development, self.held_out]
        return [name for name in named if name is not None]

    def largest(self) -> int:
        """Return the largest of the sizes."""
        return ALL if ALL in self.sizes else max(self.sizes)


class Paper(_TomlTable, frozen=True):
    """The numbers of a paper, columns of a table."""

    columns: Texts
    rows: dict[str, Texts]

    def __post_init__(self) -> None:
        for labels, numbers in self.rows.items():
            if len(numbers) != len(self.columns):
                raise WrongPart(("rows", labels), f"expected {len(self.columns)} numbers, got {len(numbers)}")


class ScoreTable(_TomlTable, frozen=True):
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
    paper : Paper, optional
        The numbers of a paper, beside ours.
    note : str
        Below it.
    pooled : str
        One of the rows: below them, all its values are one row, with the interval of paired differences.
    sentences : tuple of (int, int)
        Parts of the test sets, such as ``[[0, 100], [100, 200]]``, in place of the whole ones; of a live
        session by the order of the corrections.
    """

    title: str
    rows: tuple[str, ...]
    columns: tuple[str, ...] = ()
    where: dict[str, Any] = {}
    baseline: dict[str, Any] = {}
    value: str = "score"
    extra: tuple[str, ...] = ()
    paper: Paper | None = None
    note: str = ""
    pooled: str = ""
    sentences: tuple[Part, ...] = ()

    def __post_init__(self) -> None:
        expect_known("rows", self.rows, _COLUMNS)
        if self.pooled:
            expect_known("pooled", [self.pooled], [name for name in self.rows if name not in self.baseline])
        expect_known("columns", self.columns, _COLUMNS)
        for number, part in enumerate(self.sentences):
            _expect_part(("sentences", number), part)
        expect_known("extra", self.extra, NUMBERS)
        expect_known("value", [self.value], ("score", *NUMBERS, "difference"))
        force_setattr(self, "where", _selection("where", self.where))
        force_setattr(self, "baseline", _one_each("baseline", self.baseline))


class Claim(_TomlTable, frozen=True):
    """A claim of a paper: some runs score better than others.

    Attributes
    ----------
    text : str
        The claim in words.
    better, worse : dict of str to value
        The columns of `Result` in which the two sides differ, and the values of each.
    where : Selection
        The runs of both sides; one set that they are tested on, and one metric.
    paper : float, optional
        By how much they differ in the paper, in points of the metric.
    """

    text: str
    better: dict[str, Any]
    worse: dict[str, Any]
    where: dict[str, Any] = {}
    paper: Annotated[float, Meta(gt=0)] | None = None

    def __post_init__(self) -> None:
        for key in ("better", "worse"):
            force_setattr(self, key, _one_each(key, getattr(self, key)))
            expect_known(key, getattr(self, key), OF_A_RUN)
        if self.better.keys() != self.worse.keys():
            raise WrongPart(("worse",), f"expected the keys of better, {', '.join(self.better)}")
        force_setattr(self, "where", _selection("where", self.where))


class Curve(_TomlTable, frozen=True):
    """A learning curve of the report."""

    title: str
    series: tuple[str, ...]
    x: str = "size"
    where: dict[str, Any] = {}
    value: str = "score"
    baseline: dict[str, Any] = {}
    window: Positive = 100

    def __post_init__(self) -> None:
        expect_known("series", self.series, _COLUMNS)
        expect_known("value", [self.value], ("score", *NUMBERS) if self.x != SENTENCE else ["score"])
        force_setattr(self, "where", _selection("where", self.where))
        force_setattr(self, "baseline", _one_each("baseline", self.baseline))
        for key in () if self.x == SENTENCE else ("baseline", "window"):
            if getattr(self, key) != {"baseline": {}, "window": 100}[key]:
                raise WrongPart((key,), f'expected x = "{SENTENCE}" beside {key}, got {self.x!r}')


class CorpusTable(_TomlTable, frozen=True):
    """A table of the numbers of sentences and words of sets."""

    title: str
    sets: Texts
    note: str = ""


@dataclass(frozen=True, slots=True)
class Plan:
    """An experiment."""

    path: Path
    title: str
    about: str
    metrics: tuple[str, ...]
    preparations: tuple[Preparation, ...]
    prepared: Path
    sets: dict[str, SentenceSet]
    systems: dict[str, PlanSystem]
    tuners: dict[str, TunerChoice]
    runs: tuple[Runs, ...]
    tables: tuple[ScoreTable, ...]
    curves: tuple[Curve, ...]
    corpora: tuple[CorpusTable, ...] = ()
    claims: tuple[Claim, ...] = ()
