from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, Optional

import pytest

from hopefear.base.arguments import options_of, parse_arguments
from hopefear.plugins import FeatureTable, PluginError, RuleBatch, RuleFeatures


class Sample(RuleFeatures):
    def __init__(
        self,
        *,
        trees: Path | str | None = None,
        labels: Sequence[str] = (),
        max_size: int = 3,
        scale: float = 1.0,
        on: bool = False,
        mode: Literal["fine", "coarse"] = "fine",
        bits: tuple[int, ...] = (),
        note: Optional[str] = None,  # noqa: UP045
    ) -> None: ...

    def fire(self, rules: RuleBatch) -> FeatureTable:
        return FeatureTable.empty(len(rules))


def read(text: str, plugin: type = Sample, base: Path | None = Path("/ini")) -> dict[str, Any]:
    return parse_arguments(text, options_of(plugin, "P"), "P", base)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("", {}),
        ("  ", {}),
        ("--labels NP,PP", {"labels": ("NP", "PP")}),
        ("--labels=NP", {"labels": ("NP",)}),
        ("labels=NP,PP=", {"labels": ("NP", "PP=")}),
        ("-t dev.trees", {"trees": Path("/ini/dev.trees")}),
        ("dev.trees NP,PP 7", {"trees": Path("/ini/dev.trees"), "labels": ("NP", "PP"), "max_size": 7}),
        ("--labels NP dev.trees 4", {"trees": Path("/ini/dev.trees"), "labels": ("NP",), "max_size": 4}),
        ("/data/dev.trees", {"trees": Path("/data/dev.trees")}),
        ("trees='my trees'", {"trees": Path("/ini/my trees")}),
        ("--trees ./a=b", {"trees": Path("/ini/a=b")}),
        ("./a=b", {"trees": Path("/ini/a=b")}),
        ("--max-size 12", {"max_size": 12}),
        ("max_size=12", {"max_size": 12}),
        ("--max_size -2 --scale -1e-3", {"max_size": -2, "scale": -0.001}),
        ("--on", {"on": True}),
        ("--on --scale 2", {"on": True, "scale": 2.0}),
        ("--on false", {"on": False}),
        ("--on dev.trees", {"on": True, "trees": Path("/ini/dev.trees")}),
        ("--no-on", {"on": False}),
        ("on=Yes", {"on": True}),
        ("--mode coarse", {"mode": "coarse"}),
        ("-b 1,2,3", {"bits": (1, 2, 3)}),
        ('--note "two words"', {"note": "two words"}),
        ("--note=-x", {"note": "-x"}),
    ],
)
def test_forms(text: str, values: dict[str, Any]) -> None:
    assert read(text) == values


def test_home_and_no_base(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/someone")
    assert read("~/trees") == {"trees": Path("/home/someone/trees")}
    assert read("trees", base=None) == {"trees": Path("trees")}


KNOWN = "known are --trees, --labels, --max-size, --scale, --on, --mode, --bits, --note"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("--label NP", f"unknown argument --label, {KNOWN}"),
        ("label=NP", f"unknown argument label=NP, {KNOWN}"),
        ("-x 3", "unknown argument -x, known are --trees"),
        ("--no-labels", "unknown argument --no-labels, known are"),
        ("t NP 1 2 on fine 3 note more", "--on must be true or false, got 'on'"),
        ("t NP 1 2 yes fine 3 note more", "unknown argument more, known are"),
        ("--labels", "--labels needs a value"),
        ("--labels --on", "--labels needs a value"),
        ("--max-size many", "--max-size must be a whole number, got 'many'"),
        ("--scale nan", "--scale must be a finite number, got 'nan'"),
        ("--scale=", "--scale must be a finite number, got ''"),
        ("--on=maybe", "--on must be true or false, got 'maybe'"),
        ("--mode medium", "--mode must be one of fine, coarse, got 'medium'"),
        ("--bits 1,x", "--bits must be a whole number, got '1,x'"),
        ("--labels NP,,PP", "--labels must be a text, got 'NP,,PP'"),
        ("trees=", "--trees must be a path, got ''"),
        ("--scale 1 scale=2", "--scale is given twice"),
        ("--labels 'NP", "--labels 'NP: no closing quotation"),
    ],
)
def test_errors_name_plugin_and_argument(text: str, message: str) -> None:
    with pytest.raises(PluginError) as caught:
        read(text)
    assert str(caught.value).startswith(f"P: {message}")


class Demanding(Sample):
    def __init__(self, *, size: int, scale: float, sort: bool = True) -> None: ...


class Bare(Sample):
    def __init__(self) -> None: ...


def test_arguments_that_must_be_given() -> None:
    with pytest.raises(PluginError, match="P: --scale must be given"):
        read("3", Demanding)
    assert read("3 2.5", Demanding) == {"size": 3, "scale": 2.5}


def test_ambiguous_letter() -> None:
    with pytest.raises(PluginError, match="P: -s may mean --size or --scale or --sort"):
        read("-s 3", Demanding)


def test_no_arguments() -> None:
    assert read("", Bare) == {}
    with pytest.raises(PluginError, match="P: unknown argument 3, it takes no arguments"):
        read("3", Bare)


class Positional(Sample):
    def __init__(self, size: int = 3) -> None: ...


class Open(Sample):
    def __init__(self, **rest: int) -> None: ...


class Odd(Sample):
    def __init__(self, *, table: dict[str, int] | None = None) -> None: ...


class Unknown(Sample):
    def __init__(self, *, size: Missing) -> None: ...  # type: ignore[name-defined]  # noqa: F821


@pytest.mark.parametrize(
    ("plugin", "message"),
    [
        (Positional, r"parameters must be keyword-only \(after a \*\), size is not"),
        (Open, "must be keyword-only .*rest"),
        (Odd, "parameter table must be of type str, int.*got .*dict"),
        (Unknown, "a type of the constructor is not defined .*Missing"),
    ],
)
def test_constructors_that_a_line_cannot_call(plugin: type, message: str) -> None:
    with pytest.raises(PluginError, match=f"^P: .*{message}"):
        options_of(plugin, "P")


SPELLINGS = {"-4": "max_size", "-N": "note", "-o": "on", "*": "labels"}


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("-4 7 -N x -o", {"max_size": 7, "note": "x", "on": True}),
        ("NP2 VP- -4 1 ,_ a=b", {"labels": ("NP2", "VP-", ",_", "a=b"), "max_size": 1}),
        ("--max-size 2 -s 0.5", {"max_size": 2, "scale": 0.5}),
    ],
)
def test_a_plugin_may_have_its_own_spellings(text: str, values: dict[str, Any]) -> None:
    assert parse_arguments(text, options_of(Sample, "P"), "P", None, SPELLINGS) == values


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("-4", "P: -4 needs a value"),
        ("-4 x", "P: --max-size must be a whole number, got 'x'"),
        ("-4 1 --max-size 2", "P: --max-size is given twice"),
        ("--labels NP PP", "P: --labels is given twice"),
    ],
)
def test_wrong_values_of_own_spellings(text: str, message: str) -> None:
    with pytest.raises(PluginError) as caught:
        parse_arguments(text, options_of(Sample, "P"), "P", None, SPELLINGS)
    assert str(caught.value) == message
