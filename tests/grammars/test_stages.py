"""Stages are made again where something changed, and only there."""

from __future__ import annotations

import errno
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from hopefear.base import InputError
from hopefear.base.files import written_whole
from hopefear.grammars.stages import RECORD, Stage, Stages

Build = Callable[..., list[str]]


def write(path: Path, text: str) -> None:
    with written_whole(path) as part:
        part.write_text(text)


def read(path: Path) -> str:
    return path.read_text()


@pytest.fixture
def build(tmp_path: Path) -> Build:
    """Build `c = upper(a)` in stage one and `d/e = c + b + a setting` in stage two; give what was made."""
    (tmp_path / "a").write_text("a")
    (tmp_path / "b").write_text("b")
    out = tmp_path / "out"

    def call(*, setting: object = "!", second: bool = True) -> list[str]:
        made = []
        stages = Stages(out)
        one = Stage(
            name="one",
            inputs=[tmp_path / "a"],
            outputs=["c"],
            make=lambda path: write(path, read(tmp_path / "a").upper()),
        )
        two = Stage(
            name="two",
            inputs=[out / "c", tmp_path / "b"],
            outputs=["d/e"],
            settings={"setting": setting},
            make=lambda path: write(path, read(out / "c") + read(tmp_path / "b") + str(setting)),
        )
        for stage in (one, two) if second else (one,):
            if stages.run(stage):
                made.append(stage.name)
        stages.finish()
        return made

    return call


def test_only_what_changed_is_made(tmp_path: Path, build: Build) -> None:
    assert build() == ["one", "two"]
    assert (tmp_path / "out/d/e").read_text() == "Ab!"
    assert build() == []
    (tmp_path / "b").write_text("x")
    assert build() == ["two"]
    assert build(setting="?") == ["two"]
    assert (tmp_path / "out/d/e").read_text() == "Ax?"
    (tmp_path / "a").write_text("y")
    assert build(setting="?") == ["one", "two"]
    assert (tmp_path / "out/d/e").read_text() == "Yx?"


def test_an_output_that_comes_out_the_same_changes_nothing(tmp_path: Path, build: Build) -> None:
    build()
    (tmp_path / "a").write_text("A")
    assert build() == ["one"]


def test_time_of_change_does_not_count(tmp_path: Path, build: Build) -> None:
    build()
    os.utime(tmp_path / "a", (0, 0))
    assert build() == []


def test_another_version_makes_everything_anew(build: Build, monkeypatch: pytest.MonkeyPatch) -> None:
    build()
    monkeypatch.setattr("hopefear.grammars.stages.VERSION", "another")
    assert build() == ["one", "two"]
    assert build() == []


def test_tuples_are_lists(build: Build) -> None:
    build(setting=(1, (2, 3)))
    assert build(setting=(1, (2, 3))) == []


@pytest.mark.parametrize("damage", [lambda path: path.unlink(), lambda path: path.write_text("Ab")])
def test_outputs_missing_or_cut_are_made_again(
    tmp_path: Path, build: Build, damage: Callable[[Path], None]
) -> None:
    build()
    damage(tmp_path / "out/d/e")
    assert build() == ["two"]
    assert (tmp_path / "out/d/e").read_text() == "Ab!"


def test_what_is_not_asked_for_any_more_is_removed(tmp_path: Path, build: Build) -> None:
    build()
    (tmp_path / "out/mine").write_text("stays")
    assert build(second=False) == []
    assert not (tmp_path / "out/d/e").exists() and (tmp_path / "out/c").exists()
    assert (tmp_path / "out/mine").read_text() == "stays"
    assert build() == ["two"]


def test_outputs_that_a_stage_no_longer_has_are_removed(tmp_path: Path) -> None:
    def run(*names: str) -> None:
        def make(*paths: Path) -> None:
            for path in paths:
                write(path, path.name)

        stages = Stages(tmp_path)
        stages.run(Stage("one", [], names, make))
        stages.finish()

    run("a", "b/c", "b/d")
    run("a", "b/d")
    assert {path.name for path in tmp_path.rglob("*")} == {"a", "b", "d", RECORD}
    run("a")
    assert {path.name for path in tmp_path.rglob("*")} == {"a", RECORD}


def test_a_failing_stage_keeps_those_before_it(tmp_path: Path, build: Build) -> None:
    (tmp_path / "b").unlink()
    with pytest.raises(InputError, match=re.escape(f"{tmp_path / 'b'}: cannot be read: No such file")):
        build()
    (tmp_path / "b").write_text("b")
    assert build() == ["two"]


KILLED = """
import itertools, json, os, sys
from pathlib import Path
from hopefear.grammars.stages import RECORD, Stage, Stages
from hopefear.base import files

def build(folder, end):
    step = 0

    def at_a_step():  # what a kill can come between
        nonlocal step
        step += 1
        if step == end:
            os._exit(9)

    replace = os.replace
    def replacing(*paths):
        at_a_step()
        replace(*paths)
        at_a_step()
    os.replace = replacing

    def make(text):
        def write(*paths):
            for path in paths:
                with files.written_whole(path) as part:
                    part.write_text(text[:1])
                    at_a_step()
                    part.write_text(text)
        return write

    stages, made = Stages(folder), []
    for name, inputs, letters in (("one", [], "a"), ("two", ["one.a"], "ab")):
        inputs = [folder / path for path in inputs]
        text = name + "".join(path.read_text() for path in inputs)
        outputs = [f"{name}.{letter}" for letter in letters]
        if stages.run(Stage(name=name, inputs=inputs, outputs=outputs, make=make(text))):
            made.append(name)
    return made

def in_a_process(folder, end):
    reads, writes = os.pipe()
    child = os.fork()
    if not child:
        os.write(writes, json.dumps(build(folder, end)).encode())
        os._exit(0)
    os.close(writes)
    with open(reads) as answer:
        made = answer.read()
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), made and json.loads(made)

print(json.dumps(in_a_process(Path("whole"), 0)))
for end in itertools.count(1):
    folder = Path(str(end))
    if in_a_process(folder, end)[0] == 0:
        break
    record = folder / RECORD
    recorded = len(json.loads(record.read_text())) if record.exists() else 0
    print(json.dumps([recorded, *in_a_process(folder, 0)]))
"""


def test_killed_anywhere_it_resumes(tmp_path: Path) -> None:
    def files(folder: str) -> dict[str, str]:
        return {p.name: p.read_text() for p in (tmp_path / folder).iterdir() if p.suffix != ".part"}

    done = subprocess.run([sys.executable, "-c", KILLED], cwd=tmp_path, stdout=subprocess.PIPE, text=True)
    assert done.returncode == 0
    whole, *killed = map(json.loads, done.stdout.splitlines())
    assert whole == [0, ["one", "two"]]
    for end, (recorded, status, made) in enumerate(killed, 1):
        assert (status, len(made)) == (0, 2 - recorded)
        assert files(str(end)) == files("whole")
    assert len(killed) > 10


def test_two_at_a_time(tmp_path: Path) -> None:
    first, second = Stages(tmp_path), Stages(tmp_path)
    with first.alone():
        message = f"^{re.escape(str(tmp_path))}: another build is using this folder"
        with pytest.raises(InputError, match=message), second.alone():
            pass
        assert first.run(Stage("one", [], ["a"], lambda path: write(path, "x")))
    with second.alone():  # and it knows what the first has made
        assert not second.run(Stage("one", [], ["a"], lambda path: write(path, "x")))


def test_a_disk_without_locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr("fcntl.flock", refuse)
    with pytest.raises(InputError, match="cannot be locked: No locks available"), Stages(tmp_path).alone():
        pass


BAD_RECORDS = (
    *("", "{", "[]", '{"one": 1}', '{"one": {"outputs": {}}}', '{"one": {"made from": 1}}'),
    *(
        f'{{"one": {{"made from": 1, "outputs": {{"{name}": "1"}}}}}}'
        for name in ("/x", "a/../../x", r"\ud800")
    ),
)


@pytest.mark.parametrize("text", BAD_RECORDS)
def test_a_damaged_record_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / RECORD).write_text(text)
    with pytest.raises(InputError, match=rf"^{re.escape(str(tmp_path / RECORD))}: expected the record"):
        Stages(tmp_path)


def test_a_folder_with_other_files_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "cdec.ini").write_text("mine")
    with pytest.raises(InputError, match="expected an empty folder, or one that a build has begun"):
        Stages(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["cdec.ini"]


def test_stages_are_reported(tmp_path: Path) -> None:
    heard: list[tuple[str, float]] = []
    stage = Stage(name="one", inputs=[], outputs=["a"], make=lambda path: write(path, "x"))
    for _ in range(2):
        Stages(tmp_path, report=lambda name, seconds: heard.append((name, seconds))).run(stage)
    assert [name for name, _ in heard] == ["one", "one"]
    assert heard[0][1] > 0 and heard[1][1] == 0
