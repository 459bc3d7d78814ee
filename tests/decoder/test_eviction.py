"""With a selection of features, what plugins keep of words and names stays small, and results stay equal."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.command import call
from support.world import World

from hopefear import Decoder, EdgeFeatures, FeatureSelection, FeatureTable, Weights
from hopefear.parallel import Threads
from hopefear.plugins import NameTable, growing

PLUGINS = [
    "WordPairs",
    "TargetNgrams order=2",
    "LexicalFeatures",
    "Deletion",
    "Insertion",
    "RuleSourceBigrams",
    "RuleShape",
    "SpanSize",
    "SpanBoundary",
    "SourcePath",
    "WordPairBigrams",
    "Hierarchical --heads content",
    "HierarchicalRules",
    "Product WordPairs SpanSize",
]
SENTENCES = [f"la n{i} casa m{i} roja" for i in range(90)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return World().write(tmp_path).parent


def new_decoder(folder: Path, *features: Any, entries: int = 1 << 14, **selection: Any) -> Decoder:
    return Decoder(
        formalism="scfg",
        grammar=folder / "grammar",
        add_pass_through_rules=True,
        features=list(features) or PLUGINS,
        selection=FeatureSelection(**selection),
        table_entries=entries,
        weights=Weights({f"H12#{i:x}": i % 7 / 10 for i in range(1 << 12)}),
    )


def decode(decoder: Decoder) -> list[Any]:
    forests = map(decoder.translate, SENTENCES)
    return [(forest.viterbi(), dict(forest.viterbi_features())) for forest in forests]


@pytest.mark.slow
@pytest.mark.parametrize("selection", [{"hash_bits": 12}, {"frozen": True}], ids=["hashed", "frozen"])
def test_tables_stay_small_and_results_equal(folder: Path, selection: dict[str, Any]) -> None:
    expected = new_decoder(folder, **selection)
    results = decode(expected)
    assert not any(report.emptied for report in expected.table_report())
    bounded = new_decoder(folder, entries=0, **selection)
    assert decode(bounded) == results
    emptied = 0
    for report, unbounded in zip(bounded.table_report(), expected.table_report(), strict=True):
        assert report.entries <= report.most < 100
        assert report.emptied or unbounded.entries <= report.most, report
        emptied += report.emptied > 1
    assert emptied >= 8


@pytest.mark.slow
def test_threads_share_tables_that_are_begun_anew(folder: Path) -> None:
    expected = decode(new_decoder(folder, hash_bits=12))
    decoder = new_decoder(folder, entries=0, hash_bits=12)
    with Threads(3) as executor:
        forests = list(executor.map(decoder.translate, SENTENCES))
    assert [(forest.viterbi(), dict(forest.viterbi_features())) for forest in forests] == expected
    assert sum(report.emptied for report in decoder.table_report()) > 8


def test_without_a_selection_every_name_is_in_the_weights(folder: Path) -> None:
    decoder = new_decoder(folder, "WordPairs", entries=0)
    decode(decoder)
    (report,) = decoder.table_report()
    assert (report.most, report.emptied) == (0, 0)
    assert report.entries > 200
    assert "WP:n89_n89" in decoder.weights


class Mine(EdgeFeatures):
    """Numbers a rule's source words; the names are made when an edge fires."""

    def __init__(self) -> None:
        self.made = 0

    @growing
    def texts(self) -> list[str]:
        return []

    @growing
    def names(self) -> NameTable:
        self.made += 1
        return NameTable(lambda number: [f"Mine:{self.texts[number]}"])

    def rule_attributes(self, rules: Any) -> Any:
        first = len(self.texts)
        sides = zip(rules.source_indptr, rules.source_indptr[1:], strict=False)
        self.texts.extend("|".join(map(rules.symbol, rules.source[i:j].tolist())) for i, j in sides)
        return np.arange(first, len(self.texts), dtype=np.int32)

    def fire(self, edges: Any, segment: Any) -> FeatureTable:
        indptr, columns = self.names.columns(edges.attribute.astype(np.int64))
        return FeatureTable(self.names, indptr, columns, np.ones(len(columns)))


def test_tables_of_ones_own_plugin(folder: Path) -> None:
    expected = decode(new_decoder(folder, Mine(), hash_bits=12))
    plugin = Mine()
    assert decode(new_decoder(folder, plugin, entries=0, hash_bits=12)) == expected
    assert plugin.made > 3


def test_a_plugin_of_two_decoders_keeps_its_numbers(folder: Path) -> None:
    expected = decode(new_decoder(folder, Mine(), hash_bits=12))
    plugin = Mine()
    first, second = (new_decoder(folder, plugin, entries=0, hash_bits=12) for _ in range(2))
    assert decode(first) == decode(second) == expected
    assert plugin.made == 1


def test_debug_shows_the_tables_at_the_end(folder: Path) -> None:
    World(lines=["feature_function=WordPairs"]).write(folder)
    command = ["decode", "-c", "cdec.ini", "-w", "none", "--hash-bits", "12"]
    shown = call([*command, "--debug"], b"roja\n", folder)
    assert (shown.returncode, shown.stdout) == (0, b"red\n")
    tables = rb"^hopefear: tables of WordPairs: \d+ entries of at most \d+, reset 0 times$"
    assert re.search(tables, shown.stderr, re.MULTILINE)
    assert b"tables of" not in call(command, b"roja\n", folder).stderr
