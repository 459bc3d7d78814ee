from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.brute_force import deterministic

from hopefear.base import InputError
from hopefear.grammars.arpa import write_arpa
from hopefear.grammars.ngram_counts import NgramCounts, count_ngrams
from hopefear.grammars.ngram_model import estimate

texts = st.lists(st.lists(st.sampled_from("abcdefgh"), max_size=6).map(" ".join), max_size=8)
orders = st.integers(1, 6)


def by_words(counts: NgramCounts) -> dict[tuple[str, ...], int]:
    ngrams = [tuple(counts.words[i] for i in row) for row in counts.ngrams.tolist()]
    assert len(set(ngrams)) == len(ngrams)
    return dict(zip(ngrams, counts.counts.tolist(), strict=True))


def assert_same(a: NgramCounts, b: NgramCounts) -> None:
    assert a.words == b.words
    np.testing.assert_array_equal(a.ngrams, b.ngrams)
    np.testing.assert_array_equal(a.counts, b.counts)
    assert (a.ngrams.dtype, a.counts.dtype) == (b.ngrams.dtype, b.counts.dtype) == (np.int32, np.int64)


@deterministic
@given(texts, orders)
def test_every_ngram_is_counted(text: list[str], order: int) -> None:
    expected: Counter[tuple[str, ...]] = Counter()
    for line in text:
        sentence = (*["<s>"] * (order - 1), *line.split(), "</s>")
        expected.update(sentence[i : i + order] for i in range(len(sentence) - order + 1))
    counts = count_ngrams(text, order)
    assert by_words(counts) == expected
    assert counts.order == order
    keys = [row[::-1] for row in counts.ngrams.tolist()]
    assert keys == sorted(keys)


@deterministic
@given(st.lists(texts, min_size=2, max_size=5), orders)
def test_leaving_a_part_out_is_counting_the_others(parts: list[list[str]], order: int) -> None:
    counts = [count_ngrams(part, order) for part in parts]
    for out in range(len(parts)):
        rest = [part for i, part in enumerate(parts) if i != out]
        anew = count_ngrams([line for part in rest for line in part], order)
        assert_same(NgramCounts.merged(counts[:out] + counts[out + 1 :]), anew)


def test_folds_of_a_real_text(shared: Path, tmp_path: Path) -> None:
    """Models without one of five folds are, byte for byte, those of the other folds' text."""
    lines = (shared / "data/bible-es-en/dev.en.0").read_text().splitlines()
    folds = [lines[i::5] for i in range(5)]
    counts = [count_ngrams(fold, 3) for fold in folds]
    for out in (0, 3):
        rest = [fold for i, fold in enumerate(folds) if i != out]
        anew = count_ngrams([line for fold in rest for line in fold], 3)
        merged = NgramCounts.merged(counts[:out] + counts[out + 1 :])
        write_arpa(estimate(anew), tmp_path / "anew.gz")
        write_arpa(estimate(merged), tmp_path / "merged.gz")
        assert (tmp_path / "anew.gz").read_bytes() == (tmp_path / "merged.gz").read_bytes()


def test_what_separates_words() -> None:
    """As in KenLM: an ideographic space, a no-break space and a line separator are parts of words."""
    words = "a\u3000b", "c\u00a0d", "e\u2028f", "g\x0bh"
    counts = count_ngrams([f" {words[0]}\t{words[1]}\r{words[2]}\0{words[3]}  \n"], 1)
    assert counts.words == ("<unk>", "<s>", "</s>", *words)


def test_special_words() -> None:
    with pytest.raises(InputError, match=r"^t:6: expected a word, got </s>, .*: remove it, or skip"):
        count_ngrams(["a", "b </s> <unk>"], 2, path="t", first_line=5)
    assert_same(
        count_ngrams(["a", "b </s> <unk>", "<s>"], 2, skip_symbols=True), count_ngrams(["a", "b", ""], 2)
    )


def test_arguments() -> None:
    for order in (0, 7):
        with pytest.raises(ValueError, match="order must be from 1 to 6"):
            count_ngrams(["a"], order)
    with pytest.raises(ValueError, match="the same order"):
        NgramCounts.merged([count_ngrams(["a"], 1), count_ngrams(["a"], 2)])
    with pytest.raises(ValueError, match="the same order"):
        NgramCounts.merged([])


@pytest.mark.parametrize("text", [["a b a", "", "ü 日本"], []])
def test_saved_counts(text: list[str], tmp_path: Path) -> None:
    counts = count_ngrams(text, 3)
    counts.save(tmp_path / "a.npz")
    counts.save(tmp_path / "b")
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b").read_bytes()
    assert_same(NgramCounts.load(tmp_path / "a.npz"), counts)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.npz", "b"]


def test_files_that_hold_no_counts(tmp_path: Path) -> None:
    path = tmp_path / "counts.npz"
    with pytest.raises(InputError, match=r"counts.npz: cannot be read: No such file"):
        NgramCounts.load(path)
    count_ngrams(["a b"], 2).save(path)
    whole = path.read_bytes()
    rows, ones = np.zeros((1, 2), np.int32), np.ones(1, np.int64)
    words = np.frombuffer(b"<unk>\n<s>\n</s>\na", np.uint8)
    for content in (b"", b"text", whole[:-30], whole[: len(whole) // 2]):
        path.write_bytes(content)
        with pytest.raises(InputError, match=r"counts.npz: expected n-gram counts, a whole npz file"):
            NgramCounts.load(path)
    for arrays in (
        {"words": words, "ngrams": rows},
        {"words": words, "ngrams": rows + 4, "counts": ones},
        {"words": words[:6], "ngrams": rows + 2, "counts": ones},
        {"words": words, "ngrams": rows + 2, "counts": ones.astype(float)},
        {"words": words, "ngrams": rows[0] + 2, "counts": ones},
        {"words": words, "ngrams": rows + 2, "counts": np.ones(2, np.int64)},
        {"words": np.array([None]), "ngrams": rows + 2, "counts": ones},
    ):
        np.savez(path, **arrays)
        with pytest.raises(InputError, match=r"counts.npz: expected n-gram counts"):
            NgramCounts.load(path)
