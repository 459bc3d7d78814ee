from __future__ import annotations

import gzip
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest
from support import world
from support.world import World

from hopefear.base import InputError
from hopefear.decoder import FeatureSelection, Weights
from hopefear.plugins import EdgeFeatures, FeatureTable, NameTable, RuleFeatures

WORLD = World(world.grammar("la", "casa", "verde", "la casa", features=lambda *_: "p=1", most=1))


class Words(RuleFeatures):
    """Fires W:word for each source word of a rule."""

    def fire(self, rules):
        pairs = []
        for rule in range(len(rules)):
            for symbol in rules.source[rules.source_indptr[rule] : rules.source_indptr[rule + 1]]:
                if symbol > 0:
                    pairs.append((rule, f"W:{rules.symbol(int(symbol))}"))
        return FeatureTable.from_pairs(len(rules), pairs)


class Identity(RuleFeatures):
    """cdec's rule identities, whose names the engine makes."""

    def fire(self, rules):
        names = rules.indicator_names()
        return FeatureTable(
            names,
            np.arange(len(names) + 1, dtype=np.int32),
            np.arange(len(names), dtype=np.int32),
            np.ones(len(names)),
        )


class Lengths(EdgeFeatures):
    """Fires L:length and, with value 2, EDGE on each edge."""

    def __init__(self):
        self.names = NameTable(lambda key: (f"L:{key}", "EDGE"))

    def fire(self, edges, segment):
        lengths = (edges.span[:, 1] - edges.span[:, 0]).astype(np.int64)
        indptr, columns = self.names.columns(lengths)
        values = np.where(np.arange(len(columns)) % 2, 2.0, 1.0)
        return FeatureTable(self.names, indptr, columns, values)


@pytest.fixture
def make(make_decoder):
    def call(selection=None, *plugins, weights=None):
        return make_decoder(weights, *(plugins or (Words(), Identity(), Lengths())), selection=selection)

    return call


def fired(decoder, source="la casa verde"):
    """All features of all derivations."""
    forest = decoder.translate(source)
    return {name for d in forest.derivations(100) for name in forest.features(d)}


EVERYTHING = {
    *("W:la", "W:casa", "W:verde", "L:1", "L:2", "L:3", "EDGE", "R:S:NX:N1", "R:S:NS_NX:N1_N2"),
    *("R:X:la:the", "R:X:casa:house", "R:X:verde:green", "R:X:la_casa:the_home"),
}


@pytest.mark.parametrize(
    ("selection", "expected"),
    [
        ({}, EVERYTHING),
        ({"allow": ("W:*",)}, {"W:la", "W:casa", "W:verde"}),
        ({"allow": ("w:*",)}, set()),
        ({"allow": ("W:[lc]*", "EDGE")}, {"W:la", "W:casa", "EDGE"}),
        ({"allow": ("?:?", "?:??"), "deny": ("W*", "L:3")}, {"L:1", "L:2"}),
        ({"deny": ("R:*", "p")}, {name for name in EVERYTHING if not name.startswith("R:")}),
        ({"frozen": True}, set()),
    ],
)
def test_patterns_choose_among_what_plugins_name(make, selection, expected):
    assert fired(make(FeatureSelection(**selection))) == expected | {"p", "Glue"}


def test_a_dropped_feature_leaves_the_others_values_alone(make):
    whole, part = make(), make(FeatureSelection(deny=("L:*", "R:X:*")))
    for _ in range(2):  # the second time from the rules' cache
        forest, other = whole.translate("la casa verde"), part.translate("la casa verde")
        for d in forest.derivations(100):
            features = {
                name: value
                for name, value in forest.features(d).items()
                if not name.startswith(("L:", "R:X:"))
            }
            assert other.features(d) == features


def test_frozen_features_are_those_that_the_weights_know(make):
    weights = Weights({"W:la": 0.0, "R:X:verde:green": 1.0, "nothing": 2.0})
    decoder = make(FeatureSelection(frozen=True), weights=weights)
    assert fired(decoder) == {"p", "Glue", "W:la", "R:X:verde:green"}
    assert "W:casa" not in decoder.weights


def test_hashing_adds_up_what_falls_together(make):
    plain, hashed = make(), make(FeatureSelection(hash_bits=1))
    forest, other = plain.translate("la casa verde"), hashed.translate("la casa verde")
    for d in forest.derivations(100):
        features, got = forest.features(d), other.features(d)
        dense = {"p", "Glue"}
        assert set(got) <= dense | {"H1#0", "H1#1"}
        total = sum(value for name, value in features.items() if name not in dense)
        assert got.get("H1#0", 0.0) + got.get("H1#1", 0.0) == total


def test_many_bits_keep_features_apart(make):
    hashed = fired(make(FeatureSelection(hash_bits=30)))
    assert len(hashed) == len(EVERYTHING) + 2
    assert all(name.startswith("H30#") for name in hashed - {"p", "Glue"})


def test_deny_comes_before_hashing(make):
    everything, few = (
        fired(make(FeatureSelection(deny=deny, hash_bits=30))) for deny in ((), ("R:*", "L:*"))
    )
    assert few < everything
    assert len(few) == 2 + 4


def test_hashes_are_the_same_in_every_process(tmp_path):
    code = (
        "from hopefear.decoder.selection import FeatureSelection;"
        "print(FeatureSelection(hash_bits=20).hashed('R:X:für:for'))"
    )
    names = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(names) == 1
    # BLAKE2b of eight bytes, the first of them lowest, by coreutils: b2sum -l 64
    assert names == {f"H20#{int.from_bytes(bytes.fromhex(B2SUM), 'little') % 2**20:x}\n"}


B2SUM = "49c8d75cbb57b2e1"


def test_the_report_counts_names_features_and_sentences(make):
    decoder = make()
    for source in ("la casa", "verde", "verde"):
        decoder.translate(source)
    words, rules, lengths = decoder.feature_report()
    assert (words.family, words.names, words.features) == ("Words", 3, 3)
    assert words.per_sentence == pytest.approx((2 + 1 + 1) / 3)
    # R:S:NX:N1 everywhere, R:S:NS_NX:N1_N2 in "la casa" only
    assert (rules.names, rules.features) == (6, 6)
    assert rules.per_sentence == pytest.approx((5 + 2 + 2) / 3)
    assert (lengths.names, lengths.features) == (3, 3)
    assert lengths.per_sentence == pytest.approx((3 + 2 + 2) / 3)


@pytest.mark.parametrize("selection", [{}, {"deny": ("*:N1",)}, {"hash_bits": 30}, {"frozen": True}])
def test_the_report_counts_what_others_tell(make, selection):
    selection = FeatureSelection(**selection)
    alone, decoder, *others = (make(selection) for _ in range(4))
    for source in ("la casa", "verde", "casa", "verde la", "verde"):
        alone.translate(source)
    decoder.translate("verde")
    for other, sources in zip(others, (("la casa", "casa"), ("verde", "verde la")), strict=True):
        assert other.delta() is None
        for source in sources:
            other.translate(source)
            decoder.merge(pickle.loads(pickle.dumps(other.delta())))
        assert other.delta() is None
        assert [row.names for row in other.feature_report()] < [row.names for row in alone.feature_report()]
    assert decoder.feature_report() == alone.feature_report() == decoder.feature_report()


@pytest.mark.parametrize(
    ("selection", "expected"),
    [
        ({"deny": ("W:*",)}, (3, 0, 0)),
        ({"allow": ("W:la",)}, (3, 1, 1)),
        ({"hash_bits": 30}, (3, 3, 3)),
        ({"frozen": True}, (3, 0, 0)),
    ],
)
def test_the_report_tells_names_from_features(make, selection, expected):
    decoder = make(FeatureSelection(**selection), Words())
    for _ in range(2):
        decoder.translate("la casa verde")
    (row,) = decoder.feature_report()
    assert (row.names, row.features, row.per_sentence) == expected


def test_frequent_features_fire_in_so_many_sentences(make):
    decoder = make(None, Words(), Lengths())
    sources = ["la la", "la casa", "verde", "unknown"]  # the last has no translation
    assert set(decoder.frequent_features(sources, 2)) == {"W:la", "L:1", "L:2", "EDGE"}
    assert set(decoder.frequent_features(sources, 3)) == {"L:1", "EDGE"}
    assert decoder.frequent_features(sources, 4) == []


SELECTION = FeatureSelection(allow=("W:*",), deny=("*:casa",), hash_bits=3, frozen=True)


def test_weights_files_keep_the_selection(make, tmp_path):
    decoder = make(SELECTION, weights=Weights({"W:la": 1.0}))
    decoder.weights.write(tmp_path / "weights")
    assert make(weights=tmp_path / "weights").selection == SELECTION
    weights = Weights()
    weights.read(tmp_path / "weights")
    assert weights.selection == SELECTION
    assert make(weights=weights).selection == SELECTION
    weights.write(tmp_path / "again")
    assert (tmp_path / "again").read_text() == (tmp_path / "weights").read_text()
    with gzip.open(tmp_path / "weights.gz", "wb") as file:
        file.write((tmp_path / "weights").read_bytes())
    assert make(weights=tmp_path / "weights.gz").selection == SELECTION


def test_without_a_selection_files_are_as_ever(make, tmp_path):
    make(weights=Weights({"p": 1.0})).weights.write(tmp_path / "weights")
    assert (tmp_path / "weights").read_text() == "p 1\n"


def test_weights_from_a_pipe_are_refused(make):
    reader, writer = os.pipe()
    os.write(writer, b"p 2\n")
    os.close(writer)
    pipe = f"/dev/fd/{reader}"
    with pytest.raises(InputError, match=f"{pipe}: expected a file, got a pipe"):
        make(weights=pipe)
    with pytest.raises(InputError, match="got a pipe"):
        Weights().read(pipe)
    os.close(reader)


def test_weights_hashed_in_another_way_are_refused(make, tmp_path):
    path = tmp_path / "weights"
    make(FeatureSelection(hash_bits=3), weights=Weights({"H3#1": 1.0})).weights.write(path)
    with pytest.raises(InputError, match=r"weights: expected features with hash_bits=0, got hash_bits=3"):
        make(FeatureSelection(), weights=path)
    with pytest.raises(InputError, match="expected features with hash_bits=4, got hash_bits=3"):
        make(FeatureSelection(hash_bits=4)).read_weights(path)
    make(FeatureSelection(hash_bits=3, deny=("W:*",)), weights=path)


@pytest.mark.parametrize(
    "text",
    ["{", "[]", '{"hash_bits": "3"}', '{"hash_bits": 31}', '{"allow": "R:*"}', '{"cut": 3}', '{"frozen": 1}'],
)
def test_a_damaged_selection_is_refused(make, tmp_path, text):
    (tmp_path / "weights").write_text(f"# by hand\n# hopefear selection {text}\np 1\n")
    with pytest.raises(InputError, match=r"weights:2: expected a selection of features"):
        make(weights=tmp_path / "weights")


@pytest.mark.parametrize("wrong", [{"hash_bits": -1}, {"hash_bits": 31}, {"deny": "R:*"}, {"allow": ("",)}])
def test_a_wrong_selection_is_refused(wrong):
    with pytest.raises(InputError, match=next(iter(wrong))):
        FeatureSelection(**wrong)
