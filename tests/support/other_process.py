"""What the tests of pickling do in another process."""

from __future__ import annotations

import gc
import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from hopefear.decoder import Decoder, Segment, Weights
from hopefear.grammars.bitext import Bitext
from hopefear.grammars.extracting_decoder import ExtractingDecoder
from hopefear.grammars.extractor import GrammarExtractor
from hopefear.parallel import Named
from hopefear.plugins import FeatureTable, RuleBatch, RuleFeatures

_CHILD = "import pickle, sys; call, given = pickle.load(sys.stdin.buffer); answer = call(*given)"
_CHILD += "; sys.stdout.buffer.write(pickle.dumps(answer))"


def elsewhere(call: Callable[..., Any], *given: Any) -> Any:
    """Call a function in a fresh process."""
    done = subprocess.run(
        [sys.executable, "-c", _CHILD],
        input=pickle.dumps((call, given)),
        capture_output=True,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        cwd=Path(__file__).parent,
    )
    assert done.returncode == 0, done.stderr.decode()
    return pickle.loads(done.stdout)


def copy_of(replica: Any) -> Any:
    """Make what another process makes of an object, in this process."""
    _, (_, make, _) = replica.__reduce__()
    return make()


class Lengths(RuleFeatures):
    """Fires the length of target sides; counts how often it was asked, which is nobody else's business."""

    def __init__(self, prefix: str) -> None:
        self.prefix = prefix
        self.asked = 0

    def fire(self, rules: RuleBatch) -> FeatureTable:
        self.asked += 1
        rows = np.arange(len(rules) + 1, dtype=np.int32)
        columns = np.zeros(len(rules), np.int32)
        return FeatureTable((f"{self.prefix}Length",), rows, columns, np.diff(rules.target_indptr) * 1.0)


class SaysItself(Lengths):
    """Says itself what is pickled of it."""

    def __getstate__(self) -> dict[str, Any]:
        return {"prefix": f"{self.prefix}!", "asked": 0}


def two_values(values: bytes, first: bytes, second: bytes) -> list[bool]:
    weights, decoder, other = map(pickle.loads, (values, first, second))
    token = weights.token
    found = [
        decoder is pickle.loads(first),
        decoder.weights is other.weights is weights is pickle.loads(values),
        decoder is not other,
        all(value == 0 for _, value in weights),
    ]
    del weights, decoder, other
    gc.collect()
    fresh = pickle.loads(values)
    return [*found, fresh.token == token, len(fresh) == 0]


def translated(decoder: Decoder, values: dict[str, float], source: Any) -> list[tuple[str, dict[str, float]]]:
    decoder.weights.update(values)
    forest = decoder.translate(source)
    return [(forest.text(d), forest.features(d)) for d in forest.derivations(5)]


def fired(families: list[Any]) -> list[str]:
    return [type(family).__name__ for family in families]


def grammar_texts(extractor: GrammarExtractor, same: Bitext, tokens: list[str]) -> tuple[bool, str]:
    return extractor.bitext is same, extractor.grammar(tokens).text()


def of_folds(
    decoders: list[ExtractingDecoder], values: dict[str, float], segment: Segment
) -> tuple[int, int, list[Any]]:
    found = [translated(decoder, values, segment) for decoder in decoders]
    extractors, weights = ({id(getattr(d, name)) for d in decoders} for name in ("extractor", "weights"))
    return len(extractors), len(weights), found


def other_numbers(named: Named) -> tuple[list[int], dict[str, float]]:
    weights = Weights({"mine": 3.0, "ü": 1.0})
    numbers = named.numbers(weights)
    assert numbers.dtype == np.int32
    return numbers.tolist(), dict(weights)
