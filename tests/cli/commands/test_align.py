from __future__ import annotations

import gzip
import sys
import tempfile

import pytest
from support.full_disk import small_files


@pytest.fixture
def text(tmp_path):
    """Sentences whose translations have the word of each word, in order."""
    lines = [" ".join("abcdefgh"[i % 8 - j] for j in range(i % 5 + 2)) for i in range(200)]
    (tmp_path / "f").write_text("".join(f"{line}\n" for line in lines))
    (tmp_path / "e").write_text("".join(f"{line.upper()}\n" for line in lines))
    return tmp_path


def test_an_alignment(text, run):
    pytest.importorskip("eflomal", reason="eflomal is not installed")
    done = run("align", "-s", "f", "-t", "e", "-o", "links.gz", "--symmetrisation", "intersection")
    assert done.stdout == "" and done.stderr == "links.gz: links of 200 sentence pairs\n"
    lines = gzip.decompress((text / "links.gz").read_bytes()).decode().splitlines()
    right = [" ".join(f"{j}-{j}" for j in range(i % 5 + 2)) for i in range(200)]
    assert sum(a == b for a, b in zip(lines, right, strict=True)) > 180


def test_a_file_that_ends_early(text, run):
    pytest.importorskip("eflomal", reason="eflomal is not installed")
    (text / "e").write_text("x\n")
    done = run("align", "-s", "f", "-t", "e", "-o", "links", status=2)
    assert "e:2: expected as many lines as in the other files" in done.stderr
    assert not list(text.glob("links*"))


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="/dev/full is Linux's")
def test_a_full_disk(text, run):
    pytest.importorskip("eflomal", reason="eflomal is not installed")
    (text / "links").symlink_to("/dev/full")
    done = run("align", "-s", "f", "-t", "e", "-o", "links", status=2)
    assert "links: No space left on device" in done.stderr
    assert [path.name for path in text.rglob("*links*")] == ["links"]


def test_a_full_temporary_folder_is_named(text, run, monkeypatch):
    """The input is not to blame."""
    pytest.importorskip("eflomal", reason="eflomal is not installed")
    (text / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(text / "temporary"))
    with small_files(300):
        done = run("align", "-s", "f", "-t", "e", "-o", "links", status=2)
    assert done.stderr.splitlines()[-1] == f"hopefear: {text}/temporary: File too large"
    assert not list(text.rglob("*links*")) and not list((text / "temporary").iterdir())
