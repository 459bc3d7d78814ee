"""The algebra of sparse and dense vectors against numpy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopefear.pycdec import Decoder, DenseVector, SparseVector

NAMES = "abcde"
values = st.integers(-800, 800).map(lambda n: n / 8)
vectors = st.dictionaries(st.sampled_from(NAMES), values)


def array(vector: SparseVector | dict[str, float]) -> np.ndarray:
    entries = dict(vector)
    return np.array([entries.get(name, 0.0) for name in NAMES])


@given(vectors, vectors, values)
def test_algebra(x: dict[str, float], y: dict[str, float], scalar: float) -> None:
    a, b = SparseVector(x), SparseVector(y)
    np.testing.assert_allclose(array(a + b), array(x) + array(y))
    np.testing.assert_allclose(array(a - b), array(x) - array(y))
    np.testing.assert_allclose(array(-a), -array(x))
    np.testing.assert_allclose(array(a * scalar), array(x) * scalar)
    np.testing.assert_allclose(array(scalar * a), array(x) * scalar)
    np.testing.assert_allclose(array(a / (scalar or 1)), array(x) / (scalar or 1))
    assert a.dot(b) == pytest.approx(array(x) @ array(y), rel=1e-9, abs=1e-9)
    assert a.dot(b.todense()) == pytest.approx(a.dot(b))
    assert b.todense().dot(a) == pytest.approx(a.dot(b))
    assert dict(a) == x
    assert a.copy() == a == a.todense().tosparse()
    assert (a == b) == (array(x) == array(y)).all()


@given(vectors, vectors)
def test_in_place(x: dict[str, float], y: dict[str, float]) -> None:
    a, b = SparseVector(x), SparseVector(y)
    same = a
    a += b
    a *= 3
    a -= b
    a /= 2
    assert same is a
    np.testing.assert_allclose(array(a), (3 * (array(x) + array(y)) - array(y)) / 2)
    a -= a
    assert not any(dict(a).values())


def test_items() -> None:
    vector = SparseVector()
    vector["a"] = 2
    assert (vector["a"], vector["b"], len(vector)) == (2.0, 0.0, 1)
    assert "a" in vector
    assert "b" not in vector
    with pytest.raises(TypeError):
        vector.dot({"a": 1.0})  # type: ignore[arg-type]
    dense = DenseVector()
    dense["a"] = 1
    assert dict(dense) == {"a": 1.0}
    with pytest.raises(KeyError):
        dense["b"]


def test_weights_of_a_decoder_are_set_as_a_whole() -> None:
    decoder = Decoder(formalism="scfg")
    for given_weights in ({"a": 1.0, "b": 2.0}, SparseVector({"b": 3.0}), SparseVector({"a": 4.0}).todense()):
        decoder.weights = given_weights  # type: ignore[assignment]
        assert dict(decoder.weights.tosparse()) == dict(given_weights)
    decoder.weights = decoder.weights
    assert decoder.weights["a"] == 4.0
    with pytest.raises(TypeError, match="list"):
        decoder.weights = [1.0]  # type: ignore[assignment]
