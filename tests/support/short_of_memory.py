"""Lack of memory for sentences of some length, in this process or in the workers of a cluster."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from hopefear.base import InputError
from hopefear.cli.io.answers import Answer, Answering
from hopefear.decoder import Decoder, Segment
from hopefear.tuners.pool.kbest_task import KBestResult, KBestTask


@contextmanager
def short_of_memory(words: int, owner: type = Decoder, method: str = "_parse") -> Iterator[None]:
    """Let there be no memory in a method that is given a sentence of this length."""
    enough = getattr(owner, method)

    def fail(self: object, *arguments: Any) -> Any:
        if any(isinstance(each, Segment) and each.length == words for each in arguments):
            raise MemoryError
        return enough(self, *arguments)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(owner, method, fail)
        yield


class ShortAnswering(Answering):
    """Has no memory for sentences of four words."""

    def __call__(self, segment: Segment | InputError) -> Answer:
        with short_of_memory(4):
            return super().__call__(segment)


class ShortKBestTask(KBestTask):
    """Has no memory for sentences of four words."""

    def __call__(self, numbered: tuple[int, Segment]) -> KBestResult:
        with short_of_memory(4):
            return super().__call__(numbered)
