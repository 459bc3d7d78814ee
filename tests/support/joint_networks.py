"""Small joint models with random numbers, and grammars to use them with."""

from __future__ import annotations

import random

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
