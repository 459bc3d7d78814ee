"""What cdec reads and writes in its ``mr_mira_compat`` mode.

In: ``<seg id="0" delta="...">words</seg>``, one a line. Out: the length of the list, then so many lines
``id ||| source length ||| text ||| features ||| score``, empty where there are fewer hypotheses; or one empty
line where no derivation covers the input. Feature vectors and changes of weights are base64 of names, each
with a zero byte and a double behind it.
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

from .errors import InputError
from .oracle import KBestList
from .segment import Segment
from .weights import Weights

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
        """Read a line.

        Raises
        ------
        ValueError
            It has another form.
        """
        _, _, text, features, score = line.split(" ||| ")
        return cls(text.strip(), decode_vector(features), float(score))


def encode_vector(values: Mapping[str, float]) -> str:
    """Write feature values; without base64's padding, which cdec would read as garbage."""
    data = b"".join(
        name.encode("utf-8", "surrogateescape") + b"\0" + _DOUBLE.pack(value)
        for name, value in values.items()
    )
    return base64.b64encode(data + b"\0" * (-len(data) % 3)).decode("ascii")


def decode_vector(text: str) -> dict[str, float]:
    """Read feature values.

    Raises
    ------
    ValueError
        The text is none that cdec writes.
    """
    try:
        data = base64.b64decode(text, validate=True)
    except binascii.Error as error:
        raise ValueError(f"not base64: {error}") from None
    if text.endswith("=="):
        data = _with_lost_byte(data, text)
    values = {}
    place = 0
    while place < len(data) and data[place]:  # zero bytes may fill the last group
        end = data.find(b"\0", place)
        if end < 0 or end + 1 + _DOUBLE.size > len(data):
            raise ValueError("features end in the midst of one")
        (values[data[place:end].decode("utf-8", "surrogateescape")],) = _DOUBLE.unpack_from(data, end + 1)
        place = end + 1 + _DOUBLE.size
    return values


def _with_lost_byte(data: bytes, text: str) -> bytes:
    """Give back what cdec loses where two bytes stand in the last group of base64.

    It drops the lower half of the second one, the highest byte of the last number. The upper half, sign and
    the first bits of the exponent, tells it for all numbers between 2^-15 and 2^17 in size.
    """
    length = 0
    while (end := data.find(b"\0", length)) >= 0 and end + 1 + _DOUBLE.size <= len(data):
        length = end + 1 + _DOUBLE.size
    if end < 0 or len(data) + 1 != end + 1 + _DOUBLE.size:
        return data
    upper = _ALPHABET.index(text[-3]) & 15
    return data + bytes([upper << 4 | (15 if upper & 7 < 4 else 0)])


def segment_line(segment: Segment, *, grammar: str | None, delta: Mapping[str, float]) -> str:
    """Write a segment's line of input: what its tag says, its index as cdec's id, and changes of weights.

    Parameters
    ----------
    grammar : str or None
        The path of one more grammar.

    Raises
    ------
    InputError
        An attribute cannot be written so that cdec reads it.
    """
    attributes = {name: value for name, value in segment.attributes.items() if name not in ("id", "delta")}
    for name in attributes:
        if re.fullmatch(r"grammar\d*", name):
            attributes[name] = os.path.abspath(attributes[name])
    if grammar is not None:
        numbers = ("", *map(str, range(1, len(attributes) + 2)))
        attributes[next(f"grammar{n}" for n in numbers if f"grammar{n}" not in attributes)] = grammar
    for name, value in attributes.items():
        if _SQUEEZED.search(value):
            message = (
                f"expected no blank beside = in attribute {name}, which cdec would drop, got {value[:80]!r}"
            )
            raise InputError(message, path=segment.where)
        attributes[name] = value.replace('"', "&quot;").replace(">", "&gt;")
    attributes = {"id": str(segment.index), **attributes}
    if delta:
        attributes["delta"] = encode_vector(delta)
    tag = "".join(f' {name}="{value}"' for name, value in attributes.items())
    text = " ".join(segment.tokens) if segment.tokens is not None else str(segment.lattice)
    return f"<seg{tag}>{text}</seg>\n"


def k_best_list(hypotheses: list[Hypothesis], weights: Weights) -> KBestList:
    """Give hypotheses as arrays; new features get numbers."""
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
