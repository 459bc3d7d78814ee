"""Messages between learners: examples, or weights to go on from, as bytes."""

from __future__ import annotations

import json
import struct
import zlib

import numpy as np

from hopefear.base.arrays import Floats
from hopefear.base.state import load, of_features, save
from hopefear.base.stored import parse_json
from hopefear.decoder import Weights
from hopefear.parallel import Named

from ..contract import TuningError
from ..online import Example

_LENGTH = struct.Struct("<q")  # of the description that a message begins with


def pack(example: Example, weights: Weights) -> bytes:
    """Write an example as a message, with the names of its features."""
    state, numbered = save(example.content), of_features(type(example.content))
    if not numbered:
        kind = type(example.content).__name__
        raise TuningError(f"{kind}: expected an array of numbers of features with of_features=True, got none")
    arrays = state["arrays"]
    named = Named.of(weights, np.concatenate([np.zeros(0, np.int32), *(arrays[name] for name in numbered)]))
    ends = np.cumsum([len(arrays[name]) for name in numbered])
    for name, places in zip(numbered, np.split(named.indices, ends[:-1]), strict=True):
        arrays[name] = places.astype(arrays[name].dtype)
    shapes = [array.shape for array in arrays.values()]
    head = json.dumps([example.segment, example.loss, state["facts"], shapes]).encode()
    written = [_LENGTH.pack(len(head)), head, *(array.tobytes() for array in arrays.values()), named.names]
    return zlib.compress(b"".join(written), 1)  # to a third or less: hypotheses of a sentence are much alike


def unpack(message: bytes, kind: type, weights: Weights) -> Example:
    """Read a message, with the features' numbers in these weights, which get new features."""
    try:
        content = zlib.decompress(message)
        begin = _LENGTH.size + _LENGTH.unpack_from(content)[0]
        segment, loss, facts, shapes = parse_json(content[_LENGTH.size : begin])
        made, arrays = kind(), {}
        for (name, array), shape in zip(save(made)["arrays"].items(), shapes, strict=True):
            arrays[name] = np.frombuffer(content, array.dtype, int(np.prod(shape)), begin).reshape(shape)
            begin += arrays[name].nbytes
        names = content[begin:].decode()
        numbers = weights.intern_all(names.split("\n")) if names else np.zeros(0, np.int32)
        state = {"facts": facts, "arrays": arrays}
        load(made, state, what="a message", numbers=numbers.astype(np.int64))
        return Example(segment, float(loss), made)
    except (zlib.error, struct.error, KeyError, TypeError, ValueError) as error:
        raise ValueError(f"expected a message of a learner, got {error}") from None


_WEIGHTS = b"weights "
"""The beginning of a message of weights; the first byte is not that of a compressed message."""


def pack_weights(features: Named, values: Floats) -> bytes:
    """Write a message of weights that a learner is to go on from: those that differ from the initial ones."""
    content = (struct.pack("<q", len(values)), values.tobytes(), features.indices.tobytes(), features.names)
    return _WEIGHTS + zlib.compress(b"".join(content), 1)


def has_weights(message: bytes) -> bool:
    """Tell whether a message has weights, not hypotheses."""
    return message.startswith(_WEIGHTS)


def unpack_weights(message: bytes) -> tuple[Named, Floats]:
    """Read what `pack_weights` wrote."""
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


def check_message(message: bytes, kind: type) -> None:
    """Refuse bytes of a damaged state that are no message."""
    if has_weights(message):
        unpack_weights(message)
    else:
        unpack(message, kind, Weights())
