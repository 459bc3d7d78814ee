"""A parallel text small enough to build a system of in a moment, with its word alignment."""

from __future__ import annotations

import random
from pathlib import Path

NOUNS = {"casa": "house", "mesa": "table", "puerta": "door", "silla": "chair", "calle": "street"}
ADJECTIVES = {"roja": "red", "vieja": "old", "pequeña": "small", "nueva": "new"}
VERBS = {"veo": "i see", "busco": "i seek", "tengo": "i have"}


def write_parallel_text(folder: Path, sentences: int = 60, *, seed: int = 1, ambiguous: bool = False) -> None:
    """Write ``train.f``, ``train.e``, ``train.align`` and ``test.f``: verb, article, noun, perhaps adjective.

    Adjectives change places with their nouns. The test sentences are new, of the same words. In ambiguous
    text, nouns are in the plural at random.
    """
    draw = random.Random(seed)
    pairs: dict[str, tuple[str, str]] = {}
    while len(pairs) < sentences + 5:
        verb, noun, adjective = draw.choice([*VERBS]), draw.choice([*NOUNS]), draw.choice([*ADJECTIVES, ""])
        second, other = draw.choice([*NOUNS]), draw.choice([*ADJECTIVES])
        source, target = [verb, "la", noun], [*VERBS[verb].split(), "the", NOUNS[noun]]
        links = ["0-0", "0-1", "1-2"]
        links += [f"{len(source) - 1}-{len(target) - 1}"]
        if adjective:
            source, target = [*source, adjective], [*target[:-1], ADJECTIVES[adjective], target[-1]]
            links = [*links[:-1], "2-4", "3-3"]
        at, to = len(source), len(target)
        source += ["y", "la", second, other]
        target += ["and", "the", ADJECTIVES[other], NOUNS[second]]
        links += [f"{at}-{to}", f"{at + 1}-{to + 1}", f"{at + 2}-{to + 3}", f"{at + 3}-{to + 2}"]
        if ambiguous:
            target = [word + draw.choice(["", "s"]) if word in NOUNS.values() else word for word in target]
        pairs[" ".join(source)] = " ".join(target), " ".join(links)
    train = [*pairs.items()][:sentences]
    test = [*pairs.items()][sentences:]
    for name, lines in {
        "train.f": [source for source, _ in train],
        "train.e": [target for _, (target, _) in train],
        "train.align": [links for _, (_, links) in train],
        "test.f": [source for source, _ in test],
        "test.e": [target for _, (target, _) in test],
    }.items():
        (folder / name).write_text("".join(f"{line}\n" for line in lines), "utf-8")
