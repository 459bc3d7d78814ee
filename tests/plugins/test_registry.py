from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hopefear import feature_extractors
from hopefear.plugins import (
    EdgeBatch,
    EdgeFeatures,
    FeatureTable,
    PluginError,
    RuleBatch,
    RuleFeatures,
    Segment,
    check_class,
    create,
    features,
    find,
    known,
    register,
)
from hopefear.plugins.levels import check_attributes

MODULE = """
from hopefear.plugins import FeatureTable, RuleFeatures

class Length(RuleFeatures):
    def __init__(self, *, name: str = "Length"):
        self.name = name

    def fire(self, rules):
        return FeatureTable.from_pairs(len(rules), [(r, self.name) for r in range(len(rules))])

class Picky(Length):
    def __init__(self, *, size: int = 0):
        raise OSError("no such size")
"""


@pytest.fixture(autouse=True)
def clean(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(features, "registered", {})
    monkeypatch.setattr(sys, "path", list(sys.path))
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        if not name.startswith("hopefear"):
            del sys.modules[name]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "my_features_of_test.py").write_text(MODULE)
    (tmp_path / "broken_features_of_test.py").write_text("1 / 0")
    return tmp_path


def install(folder: Path, package: str, line: str) -> None:
    """What installing a package that names an entry point leaves behind."""
    info = folder / f"{package}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[hopefear.features]\n{line}\n")


class Mine(RuleFeatures):
    def fire(self, rules: RuleBatch) -> FeatureTable:
        return FeatureTable.empty(len(rules))


FAMILIES = {name: name for name in feature_extractors.__all__} | feature_extractors.CDEC_NAMES


@pytest.mark.parametrize("name", FAMILIES)
def test_families_have_their_names_and_those_of_cdec(name: str) -> None:
    assert name in known()
    assert find(name) is getattr(feature_extractors, FAMILIES[name])


def test_line(tmp_path: Path) -> None:
    plugin = create("SoftSyntax --labels NP,PP -t dev.trees", base=tmp_path)
    assert plugin.labels == ("NP", "PP")
    assert plugin.trees == tmp_path / "dev.trees"


def test_module_path_beside_the_ini(folder: Path) -> None:
    plugin = create("my_features_of_test:Length --name L", base=folder)
    assert type(plugin).__name__ == "Length"
    assert vars(plugin) == {"name": "L"}


def test_registered(monkeypatch: pytest.MonkeyPatch) -> None:
    assert register(Mine) is Mine
    register(Mine, name="Other")
    assert find("Mine") is find("Other") is Mine
    assert {"Mine", "Other"} <= set(known())


def test_entry_point(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(folder, "their-package", "Theirs = my_features_of_test:Length")
    monkeypatch.syspath_prepend(str(folder))
    assert "Theirs" in known()
    assert "my_features_of_test" not in sys.modules  # read when asked for
    assert type(create("Theirs")).__name__ == "Length"


def test_what_is_installed_meanwhile_is_found(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(folder))
    assert "Theirs" not in known()
    time_of_change = folder.stat().st_mtime_ns
    while folder.stat().st_mtime_ns == time_of_change:  # in steps of some milliseconds
        (folder / "tick").touch()
        (folder / "tick").unlink()
    install(folder, "their-package", "Theirs = my_features_of_test:Length")
    assert "Theirs" in known()


def test_entry_points_of_one_name(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(folder, "one", "SoftSyntax = my_features_of_test:Length")
    monkeypatch.syspath_prepend(str(folder))
    with pytest.raises(
        PluginError,
        match=r"several feature functions have this name: .*SoftSyntax of .* and my_fe.* of package one",
    ):
        find("SoftSyntax")


@pytest.mark.parametrize("name", ["Mine", "SoftSyntax", "RuleIdentityFeatures"])
def test_duplicates_are_refused(name: str) -> None:
    register(Mine)
    with pytest.raises(PluginError, match=f"^{name}: a feature function of this name exists already: .*:"):
        register(type("Again", (Mine,), {}), name=name)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("SoftSyntx", "SoftSyntx: unknown feature function, near: SoftSyntax"),
        ("softsyntax x", "softsyntax: unknown feature function, near: SoftSyntax"),
        ("WordPenalti", "WordPenalti: unknown feature function, near: WordPenalty"),
        ("Zq", "Zq: unknown feature function, known: .*RuleId"),
        ("", ": unknown feature function, known: .*RuleId"),
        ("SoftSyntax --tree x", "SoftSyntax: unknown argument --tree, known are --trees, --granularity"),
        ("no_such_module:Foo", "no_such_module:Foo: cannot import no_such_module: ModuleNotFoundError"),
        ("broken_features_of_test:Foo", "broken_features_of_test:Foo: cannot import .* ZeroDivisionError"),
        ("my_features_of_test:Lenght", "my_features_of_test:Lenght: .* has no Lenght, near: Length"),
        ("my_features_of_test:FeatureTable", ".*must be a subclass of RuleFeatures, .* or ListFeatures"),
        ("my_features_of_test:RuleFeatures", ".*must define fire"),
        ("my_features_of_test:Picky 3", "my_features_of_test:Picky: cannot be made: OSError: no such size"),
        (":Foo", ":Foo: cannot import"),
    ],
)
def test_errors(line: str, message: str, folder: Path) -> None:
    with pytest.raises(PluginError, match=f"^{message}"):
        create(line, base=folder, also=["WordPenalty"])


def test_broken_entry_point(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(folder, "bad", "Bad = broken_features_of_test:Foo")
    monkeypatch.syspath_prepend(str(folder))
    with pytest.raises(PluginError, match="Bad: cannot load broken_features_of_test:Foo: ZeroDivisionError"):
        find("Bad")


class Both(RuleFeatures, EdgeFeatures):
    def fire(self, *batch: Any) -> FeatureTable:
        raise NotImplementedError


class NoSegment(EdgeFeatures):
    def fire(self, edges: EdgeBatch) -> FeatureTable:  # type: ignore[override]
        raise NotImplementedError


class MoreWanted(RuleFeatures):
    def fire(self, rules: RuleBatch, extra: int) -> FeatureTable:  # type: ignore[override]
        raise NotImplementedError


class Attributes(EdgeFeatures):
    def rule_attributes(self) -> Any:  # type: ignore[override]
        raise NotImplementedError

    def fire(self, edges: EdgeBatch, segment: Segment) -> FeatureTable:
        raise NotImplementedError


@pytest.mark.parametrize(
    ("plugin", "message"),
    [
        (
            Both,
            "Both: must be a subclass of RuleFeatures, EdgeFeatures, NgramFeatures, StateFeatures or "
            "ListFeatures",
        ),
        (int, "int: must be a subclass"),
        (Mine(), ".*must be a class, got"),
        (EdgeFeatures, "EdgeFeatures: must define fire"),
        (NoSegment, r"NoSegment: must have fire\(self, edges, segment\), got fire\(self, edges: "),
        (MoreWanted, r"MoreWanted: must have fire\(self, rules\), got fire\(self, rules: .*extra"),
        (Attributes, r"Attributes: must have rule_attributes\(self, rules\), got rule_attributes\(self\)"),
    ],
)
def test_classes_are_checked_before_they_are_called(plugin: Any, message: str) -> None:
    with pytest.raises(PluginError, match=f"^{message}"):
        check_class(plugin)


def test_only_what_has_a_name_needs_arguments_of_text() -> None:
    class Table(Mine):
        def __init__(self, table: dict[str, float]) -> None: ...

    check_class(Table)
    with pytest.raises(PluginError, match="Table: constructor parameters must be keyword-only"):
        register(Table)


def test_other_parameter_names_and_more_with_defaults_are_fine() -> None:
    class Loose(EdgeFeatures):
        def fire(self, e: EdgeBatch, s: Segment, more: int = 0) -> FeatureTable:
            raise NotImplementedError

    check_class(Loose)


@pytest.mark.parametrize(
    ("answer", "got"),
    [
        ([0, 0], "list"),
        (np.zeros(2), r"float64 of shape \(2,\)"),
        (np.zeros(3, np.int32), r"int32 of shape \(3,\)"),
        (np.zeros((2, 1), np.int32), r"int32 of shape \(2, 1\)"),
        (np.zeros(4, np.int32)[::2], "int32"),
    ],
)
def test_check_attributes(answer: Any, got: str) -> None:
    check_attributes(np.zeros(2, np.int32), 2, "P")
    with pytest.raises(PluginError, match=rf"P: rule_attributes must return .*\(2,\), got {got}"):
        check_attributes(answer, 2, "P")
