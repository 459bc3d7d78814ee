"""Text that may come as str or as UTF-8 bytes."""

from __future__ import annotations


def as_text(data: str | bytes) -> str:
    """Give str of either.

    Raises
    ------
    TypeError
        It is neither.
    """
    if isinstance(data, bytes):
        return data.decode("utf-8")
    if isinstance(data, str):
        return data
    raise TypeError(f"cannot convert {type(data).__name__} to str")
