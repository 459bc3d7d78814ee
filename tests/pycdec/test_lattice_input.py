"""cdec's lattice example: its configuration file, features and all derivations."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import hopefear.pycdec as cdec


def test_all_derivations_of_both_lattices(shared: Path) -> None:
    folder = shared / "golden" / "lattice"
    # Paths in pycdec's text are relative to the working directory.
    config = (folder / "cdec.ini").read_text().replace("grammar=", f"grammar={folder}/")
    decoder = cdec.Decoder(config)
    decoder.read_weights(folder / "weights")
    expected: dict[int, list[tuple[str, dict[str, float], float]]] = {0: [], 1: []}
    for line in (folder / "kbest.txt").read_text().splitlines():
        number, hypothesis, features, score = line.split(" ||| ")
        pairs = (re.fullmatch(r"(.*)=(.*)", pair) for pair in features.split())
        named = {pair[1]: float(pair[2]) for pair in pairs if pair}
        expected[int(number)].append((hypothesis, named, float(score)))
    sizes = []
    for number, line in enumerate((folder / "input.txt").read_text().splitlines()):
        forest = decoder.translate(line)
        sizes.append((len(list(forest.nodes)), len(list(forest.edges)), forest.npaths))
        found = list(zip(forest.kbest(1000), forest.kbest_features(1000), strict=True))
        scores = [features.dot(decoder.weights) for _, features in found]
        assert scores == sorted(scores, reverse=True)
        assert len(found) == len(expected[number])
        key = lambda entry: (entry[0], sorted(entry[1].items()))  # noqa: E731
        ours = sorted(((text, dict(features)) for text, features in found), key=key)
        golden = sorted(((text, features) for text, features, _ in expected[number]), key=key)
        for (text, features), (golden_text, golden_features) in zip(ours, golden, strict=True):
            assert text == golden_text
            assert features == pytest.approx(golden_features, rel=1e-5)
        assert scores == pytest.approx([score for *_, score in expected[number]], rel=1e-5)
    assert sizes == [(6, 10, 5), (3, 6, 4)]
