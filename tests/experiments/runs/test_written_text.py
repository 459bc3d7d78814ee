"""Plans over systems of text as written: sets are files of text as written."""

from __future__ import annotations

import base64
import json
import re
import zlib
from pathlib import Path

import pytest
from support.plans import experiment
from support.world import configure, write_parallel_text

from hopefear.base import InputError
from hopefear.experiments import ExperimentReport
from hopefear.experiments.runs.corpora import read_set
from hopefear.grammars.build import Recipe, build
from hopefear.text import Language, Profile, TextSystem

PLAN = Path(__file__).with_suffix(".toml").read_text("utf-8")


@pytest.mark.usefixtures("in_this_process")
def test_a_set_as_written_scores_as_its_tokens_do(tmp_path):
    found = experiment(tmp_path, PLAN)
    tokens, text = (read_set(found.plan.sets[name]) for name in ("tokens", "text"))
    for one, other in zip(tokens, text, strict=True):
        assert (one.tokens, one.tree, one.references) == (other.tokens, other.tree, other.references)
        assert other.written is not None
    scores = {row.tested_on: row.score for row in found.run()}
    assert found.failures == []
    assert scores["text"] == pytest.approx(scores["tokens"])
    (cell,) = (found.folder / "cells").iterdir()
    words, of_text = ((cell / f"{name}.txt").read_text().splitlines() for name in ("tokens", "text"))
    shown = (cell / "text.written.txt").read_text().splitlines()
    assert words == of_text and not (cell / "tokens.written.txt").exists()
    assert len(shown) == 12 and all(text[0].isupper() and " ." not in text for text in shown)
    ExperimentReport(found.folder, found.plan, found.run()).write()
    packed = re.search(r'id="run-data">([^<]+)<', (found.folder / "report.html").read_text())
    sets = {one["name"]: one for one in json.loads(zlib.decompress(base64.b64decode(packed[1])))["sets"]}
    assert (sets["text"]["written"], sets["tokens"]["written"]) == (True, False)
    for segment, row, text in zip(
        read_set(found.plan.sets["text"]), sets["text"]["rows"], shown, strict=True
    ):
        assert row[1:4] == [segment.written.text, [*segment.written.references], [text]]
    assert [row[3] for row in sets["tokens"]["rows"]] == [[text] for text in words]


def test_what_a_system_knows_about_text_is_looked_for(tmp_path):
    found = experiment(tmp_path, PLAN.replace("{data}", "."))
    for name in ("cdec.ini", "written.ini"):
        ini = "formalism=scfg\n" + ("# hopefear: text=text.json.gz\n" if name == "written.ini" else "")
        (tmp_path / name).write_text(ini)
    with pytest.raises(InputError, match=r"config: .*written\.ini:2: .*text\.json\.gz: no such file"):
        found.run()


def test_sets_of_a_build_have_the_tokens_of_its_system(tmp_path):
    write_parallel_text(tmp_path, 20, ambiguous=True)
    texts = {"source": tmp_path / "train.f", "target": tmp_path / "train.e"}
    recipe = Recipe(**texts, alignment=tmp_path / "train.align", folds=2, order=2, discount_fallback=True)
    build(recipe, tmp_path / "system")
    TextSystem(Language("es"), Language("en"), Profile.named("rst")).save(tmp_path / "system" / "text.json")
    configure(tmp_path / "system", "# hopefear: text=text.json")
    (tmp_path / "f").write_text("See ``a b``.\n")
    (tmp_path / "e").write_text("Use ``a b``!\n")
    sets = '[sets.dev]\nbuild = "system"\nsource = "f"\nreferences = ["e"]\n'
    runs = (
        PLAN[PLAN.index("[systems") :]
        .replace('["tokens"]', '["dev"]')
        .replace('["tokens", "text"]', '["dev"]')
    )
    (segment,) = read_set(experiment(tmp_path, f'title = "T"\n{sets}{runs}').plan.sets["dev"])
    assert segment.tokens == ("See", "⟨literal⟩", ".")
    assert segment.references == ("Use ⟨literal⟩ !",)
