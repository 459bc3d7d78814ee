"""Serial and threaded work."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from support.executor_contract import ExecutorContract

from hopefear.parallel import Executor, Serial, Threads, in_threads


class TestSerial(ExecutorContract):
    @pytest.fixture
    def executor(self) -> Executor:
        return Serial()


class TestThreads(ExecutorContract):
    @pytest.fixture
    def executor(self) -> Iterator[Executor]:
        with Threads(3) as executor:
            yield executor


def test_one_thread_is_this_one() -> None:
    assert isinstance(in_threads(1), Serial)
    with in_threads(2) as executor:
        assert isinstance(executor, Threads)
    with pytest.raises(ValueError, match="expected at least one thread, got 0"):
        in_threads(0)
