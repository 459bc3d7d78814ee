"""The features of cdec's feature functions, as a real cdec computes them.

The file of answers has all derivations that cdec (redpony/cdec, built as for the bridge) finds for small
grammars, with their features; ``support.cdec_answers`` has the grammars and lines, and made the file.
"""

from __future__ import annotations

import gzip
import json
import os
import zlib
from pathlib import Path

import pytest
from support.cdec_answers import ANSWERS, LINES, TREES, ask_cdec, config, normal, ordered, tokens, write_files
from support.k_best_lists import named

from hopefear.decoder import Decoder, Segment

EVERY = [(grammar, line) for grammar, lines in LINES.items() for line in lines]
KEEP_SEPARATORS = ("SourcePathFeatures", "SourceSpanSizeFeatures")
"""cdec keeps equal signs and semicolons in these names, here they turn into underscores."""


@pytest.fixture(scope="module")
def answers() -> dict[str, list[list[tuple[str, dict[str, float]]]]]:
    return json.loads(gzip.decompress(ANSWERS.read_bytes()))  # type: ignore[no-any-return]


def as_here(line: str, features: dict[str, float]) -> dict[str, float]:
    if line.split()[0] not in KEEP_SEPARATORS:
        return features
    return normal({name.replace("=", "_").replace(";", "_"): value for name, value in features.items()})


@pytest.mark.parametrize(("grammar", "line"), EVERY, ids=[f"{g}: {line}" for g, line in EVERY])
def test_all_derivations_have_cdecs_features(
    grammar: str, line: str, answers: dict[str, list[list[tuple[str, dict[str, float]]]]], tmp_path: Path
) -> None:
    write_files(tmp_path)
    (tmp_path / "cdec.ini").write_text(config(grammar, line, 1), "utf-8")
    decoder = Decoder(tmp_path / "cdec.ini", weights={"p": 1.0})
    for index, (tree, expected) in enumerate(zip(TREES[grammar], answers[f"{grammar}: {line}"], strict=True)):
        segment = Segment(tuple(tokens(tree)), index=index, id=index, tree=tree)
        found = named(decoder.translate(segment).best_translations(10000, unique=False), decoder.weights)
        ours = ordered([(one.text, normal(one.features)) for one in found])
        theirs = ordered([(text, as_here(line, features)) for text, features in expected])
        assert ours == theirs


@pytest.mark.parametrize("line", [line for line in LINES["translation"] if "Ngram" in line])
def test_the_search_knows_the_weights_of_ngrams(
    line: str, answers: dict[str, list[list[tuple[str, dict[str, float]]]]], tmp_path: Path
) -> None:
    expected = answers[f"translation: {line}"][0]
    weights = {
        name: (zlib.crc32(name.encode()) % 2001 - 1000) / 1000 for _, found in expected for name in found
    }
    write_files(tmp_path)
    (tmp_path / "cdec.ini").write_text(config("translation", line, 1), "utf-8")
    decoder = Decoder(tmp_path / "cdec.ini", weights=weights | {"p": 0.0})
    sentence = " ".join(tokens(TREES["translation"][0]))
    found = named(decoder.translate(sentence).best_translations(10000, unique=False), decoder.weights)
    scores = [sum(weights[name] * value for name, value in features.items()) for _, features in expected]
    assert [one.score for one in found] == pytest.approx(sorted(scores, reverse=True))


def test_answers_are_those_of_cdec(
    answers: dict[str, list[list[tuple[str, dict[str, float]]]]], tmp_path: Path
) -> None:
    if "CDEC_BUILD" not in os.environ:
        pytest.skip("no real cdec (CDEC_BUILD is not set)")
    executable = Path(os.environ["CDEC_BUILD"]) / "decoder" / "cdec"
    write_files(tmp_path)
    for grammar, line in EVERY:
        found = json.loads(json.dumps(ask_cdec(executable, tmp_path, grammar, line)))
        assert found == answers[f"{grammar}: {line}"], line
    assert len(answers) == len(EVERY)
