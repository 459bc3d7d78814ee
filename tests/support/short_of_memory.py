"""Lack of memory for sentences of some length, in this process or in the workers of a cluster."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from hopefear.base import InputError
from hopefear.cli.io.answers import Answering, Decoded
from hopefear.decoder import Segment, decoder
from hopefear.tuners.pool.kbest_task import KBestResult, KBestTask


@contextmanager
def short_of_memory(words: int, owner: Any = decoder, name: str = "check_length") -> Iterator[None]:
    """Let there be no memory in a function that is given a sentence of this length."""
    enough = getattr(owner, name)

    def fail(*arguments: Any) -> Any:
        if any(isinstance(each, Segment) and each.length == words for each in arguments):
            raise MemoryError
        return enough(*arguments)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(owner, name, fail)
        yield


class ShortAnswering(Answering):
    """Has no memory for sentences of four words."""

    def __call__(self, segment: Segment | InputError) -> Decoded:
        with short_of_memory(4):
            return super().__call__(segment)


class ShortKBestTask(KBestTask):
    """Has no memory for sentences of four words."""

    def __call__(self, numbered: tuple[int, Segment]) -> KBestResult:
        with short_of_memory(4):
            return super().__call__(numbered)
