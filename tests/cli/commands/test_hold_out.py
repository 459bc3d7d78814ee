from __future__ import annotations

import pytest


@pytest.fixture
def text(tmp_path):
    for name in ("f", "e"):
        (tmp_path / name).write_text("".join(f"{name} {line}\n" for line in range(20)))


@pytest.mark.usefixtures("text")
def test_sets_and_the_rest(tmp_path, run):
    done = run("hold-out", "f", "e", "--set", "dev=3", "--set", "test=5", "-o", "cut")
    assert done.stderr == "cut/dev: 3 lines\ncut/test: 5 lines\ncut/rest: 12 lines\n"
    lines = {(tmp_path / "cut" / folder / "f").read_text() for folder in ("dev", "test", "rest")}
    assert sorted("".join(lines).splitlines()) == sorted((tmp_path / "f").read_text().splitlines())
    done = run("hold-out", "f", "e", "--set", "dev=3", "-o", "cut", status=2)
    assert done.stderr == "hopefear: cut: expected a new folder, this is there already\n"


@pytest.mark.usefixtures("text")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["f", "e"], "expected source, target and at least one --set"),
        (["f", "--set", "dev=1"], "expected source, target and at least one --set"),
        (["f", "e", "--set", "rest=1"], "--set: expected NAME=NUMBER of a new set, got rest=1"),
        (["f", "e", "--set", "dev=0"], "--set: expected NAME=NUMBER of a new set, got dev=0"),
        (["f", "e", "--set", "dev=21"], "expected a text for 21 sentences of dev, got 20"),
    ],
)
def test_bad_input_writes_nothing(tmp_path, run, arguments, message):
    done = run("hold-out", *arguments, "-o", "cut", status=2)
    assert message in done.stderr
    assert not (tmp_path / "cut").exists()
