"""Models of whole files: KenLM's numbers, KenLM's program, and KenLM in the decoder."""

from __future__ import annotations

import gzip
import shutil
import sys
from pathlib import Path

import pytest
from support import brute_force as bf
from support.world import World

from hopefear.base import InputError
from hopefear.grammars.ngram_files import estimate_arpa

FALLBACK = [0.5, 1.0, 1.5]


def read(path: Path) -> bf.Ngrams:
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as lines:
        return bf.Ngrams.from_arpa(lines)


def check_same(ours: Path, kenlm: Path) -> None:
    """The same n-grams in the same order, with the same numbers."""
    with gzip.open(ours, "rt", encoding="utf-8") as lines, gzip.open(kenlm, "rt", encoding="utf-8") as others:
        for line, expected in zip(lines, others, strict=True):
            if line != expected:
                (found, words, *backoff), (value, ngram, *weight) = line.split("\t"), expected.split("\t")
                assert words.strip() == ngram.strip()
                assert abs(float(found) - float(value)) < 1e-5
                assert abs(float(*backoff or "0") - float(*weight or "0")) < 1e-5


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "model", "order", "prune"),
    [
        ("tanaka/train.ja.gz", "tanaka/en-ja", 4, []),
        ("bible-de-en/train.en.gz", "bible-de-en", 5, []),
        ("bible-es-en/train.en.gz", "bible-es-en", 4, [0, 0, 1]),
    ],
)
def test_kenlms_models(
    text: str, model: str, order: int, prune: list[int], shared: Path, tmp_path: Path
) -> None:
    data = shared / "data"
    estimate_arpa([data / text], order, tmp_path / "lm.arpa.gz", prune=prune, use="ours")
    check_same(tmp_path / "lm.arpa.gz", data / model / "lm.arpa.gz")


def test_the_decoder_scores_with_it(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("the house\nthe red house\na house\nred red\n")
    estimate_arpa([tmp_path / "text"], 3, tmp_path / "lm.arpa.gz", fallback=FALLBACK, use="ours")
    model = read(tmp_path / "lm.arpa.gz")
    lines = ["add_pass_through_rules=true", "feature_function=KLanguageModel lm.arpa.gz"]
    decoder = World(lines=lines, weights={"LanguageModel": 1.0}).decoder(tmp_path)
    for text in ("the red house", "red house the", "a green house", "house"):
        forest = decoder.translate(text)
        values = forest.features(next(iter(forest.derivations(1))))
        assert values["LanguageModel"] == pytest.approx(model.sentence(text.split()), abs=1e-5)


def test_several_texts_are_one(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("c b\na b\n")
    (tmp_path / "b.gz").write_bytes(gzip.compress(b"b a\n"))
    (tmp_path / "ab").write_text("c b\na b\nb a\n")
    options = {"fallback": FALLBACK, "use": "ours"}
    assert estimate_arpa([tmp_path / "a", tmp_path / "b.gz"], 2, tmp_path / "two", **options) is None
    estimate_arpa([tmp_path / "ab"], 2, tmp_path / "one", **options)
    assert (tmp_path / "two").read_bytes() == (tmp_path / "one").read_bytes()


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An lmplz that writes down its arguments and its text, and fails at the word "fail"."""
    folder = tmp_path / "bin"
    folder.mkdir()
    program = folder / "lmplz"
    program.write_text(
        f"#!{sys.executable}\nimport sys\ntext = sys.stdin.read()\nprint(sys.argv[1:], text)\n"
        "if 'fail' in text:\n    print('=== 1/5 ===\\n\\nCould not\\ncalculate', file=sys.stderr)\n"
        "    sys.exit(3)\n"
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(folder))
    return program


def test_lmplz_is_used_if_it_is_there(fake: Path, tmp_path: Path) -> None:
    (tmp_path / "a").write_text("c\tb\n")
    (tmp_path / "b").write_text("<s> a")
    for output, opened in (("lm", open), ("lm.gz", gzip.open)):
        used = estimate_arpa(
            [tmp_path / "a", tmp_path / "b"],
            3,
            tmp_path / output,
            prune=[0, 1],
            fallback=[0.5, 1],
            skip_symbols=True,
        )
        assert used == str(fake)
        with opened(tmp_path / output, "rt") as file:
            arguments = "['-o', '3', '-S', '1G', '--prune', '0', '1', '--discount_fallback', '0.5', '1']"
            assert file.read() == f"{arguments} c b\na\n\n"
    assert estimate_arpa([tmp_path / "a"], 2, tmp_path / "lm", fallback=FALLBACK, use="ours") is None
    assert (tmp_path / "lm").read_text().startswith("\\data\\\nngram 1=5\n")


def test_lmplz_that_fails(fake: Path, tmp_path: Path) -> None:
    (tmp_path / "a").write_text("fail\n")
    with pytest.raises(InputError, match=r"lmplz: failed with status 3: === 1/5 === Could not calculate$"):
        estimate_arpa([tmp_path / "a"], 3, tmp_path / "lm")
    assert not list(tmp_path.glob("lm*"))


def test_lmplz_that_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    (tmp_path / "a").write_text("a\n")
    with pytest.raises(InputError, match="expected lmplz on the path, found none"):
        estimate_arpa([tmp_path / "a"], 3, tmp_path / "lm", use="lmplz")
    assert estimate_arpa([tmp_path / "a"], 3, tmp_path / "lm", fallback=FALLBACK) is None


@pytest.mark.skipif(shutil.which("lmplz") is None, reason="no lmplz on the path")
@pytest.mark.parametrize("order", range(1, 7))
@pytest.mark.parametrize("prune", [[], [0, 1], [0, 0, 1, 2], [1]])
def test_lmplz_itself(order: int, prune: list[int], shared: Path, tmp_path: Path) -> None:
    text = shared / "data/bible-es-en/dev.en.0"
    options = {"prune": prune[:order], "fallback": FALLBACK}
    estimate_arpa([text], order, tmp_path / "ours.gz", use="ours", **options)
    assert estimate_arpa([text], order, tmp_path / "lmplz.gz", use="lmplz", **options)
    check_same(tmp_path / "ours.gz", tmp_path / "lmplz.gz")


@pytest.mark.parametrize("order", [0, 7])
def test_orders_out_of_range(tmp_path: Path, order: int) -> None:
    (tmp_path / "a").write_text("a\n")
    with pytest.raises(InputError, match=f"expected an order from 1 to 6, got {order}"):
        estimate_arpa([tmp_path / "a"], order, tmp_path / "lm")


def test_a_text_that_is_wrong(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"a\n\xff\n")
    (tmp_path / "b").write_text("a\n<unk>\n")
    for name, message in (
        ("a", "a:2: expected UTF-8"),
        ("b", "b:2: expected a word, got <unk>"),
        ("c", "c: cannot be"),
    ):
        with pytest.raises(InputError, match=message):
            estimate_arpa([tmp_path / name], 3, tmp_path / "lm", use="ours")
    assert not (tmp_path / "lm").exists()
