"""docs/use/neural.md: its plugin in numpy is the joint model of the search."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from support import CHECKOUT
from support.joint_networks import network, random_grammar
from support.pages import blocks

from hopefear.decoder import Decoder


@pytest.mark.parametrize("seed", range(12))
def test_the_plugin_of_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    (code,) = blocks(CHECKOUT / "docs" / "use" / "neural.md", "python")
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
