"""Fetching the texts of the included plans, from a server of this machine."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from functools import partial
from hashlib import sha256
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from fetch_data import FETCHED, OTHERS, check, fetch, main

from hopefear.base import InputError

TRAIN = [f"line {i}\n".encode() for i in range(5)]
TEXTS = {
    "tanaka/dev.en": sha256(b"a house\n").hexdigest(),
    "tanaka/train.en.gz": sha256(b"".join(TRAIN)).hexdigest(),
}


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *arguments: object) -> None:
        pass


@pytest.fixture
def there(tmp_path: Path) -> Path:
    folder = tmp_path / "there"
    folder.mkdir()
    (folder / "dev.en").write_bytes(b"a house\n")
    for i, line in enumerate(TRAIN):
        (folder / f"train.en.00{i}").write_bytes(line)
    return folder


@pytest.fixture
def address(there: Path) -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(there)))
    thread = Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    thread.join()
    server.server_close()


def test_texts_are_joined_checked_and_packed(address: str, tmp_path: Path) -> None:
    fetch(tmp_path / "data", address, TEXTS)
    assert (tmp_path / "data/tanaka/dev.en").read_bytes() == b"a house\n"
    assert gzip.decompress((tmp_path / "data/tanaka/train.en.gz").read_bytes()) == b"".join(TRAIN)
    assert check(tmp_path / "data", TEXTS) == []


def test_what_is_there_is_not_fetched_again(address: str, there: Path, tmp_path: Path) -> None:
    (there / "train.en.003").unlink()
    with pytest.raises(InputError, match=r"train\.en\.003: cannot be fetched: .*404"):
        fetch(tmp_path / "data", address, TEXTS)
    (there / "dev.en").unlink()
    (there / "train.en.003").write_bytes(TRAIN[3])
    fetch(tmp_path / "data", address, TEXTS)
    assert check(tmp_path / "data", TEXTS) == []


def test_another_text_is_refused_and_not_written(address: str, there: Path, tmp_path: Path) -> None:
    (there / "dev.en").write_bytes(b"another house\n")
    with pytest.raises(InputError, match=r"dev\.en: expected the SHA-256 .*, got"):
        fetch(tmp_path / "data", address, TEXTS)
    assert not list(tmp_path.glob("data/**/*.en*"))


def test_another_text_that_is_there_stays(address: str, tmp_path: Path) -> None:
    own = tmp_path / "data/tanaka/dev.en"
    own.parent.mkdir(parents=True)
    own.write_bytes(b"my house\n")
    with pytest.raises(InputError, match="expected the SHA-256"):
        fetch(tmp_path / "data", address, TEXTS)
    assert own.read_bytes() == b"my house\n"


def test_without_a_network(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be fetched"):
        fetch(tmp_path / "data", "http://127.0.0.1:9/", TEXTS)


def test_the_texts_of_the_results_are_known(shared: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--check", str(shared / "data")]) == 0
    assert f"all {len(FETCHED | OTHERS)} texts" in capsys.readouterr().out


def test_a_folder_without_texts_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--check", str(tmp_path)]) == 1
    assert len(capsys.readouterr().out.splitlines()) == len(FETCHED | OTHERS)
