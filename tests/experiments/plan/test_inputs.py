"""What a plan names and is not there is told before anything runs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from support.small_sample import small_sample

from hopefear.base import InputError
from hopefear.experiments import Experiment, read_plan

PLAN = Path(__file__).with_suffix(".toml").read_text("utf-8")
INI = """\
formalism=scfg
grammar=grammar.gz
scfg_extra_glue_grammar=glue
feature_function=KLanguageModel -m map lm.klm
feature_function2=WordPenalty
weights2=later
weights=never.read
"""


def found(folder) -> Experiment:
    return Experiment(read_plan(folder / "plan.toml", folder / "out"), folder / "out")


def test_all_that_is_missing_is_named_with_plan_line_and_key(tmp_path):
    (tmp_path / "plan.toml").write_text(PLAN)
    (tmp_path / "cdec.ini").write_text(INI)
    (tmp_path / "dev.es").write_text('<seg grammar="no/grammar">a</seg>\n')
    with pytest.raises(InputError) as caught:
        found(tmp_path).run()
    here = str(tmp_path) + "/"
    assert str(caught.value).replace(here, "").splitlines() == [
        "plan.toml:6: sets.dev.source: no/grammar: no such file",
        "plan.toml:7: sets.dev.references: dev.en.0: no such file",
        "plan.toml:7: sets.dev.references: dev.en.1: no such file",
        "plan.toml:8: sets.dev.trees: dev.trees: no such file",
        "plan.toml:5: sets.dev.config: cdec.ini:2: grammar.gz: no such file",
        "plan.toml:5: sets.dev.config: cdec.ini:3: glue: no such file",
        "plan.toml:5: sets.dev.config: cdec.ini:6: later: no such file",
        "plan.toml:5: sets.dev.config: cdec.ini:4: lm.klm: no such file",
        "plan.toml:2: weights: weights: no such file",
        "plan.toml:18: systems.own.features: more.trees: cannot be read: No such file or directory",
        "plan.toml:18: systems.own.features: table.txt: cannot be read: No such file or directory",
        "plan.toml:17: systems.own.weights: own.weights: no such file",
    ]
    assert not (tmp_path / "out" / "cells").exists()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"cdec.ini"', '"folder"', r":5: sets\.dev\.config: .*folder: cannot be read: Is a directory$"),
        ('config = "cdec.ini"', 'build = "folder"', r":5: sets\.dev\.build: .*build\.json: cannot be read"),
        ('"dev.es"', '"folder"', r":6: sets\.dev\.source: .*folder: expected a file, got a folder$"),
        ('"SoftSyntax ', '"SoftSyntx ', r":18: .*\.features: SoftSyntx: unknown feature .* near: Soft"),
        ('weights = "weights"', "", r":14: systems\.base: expected weights to start from"),
        ('"own.weights"', '"dev.es"', r":17: systems\.own\.weights: .*dev\.es: expected weights, got"),
    ],
)
def test_one_that_is_wrong(tmp_path, old, new, message):
    plan = PLAN.replace("dev.trees", "dev.es.trees").replace(
        "more.trees", str(small_sample() / "dev.es.trees")
    )
    plan = plan.replace(', "StructuralDistortion --granularity coarse --table table.txt"', "")
    (tmp_path / "plan.toml").write_text(plan.replace(old, new, 1))
    for name in ("dev.es", "dev.en.0", "dev.en.1", "dev.es.trees"):
        (tmp_path / name).touch()
    for name in ("weights", "own.weights"):
        (tmp_path / name).write_text("F 1\n")
    (tmp_path / "cdec.ini").write_text("formalism=scfg\n")
    (tmp_path / "folder").mkdir()
    with pytest.raises(InputError) as caught:
        found(tmp_path).run()
    assert re.search(message, str(caught.value), re.MULTILINE)
    assert len(str(caught.value).splitlines()) == 1


def test_what_is_prepared_is_checked_when_it_is_there(tmp_path):
    plan = PLAN.replace("own.weights", "weights").replace('trees = "dev.trees"\n', "")
    lines = plan.splitlines()
    lines[16] = 'features = ["KLanguageModel {prepared}/lm.arpa"]'
    lines += [
        "[[prepare]]",
        'output = "lm.arpa"',
        f'command = "ngrams --order 1 -s {small_sample()}/dev.en.0 -o {{output}}"',
    ]
    (tmp_path / "plan.toml").write_text("\n".join(lines).replace("dev.es", "{prepared}/dev.es", 1))
    for name in ("dev.en.0", "dev.en.1"):
        (tmp_path / name).touch()
    (tmp_path / "weights").write_text("F 1\n")
    (tmp_path / "cdec.ini").write_text("formalism=scfg\n")
    with pytest.raises(InputError) as caught:
        found(tmp_path).run()
    assert (tmp_path / "out" / "prepared" / "lm.arpa").exists()
    source = tmp_path / "out" / "prepared" / "dev.es"
    assert str(caught.value) == f"{tmp_path}/plan.toml:6: sets.dev.source: {source}: no such file"
