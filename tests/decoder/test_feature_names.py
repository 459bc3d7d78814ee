"""One rule for feature names: what one place accepts, every file gives back equal; the rest is refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from hopefear import (
    Decoder,
    FeatureTable,
    Hypergraph,
    InputError,
    Lattice,
    PluginError,
    RuleFeatures,
    Segment,
    Weights,
)
from hopefear._native import name_fault
from hopefear.cdec.live_weights import LiveWeights, LiveWeightsReader
from hopefear.cli.io.output import kbest_line
from hopefear.parallel import Named
from hopefear.plugins import NameTable, PairNames, RuleBatch, WordTable
from hopefear.pycdec import NT, TRule
from hopefear.tuners import read_checkpoint, write_checkpoint
from hopefear.tuners.contract.saved_features import load_features, save_features
from hopefear.tuners.pool.kbest_files import read_kbest

REFUSED = ["", "#c", "a b", "x\ty", "a\n", "\ra", "a\0b", "\ud800", "a\udfff", "\ufeffa", " "]
KEPT = [
    *["a#", "a=b", "=", "a=", "=1", "|||", "a|||b", "1", "x:"],
    "a\xa0b",
    "a\u2028b",
    "\x85",
    "\x1c",
    "a\vb",
    "a\fb",
    "H12#f",
    "ü'\"",
]

characters = st.one_of(
    st.sampled_from("#=|:;,[]'\"\\ \t\n\r\v\f\0\x1c\x1f\x7f\x85\xa0\u2028\u3000\ufeff\ud800aZ09-+.eé"),
    st.characters(),
)
names = st.text(characters, min_size=0, max_size=8)
"""Names, right and wrong."""

lists = st.lists(names, min_size=1, max_size=4, unique=True).filter(
    lambda some: not any(map(name_fault, some))
)
several = settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@pytest.mark.parametrize("name", REFUSED)
def test_the_error_names_the_name_and_the_rule(name: str) -> None:
    weights = Weights()
    with pytest.raises(InputError, match=r"a feature name must (not|be)"):
        weights.update({name: 5.0})
    assert name not in weights
    assert weights[name] == 0
    assert len(weights) == 0


def test_names_with_signs_of_files_are_kept(tmp_path: Path) -> None:
    assert not any(map(name_fault, KEPT))
    assert back_from_weights(KEPT, tmp_path) == KEPT


def back_from_weights(some: list[str], folder: Path) -> list[str]:
    Weights({name: i + 0.5 for i, name in enumerate(some)}).write(folder / "weights")
    read = Weights()
    read.read(folder / "weights")
    return sorted(read.nonzero(), key=lambda name: read[name])


def grammar_of(some: list[str]) -> str:
    return f"[X] ||| a ||| b ||| {' '.join(f'{name}={i + 0.5}' for i, name in enumerate(some))}\n"


def back_from_grammar(some: list[str], folder: Path) -> list[str]:
    """Through a grammar in a file, and the rule that `extract_rules` writes."""
    (folder / "grammar").write_text(grammar_of(some), "utf-8", newline="\n")
    forest = Decoder(formalism="scfg", grammar=folder / "grammar").translate("a")
    written = str(forest.rule(0))
    again = Decoder(formalism="scfg").translate("a", written)
    return in_order(again.viterbi_features())


def back_from_rules(some: list[str], folder: Path) -> list[str]:
    rule = TRule(NT("X"), ["a"], ["b"], {name: i + 0.5 for i, name in enumerate(some)})
    return in_order(Decoder(formalism="scfg").translate("a", rule.line() + "\n").viterbi_features())


def back_from_lattice(some: list[str], folder: Path) -> list[str]:
    lattice = Lattice([[("a", {name: i + 0.5 for i, name in enumerate(some)}, 1)]])
    again = Lattice.from_plf(lattice.plf())
    assert again == lattice
    decoder = Decoder(formalism="scfg")
    return in_order(decoder.translate(again, "[X] ||| a ||| b ||| \n").viterbi_features())


def back_from_forest(some: list[str], folder: Path) -> list[str]:
    Decoder(formalism="scfg").translate("a", grammar_of(some)).write(folder / "forest.json.gz")
    return in_order(Hypergraph.read(folder / "forest.json.gz", Weights()).viterbi_features())


def back_from_kbest(some: list[str], folder: Path) -> list[str]:
    forest = Decoder(formalism="scfg").translate("a", grammar_of(some))
    line = kbest_line(Segment("a", id=0), forest, next(iter(forest.derivations(1))))
    (folder / "kbest").write_text(line, "utf-8", newline="\n")
    weights = Weights()
    ((_, translations),) = read_kbest(folder / "kbest", weights)
    values = zip(translations.features.tolist(), translations.values.tolist(), strict=True)
    return in_order({weights.name(feature): value for feature, value in values})


def back_from_checkpoint(some: list[str], folder: Path) -> list[str]:
    weights = Weights(dict.fromkeys(some, 1.0))
    saved = save_features(np.arange(len(weights)), weights)
    write_checkpoint(folder / "checkpoint", {"facts": {}, "arrays": {"names": saved}})
    other = Weights()
    load_features(read_checkpoint(folder / "checkpoint")["arrays"]["names"], other)
    return [name for name, _ in other]


def back_from_another_process(some: list[str], folder: Path) -> list[str]:
    weights, other = Weights(dict.fromkeys(some, 1.0)), Weights()
    Named.of(weights, np.arange(len(some), dtype=np.int32)).numbers(other)
    return [name for name, _ in other]


class Fires(RuleFeatures):
    """Fires features of given names."""

    def __init__(self, some: list[str]) -> None:
        self.some = some

    def fire(self, rules: RuleBatch) -> FeatureTable:
        return FeatureTable.from_dense(self.some, np.tile(np.arange(len(self.some)) + 0.5, (len(rules), 1)))


def back_from_plugin(some: list[str], folder: Path) -> list[str]:
    decoder = Decoder(formalism="scfg", features=[Fires(some)])
    return in_order(decoder.translate("a", "[X] ||| a ||| b ||| \n").viterbi_features())


def in_order(features: object) -> list[str]:
    values = dict(features)  # type: ignore[call-overload]
    return sorted((name for name in values if name != "Glue"), key=lambda name: values[name])


def through_live_weights(some: list[str], folder: Path) -> list[str]:
    (folder / "live").write_text("")
    LiveWeights(folder / "live").update({name: i + 0.5 for i, name in enumerate(some)})
    return in_order(LiveWeightsReader(folder / "live").read())


WAYS: list[Callable[[list[str], Path], list[str]]] = [
    back_from_weights,
    back_from_grammar,
    back_from_rules,
    back_from_lattice,
    back_from_forest,
    back_from_kbest,
    back_from_checkpoint,
    back_from_another_process,
    back_from_plugin,
    through_live_weights,
]

IN_GRAMMARS = (back_from_grammar, back_from_rules, back_from_forest, back_from_kbest)
"""Ways through a grammar, where ``;`` stands between features, as in cdec."""


@pytest.mark.parametrize("back", WAYS)
@example(KEPT[:8])
@example(KEPT[8:])
@given(some=lists)
@several
def test_names_come_back_equal(back: Callable[..., list[str]], tmp_path: Path, some: list[str]) -> None:
    if back in IN_GRAMMARS:
        assume(not any(";" in name for name in some))
    assert back(some, tmp_path) == some


BEFORE: list[Callable[[str, Path], object]] = [
    lambda name, folder: Weights({name: 1.0}),
    lambda name, folder: Decoder(formalism="scfg").weights.id(name),
    lambda name, folder: TRule(NT("X"), ["a"], ["b"], {name: 1.0}).line(),
    lambda name, folder: Lattice([[("a", {name: 1.0}, 1)]]),
    lambda name, folder: back_from_plugin([name], folder),
    lambda name, folder: NameTable(lambda key: [name]).columns(np.zeros(1, np.int64)),
    lambda name, folder: PairNames(name, WordTable(["surface"]), WordTable(["surface"])),
]


@pytest.mark.parametrize("make", BEFORE)
@given(name=names.filter(name_fault))
@several
def test_other_names_are_refused_where_they_are_made(
    make: Callable[[str, Path], object], tmp_path: Path, name: str
) -> None:
    with pytest.raises((InputError, PluginError), match=r"must (not|be)"):
        make(name, tmp_path)


def test_a_refused_name_leaves_a_table_as_it_was() -> None:
    wrong = {3}
    table = NameTable(lambda key: [f"n{key}", "a b" if key in wrong else f"m{key}"])
    table.columns(np.array([1], np.int64))
    for _ in range(2):
        with pytest.raises(PluginError, match=r"must not contain white space, got 'a b'"):
            table.columns(np.array([1, 2, 3], np.int64))
    wrong.clear()
    indptr, columns = table.columns(np.array([3, 1], np.int64))
    assert [table[column] for column in columns] == ["n3", "m3", "n1", "m1"]
    assert indptr.tolist() == [0, 2, 4]


def test_words_of_a_sentence_and_grammars_in_memory_are_checked() -> None:
    decoder = Decoder(formalism="scfg", add_pass_through_rules=True)
    for words in (("a b",), ("a\0",), ("",), ("\ud800",)):
        with pytest.raises(InputError, match=r"dev:3: .*(word|tokens must be valid Unicode)"):
            decoder.translate(Segment(words, where="dev:3"))
    for features in ("\ud800=1", "a\0=1", "#=1"):
        with pytest.raises(InputError, match=r"Unicode|zero byte|must not begin with '#'"):
            decoder.translate("a", f"[X] ||| a ||| b ||| {features}")


@pytest.mark.parametrize("line", ["\ufeffa 1"])
def test_a_file_of_weights_with_another_name_is_refused_with_its_line(tmp_path: Path, line: str) -> None:
    (tmp_path / "weights").write_text(f"x 1\n#c 2\n{line}\ny 2\n", "utf-8")
    with pytest.raises(InputError, match=r"weights:3: a feature name must not"):
        Weights().read(tmp_path / "weights")
