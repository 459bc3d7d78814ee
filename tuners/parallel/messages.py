"""Messages between the learners of parallel MIRA: hypotheses with their losses, as bytes."""

from __future__ import annotations

import json
import struct
import zlib
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hopefear.base.stored import parse_json
from hopefear.decoder import Hypotheses, Weights
from hopefear.parallel import Named

from ..solvers import Constraints

_HEAD = struct.Struct("<5q")  # hypotheses, features fired in them, hopes; bytes of id and of names


@dataclass(frozen=True, slots=True)
class Message:
    """A sentence to learn from.

    Attributes
    ----------
    segment : int or str
        The sentence's id.
    loss : float
        The loss of the 1-best translation.
    constraints : Constraints
        The hypotheses.
    """

    segment: int | str
    loss: float
    constraints: Constraints


def pack(found: Hypotheses, weights: Weights) -> bytes:
    """Write a message: the loss of each hypothesis and the features that fired in it, by name.

    Parameters
    ----------
    weights : Weights
        Numbers the hypotheses' features.
    """
    constraints = Constraints.of(found)
    named = Named.of(weights, constraints.features)
    identity = json.dumps(found.segment.id).encode()
    head = (len(constraints.loss), len(named.indices), len(found.hope), len(identity), len(named.names))
    arrays = (
        constraints.loss,
        constraints.values,
        np.diff(constraints.indptr).astype(np.int32),
        named.indices,
    )
    written = b"".join((_HEAD.pack(*head), *(array.tobytes() for array in arrays), identity, named.names))
    return zlib.compress(written, 1)  # to a third or less: hypotheses of a sentence are much alike


def check_message(message: bytes) -> None:
    """Refuse bytes of a damaged state that are no message.

    Raises
    ------
    ValueError
        The bytes are not as `pack` writes them.
    """
    try:
        content = zlib.decompress(message)
        hypotheses, fired, hopes, identity, names = _HEAD.unpack_from(content)
        sizes = (8 * (hypotheses + fired), 4 * hypotheses, 4 * fired, identity, names)
        if min(hypotheses, fired, identity, names) < 0 or not 0 <= hopes < hypotheses:
            raise ValueError("wrong counts")
        ends = np.cumsum([_HEAD.size, *sizes]).tolist()
        if ends[-1] != len(content):
            raise ValueError("wrong length")
        numbers, counts, places, written, listed = (content[begin:end] for begin, end in pairwise(ends))
        number = np.frombuffer(counts, np.int32)
        place = np.frombuffer(places, np.int32)
        if not np.isfinite(np.frombuffer(numbers, np.float64)).all():
            raise ValueError("numbers that are not finite")
        if (number < 0).any() or number.sum(dtype=np.int64) != fired:
            raise ValueError("wrong counts of features")
        known = listed.decode().count("\n") + 1
        if fired and not (place.min() >= 0 and place.max() < known):
            raise ValueError("features without a name")
        parse_json(written)
    except (zlib.error, struct.error, ValueError) as error:
        raise ValueError(f"expected a message of a learner, got {error}") from None


def unpack(message: bytes, weights: Weights) -> Message:
    """Read a message, with the features' numbers in these weights, which get new features."""
    message = zlib.decompress(message)
    hypotheses, fired, hopes, identity, names = _HEAD.unpack_from(message)
    end = _HEAD.size

    def take(kind: type[np.generic], count: int) -> NDArray[Any]:
        nonlocal end
        array = np.frombuffer(message, kind, count, end)
        end += array.nbytes
        return array

    loss, values = take(np.float64, hypotheses), take(np.float64, fired)
    counts, places = take(np.int32, hypotheses), take(np.int32, fired)
    segment = json.loads(message[end : end + identity])
    features = Named(message[end + identity : end + identity + names], places).numbers(weights)
    indptr = np.concatenate(([0], np.cumsum(counts, dtype=np.int64)))
    return Message(segment, float(loss[hopes]), Constraints(indptr, features, values, loss, 0))
