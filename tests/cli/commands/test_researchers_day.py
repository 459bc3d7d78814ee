"""A researcher's day: packages of all kinds, installed, found by name, tuned, resumed and compared."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.killed_at_save import run_killed
from support.waiting import PATIENCE

from ..conftest import Run

PACKAGES = {"my_feature": "plugin", "my_tuner": "tuner", "my_oracle": "oracle", "my_metric": "metric"}
INSTALL = ("--no-deps", "--no-build-isolation", "--no-index", "--disable-pip-version-check", "--quiet")


@pytest.fixture
def installed(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Install a package of each kind."""
    for name, kind in PACKAGES.items():
        run("plugins", "new", name, "--kind", kind, "--dir", tmp_path)
    site = tmp_path / "site"
    folders = [tmp_path / name for name in PACKAGES]
    command = [sys.executable, "-m", "pip", "install", *INSTALL, "--target", site, *folders]
    subprocess.run([*map(str, command)], check=True, timeout=PATIENCE, capture_output=True)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(site), os.environ.get("PYTHONPATH", "")]))
    monkeypatch.syspath_prepend(site)  # for commands in this process


@pytest.mark.slow
@pytest.mark.usefixtures("installed")
def test_a_researchers_day(run: Run, corpus: Path, tune: tuple[object, ...]) -> None:
    for kind in ("plugins", "tuners", "oracles", "metrics"):
        assert f"My{kind[:-1].capitalize().replace('Plugin', 'Feature')}" in run("list", kind).stdout
    batch = (*tune, "--tuner", "MyTuner", "--set", "passes=2", "--set", "steps=5", "--metric", "MyMetric")
    run(*batch, "-o", "whole")
    run_killed(1, (*batch, "-o", "killed"), corpus)
    run(*batch, "-o", "killed", "--resume")
    whole, resumed = ((corpus / name / "weights.final").read_bytes() for name in ("whole", "killed"))
    assert resumed == whole
    online = (*tune, "--feature", "MyFeature", "--oracle", "MyOracle margin=5", "--metric", "MyMetric")
    run(*online, "--passes", 2, "-o", "online")
    assert "MyFeature" in (corpus / "online" / "weights.final").read_text("utf-8")
    references = ("-r", "en.0", "-r", "en.1")
    done = run("compare", "whole", "online", "-i", "es", *references, "-m", "MyMetric", "-m", "bleu")
    assert [line.split(" ")[0] for line in done.stdout.splitlines()] == ["MyMetric", "BLEU"]
    assert "MyFeature" in (corpus / "compare.html").read_text("utf-8")
