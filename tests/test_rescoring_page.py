"""docs/use/rescoring.md: its scorer scores, with a stand-in for ONNX Runtime, which tests do not need."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from support import CHECKOUT
from support.pages import blocks
from typer.testing import CliRunner

from hopefear.cli import app

LISTS = "0 ||| a b ||| LM=-2 ||| -2\n0 ||| b b c ||| LM=-3 ||| -3\n1 ||| z ||| LM=-1 ||| -1\n"


class Session:
    """A model by which a target word of number t has log probability -t - 100 · (the first source word)."""

    def __init__(self, path: str, providers: Any) -> None:
        assert Path(path).read_text() == "a model"

    def run(self, outputs: Any, inputs: Any) -> Any:
        assert outputs == ["log_probabilities"]
        assert inputs["source"].dtype == inputs["target"].dtype == np.int64
        return [(-inputs["target"] - 100 * inputs["source"][:, :1]).astype(np.float32)]


def test_the_scorer_of_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (code,) = (one for one in blocks(CHECKOUT / "docs" / "use" / "rescoring.md", "python"))
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
