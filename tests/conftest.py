"""What all tests share."""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from hopefear.cluster import Connection

CHECKOUT = Path(__file__).resolve().parents[1]

# A shell lets what it starts in the background ignore Ctrl-C, and so would all that is started here.
signal.signal(signal.SIGINT, signal.default_int_handler)


# How long an example takes says more about the machine than about what is tested.
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep the tests of a file, and all tests with Ray, in one worker of pytest-xdist each.

    So the fixtures of a file are made once, `ray_here` begins once, and one Ray runs at a time.
    """
    for item in items:
        if item.get_closest_marker("xdist_group") is None:
            uses_ray = "ray_here" in getattr(item, "fixturenames", ())
            name = "ray" if uses_ray else f"{item.path.parent.name}/{item.path.stem}"
            item.add_marker(pytest.mark.xdist_group(name))


@pytest.fixture(scope="session")
def shared() -> Path:
    """Give the folder of corpora and golden files, which is too large for the repository."""
    folder = Path(os.environ.get("HOPEFEAR_SHARED", CHECKOUT.parent / "shared"))
    for part in ("data", "golden"):
        if not (folder / part).is_dir():
            pytest.skip(f"no folder {folder / part} (HOPEFEAR_SHARED names the shared folder)")
    return folder


@pytest.fixture(scope="session")
def ray_here() -> Iterator[Connection]:
    """Give a connection to a Ray with two workers on this machine: a process can have one only."""
    pytest.importorskip("ray")
    with Connection("local:2") as connection:
        yield connection


@pytest.fixture
def short_folder() -> Iterator[Path]:
    """Give a folder for temporary files whose name is short enough for sockets."""
    folder = Path(tempfile.mkdtemp(prefix="t", dir="/tmp"))
    yield folder
    shutil.rmtree(folder)
