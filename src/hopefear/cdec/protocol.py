"""The protocol of cdec's ``mr_mira_compat`` mode.

cdec reads lines ``<seg id="0" delta="...">words</seg>``. For each line it writes the length k of the k-best
list and k lines ``id ||| source length ||| text ||| features ||| score``, the last ones empty if there are
fewer hypotheses; or a single empty line if no derivation covers the input. Feature vectors and changes of
weights are base64 of names, each followed by a zero byte and a double.
"""

from __future__ import annotations

import base64
import binascii
import os
import re
import string
import struct
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from hopefear.base.errors import InputError
from hopefear.base.texts import BLANK
from hopefear.decoder.hypotheses import KBestList
from hopefear.decoder.weights import Weights
from hopefear.plugins.segment import Segment

_DOUBLE = struct.Struct("<d")
_ALPHABET = string.ascii_uppercase + string.ascii_lowercase + string.digits + "+/"
_SQUEEZED = re.compile(r" =|= ")


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """A line of a k-best list."""

    text: str
    features: dict[str, float]
    score: float

    @classmethod
    def parse(cls, line: str) -> Hypothesis:
        """Parse a line."""
        _, _, text, features, score = line.split(" ||| ")
        return cls(text.strip(BLANK), decode_vector(features), float(score))


def encode_vector(values: Mapping[str, float]) -> str:
    """Encode feature values, without base64's padding, which cdec would read as data."""
    data = b"".join(
        name.encode("utf-8", "surrogateescape") + b"\0" + _DOUBLE.pack(value)
        for name, value in values.items()
    )
    return base64.b64encode(data + b"\0" * (-len(data) % 3)).decode("ascii")


def decode_vector(text: str) -> dict[str, float]:
    """Decode feature values."""
    try:
        data = base64.b64decode(text, validate=True)
    except binascii.Error as error:
        raise ValueError(f"not base64: {error}") from None
    if text.endswith("=="):
        data = _with_lost_byte(data, text)
    values = {}
    position = 0
    while position < len(data) and data[position]:  # zero bytes may fill the last group
        end = data.find(b"\0", position)
        if end < 0 or end + 1 + _DOUBLE.size > len(data):
            raise ValueError("the features end in the middle of a feature")
        (values[data[position:end].decode("utf-8", "surrogateescape")],) = _DOUBLE.unpack_from(data, end + 1)
        position = end + 1 + _DOUBLE.size
    return values


def _with_lost_byte(data: bytes, text: str) -> bytes:
    """Restore the half byte that cdec loses if the last group of base64 has two bytes.

    cdec drops the lower half of the second byte, which is the highest byte of the last number. The upper half
    (sign and first bits of the exponent) determines it for all magnitudes between 2^-15 and 2^17.
    """
    length = 0
    while (end := data.find(b"\0", length)) >= 0 and end + 1 + _DOUBLE.size <= len(data):
        length = end + 1 + _DOUBLE.size
    if end < 0 or len(data) + 1 != end + 1 + _DOUBLE.size:
        return data
    upper = _ALPHABET.index(text[-3]) & 15
    return data + bytes([upper << 4 | (15 if upper & 7 < 4 else 0)])


def segment_line(segment: Segment, *, grammar: str | None, delta: Mapping[str, float]) -> str:
    """Write a segment's line of input: the attributes of its tag, its index as id, and changes of weights."""
    attributes = {name: value for name, value in segment.attributes.items() if name not in ("id", "delta")}
    for name in attributes:
        if re.fullmatch(r"grammar\d*", name):
            attributes[name] = os.path.abspath(attributes[name])
    if grammar is not None:
        numbers = ("", *map(str, range(1, len(attributes) + 2)))
        attributes[next(f"grammar{n}" for n in numbers if f"grammar{n}" not in attributes)] = grammar
    for name, value in attributes.items():
        if _SQUEEZED.search(value):
            message = f"expected no blank next to = in attribute {name} (cdec drops it), got {value[:80]!r}"
            raise InputError(message, path=segment.where)
        attributes[name] = value.replace('"', "&quot;").replace(">", "&gt;")
    attributes = {"id": str(segment.index), **attributes}
    if delta:
        attributes["delta"] = encode_vector(delta)
    tag = "".join(f' {name}="{value}"' for name, value in attributes.items())
    text = " ".join(segment.tokens) if segment.tokens is not None else str(segment.lattice)
    return f"<seg{tag}>{text}</seg>\n"


def k_best_list(hypotheses: list[Hypothesis], weights: Weights) -> KBestList:
    """Convert hypotheses to arrays; new features get numbers."""
    rows = [
        sorted((weights.id(name), value) for name, value in hypothesis.features.items())
        for hypothesis in hypotheses
    ]
    return KBestList(
        [hypothesis.text for hypothesis in hypotheses],
        np.cumsum([0, *map(len, rows)], dtype=np.int64),
        np.array([feature for row in rows for feature, _ in row], np.int32),
        np.array([value for row in rows for _, value in row], np.float64),
    )
