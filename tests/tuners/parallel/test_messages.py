"""Messages between learners."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import replace
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest
from support import world

from hopefear import Decoder
from hopefear.tuners import Mira, SearchSpace, SoftRamp
from hopefear.tuners.online import Example
from hopefear.tuners.online.soft_ramp import Slope
from hopefear.tuners.parallel.messages import check_message, pack, unpack
from hopefear.tuners.solvers import Constraints

WORLD, CORPUS = world.SPANS, world.SPANS.corpus


@pytest.fixture(name="example")
def an_example(decoder: Any) -> Example:
    segment = CORPUS[0]
    found = Mira.paper().hypotheses(decoder, decoder.translate(segment), segment)
    return Example(segment.id, 0.25, Constraints.of(found))


def by_name(weights: Any, features: Any, values: Any) -> list[tuple[str, float]]:
    return [(weights.name(f), v) for f, v in zip(features.tolist(), values.tolist(), strict=True)]


def test_a_message_is_taken(decoder: Any, example: Example, make_decoder: Callable[..., Decoder]) -> None:
    message = pack(example, decoder.weights)
    check_message(message, Constraints)
    other = make_decoder()
    other.weights.id("Another")
    again = unpack(message, Constraints, other.weights)
    assert (again.segment, again.loss) == (example.segment, example.loss)
    for name in ("indptr", "loss", "oracle"):
        assert np.array_equal(getattr(again.content, name), getattr(example.content, name))
    told, taken = (
        by_name(weights, one.content.features, one.content.values)
        for weights, one in ((decoder.weights, example), (other.weights, again))
    )
    assert taken == told


def test_examples_of_other_tuners_are_taken(decoder: Any) -> None:
    segment = CORPUS[0]
    tuner = SoftRamp()
    found = tuner.hypotheses(decoder, decoder.translate(segment), segment)
    content = tuner.example(found, Mock(spec=SearchSpace), None)  # type: ignore[arg-type]
    again = unpack(pack(Example(7, 1.0, content), decoder.weights), Slope, decoder.weights)
    assert again.segment == 7
    assert again.content.loss == content.loss
    assert np.array_equal(again.content.features, content.features)
    assert np.array_equal(again.content.gradient, content.gradient)


def test_damaged_messages_are_refused(decoder: Any, example: Example) -> None:
    message, content = pack(example, decoder.weights), example.content
    plain = zlib.decompress(message)

    def with_content(**changes: Any) -> bytes:
        return pack(Example(0, 0.0, replace(content, **changes)), decoder.weights)

    for damaged in (
        *(message[:-3], b"", zlib.compress(plain[:20]), zlib.compress(plain[:5]), zlib.compress(plain[:-40])),
        zlib.compress(plain.replace(b'"oracle"', b'"miracle')),
        zlib.compress(plain.replace(b"[[", b"[7")),
        zlib.compress(plain[:-1] + b"\xff"),
        with_content(loss=np.full_like(content.loss, np.nan)),
        with_content(loss=content.loss[1:]),
        with_content(values=content.values[1:]),
        with_content(indptr=content.indptr[::-1].copy()),
        with_content(indptr=content.indptr[:-1]),
        with_content(oracle=len(content.loss)),
        with_content(oracle=-1),
    ):
        with pytest.raises(ValueError, match="expected a message of a learner, got"):
            check_message(damaged, Constraints)
