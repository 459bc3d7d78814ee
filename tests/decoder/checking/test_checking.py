"""`check_plugin` passes every built-in family, and each of its checks finds what it is for."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from support import families

from hopefear.decoder import Segment
from hopefear.decoder.checking import check_plugin
from hopefear.decoder.checking.fresh_process import PluginRecipe, derivations_elsewhere
from hopefear.decoder.checking.material import GRAMMAR, SEGMENTS, Material, derivations
from hopefear.plugins import (
    EdgeBatch,
    EdgeFeatures,
    FeatureTable,
    NgramFeatures,
    PluginError,
    RuleBatch,
    RuleFeatures,
    RuleStrings,
    StateBatch,
    StateFeatures,
)

TREES = "".join(f"{segment.tree}\n" for segment in SEGMENTS)
CLASSES = "la\t1\ncasa\t2\nroja\t3\nthe\t4\nhouse\t5\nred\t4\n"
FUNCTION_WORDS = "la\nde\ny\n"
DISTORTION = "".join(f"{size}\t0.75\t0.25\n" for size in (*map(str, range(1, 10)), "10+"))

# Lines beside the bare name of each family: what reads files, and what changes what fires.
MORE = [
    "RuleIndicators --prefix mine:",
    "SoftSyntax --trees trees --granularity coarse",
    "SoftSyntax --labels NP,VP --boundaries pairs --conflated",
    "StructuralDistortion --no-glue",
    "StructuralDistortion --granularity coarse --table distortion",
    "RuleShape --e-classes e.classes --f-classes f.classes",
    "WordPairs --types surface,prefix,suffix,digits,class:classes --combine all",
    "Hierarchical --heads content --function-words function --types surface,prefix",
    "Insertion --types surface,class:classes",
    "SpanBoundary --classes classes --types surface,suffix",
    "TargetNgrams --order 3 --types prefix",
    "TargetNgrams --order 1 --no-boundaries",
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "trees").write_text(TREES)
    (tmp_path / "classes").write_text(CLASSES)
    (tmp_path / "distortion").write_text(DISTORTION)
    (tmp_path / "function").write_text(FUNCTION_WORDS)
    (tmp_path / "e.classes").write_text("01 the\n10 house\n11 red\n")
    (tmp_path / "f.classes").write_text("01 la\n10 casa\n11 roja\n")
    return families.write_needed(tmp_path)


@pytest.mark.parametrize("line", [*families.lines(), *MORE])
def test_built_in_families_pass(line: str, folder: Path) -> None:
    check_plugin(line, base=folder, processes=False)


@pytest.mark.slow
def test_built_in_families_fire_the_same_in_another_process(folder: Path) -> None:
    """`check_plugin` compares in the same way, with a process for each plugin."""
    material = Material(GRAMMAR, tuple(replace(s, id=i, index=i) for i, s in enumerate(SEGMENTS)))
    for lines in (families.lines(), MORE):
        recipes = [PluginRecipe(line=line, base=folder) for line in lines]
        decoders = [material.decoder(recipe.make()) for recipe in recipes]
        here = [derivations(each) for one in decoders for each in one.translate_all(material.segments)]
        assert derivations_elsewhere(recipes, material, hash_seed=1313) == here


def test_a_line_is_checked_in_another_process(folder: Path) -> None:
    check_plugin("SoftSyntax --trees trees --granularity coarse", base=folder)


class Good(RuleFeatures):
    """Fires on every rule; what it does wrong is a subclass's."""

    fires: ClassVar[tuple[str, ...]] = ("Good",)

    def fire(self, rules: RuleBatch) -> FeatureTable:
        return FeatureTable.from_dense(("Good",), np.ones((len(rules), 1)))


class GoodState(StateFeatures):
    def fire(self, edges: StateBatch, sentence: Any) -> tuple[FeatureTable, np.ndarray]:
        return FeatureTable.empty(len(edges)), np.zeros((len(edges), 1), np.int64)


class Word(EdgeFeatures):
    """Fires on every edge."""

    def __init__(self, *, name: str = "Word") -> None:
        self.name = name

    def fire(self, edges: EdgeBatch, segment: Any) -> FeatureTable:
        names = (f"{self.name}_{len(segment.tokens or ())}",)
        return FeatureTable.from_dense(names, np.ones((1, 1)), row=np.zeros(len(edges), np.int32))


def test_instances_pass() -> None:
    check_plugin(Good())
    check_plugin(Word(name="Mine"))


class Raises(Good):
    def fire(self, rules: RuleBatch) -> FeatureTable:
        raise LookupError("no word")


class WrongType(Good):
    def fire(self, rules: RuleBatch) -> FeatureTable:
        table = super().fire(rules)
        return FeatureTable(table.names, table.indptr, table.columns, table.values.astype(np.float32))


class NoTable(Good):
    def fire(self, rules: RuleBatch) -> FeatureTable:
        return np.ones((len(rules), 1))  # type: ignore[return-value]


class TooShort(Word):
    def fire(self, edges: EdgeBatch, segment: Any) -> FeatureTable:
        return FeatureTable.empty(len(edges) - 1)


class Floats(Word):
    def rule_attributes(self, rules: RuleBatch) -> np.ndarray:
        return np.zeros(len(rules))

    def fire(self, edges: EdgeBatch, segment: Any) -> FeatureTable:
        _ = edges.attribute
        return super().fire(edges, segment)


class Writes(Good):
    def fire(self, rules: RuleBatch) -> FeatureTable:
        rules.target[:] = 1
        return super().fire(rules)


class Random(Good):
    def fire(self, rules: RuleBatch) -> FeatureTable:
        return FeatureTable.from_dense(("Good",), np.random.default_rng().random((len(rules), 1)))


class OddStrings(NgramFeatures):
    def strings(self, rules: RuleBatch) -> RuleStrings:
        return RuleStrings(["a b"], np.zeros(len(rules) + 1, np.int32), np.zeros(0, np.int32))


class NoStates(GoodState):
    def fire(self, edges: StateBatch, sentence: Any) -> Any:
        return FeatureTable.empty(len(edges))


class ShortStates(GoodState):
    state_size = 2


class OtherNames(Good):
    fires: ClassVar[tuple[str, ...]] = ("Bad", "G*x")


class OfTheModel(Good):
    """Also clashes where the class declares the name."""

    name = "WordPenalty"
    fires: ClassVar[tuple[str, ...]] = ("WordPenalty", "LanguageModel")

    def fire(self, rules: RuleBatch) -> FeatureTable:
        return FeatureTable.from_dense((self.name,), np.ones((len(rules), 1)))


class OfAModelOfNgrams(OfTheModel):
    name = "LanguageModel"


class TwoColumns(Good):
    def fire(self, rules: RuleBatch) -> FeatureTable:
        return FeatureTable.from_dense(("Good", "Good"), np.ones((len(rules), 2)))


class OneBuffer(Good):
    """Writes each answer into the memory of the one before."""

    def fire(self, rules: RuleBatch) -> FeatureTable:
        table = super().fire(rules)
        values = vars(self).setdefault("values", np.zeros(1000))[: len(rules)]
        values[:] = len(rules)
        return FeatureTable(table.names, table.indptr, table.columns, values)


class KeepsAView(Word):
    def fire(self, edges: EdgeBatch, segment: Any) -> FeatureTable:
        self.spans = [edges.span[1:]]
        return super().fire(edges, segment)


class LastRule(StateFeatures):
    """Reads the target words of rule -1 at the goal."""

    def begin(self, rules: RuleBatch, segment: Segment) -> Any:
        return np.diff(rules.target_indptr) + rules.lhs

    def fire(self, edges: StateBatch, sentence: Any) -> tuple[FeatureTable, np.ndarray]:
        values = sentence[edges.local_rule][:, None]
        return FeatureTable.from_dense(("Last",), values), np.zeros((len(edges), 1), np.int64)


class NeedsRules(Good):
    def fire(self, rules: RuleBatch) -> FeatureTable:
        assert rules.lhs.max() > 0
        return super().fire(rules)


class NeedsTokens(Word):
    def fire(self, edges: EdgeBatch, segment: Any) -> FeatureTable:
        assert len(segment.tokens) > 0
        return super().fire(edges, segment)


class Counts(Good):
    """Says how many rules it has seen before: a batch that comes again is the same, another order is not."""

    def __init__(self) -> None:
        self.seen: dict[tuple[int, ...], float] = {}

    def fire(self, rules: RuleBatch) -> FeatureTable:
        value = self.seen.setdefault((len(rules), *rules.ids.tolist()), 1.0 + len(self.seen))
        return FeatureTable.from_dense(("Good",), np.full((len(rules), 1), value))


class KeepsTheSentence(EdgeFeatures):
    """Holds the sentence in itself, where another thread writes too."""

    def fire(self, edges: EdgeBatch, segment: Any) -> FeatureTable:
        self.segment = segment
        if threading.current_thread() is not threading.main_thread():
            time.sleep(0.005)
        names = (f"Words_{len(self.segment.tokens or ())}",)
        return FeatureTable.from_dense(names, np.ones((1, 1)), row=np.zeros(len(edges), np.int32))


class Hashes(Good):
    """Names that are others in every process."""

    fires: ClassVar[tuple[str, ...]] = ("Good*",)

    def fire(self, rules: RuleBatch) -> FeatureTable:
        return FeatureTable.from_dense((f"Good{hash('good')}",), np.ones((len(rules), 1)))


class Forgets(Good):
    def __init__(self, *, size: int = 1) -> None:
        self.double = 2 * size


class Dies(Good):
    def fire(self, rules: RuleBatch) -> FeatureTable:
        if os.getpid() != PID:
            raise LookupError("not at home")
        return super().fire(rules)


PID = int(os.environ.setdefault("HOPEFEAR_TEST_CHECKING_PID", str(os.getpid())))


@pytest.mark.parametrize(
    ("plugin", "message"),
    [
        (Raises(), "answers: .*LookupError: no word"),
        (WrongType(), "answers: .*values must be .*float64 array, got float32"),
        (NoTable(), "answers: .*fire must return a FeatureTable, got ndarray"),
        (TooShort(), r"answers: .*expected \d+ elements of row, one for each item, got \d+"),
        (Floats(), "answers: .*rule_attributes must return a contiguous int32 array .* got float64"),
        (Writes(), "answers: .*read-only"),
        (Random(), "answers: .*fire returns another result when it is called again"),
        (OddStrings(), "answers: .*must not contain white space, got 'a b'"),
        (NoStates(), "answers: .*expected a FeatureTable and states, got FeatureTable"),
        (ShortStates(), r"answers: .*int64 array of shape \(\d+, 2\), got int64 of shape \(\d+, 1\)"),
        (
            OtherNames(),
            r"answers: .*plugin OtherNames fires Good, which it does not declare; near: G\*x, Bad",
        ),
        (
            OfTheModel(),
            "answers: .*fires WordPenalty, a feature of the function WordPenalty: expected a name",
        ),
        (OfAModelOfNgrams(), "answers: .*fires LanguageModel, a feature of the model: expected a name"),
        (TwoColumns(), "answers: .*fire returns a table whose row 0 has 2 columns named Good"),
        (OneBuffer(), "kept: an array of an earlier answer is changed later"),
        (KeepsAView(), "kept: spans keeps an array of a batch"),
        (LastRule(), "goal: sentence . .* features if begin gets a rule again behind the last: .*: Last of"),
        (NeedsRules(), "empty: "),
        (NeedsTokens(), "lattice: .*TypeError"),
        (Counts(), "order: sentence . .* gets different features after the other sentences: Good of"),
        (KeepsTheSentence(), "threads: sentence . .* gets different features in 4 threads: Words_"),
        (Hashes(), "processes: sentence 1 .* gets different features in a fresh process: Good"),
        (Forgets(), "processes: .*its constructor must store size under that name"),
        (Dies(), "processes: a fresh process ended with exit status 1: .*LookupError: not at home"),
    ],
    ids=lambda value: type(value).__name__ if not isinstance(value, str) else "",
)
def test_each_check_finds_what_it_is_for(plugin: Any, message: str) -> None:
    with pytest.raises(PluginError, match=f"^{type(plugin).__name__}: check {message}"):
        check_plugin(plugin)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("SoftSyntx", "SoftSyntx: check declared: SoftSyntx: unknown feature function, near: SoftSyntax"),
        ("SoftSyntax --tree x", "SoftSyntax: check declared: .*unknown argument --tree"),
        (
            "RuleIndicators 'a b'",
            "RuleIndicators: check answers: RuleIndicators: prefix must not contain white",
        ),
    ],
)
def test_lines_that_are_wrong(line: str, message: str) -> None:
    with pytest.raises(PluginError, match=f"^{message}"):
        check_plugin(line)


def test_what_is_no_plugin() -> None:
    with pytest.raises(PluginError, match="object: check declared: object: must be a subclass"):
        check_plugin(object())  # type: ignore[arg-type]


def test_a_class_that_no_other_process_can_import() -> None:
    class Local(Good):
        pass

    check_plugin(Local(), processes=False)
    with pytest.raises(PluginError, match=r"Local: check processes: .*another process cannot import"):
        check_plugin(Local())


def test_sentences_of_ones_own() -> None:
    class Picky(Word):
        def fire(self, edges: EdgeBatch, segment: Any) -> FeatureTable:
            assert segment.tokens in (("x",), ("x", "y"), None)
            return super().fire(edges, segment)

    segments: Sequence[Segment] = (Segment(("x",)), Segment(("x", "y")))
    check_plugin(Picky(), grammar="[X] ||| x ||| a ||| p=1\n", segments=segments, processes=False)
    with pytest.raises(PluginError, match=r"Picky: check answers: .*AssertionError"):
        check_plugin(Picky(), processes=False)
