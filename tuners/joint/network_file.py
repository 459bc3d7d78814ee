"""The file of a joint model, which the search maps into memory: native/scorers/joint_network.h."""

from __future__ import annotations

import math
import os
import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hopefear.base import InputError
from hopefear.base.files import written_whole

MAGIC = b"HFJOINT1"
_BEGIN, _SIZES = struct.Struct("<8sI"), struct.Struct("<7I3Q")
UNKNOWN, BEGIN, END, NONE = range(4)
SOURCE_MARKS = ("<unk>", "<s>", "</s>")
TARGET_MARKS = (*SOURCE_MARKS, "<none>")
"""The first words of both vocabularies; ``<none>`` is a word that the search does not know yet."""

LANES = 16
"""The numbers of units are multiples of it."""


@dataclass(frozen=True, kw_only=True)
class JointNetwork:
    """A network of rectified linear units as it is used: what words add to the first layer, and the rest.

    The logarithm of the probability of target word e is ``output[e] @ last layer + output_bias[e]``.
    """

    right_to_left: bool = False
    source_words: Sequence[str]
    target_words: Sequence[str]
    source: NDArray[np.float32]
    history: NDArray[np.float32]
    bias: NDArray[np.float32]
    second: NDArray[np.float32]
    second_bias: NDArray[np.float32]
    output: NDArray[np.float32]
    output_bias: NDArray[np.float32]

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> JointNetwork:
        """Read a file that `write` wrote; the arrays cannot be changed."""
        content = b""
        try:
            content = Path(path).read_bytes()
            magic, checksum = _BEGIN.unpack_from(content)
            history, window, first, second, source, target, right_to_left, *lengths = _SIZES.unpack_from(
                content, _BEGIN.size
            )
        except OSError as error:
            raise InputError(f"cannot be read: {error.strerror}", path=path) from None
        except (ValueError, struct.error):
            magic, checksum = b"", 0
        if magic != MAGIC or zlib.crc32(memoryview(content)[_BEGIN.size :]) != checksum:
            raise InputError("expected a joint model, as hopefear train-joint writes it", path=path)
        at = _BEGIN.size + _SIZES.size

        def take(*shape: int) -> NDArray[np.float32]:
            nonlocal at
            found = np.frombuffer(content, "<f4", math.prod(shape), at).reshape(shape)
            at += found.nbytes
            return found

        def words(length: int) -> Sequence[str]:
            nonlocal at
            at += length
            return content[at - length : at].decode().split("\n")

        last = second or first
        arrays = {
            "source": take(source, window, first),
            "history": take(target, history, first),
            "bias": take(first),
            "second": take(second, first),
            "second_bias": take(second),
            "output": take(target, last),
            "output_bias": take(target),
        }
        return cls(
            right_to_left=bool(right_to_left),
            source_words=words(lengths[0]),
            target_words=words(lengths[1]),
            **arrays,
        )

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the file, whole or not at all."""
        (_, window, first), (_, history, _) = self.source.shape, self.history.shape
        texts = ["\n".join(words).encode() for words in (self.source_words, self.target_words)]
        sizes = (history, window, first, len(self.second), len(self.source), len(self.history))
        header = _SIZES.pack(*sizes, self.right_to_left, *map(len, texts), 0)
        layers = [self.source, self.history, self.bias, self.second, self.second_bias]
        arrays = [np.ascontiguousarray(each, "<f4") for each in (*layers, self.output, self.output_bias)]
        parts = [header, *(array.tobytes() for array in arrays), *texts]
        checksum = 0
        for part in parts:
            checksum = zlib.crc32(part, checksum)
        try:
            with written_whole(path) as beside, beside.open("wb") as file:
                file.write(_BEGIN.pack(MAGIC, checksum))
                for part in parts:
                    file.write(part)
        except OSError as error:
            raise InputError(f"cannot be written: {error.strerror}", path=path) from None
