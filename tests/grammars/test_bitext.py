from __future__ import annotations

import gzip
import re

import pytest

from hopefear.base import InputError
from hopefear.grammars.bitext import Bitext, check_files
from hopefear.grammars.extractor import GrammarExtractor


@pytest.fixture
def files(tmp_path):
    for name, text in {
        "f": "das haus\nein haus\n",
        "e": "the house\na house\n",
        "a": "0-0 1-1\n1-1\n",
    }.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def rules(bitext, line):
    grammar = GrammarExtractor(bitext).grammar(line.split())
    return {(rule.source, rule.target) for rule in grammar}


def test_reading(files):
    bitext = Bitext.read(files / "f", files / "e", files / "a")
    assert len(bitext) == 2
    assert rules(bitext, "haus das") == rules(
        Bitext.from_pairs(
            [
                (["das", "haus"], ["the", "house"], [(0, 0), (1, 1)]),
                (["ein", "haus"], ["a", "house"], [(1, 1)]),
            ]
        ),
        "haus das",
    )


def test_files_are_checked_without_reading_them_in(files):
    assert check_files(files / "f", files / "e") == 2
    assert check_files(files / "f", files / "e", files / "a", reverse=True) == 2
    (files / "e").write_text("the\nhouse\n")
    with pytest.raises(InputError, match="a:1: expected links between 2 and 1 words, got 1-1"):
        check_files(files / "f", files / "e", files / "a")
    with pytest.raises(InputError, match="a:1: expected links between 1 and 2 words, got 1-1"):
        check_files(files / "f", files / "e", files / "a", reverse=True)


def test_packed_files_and_blanks(files):
    with gzip.open(files / "f.gz", "wt") as out:
        out.write(" das \t haus \r\nein haus")
    packed = Bitext.read(files / "f.gz", files / "e", files / "a")
    assert rules(packed, "das haus") == rules(Bitext.read(files / "f", files / "e", files / "a"), "das haus")


def test_links_the_other_way_round(files):
    (files / "a").write_text("0-1 1-0\n1-0\n")
    (files / "back").write_text("1-0 0-1\n0-1\n")
    there = Bitext.read(files / "f", files / "e", files / "a")
    assert rules(there, "haus") == rules(
        Bitext.read(files / "f", files / "e", files / "back", reverse=True), "haus"
    )
    assert (("haus",), ("the",)) in rules(there, "haus")


def test_empty_sentences_and_an_empty_text(files):
    for name in "fea":
        (files / name).write_text("\n\n")
    assert rules(Bitext.read(files / "f", files / "e", files / "a"), "haus") == set()
    for name in "fea":
        (files / name).write_text("")
    assert len(Bitext.read(files / "f", files / "e", files / "a")) == 0


def test_a_link_twice_is_one_link():
    once, twice = (Bitext.from_pairs([(["a"], ["b"], [(0, 0)] * n)]) for n in (1, 2))
    assert GrammarExtractor(once).grammar(["a"]).text() == GrammarExtractor(twice).grammar(["a"]).text()


@pytest.mark.parametrize(
    ("name", "content", "line", "message"),
    [
        ("f", "das haus\n", 2, "expected as many lines as in the other files"),
        ("a", "0-0\n", 2, "expected as many lines as in the other files"),
        ("a", "0-0\n0:1\n", 2, "expected links such as 0-0 1-2, got '0:1'"),
        ("a", "0-0\n0-1-1\n", 2, "expected links such as 0-0 1-2, got '0-1-1'"),
        ("a", "0-0\n-1-1\n", 2, "expected links such as 0-0 1-2, got '-1-1'"),
        ("a", "0-2\n1-1\n", 1, "expected links between 2 and 2 words, got 0-2"),
        ("a", "99999-0\n1-1\n", 1, "expected links between 2 and 2 words, got 99999-0"),
        ("a", "99999999999999999999-0\n1-1\n", 1, "expected links such as 0-0 1-2"),
        ("f", b"das \xff\nein haus\n", 1, "expected UTF-8, got byte 0xff at byte 5"),
        ("e", b"the house\na \0 house\n", 2, "expected text, got a zero byte"),
        ("a", b"0-0\n1-1\0\n", 2, "expected text, got a zero byte"),
        ("f", "a " * 70_000 + "\nb\n", 1, "expected at most 65535 words in a sentence"),
        ("f.gz", b"\x1f\x8bbroken", None, ""),
        ("none", None, None, "cannot be opened"),
    ],
)
def test_bad_files(files, name, content, line, message):
    if isinstance(content, str):
        (files / name).write_text(content)
    elif content is not None:
        (files / name).write_bytes(content)
    names = {"f": "f", "e": "e", "a": "a"} | ({name: name} if name in "fea" else {"f": name})
    paths = [files / part for part in names.values()]
    for entry in Bitext.read, check_files:
        with pytest.raises(InputError) as caught:
            entry(*paths)
        assert message in str(caught.value)
        if line is not None:
            assert caught.value.path == str(files / name) and caught.value.line == line
    if name == "a":
        assert check_files(*paths[:2]) == 2


@pytest.mark.parametrize("link", [(0, 1), (1, 0), (-1, 0), (0, -7), (0, 65535), (65536, 0), (2**40, -1)])
def test_links_outside(link):
    message = re.escape(f"expected links between 1 and 1 words, got {link[0]}-{link[1]}")
    with pytest.raises(ValueError, match=f"^{message}$"):
        Bitext.from_pairs([(["a"], ["b"], [link])])
    extractor = GrammarExtractor(Bitext.from_pairs([]))
    with pytest.raises(ValueError, match=f"^{message}$"):
        extractor.add(["a"], ["b"], [link])


@pytest.mark.parametrize("word", ["", "a b", "a\n", "\t"])
def test_what_is_no_word(word):
    with pytest.raises(ValueError, match="expected words without blanks"):
        Bitext.from_pairs([([word], ["b"], [])])


def test_words_of_both_sides():
    bitext = Bitext.from_pairs([([], ["x"], []), (["a", "b"], [], [])])
    assert [bitext.source(i) for i in range(2)] == [(), ("a", "b")]
    assert [bitext.target(i) for i in range(2)] == [("x",), ()]
    for side in (bitext.source, bitext.target):
        for wrong in (-1, 2):
            with pytest.raises(IndexError, match=f"from 0 to 2 exclusive, got {wrong}"):
                side(wrong)
