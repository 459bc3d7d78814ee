"""``hopefear plugins new``: written, installed, tested and decoded with, without a network."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.full_disk import small_files
from support.waiting import PATIENCE
from support.world import configure
from typer.testing import CliRunner

from hopefear.cli import app


def call(*arguments: object, cwd: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-m", *map(str, arguments)],
        capture_output=True,
        text=True,
        cwd=cwd,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("level", ["rule", "edge", "ngram", "state"])
def test_generate_install_check_decode(level, run, sample, tmp_path, monkeypatch):
    out = run("plugins", "new", "my_feature", "--level", level, "--dir", tmp_path).stdout
    package, site = tmp_path / "my_feature", tmp_path / "site"
    assert f"wrote {package}" in out
    options = ("--no-deps", "--no-build-isolation", "--no-index", "--disable-pip-version-check", "--quiet")
    call("pip", "install", *options, "--target", site, package, cwd=tmp_path)
    monkeypatch.setenv(
        "PYTHONPATH", os.pathsep.join(filter(None, (str(site), os.environ.get("PYTHONPATH", ""))))
    )
    monkeypatch.syspath_prepend(site)  # for commands in this process
    assert "2 passed" in call("pytest", "-q", "-p", "no:cacheprovider", "-W", "error", "tests", cwd=package)
    call("ruff", "check", "--isolated", "--select", "E,F,I,UP,B", "--line-length", 110, package, cwd=package)
    call("ruff", "format", "--isolated", "--check", "--line-length", 110, package, cwd=package)

    listed = run("plugins").stdout
    assert any(line.split()[1:2] == ["MyFeature"] for line in listed.splitlines())
    assert "feature_function=MyFeature" in run("plugins", "MyFeature").stdout

    shutil.copytree(sample, tmp_path / "sample")
    configure(tmp_path / "sample", "feature_function=MyFeature")
    sentences = (sample / "dev.es").read_text("utf-8")
    ini, weights = tmp_path / "sample" / "cdec.ini", sample / "weights.init"
    lines = run("decode", "-c", ini, "-w", weights, "-k", 5, text=sentences).stdout.splitlines()
    assert len(lines) == 5 * len(sentences.splitlines())
    assert any("MyFeature" in line.split(" ||| ")[2] for line in lines)


@pytest.mark.parametrize("kind", ["tuner", "oracle", "metric"])
def test_a_package_of_another_kind_passes_its_check(kind, run, tmp_path, monkeypatch):
    run("plugins", "new", "my_words", "--kind", kind, "--dir", tmp_path)
    package = tmp_path / "my_words"
    project = (package / "pyproject.toml").read_text("utf-8")
    assert f'[project.entry-points."hopefear.{kind}s"]\nMyWords = "my_words:MyWords"' in project
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(package), os.environ.get("PYTHONPATH", "")]))
    assert "passed" in call("pytest", "-q", "-p", "no:cacheprovider", "-W", "error", "tests", cwd=package)
    call("ruff", "check", "--isolated", "--select", "E,F,I,UP,B", "--line-length", 110, package, cwd=package)
    call("ruff", "format", "--isolated", "--check", "--line-length", 110, package, cwd=package)
    assert f"hopefear list {kind}s MyWords" in (package / "README.md").read_text("utf-8")


@pytest.mark.parametrize(
    ("folder", "path"),
    [
        (".", "./my_feature"),
        ("beside", "./beside/my_feature"),
        ("./with space", "./with space/my_feature"),
        ("$PWD", "$PWD/my_feature"),
    ],
)
def test_pip_is_given_a_path(folder, path, tmp_path, monkeypatch):
    """With pytest, which may be missing."""
    monkeypatch.chdir(tmp_path)
    folder, path = (text.replace("$PWD", str(tmp_path)) for text in (folder, path))
    Path(folder).mkdir(exist_ok=True)
    done = CliRunner().invoke(app, ["plugins", "new", "my_feature", "--dir", folder])
    words = shlex.split(done.output)
    assert words[words.index("pip") :] == ["pip", "install", path, "pytest,", "then", "pytest", path]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("My-Feature", "expected a valid name of a module"),
        ("class", "expected a valid name of a module"),
        ("numpy", "numpy: a module of this name"),
        ("json", "json: a module of this name"),
        ("soft_syntax", "or a plugin SoftSyntax, exists already"),
        ("taken", "taken: exists already"),
    ],
)
def test_names_that_cannot_be_used(name, message, run, tmp_path):
    (tmp_path / "taken").mkdir()
    assert message in run("plugins", "new", name, status=2).stderr
    assert [path.name for path in tmp_path.iterdir()] == ["taken"]


def test_a_folder_that_is_not_there(run, tmp_path):
    assert "nowhere" in run("plugins", "new", "my_feature", "--dir", "nowhere", status=2).stderr


def test_a_full_disk_is_an_error_that_names_the_folder(tmp_path):
    with small_files(0):
        done = CliRunner().invoke(app, ["plugins", "new", "spans", "--dir", str(tmp_path)])
    assert done.exit_code == 2
    assert done.stderr == f"hopefear: {tmp_path}/spans: cannot be written: File too large\n"
    assert list(tmp_path.iterdir()) == []
