"""Files that are cut while a decoder has them mapped: an error names the file, and the process goes on."""

from __future__ import annotations

import os
import random
import shutil
from pathlib import Path

import pytest
from support.command import call
from support.joint_networks import network, random_grammar, write_systems

from hopefear import FeatureTable, RuleBatch, RuleFeatures
from hopefear.base import InputError
from hopefear.decoder import Decoder
from hopefear.decoder.compiled import compile_grammars

MODELS = sorted((Path(__file__).parents[2] / "tools/fuzz/models").glob("*.klm"))
KINDS = ["grammar.hfg", "joint.hfn", *(model.name for model in MODELS)]
SENTENCE = "a b c a"
HEAD = 100
"""Bytes of a model that say of what kind it is."""


class Cutter(RuleFeatures):
    """Cuts a file when so many sentences have come."""

    def __init__(self, *, path: str, sentence: int = 1, content: int = -1) -> None:
        self.path, self.left, self.content = path, sentence, content

    def fire(self, rules: RuleBatch) -> FeatureTable:
        self.left -= 1
        if self.left == 0 and self.content < 0:
            os.truncate(self.path, 0)
        elif self.left == 0:  # the head is looked at no more
            size = os.path.getsize(self.path) - HEAD
            with open(self.path, "r+b") as file:
                file.seek(HEAD)
                file.write(bytes([self.content]) * size)
        return FeatureTable.empty(len(rules))


def write_system(folder: Path, kind: str) -> Path:
    """Write a system that maps a file; return its cdec.ini."""
    plain, joint = write_systems(folder, network(1, 2, 3), random_grammar(random.Random(1)))
    if kind == "joint.hfn":
        return joint
    if kind == "grammar.hfg":
        compile_grammars([folder / "grammar"], folder / kind)
        plain.write_text(plain.read_text().replace("grammar=grammar", f"grammar={kind}"))
        return plain
    (model,) = (model for model in MODELS if model.name == kind)
    shutil.copyfile(model, folder / kind)
    with plain.open("a") as ini:
        ini.write(f"\nfeature_function=KLanguageModel {kind}\n")
    return plain


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("size", [0, 640])
def test_between_sentences(tmp_path: Path, kind: str, size: int) -> None:
    config = write_system(tmp_path, kind)
    decoder, other = Decoder(config), Decoder(tmp_path / ("cdec.ini" if kind != "joint.hfn" else "plain.ini"))
    forest = decoder.translate(SENTENCE)
    best, rules = forest.viterbi(), [forest.rule(edge) for edge in range(len(forest.edges))]
    os.truncate(tmp_path / kind, size)
    assert forest.viterbi() == best
    assert [forest.rule(edge) for edge in range(len(forest.edges))] == rules
    for _ in range(2):
        with pytest.raises(InputError, match=f"{kind}: expected a file that stays as it is"):
            decoder.translate(SENTENCE)
    assert other.translate(SENTENCE).viterbi()


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "grammar.hfg"])
def test_within_a_sentence(tmp_path: Path, kind: str) -> None:
    decoder = Decoder(write_system(tmp_path, kind), features=[Cutter(path=str(tmp_path / kind))])
    with pytest.raises(InputError, match=f"{kind}: expected a file that stays as it is"):
        decoder.translate(SENTENCE)


@pytest.mark.parametrize("content", [0, 0x55, 0xFF])
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "grammar.hfg"])
def test_written_within_a_sentence(tmp_path: Path, kind: str, content: int) -> None:
    """A table full of other keys has neither the key nor the empty bucket that ends a search in it."""
    cutter = Cutter(path=str(tmp_path / kind), content=content)
    with pytest.raises(InputError, match=f"{kind}: expected a file that stays as it is"):
        Decoder(write_system(tmp_path, kind), features=[cutter]).translate(SENTENCE)


def test_a_file_that_is_replaced_by_its_name_stays(tmp_path: Path) -> None:
    decoder = Decoder(write_system(tmp_path, "grammar.hfg"))
    best = decoder.translate(SENTENCE).viterbi()
    (tmp_path / "new").write_text("another file")
    (tmp_path / "new").replace(tmp_path / "grammar.hfg")
    assert decoder.translate(SENTENCE).viterbi() == best


@pytest.mark.parametrize("kind", KINDS)
def test_decode_keeps_the_output_so_far(tmp_path: Path, kind: str) -> None:
    config = write_system(tmp_path, kind)
    with config.open("a") as ini:
        cutter = f"{__name__}:Cutter --path {tmp_path / kind} --sentence 3"
        ini.write(f"\nfeature_function={cutter}\n")
    # A word of its own makes a rule of the sentence: the plugin is called for each.
    lines = "".join(f"new{i} {SENTENCE}\n" for i in range(5))
    done = call(["decode", "-c", str(config), "-w", "none"], lines.encode(), tmp_path)
    assert done.returncode == 2
    assert f"{kind}: expected a file that stays as it is" in done.stderr.decode()
    assert len(done.stdout.decode().splitlines()) >= 2
