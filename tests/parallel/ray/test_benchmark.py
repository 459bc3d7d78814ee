"""The benchmark of clusters, in small: its table is whole; how fast is not asked."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support import CHECKOUT
from support.small_sample import small_sample
from support.waiting import PATIENCE

pytest.importorskip("ray")

BENCHMARK = CHECKOUT / "benchmarks" / "cluster.py"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Return a shared folder in which the sample is in the place of a corpus."""
    corpus = tmp_path / "data" / "tanaka"
    shutil.copytree(small_sample(), corpus / "ja-en")
    for name, side in (("dev.ja", "dev.es"), ("dev.en", "dev.en.0")):
        (corpus / name).symlink_to(corpus / "ja-en" / side)
    return tmp_path


def test_all_ways_are_measured(data: Path, tmp_path: Path) -> None:
    options = ["tanaka ja-en", "--sentences", "6", "--repeats", "1", "--markdown"]
    environment = {**os.environ, "HOPEFEAR_SHARED": str(data)}
    done = subprocess.run(
        [sys.executable, str(BENCHMARK), *options],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=environment,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stderr
    head, _, *rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in done.stdout.splitlines()
        if line.startswith("|")
    ]
    table = [dict(zip(head, row, strict=True)) for row in rows]
    assert [(row["task"], row["way"]) for row in table] == [
        (f"{what} tanaka ja-en", way)
        for what in ("decode", "learn")
        for way in ("serial", "threads, 2", "Ray, 2")
    ]
    assert all(float(row["sentences a second"]) > 0 for row in table)
    # What it takes until there are workers, and until they have read their models, is not part of it.
    assert all(float(row["start s: workers"]) >= 0 and float(row["models"]) >= 0 for row in table)
    assert all(float(row["start s: workers"]) > 0 for row in table if row["way"].startswith("Ray"))
