"""Messages between the learners of parallel MIRA: hypotheses with their losses, as bytes."""

from __future__ import annotations

import json
import struct
import zlib
from dataclasses import dataclass
from itertools import pairwise

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


@dataclass(frozen=True, slots=True)
class _Content:
    """The fields of a message as `pack` writes them, with each hypothesis' count of features."""

    segment: int | str
    loss: NDArray[np.float64]
    values: NDArray[np.float64]
    counts: NDArray[np.int32]
    places: NDArray[np.int32]
    names: bytes
    hopes: int

    @classmethod
    def read(cls, message: bytes) -> _Content:
        content = zlib.decompress(message)
        hypotheses, fired, hopes, *texts = _HEAD.unpack_from(content)
        if min(hypotheses, fired, *texts) < 0 or not 0 <= hopes < hypotheses:
            raise ValueError("wrong counts")
        ends = np.cumsum([_HEAD.size, 8 * hypotheses, 8 * fired, 4 * hypotheses, 4 * fired, *texts]).tolist()
        if ends[-1] != len(content):
            raise ValueError("wrong length")
        loss, values, counts, places, segment, names = (content[begin:end] for begin, end in pairwise(ends))
        return cls(
            parse_json(segment),
            np.frombuffer(loss, np.float64),
            np.frombuffer(values, np.float64),
            np.frombuffer(counts, np.int32),
            np.frombuffer(places, np.int32),
            names,
            hopes,
        )


_WEIGHTS = b"weights "
"""The beginning of a message of weights; the first byte is not that of a compressed message."""


def pack_weights(features: Named, values: NDArray[np.float64]) -> bytes:
    """Write a message of weights that a learner is to go on from: those that differ from the initial ones."""
    content = (struct.pack("<q", len(values)), values.tobytes(), features.indices.tobytes(), features.names)
    return _WEIGHTS + zlib.compress(b"".join(content), 1)


def has_weights(message: bytes) -> bool:
    """Tell whether a message has weights, not hypotheses."""
    return message.startswith(_WEIGHTS)


def unpack_weights(message: bytes) -> tuple[Named, NDArray[np.float64]]:
    """Read what `pack_weights` wrote.

    Raises
    ------
    ValueError
        The bytes are not as `pack_weights` writes them.
    """
    try:
        content = zlib.decompress(message.removeprefix(_WEIGHTS))
        (count,) = struct.unpack_from("<q", content)
        values = np.frombuffer(content, np.float64, count, 8)
        indices = np.frombuffer(content, np.int32, count, 8 + 8 * count)
        names = content[8 + 12 * count :]
        known = names.decode().count("\n") + 1
        if count and not (indices.min() >= 0 and indices.max() < known and np.isfinite(values).all()):
            raise ValueError("features without a name, or weights that are not finite")
    except (zlib.error, struct.error, ValueError) as error:
        raise ValueError(f"expected weights for a learner, got {error}") from None
    return Named(names, indices), values


def check_message(message: bytes) -> None:
    """Refuse bytes of a damaged state that are no message.

    Raises
    ------
    ValueError
        The bytes are not as `pack` or `pack_weights` writes them.
    """
    if has_weights(message):
        unpack_weights(message)
        return
    try:
        content = _Content.read(message)
        if not (np.isfinite(content.loss).all() and np.isfinite(content.values).all()):
            raise ValueError("numbers that are not finite")
        fired = len(content.places)
        if (content.counts < 0).any() or content.counts.sum(dtype=np.int64) != fired:
            raise ValueError("wrong counts of features")
        known = content.names.decode().count("\n") + 1
        if fired and not (content.places.min() >= 0 and content.places.max() < known):
            raise ValueError("features without a name")
    except (zlib.error, struct.error, ValueError) as error:
        raise ValueError(f"expected a message of a learner, got {error}") from None


def unpack(message: bytes, weights: Weights) -> Message:
    """Read a message, with the features' numbers in these weights, which get new features."""
    content = _Content.read(message)
    features = Named(content.names, content.places).numbers(weights)
    indptr = np.concatenate(([0], np.cumsum(content.counts, dtype=np.int64)))
    constraints = Constraints(indptr, features, content.values, content.loss, 0)
    return Message(content.segment, float(content.loss[content.hopes]), constraints)
