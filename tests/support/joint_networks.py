"""Small joint models with random numbers, and grammars to use them with."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from hopefear.tuners.joint import JointNetwork

SOURCE = ("<unk>", "<s>", "</s>", "a", "b", "c")
TARGET = ("<unk>", "<s>", "</s>", "<none>", "x", "y", "z", "u")


def network(
    seed: int, history: int, window: int, first: int = 16, second: int = 0, *, right_to_left: bool = False
) -> JointNetwork:
    draw = np.random.default_rng(seed)

    def array(*shape: int) -> np.ndarray:
        return draw.normal(0, 0.5, shape).astype(np.float32)

    return JointNetwork(
        right_to_left=right_to_left,
        source_words=SOURCE,
        target_words=TARGET,
        source=array(len(SOURCE), window, first),
        history=array(len(TARGET), history, first),
        bias=array(first),
        second=array(second, first),
        second_bias=array(second),
        output=array(len(TARGET), second or first),
        output_bias=array(len(TARGET)),
    )


def last_layer(net: JointNetwork, before: Sequence[str], source: Sequence[str], at: int) -> np.ndarray:
    """By the definition, in 64 bits: `before` are the n - 1 words before."""
    half = net.source.shape[1] // 2
    padded = ["<s>"] * (half + 1) + list(source) + ["</s>"] * (half + 1)
    layer = net.bias.astype(np.float64)
    for place, around in enumerate(padded[at + 1 : at + 2 * half + 2]):
        layer += net.source[SOURCE.index(around) if around in SOURCE else 0, place]
    for place, each in enumerate(before):
        layer += net.history[number_of(each), place]
    layer = np.maximum(layer, 0)
    if len(net.second):
        layer = np.maximum(net.second.astype(np.float64) @ layer + net.second_bias, 0)
    return layer


def number_of(word: str) -> int:
    return TARGET.index(word) if word in TARGET else 0


def log_probability(
    net: JointNetwork, before: Sequence[str], word: str, source: Sequence[str], at: int
) -> float:
    number = number_of(word)
    return float(net.output[number] @ last_layer(net, before, source, at) + net.output_bias[number])


def write_systems(folder: Path, net: JointNetwork, grammar: str, **settings: object) -> tuple[Path, Path]:
    """Write a system without the model and one with it; return both cdec.ini."""
    net.write(folder / "joint.hfn")
    (folder / "grammar").write_text(grammar)
    options = {"intersection_strategy": "full", "add_pass_through_rules": "true", **settings}
    lines = ["formalism=scfg", "grammar=grammar", *(f"{name}={value}" for name, value in options.items())]
    (folder / "plain.ini").write_text("\n".join(lines))
    (folder / "cdec.ini").write_text("\n".join([*lines, "feature_function=JointModel joint.hfn"]))
    return folder / "plain.ini", folder / "cdec.ini"


def random_grammar(draw: random.Random) -> str:
    """Return rules of up to two nonterminals, words without links, with one and with several."""
    lines = [
        "[X] ||| a ||| x ||| p=1 ||| 0-0",
        "[X] ||| b ||| y ||| p=2",
        "[X] ||| c ||| z u ||| p=1 ||| 0-1",
    ]
    for _ in range(5):
        gaps = draw.randint(0, 2)
        source = [draw.choice("abc") for _ in range(draw.randint(1, 2))] + [
            f"[X,{i + 1}]" for i in range(gaps)
        ]
        draw.shuffle(source)
        order = iter(sorted(s for s in source if s.startswith("[")))
        source = [next(order) if s.startswith("[") else s for s in source]
        target = [draw.choice(["x", "y", "z", "u", "w"]) for _ in range(draw.randint(0 if gaps else 1, 5))]
        target += [f"[{i + 1}]" for i in range(gaps)]
        draw.shuffle(target)
        links = [
            f"{i}-{j}"
            for i, s in enumerate(source)
            for j, t in enumerate(target)
            if not s.startswith("[") and not t.startswith("[") and draw.random() < 0.4
        ]
        line = f"[X] ||| {' '.join(source)} ||| {' '.join(target)} ||| p={draw.randint(1, 9) / 4}"
        lines.append(line + (f" ||| {' '.join(links)}" if links else ""))
    return "".join(f"{line}\n" for line in dict.fromkeys(lines))
