"""JSON and arrays of damaged files: whatever is wrong is a ValueError."""

from __future__ import annotations

import io
import zipfile

import numpy as np
import pytest

from hopefear.base.stored import parse_json, read_array, read_arrays


def archive(member: bytes, name: str = "a.npy") -> io.BytesIO:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as opened:
        opened.writestr(name, member)
    file.seek(0)
    return file


def saved() -> bytes:
    file = io.BytesIO()
    np.save(file, np.arange(3))
    return file.getvalue()


def test_whole_arrays() -> None:
    assert read_arrays(archive(saved()))["a"].tolist() == [0, 1, 2]
    assert read_array(io.BytesIO(saved())).tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    "file",
    [
        archive(saved().replace(b"}", b"{")),  # a header that ends in a TokenError
        archive(saved().replace(b"(3,)", b"(9,)")),
        archive(b"text", "a.txt"),
        archive(saved().replace(b"<i8", b"|O8")),
        io.BytesIO(saved()),
        io.BytesIO(b"no arrays"),
        io.BytesIO(b""),
        io.BytesIO(archive(saved()).getvalue()[:-30]),
    ],
)
def test_damaged_arrays(file: io.BytesIO) -> None:
    with pytest.raises(ValueError, match="expected"):
        read_arrays(file)


@pytest.mark.parametrize("text", ["{", "[" * 100_000, "9" * 10_000, b"\xff"])
def test_damaged_json(text: str | bytes) -> None:
    with pytest.raises(ValueError):
        parse_json(text)


@pytest.mark.parametrize("text", ["[1e999]", '{"a": -Infinity}', "NaN"])
def test_numbers_that_are_not_finite(text: str) -> None:
    parse_json(text)
    with pytest.raises(ValueError, match="expected finite numbers, got"):
        parse_json(text, finite=True)
