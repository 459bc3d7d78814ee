"""A server in this process over a small system."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from support.live_server import Session, Start, small_store
from support.sessions import LIVE, write_written_system

from hopefear.live.server import Access, Application


@pytest.fixture(scope="session")
def system(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return LIVE.write(tmp_path_factory.mktemp("system"))


@pytest.fixture(scope="session")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_written_system(tmp_path_factory.mktemp("written"))


@pytest.fixture
def start(system: Path, tmp_path: Path) -> Iterator[Start]:
    """Start servers, one after the other, over the same folder; the one before is closed."""
    with ExitStack() as stack:

        def call(
            access: Access | None = None,
            *,
            config: Path = system,
            folder: Path = tmp_path / "state",
            close: bool = True,
            **options: Any,
        ) -> TestClient:
            if close:
                stack.close()
            store = small_store(config, folder, languages=("es", "en"), **options)
            app = Application(store, access, system="the tests")
            client = TestClient(app, base_url="http://localhost", raise_server_exceptions=True)
            return stack.enter_context(client)

        yield call


@pytest.fixture
def client(start: Start) -> TestClient:
    return start()


@pytest.fixture
def session(client: TestClient) -> Session:
    made = Session(client)
    made.add()
    return made
