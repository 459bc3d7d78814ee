"""One Ray for all tests of a session: its start takes seconds."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from hopefear.cluster import Connection


@pytest.fixture(scope="session")
def ray_here() -> Iterator[Connection]:
    """Give a connection to a Ray with two workers on this machine."""
    pytest.importorskip("ray")
    with Connection("local:2") as connection:
        yield connection
