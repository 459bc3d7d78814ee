"""``hopefear compare``: two outputs, weights or runs on a set."""

from __future__ import annotations

from pathlib import Path

import pytest

from ..conftest import Run

REFERENCES = ("-r", "en.0", "-r", "en.1")


@pytest.fixture
def weights(sample: Path, corpus: Path) -> tuple[Path, Path]:
    """Two files of weights."""
    given, other = sample / "weights.init", corpus / "other"
    other.write_text(given.read_text("utf-8").replace("LanguageModel 0.1", "LanguageModel 2"), "utf-8")
    return given, other


def test_weights_and_their_outputs_score_as_hopefear_score_says(
    run: Run, sample: Path, corpus: Path, weights: tuple[Path, Path]
) -> None:
    config = ("-c", sample / "cdec.ini")
    for name, path in zip(("one", "two"), weights, strict=True):
        (corpus / name).write_text(run("decode", *config, "-w", path, "-i", "es").stdout, "utf-8")
    of_weights = run("compare", *weights, *config, "-i", "es", *REFERENCES, "-m", "bleu")
    of_texts = run("compare", "one", "two", *REFERENCES, "-m", "bleu", "-o", "texts.html")
    assert of_texts.stdout == of_weights.stdout
    # score gives the intervals of both systems, too
    scored = run("score", *REFERENCES, "-i", "two", "-a", "one").stdout.splitlines()[0]
    parts = [part.split(" ") for part in scored.split(", ") if not part.endswith("]")]
    after, before, difference = (part[-2].strip("[") for part in parts[:3])
    tail = scored[scored.index("difference") :]
    assert difference and of_texts.stdout == f"BLEU {before} → {after}, {tail}\n"
    assert "page: texts.html" in of_texts.stderr
    page = (corpus / "compare.html").read_text("utf-8")
    assert "Features that made the difference" in page and "LanguageModel" in page
    assert "Features that made the difference" not in (corpus / "texts.html").read_text("utf-8")


def test_runs_translate_with_their_own_features(run: Run, corpus: Path, tune: tuple[object, ...]) -> None:
    for name, more in (("plain", ()), ("richer", ("--feature", "RuleShape"))):
        run(*tune, "--passes", 2, "-o", name, *more)
    done = run("compare", "plain", "richer", "-i", "es", *REFERENCES)
    assert [line.split(" ")[0] for line in done.stdout.splitlines()] == ["BLEU", "chrF2"]
    assert "Shape_" in (corpus / "compare.html").read_text("utf-8")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("en.0", "weights"), "weights:"),
        (("en.0", "en.1", "--feature", "RuleShape"), "--feature needs --config"),
        (("en.0", "short"), "short: expected 12 lines as in en.0, got 1"),
        (("en.0", "en.1", "-i", "short"), "short: expected 12 lines as in en.0, got 1"),
        (("es", "es", "-c", "cdec.ini"), "cdec.ini: cannot be read"),
        ((".", "en.0"), "expected the folder of a finished run"),
    ],
)
def test_wrong_sides(run: Run, corpus: Path, options: tuple[str, ...], message: str) -> None:
    (corpus / "short").write_text("one\n", "utf-8")
    assert message in run("compare", *options, "-r", "en.0", status=2).stderr
    assert not (corpus / "compare.html").exists()
