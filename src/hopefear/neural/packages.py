"""The packages of the extra ``neural``."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from hopefear.base import InputError

NAMES = {"ctranslate2": "CTranslate2", "sentencepiece": "sentencepiece", "torch": "PyTorch"}
"""By the name of the module."""


@contextmanager
def neural_packages() -> Iterator[None]:
    """Let imports that lack a package of the extra raise an `InputError` that names it."""
    try:
        yield
    except ImportError as error:
        name = NAMES.get((error.name or "").partition(".")[0])
        if name is None:
            raise
        raise InputError(f'{name} is not installed: pip install "hopefear[neural]"') from None
