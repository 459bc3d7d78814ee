"""The board of features that are being written."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.world import World

from hopefear import Decoder, Mira, Segment
from hopefear.experiments.board import PluginBoard, PluginTrial
from hopefear.metrics import Bleu
from hopefear.parallel import Processes

PLUGIN = """\
import numpy as np
from hopefear import FeatureTable, RuleFeatures


class LongRules(RuleFeatures):
    fires = ("LongRules",)

    def fire(self, rules):
        return FeatureTable.from_dense(self.fires, (np.diff(rules.source_indptr) > 1.0)[:, None])
"""
CORPUS = [
    Segment("la casa roja", id=0, references=("the red house",)),
    Segment("la casa", id=1, references=("the home",)),
    Segment("la roja", id=2, references=("the red",)),
]


@pytest.fixture
def trial(tmp_path: Path) -> Iterator[PluginTrial]:
    files = {"long_rules_of_test.py": PLUGIN, "weights.toy": "p -1\n"}
    World(files=files).write(tmp_path)
    path = [*sys.path]
    yield PluginTrial(
        tmp_path / "long_rules_of_test.py", tmp_path / "cdec.ini", tmp_path / "weights.toy", CORPUS
    )
    sys.path[:] = path
    sys.modules.pop("long_rules_of_test", None)


def test_what_is_fired_is_counted(trial: PluginTrial) -> None:
    html = trial.fired()
    decoder = Decoder(trial.config, weights=trial.weights)
    edges = sentences = best = 0
    for segment in CORPUS:
        forest = decoder.translate(segment)
        long = [edge for edge in range(len(forest.edges)) if len(forest.rule(edge).source) > 1]
        edges += len(long)
        sentences += bool(long)
        best += len({*long} & {*forest.best().tolist()})
    row = re.search(r"<td>Long<wbr>Rules</td>(.*?)</tr>", html)
    assert row is not None
    assert re.findall(r">(\d+)<", row[1]) == [str(edges), str(sentences), str(best)]
    assert "LongRules (rule)" in html and html.count('class="derivation"') == len(CORPUS)


def test_the_gain_is_that_of_a_pass_with_the_plugins(trial: PluginTrial) -> None:
    metric, scores = Bleu(), []
    for features in ([], trial.plugins()):
        decoder = Decoder(trial.config, weights=trial.weights, features=features)
        Mira.paper(passes=1).fit(decoder, CORPUS)
        texts = [decoder.translate(segment).viterbi() for segment in CORPUS]
        rows = metric.corpus_stats(texts, [segment.references for segment in CORPUS])
        scores.append(f"{metric.score(rows.sum(axis=0)):.2f}")
    assert f"BLEU {scores[0]} → <b>{scores[1]}</b>" in trial.gain()


def test_errors_name_the_line(trial: PluginTrial) -> None:
    trial.file.write_text(PLUGIN.replace("np.diff", "np.dif"))
    assert "long_rules_of_test.py:9: " in trial.fired()
    sys.modules.pop("long_rules_of_test")
    trial.file.write_text("x = 1\n")
    assert "expected a class of features" in trial.fired()


@pytest.mark.slow
def test_a_changed_file_is_tried_again(trial: PluginTrial) -> None:
    trial.file.write_text("def\n")
    with Processes() as processes:
        board = PluginBoard(trial, processes)
        assert board.look()
        assert "SyntaxError" in board.html()
        assert not board.look()
        trial.file.write_text(PLUGIN)
        os.utime(trial.file, (1, 1))
        assert board.look()
        assert "LongRules (rule)" in board.html() and "BLEU " in board.html()
        trial.file.unlink()
        assert not board.look()
