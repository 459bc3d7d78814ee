"""Files are whole, whoever writes them at the same time, and whatever is in the way."""

from __future__ import annotations

import errno
import os
import re
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from support.full_disk import small_files
from support.waiting import PATIENCE

from hopefear.base import InputError
from hopefear.base.files import alone_in, append_whole, cut_to_lines, written_whole
from hopefear.decoder import Weights

WRITER = """
import sys
from hopefear.decoder import Weights
number = int(sys.argv[2])
weights = Weights({f"f{number}_{i}": float(number) for i in range(3000)})
print("ready", flush=True)
sys.stdin.read()
for _ in range(60):
    weights.write(sys.argv[1])
"""


def temporary(folder: Path) -> list[Path]:
    return list(folder.rglob("*.part"))


def test_two_writers_and_a_reader(tmp_path: Path) -> None:
    path = tmp_path / "weights"
    Weights({f"f0_{i}": 1.0 for i in range(3000)}).write(path)
    command = [sys.executable, "-c", WRITER, str(path)]
    writers = [
        subprocess.Popen([*command, str(number)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=tmp_path)
        for number in (1, 2)
    ]
    for writer in writers:
        assert writer.stdout is not None and writer.stdout.readline() == b"ready\n"
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.close()
    seen = set()
    while any(writer.poll() is None for writer in writers):
        lines = path.read_text().splitlines()
        (kind,) = {line.split("_")[0] for line in lines}
        assert len(lines) == 3000
        seen.add(kind)
    assert seen & {"f1", "f2"}
    for writer in writers:
        writer.stdout.close()
        assert writer.returncode == 0
    assert os.listdir(tmp_path) == ["weights"]


def test_the_temporary_file_is_new_and_beside(tmp_path: Path) -> None:
    path = tmp_path / ("n" * 255)
    (tmp_path / f"{path.name[:250]}.part").symlink_to(tmp_path / "victim")
    with written_whole(path) as one, written_whole(path) as two:
        assert one != two and one.parent == two.parent == tmp_path
        assert set(temporary(tmp_path)) >= {one, two}  # tests that look for "*.part" find them
        for file in (one, two):
            assert file.read_bytes() == b"" and not path.exists()
            file.write_text(file.name)
    assert path.read_text() == one.name  # it was closed last
    assert not (tmp_path / "victim").exists()


def test_permissions_are_kept(tmp_path: Path) -> None:
    def mode(path: Path) -> int:
        return stat.S_IMODE(path.stat().st_mode)

    before = os.umask(0o027)
    try:
        with written_whole(tmp_path / "new") as file:
            file.write_text("x")
        assert mode(tmp_path / "new") == 0o640
        for bits in (0o600, 0o664, 0o400):
            (tmp_path / "new").chmod(bits)
            with written_whole(tmp_path / "new") as file:
                assert mode(file) & 0o077 & ~bits == 0  # at no time can more people read it
                file.write_text("y")
            assert mode(tmp_path / "new") == bits
    finally:
        os.umask(before)


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "link").symlink_to("there/file")
    for text in ("first", "second"):  # at first the link leads to no file
        with written_whole(tmp_path / "link") as file:
            assert file.parent == tmp_path / "there"
            file.write_text(text)
        assert (tmp_path / "link").is_symlink()
        assert (tmp_path / "there" / "file").read_text() == text


def test_devices_and_pipes_are_written_directly(tmp_path: Path) -> None:
    Weights({"a": 1.0}).write(os.devnull)
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)
    os.mkfifo(tmp_path / "pipe")
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append((tmp_path / "pipe").read_text()))
    reader.start()
    Weights({"a": 1.0}).write(tmp_path / "pipe")
    reader.join()
    assert read == ["a 1\n"]
    code = "from hopefear.decoder import Weights; Weights({'a': 1.0}).write('/dev/stdout')"
    with (tmp_path / "out").open("wb") as out:
        subprocess.run([sys.executable, "-c", code], cwd=tmp_path, stdout=out, check=True)
        assert os.fstat(out.fileno()).st_size == 4  # the open file itself
    if Path("/dev/full").exists():
        with pytest.raises(InputError, match=r"^/dev/full: cannot be written: No space left on device"):
            Weights({"a": 1.0}).write("/dev/full")
    with pytest.raises(IsADirectoryError, match=re.escape(str(tmp_path))), written_whole(tmp_path):
        pass
    assert sorted(os.listdir(tmp_path)) == ["out", "pipe"]


def test_a_full_disk_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "weights"
    Weights({"a": 1.0}).write(path)
    many = Weights({f"f{i}": 1.0 for i in range(10_000)})
    named = f"^{re.escape(str(path))}: cannot be written: File too large"
    with small_files(1000), pytest.raises(InputError, match=named):
        many.write(path)
    with (
        small_files(1000),
        pytest.raises(OSError, match="File too large") as failed,
        written_whole(path) as file,
    ):
        file.write_bytes(b"x" * 2000)
    assert failed.value.filename == str(path)
    with pytest.raises(InputError, match="nowhere/weights: cannot be written: No such file or directory"):
        many.write(tmp_path / "nowhere" / "weights")
    assert path.read_text() == "a 1\n" and os.listdir(tmp_path) == ["weights"]


def test_what_dead_writers_left_is_removed(tmp_path: Path) -> None:
    code = (
        "import os, sys; from hopefear.base.files import written_whole\n"
        "with written_whole(sys.argv[1]) as file: os._exit(9)"
    )
    (tmp_path / "cells").mkdir()
    for name in ("weights", "cells/weights"):
        done = subprocess.run([sys.executable, "-c", code, name], cwd=tmp_path)
        assert done.returncode == 9
    (tmp_path / "out.part").touch()
    assert len(temporary(tmp_path)) == 3
    with written_whole(tmp_path / "alive") as alive:
        with alone_in(tmp_path, "lock", "build"):
            assert set(temporary(tmp_path)) == {alive, tmp_path / "out.part"}
        alive.write_text("x")
    assert (tmp_path / "alive").read_text() == "x"


def test_a_folder_can_be_waited_for(tmp_path: Path) -> None:
    told = threading.Event()
    messages, order = [], []

    def wait() -> None:
        def waiting(message: str) -> None:
            messages.append(message)
            told.set()

        with alone_in(tmp_path, "lock", "build", waiting=waiting):
            order.append("second")

    with alone_in(tmp_path, "lock", "build", waiting=messages.append):
        assert messages == []
        thread = threading.Thread(target=wait)
        thread.start()
        assert told.wait(PATIENCE)
        order.append("first")
    thread.join()
    assert order == ["first", "second"]
    assert messages == [f"{tmp_path}: another build is using this folder"]


def test_lines_are_appended_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "log"
    append_whole(path, b"one\n", sync=True)
    with small_files(10), pytest.raises(OSError, match="File too large") as failed:
        append_whole(path, b"two is too long\n")
    assert failed.value.filename == str(path)
    assert path.read_bytes() == b"one\n"
    append_whole(path, b"two\n")
    assert path.read_bytes() == b"one\ntwo\n"
    append_whole(os.devnull, b"x\n")


def test_lines_that_do_not_reach_the_disk_are_not_appended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "log"
    append_whole(path, b"one\n", sync=True)

    def fails(number: int) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", fails)
        with pytest.raises(OSError, match="Input/output error") as failed:
            append_whole(path, b"two\n", sync=True)
    assert failed.value.filename == str(path)
    assert path.read_bytes() == b"one\n"
    append_whole(path, b"two\n", sync=True)
    assert path.read_bytes() == b"one\ntwo\n"


@pytest.mark.parametrize("torn", [b"", b"x", b"x" * 200_000])
@pytest.mark.parametrize("whole", [b"", b"one\ntwo\n", b"y" * 70_000 + b"\n"])
def test_a_part_of_a_line_is_cut_off(tmp_path: Path, whole: bytes, torn: bytes) -> None:
    (tmp_path / "log").write_bytes(whole + torn)
    assert cut_to_lines(tmp_path / "log") == len(torn)
    assert (tmp_path / "log").read_bytes() == whole
