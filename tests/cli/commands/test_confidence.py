from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from support.world import World

SETTINGS = ("-c", "cdec.ini", "-w", "weights")


@pytest.fixture(name="doubtful")
def doubtful_folder(tmp_path: Path) -> Path:
    """Return a folder in which the translations of a are less sure than that of b."""
    rules = "[X] ||| a ||| u ||| p=1\n[X] ||| a ||| v ||| p=0.5\n"
    rules += "[X] ||| b ||| w ||| p=1\n[X] ||| b ||| z ||| p=-9\n"
    texts = {"f": "a b\n" * 10, "e": "u w\nv w\nv w\nu w\nv w\n" * 2}
    return World(rules, weights={"p": 1}, files=texts).write(tmp_path).parent


def test_it_is_measured_and_learned(doubtful, run):
    before = run("confidence", *SETTINGS, "-i", "f", "-r", "e", "--plot", "plot.png").stdout
    assert (doubtful / "plot.png").read_bytes().startswith(b"\x89PNG")
    assert before.startswith("words 20\nkept 0.700\narea under the curve 0.857\n")
    assert not (doubtful / "weights.confidence").exists()
    learned = run("confidence", *SETTINGS, "-i", "f", "-r", "e", "--learn").stdout
    assert set(json.loads((doubtful / "weights.confidence").read_text())) == {
        "scale", "constant", "word", "context",
    }  # fmt: skip
    after = run("confidence", *SETTINGS, "-i", "f", "-r", "e").stdout
    assert after == learned
    errors = [float(text.splitlines()[3].rpartition(" ")[2]) for text in (before, after)]
    assert errors[1] < errors[0]


def test_explain_shows_it(doubtful, run):
    found = json.loads(run("explain", *SETTINGS, "--json", text="a b\n").stdout)
    assert [found["text"][begin:end] for begin, end in found["words"]] == ["u", "w"]
    first, second = found["confidence"]
    assert 0 < first < second < 1
    (doubtful / "weights.confidence").write_text(
        '{"scale": 2, "constant": -1.5, "word": 0.2, "context": 0.2}'
    )
    assert "doubtful     u 0." in run("explain", *SETTINGS, text="a b\n").stdout
    run("explain", *SETTINGS, "--html", "page.html", text="a b\n")
    page = (doubtful / "page.html").read_text()
    best = re.search("<b>(.*)</b> <span>", page)
    assert best is not None and re.sub("<.*?>", "", best[1]) == "u w"
    assert [span.endswith("u") for span in re.findall("rgba.*?>.", best[1])] == [True]  # w is not shaded


def test_weights_must_be_a_file(doubtful, run):
    done = run("confidence", "-c", "cdec.ini", "-w", "none", "-i", "f", "-r", "e", "--learn", status=2)
    assert "expected a file of weights" in done.stderr
