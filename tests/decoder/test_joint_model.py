"""The joint model in the search, against sums over all derivations by numpy and by recursion."""

from __future__ import annotations

import random
import struct
import zlib
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import pytest
from support.joint_derivations import all_translations
from support.joint_networks import log_probability, network, random_grammar, write_systems

from hopefear.base import InputError
from hopefear.decoder import Decoder, Hypergraph
from hopefear.tuners.joint import JointNetwork

WEIGHT = 0.7


def reference(net: JointNetwork, forest: Hypergraph, source: Sequence[str]) -> list[tuple[str, float]]:
    history, direction = net.history.shape[1], net.right_to_left
    probability = partial(log_probability, net)
    return all_translations(forest, source, history, WEIGHT, probability, right_to_left=direction)


def decoders(folder: Path, net: JointNetwork, grammar: str, **settings: object) -> tuple[Decoder, Decoder]:
    """Return a decoder without the model and one with it."""
    plain, joint = write_systems(folder, net, grammar, **settings)
    weights = {"p": -0.5, "PassThrough": -1.0, "Glue": 0.1, "JointModel": WEIGHT}
    return Decoder(plain, weights=weights), Decoder(joint, weights=weights)


@pytest.mark.parametrize("right_to_left", [False, True])
@pytest.mark.parametrize("seed", range(30))
def test_all_derivations_have_the_probabilities_of_numpy(
    tmp_path: Path, seed: int, right_to_left: bool
) -> None:
    draw = random.Random(seed)
    sizes = draw.randint(0, 4), draw.choice([1, 3, 5]), 16, draw.choice([0, 32])
    net = network(seed, *sizes, right_to_left=right_to_left)
    plain, joint = decoders(tmp_path, net, random_grammar(draw))
    source = [draw.choice(["a", "b", "c", "new"]) for _ in range(draw.randint(1, 3))]
    sentence = " ".join(source)
    expected = reference(net, plain.translate(sentence), source)
    assert expected
    forest = joint.translate(sentence)
    found = sorted((forest.text(d), forest.score(d)) for d in forest.derivations(1 << 20))
    assert [text for text, _ in found] == [text for text, _ in expected]
    assert [score for _, score in found] == pytest.approx([score for _, score in expected], abs=1e-4)


@pytest.mark.parametrize(("history", "right_to_left"), [(2, False), (2, True), (0, False)])
@pytest.mark.parametrize("seed", range(5))
def test_the_best_of_cube_pruning_is_the_best_of_all(
    tmp_path: Path, seed: int, history: int, right_to_left: bool
) -> None:
    draw = random.Random(seed)
    net = network(seed, history, 3, right_to_left=right_to_left)
    limits = {"intersection_strategy": "cube_pruning", "cubepruning_pop_limit": 5000}
    plain, joint = decoders(tmp_path, net, random_grammar(draw), **limits)
    source = [draw.choice("abc") for _ in range(4)]
    best = max(reference(net, plain.translate(" ".join(source)), source), key=lambda one: one[1])
    forest = joint.translate(" ".join(source))
    (derivation,) = forest.derivations(1)
    assert (forest.text(derivation), forest.score(derivation)) == (best[0], pytest.approx(best[1], abs=1e-4))
    assert set(forest.features(derivation)) >= {"JointModel"}


def test_without_a_history_all_derivations_of_a_node_recombine(tmp_path: Path) -> None:
    plain, joint = decoders(tmp_path, network(1, 0, 3), random_grammar(random.Random(1)))
    sentence = "a b c a"
    without, forest = plain.translate(sentence), joint.translate(sentence)
    assert len(forest.nodes.span) == len(without.nodes.span)
    assert forest.npaths == without.npaths > len(forest.nodes.span)


def test_a_name_of_its_own(tmp_path: Path) -> None:
    _, joint = decoders(tmp_path, network(1, 2, 3), "[X] ||| a ||| x ||| p=1\n")
    ini = "formalism=scfg\ngrammar=grammar\nfeature_function=JointModel -n Neural joint.hfn\n"
    (tmp_path / "cdec.ini").write_text(ini)
    named = Decoder(tmp_path / "cdec.ini", weights={"Neural": 1.0})
    (ours,), (theirs,) = (
        [forest.features(derivation) for derivation in forest.derivations(1)]
        for forest in (named.translate("a"), joint.translate("a"))
    )
    assert ours["Neural"] == theirs["JointModel"] != 0


def test_a_lattice_with_one_way_is_a_sentence_and_others_are_refused(tmp_path: Path) -> None:
    _, joint = decoders(tmp_path, network(1, 2, 3), random_grammar(random.Random(1)))
    one = joint.translate("((('a',0,1),),(('b',0,1),),)")
    assert one.score(next(one.derivations(1))) == pytest.approx(
        joint.translate("a b").score(next(joint.translate("a b").derivations(1)))
    )
    for lattice in ("((('a',0,1),('c',0,1),),(('b',0,1),),)", "((('a',0,1),('c',0,2),),(('b',0,1),),)"):
        with pytest.raises(InputError, match="JointModel: expected a sentence, got a lattice"):
            joint.translate(lattice)


def changed(content: bytes, place: int, value: bytes) -> bytes:
    """Change bytes, and let the checksum be right."""
    content = content[:place] + value + content[place + len(value) :]
    return content[:8] + struct.pack("<I", zlib.crc32(content[12:])) + content[12:]


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda content: b"", "expected a joint model, as hopefear train-joint writes it"),
        (lambda content: b"HFGRAM" + content[6:], "expected a joint model, as hopefear train-joint"),
        (lambda content: content[:60], "expected a joint model, as hopefear train-joint"),
        (lambda content: content[:-1], "got one of another size"),
        (lambda content: content + b"\0", "got one of another size"),
        (lambda content: content[:200] + b"\x7f" + content[201:], "the checksum"),
        (lambda content: changed(content, 12, struct.pack("<I", 17)), "sizes that it can have"),
        (lambda content: changed(content, 12, struct.pack("<I", 0)), "got one of another size"),
        (lambda content: changed(content, 36, struct.pack("<I", 2)), "sizes that it can have"),
        (lambda content: changed(content, 16, struct.pack("<I", 4)), "sizes that it can have"),
        (lambda content: changed(content, 20, struct.pack("<I", 17)), "sizes that it can have"),
        (lambda content: changed(content, 20, struct.pack("<I", 32)), "got one of another size"),
        (lambda content: changed(content, 40, struct.pack("<Q", 1 << 63)), "got one of another size"),
        (lambda content: changed(content, len(content) - 2, b"x"), "expected other words"),
    ],
)
def test_damaged_files_are_refused(tmp_path: Path, damage: Callable[[bytes], bytes], message: str) -> None:
    decoders(tmp_path, network(1, 2, 3), "[X] ||| a ||| x ||| p=1\n")
    path = tmp_path / "joint.hfn"
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(InputError, match=message):
        Decoder(tmp_path / "cdec.ini")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("", "JointModel: expected the path of a model, got nothing"),
        ("none.hfn", "none.hfn: no such file"),
        ("-n", "JointModel: expected a value after -n"),
        ("-x joint.hfn", r"JointModel: expected \[-n NAME\] PATH, got '-x'"),
        ("joint.hfn joint.hfn", r"JointModel: expected \[-n NAME\] PATH, got 'joint.hfn'"),
    ],
)
def test_wrong_arguments_are_named(tmp_path: Path, arguments: str, message: str) -> None:
    decoders(tmp_path, network(1, 2, 3), "[X] ||| a ||| x ||| p=1\n")
    (tmp_path / "cdec.ini").write_text(
        f"formalism=scfg\ngrammar=grammar\nfeature_function=JointModel {arguments}"
    )
    with pytest.raises(InputError, match=message):
        Decoder(tmp_path / "cdec.ini")
