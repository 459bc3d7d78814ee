from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.plugin_batches import Rules

from hopefear.plugins import InputError, PluginError, TokenType, WordTable, create


def texts_of(word: str, *types: str) -> tuple[str, ...]:
    table = WordTable(types)
    return table.texts(int(table.numbers([word])[0]))


def test_watanabes_examples(tmp_path: Path) -> None:
    classes = tmp_path / "classes"
    classes.write_text("violate 43\ntnthk 21\n")
    types = "surface", f"class:{classes}", "prefix", "suffix"
    assert texts_of("violate", *types) == ("violate", "<class-43>", "viol+", "+late")
    assert texts_of("tnthk", *types) == ("tnthk", "<class-21>", "tnth+", "+nthk")
    assert texts_of("2007/6/27", "surface", "digits") == ("2007/6/27", "@@@@/@/@@")


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("late", ("late", "late", "late", "late")),
        ("a", ("a", "a", "a", "a")),
        ("x=1;y", ("x_1_y", "x_1_+", "+_1_y", "x_@_y")),
        ("食べられる", ("食べられる", "食べられ+", "+べられる", "食べられる")),
        ("\uff11\uff12月", ("\uff11\uff12月", "\uff11\uff12月", "\uff11\uff12月", "@@月")),
        ("10\u00a0000", ("10\u00a0000", "10\u00a00+", "+\u00a0000", "@@\u00a0@@@")),
    ],
)
def test_letters_and_digits(word: str, expected: tuple[str, ...]) -> None:
    assert texts_of(word, "surface", "prefix", "suffix", "digits") == expected


def test_most_frequent_tag(tmp_path: Path) -> None:
    tagged = tmp_path / "tagged"
    tagged.write_text("run/VB the/DT run/NN\n\nrun/NN walk/VB and/or/CC walk/NN\n")
    assert [texts_of(word, f"pos:{tagged}") for word in ("run", "walk", "and/or", "the", "sit")] == [
        ("<NN>",),
        ("<VB>",),
        ("<CC>",),
        ("<DT>",),
        ("<unknown>",),
    ]


def test_unknown_class(tmp_path: Path) -> None:
    (tmp_path / "classes").write_text("0110 word 7\n")
    assert texts_of("word", f"class:{tmp_path / 'classes'}") == ("<class-0110>",)
    assert texts_of("Word", f"class:{tmp_path / 'classes'}") == ("<unknown>",)


def test_types_in_a_cdec_ini_line(tmp_path: Path) -> None:
    (tmp_path / "en").write_text("violate 43\n")
    plugin = create("WordPairs --types surface,class:en,digits", base=tmp_path)
    assert plugin.types == (TokenType("surface"), TokenType("class", tmp_path / "en"), TokenType("digits"))
    assert create("WordPairs --types class:/en", base=tmp_path).types == (TokenType("class", Path("/en")),)  # type: ignore[attr-defined]


@pytest.mark.parametrize("text", ["stem", "class", "class:", "surface:x", "", "prefix:"])
def test_no_type(text: str) -> None:
    with pytest.raises(
        ValueError, match="expected one of surface, prefix, suffix, digits, class:FILE, pos:FILE"
    ):
        TokenType.from_text(text)
    with pytest.raises(PluginError, match=f"token types: expected one of surface.*, got '{text}'"):
        WordTable([text])


def test_no_type_in_a_cdec_ini_line() -> None:
    with pytest.raises(PluginError, match=r"--types must be one of surface, .* got 'surface,stem'"):
        create("WordPairs --types surface,stem")


@pytest.mark.parametrize("types", [[], ["prefix", "prefix"], ["class:a", "class:b"]])
def test_none_or_twice(types: list[str]) -> None:
    with pytest.raises(PluginError, match="token types: expected one or more, each once, got "):
        WordTable(types)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "empty").write_text("")
    (tmp_path / "untagged").write_text("a/B\nword\n")
    with pytest.raises(InputError, match="empty: expected word/TAG, got an empty file"):
        WordTable([f"pos:{tmp_path / 'empty'}"])
    with pytest.raises(InputError, match="untagged:2: expected word/TAG, got 'word'"):
        WordTable([f"pos:{tmp_path / 'untagged'}"])
    with pytest.raises(InputError, match="missing: "):
        WordTable([f"class:{tmp_path / 'missing'}"])


def test_numbers_are_by_text() -> None:
    table = WordTable(["surface"])
    one, other = Rules("[X] ||| a [X,1] b a ||| [1] c"), Rules("[X] ||| c ||| b a")
    assert table.numbers(["b", "z", "b"]).tolist() == [0, 1, 0]
    assert table.ids(one, one.source).tolist() == [2, -1, 0, 2]
    assert table.ids(one, one.target).tolist() == [-1, 3]
    assert table.ids(other, other.target).tolist() == [0, 2]
    assert table.ids(other, other.source).tolist() == [3]
    assert len(table) == 4


class Batch:
    """Words by number, from `first_own_symbol` on those of a sentence."""

    def __init__(self, vocabulary: int, words: list[str], own: list[str]) -> None:
        self.vocabulary = vocabulary
        self.first_own_symbol = len(words) + 1
        self.words = words + own

    def symbol(self, symbol: int, /) -> str:
        return self.words[symbol - 1]


words = st.lists(st.text("abc", min_size=1, max_size=2), unique=True, max_size=6)


@settings(derandomize=True)
@given(
    st.lists(words, min_size=1, max_size=3),
    st.lists(st.tuples(st.integers(0, 2), words, st.lists(st.integers(-2, 11), max_size=12)), max_size=8),
)
def test_ids_mean_words(vocabularies: list[list[str]], calls: list[tuple[int, list[str], list[int]]]) -> None:
    table = WordTable(["surface"])
    for which, own, symbols in calls:
        base = vocabularies[which % len(vocabularies)]
        batch = Batch(which % len(vocabularies), base, [word for word in own if word not in base])
        known = [symbol for symbol in symbols if symbol <= len(batch.words)]
        ids = table.ids(batch, np.array(known, np.int32))  # type: ignore[arg-type]
        assert ids.dtype == np.int32
        found = [table.texts(number)[0] if number >= 0 else None for number in ids.tolist()]
        assert found == [batch.symbol(symbol) if symbol > 0 else None for symbol in known]
    everything = [table.texts(number)[0] for number in range(len(table))]
    assert len(set(everything)) == len(everything)


def test_threads_share_a_table() -> None:
    table = WordTable(["surface", "suffix"])
    base = [f"base{n}" for n in range(500)]

    def ask(thread: int) -> list[tuple[str, ...]]:
        rng = np.random.default_rng(thread)
        found: list[tuple[str, ...]] = []
        for _ in range(50):
            batch = Batch(0, base, [f"own{n}" for n in rng.permutation(20)])
            symbols = rng.integers(1, len(batch.words) + 1, 40).astype(np.int32)
            ids = table.ids(batch, symbols).tolist()  # type: ignore[arg-type]
            assert [table.texts(n)[0] for n in ids] == [batch.symbol(s) for s in symbols.tolist()]
            found += [table.texts(n) for n in ids]
        return found

    with ThreadPoolExecutor(8) as pool:
        found = {texts for answer in pool.map(ask, range(8)) for texts in answer}
    assert {text for text, _ in found} == {table.texts(n)[0] for n in range(len(table))}
    assert len(found) == len(table) == 520
