"""What all tests share."""

from __future__ import annotations

import gc
import os
import shutil
import signal
import tempfile
from collections.abc import Callable, Generator, Iterator
from functools import partial
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from support import CHECKOUT

from hopefear import Decoder
from hopefear.parallel.ray import Connection

# A shell lets what it starts in the background ignore Ctrl-C, and so would all that is started here.
signal.signal(signal.SIGINT, signal.default_int_handler)


# How long an example takes says more about the machine than about what is tested.
settings.register_profile(
    "untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)
settings.load_profile("untimed")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Look for no garbage among thousands of tests and their modules: they stay until the end."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_unconfigure() -> None:
    """Let what is left be removed, so that nothing seems to leak."""
    gc.unfreeze()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let long files begin first, the longest of all, so that no worker of pytest-xdist ends with one."""
    marks = {item: item.get_closest_marker("long") for item in items}
    items.sort(key=lambda item: 0 if (mark := marks[item]) is None else -mark.args[0])


@pytest.fixture(scope="session", autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep the compiled copies of grammars that processes share out of the user's folder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOPEFEAR_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="session")
def shared() -> Path:
    """Return the folder of corpora and golden files, which is too large for the repository."""
    folder = Path(os.environ.get("HOPEFEAR_SHARED", CHECKOUT.parent / "shared"))
    for part in ("data", "golden"):
        if not (folder / part).is_dir():
            pytest.skip(f"no folder {folder / part} (HOPEFEAR_SHARED names the shared folder)")
    return folder


@pytest.fixture(scope="session")
def ray_here() -> Iterator[Connection]:
    """Yield a connection to a Ray with two workers on this machine: a process can have one only."""
    pytest.importorskip("ray")
    with Connection("local:2") as connection:
        yield connection


@pytest.fixture
def make_decoder(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[..., Decoder]:
    """Return what makes decoders of the module's WORLD: see `support.world.World.decoder`."""
    return partial(request.module.WORLD.decoder, tmp_path)


@pytest.fixture
def decoder(make_decoder: Callable[..., Decoder]) -> Decoder:
    """Return a decoder of the module's WORLD."""
    return make_decoder()


@pytest.fixture
def short_folder() -> Iterator[Path]:
    """Yield a folder for temporary files whose name is short enough for sockets."""
    folder = Path(tempfile.mkdtemp(prefix="t", dir="/tmp"))
    yield folder
    shutil.rmtree(folder)
