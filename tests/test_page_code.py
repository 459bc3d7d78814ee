"""The Python code of the pages does what they say."""

from __future__ import annotations

import random
import shutil
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from support import CHECKOUT
from support.joint_networks import network, random_grammar
from support.pages import blocks
from support.small_sample import small_sample
from typer.testing import CliRunner

from hopefear.cli import app
from hopefear.decoder import Decoder

USE = CHECKOUT / "docs" / "use"
LISTS = "0 ||| a b ||| LM=-2 ||| -2\n0 ||| b b c ||| LM=-3 ||| -3\n1 ||| z ||| LM=-1 ||| -1\n"


@pytest.mark.parametrize(
    "page", ["constraints", "differentiable", "forest-json", "forests", "live", "look", "text"]
)
def test_code_runs_beside_a_system(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pandas", reason="pandas is not installed")
    if page == "differentiable":
        pytest.importorskip("torch", reason="PyTorch is not installed")
    shutil.copytree(small_sample(), tmp_path, dirs_exist_ok=True)
    shutil.copy(tmp_path / "weights.init", tmp_path / "weights")
    (tmp_path / "old.tsv").write_text("la casa verde\tthe green house\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    names = {"decoder": Decoder("cdec.ini", weights="weights")}
    for code in blocks(USE / f"{page}.md", "python"):
        exec(code, names)


def test_the_documented_tuners_keep_the_contract() -> None:
    page = blocks(USE / "writing-tuners.md", "python")
    examples = [code for code in page if "\ncheck_tuner(" in code]
    assert len(examples) == 2
    for code in examples:
        exec(code, {"__name__": __name__})


@pytest.mark.parametrize("seed", range(12))
def test_the_plugin_in_numpy_is_the_joint_model_of_the_search(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    code = (USE / "numpy_joint.py").read_text("utf-8")
    draw = random.Random(seed)
    sizes = draw.randint(0, 3), draw.choice([1, 3]), 16, draw.choice([0, 16])
    network(seed, *sizes, right_to_left=seed % 2 == 1).write(tmp_path / "joint.hfn")
    (tmp_path / f"numpy_joint_{seed}.py").write_text(code)
    (tmp_path / "grammar").write_text(random_grammar(draw))
    (tmp_path / "cdec.ini").write_text(
        "formalism=scfg\ngrammar=grammar\nadd_pass_through_rules=true\nintersection_strategy=full\n"
        "feature_function=JointModel joint.hfn\n"
        f"feature_function=numpy_joint_{seed}:NumpyJoint --model joint.hfn\n"
    )
    decoder = Decoder(tmp_path / "cdec.ini", weights={"p": -0.5, "JointModel": 0.7, "NumpyJoint": 0.1})
    forest = decoder.translate(" ".join(draw.choice(["a", "b", "c", "new"]) for _ in range(3)))
    found = [forest.features(derivation) for derivation in forest.derivations(1 << 20)]
    native, plugin = ([each.get(name, 0.0) for each in found] for name in ("JointModel", "NumpyJoint"))
    assert any(native)
    assert plugin == pytest.approx(native, abs=1e-4)


class Session:
    """A model by which a target word of number t has log probability -t - 100 · (the first source word)."""

    def __init__(self, path: str, providers: Any) -> None:
        assert Path(path).read_text() == "a model"

    def run(self, outputs: Any, inputs: Any) -> Any:
        assert outputs == ["log_probabilities"]
        assert inputs["source"].dtype == inputs["target"].dtype == np.int64
        return [(-inputs["target"] - 100 * inputs["source"][:, :1]).astype(np.float32)]


def test_the_scorer_scores_with_a_stand_in_for_onnx_runtime(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (code,) = (one for one in blocks(USE / "rescoring.md", "python"))
    (tmp_path / "page_nmt.py").write_text(code)
    (tmp_path / "nbest").write_text(LISTS)
    (tmp_path / "source").write_text("c f\nb\n")
    (tmp_path / "words").write_text("<unk>\na\nb\nc\n")
    (tmp_path / "model").write_text("a model")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setitem(sys.modules, "onnxruntime", SimpleNamespace(InferenceSession=Session))
    line = "page_nmt:Translator --model model --words words"
    done = CliRunner().invoke(app, ["rescore", "nbest", "--scorer", line, "-s", "source"])
    # a = 2, b = 3, c = 4; z is unknown, 1. The sources begin with c and b.
    assert done.output.splitlines() == [
        f"0 ||| a b ||| LM=-2 NMT={-2 - 3 - 2 * 400}",
        f"0 ||| b b c ||| LM=-3 NMT={-3 - 3 - 4 - 3 * 400}",
        f"1 ||| z ||| LM=-1 NMT={-1 - 300}",
    ]
