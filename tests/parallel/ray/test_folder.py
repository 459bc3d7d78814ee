"""The folder of Ray's files."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from threading import Event, Thread

from hopefear.parallel.ray.folder import Folder


def test_it_is_removed_while_processes_that_end_write_there(tmp_path: Path) -> None:
    folder, begun = Folder(tmp_path), Event()

    def write_for_a_while() -> None:
        for number in range(3000):
            with suppress(OSError):
                (folder.path / "logs").mkdir(exist_ok=True)
                (folder.path / "logs" / f"{number}.log").write_text("the end")
            begun.set()

    writer = Thread(target=write_for_a_while)
    writer.start()
    begun.wait()
    folder.remove()
    writer.join()
    assert not list(tmp_path.iterdir())
