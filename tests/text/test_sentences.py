"""Sentences of paragraphs, against sentences that people have marked."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as some

from hopefear.text.sentences import spans

MARKED = Path(__file__).with_name("sentences.tsv")
WITHOUT_BLANKS = ("ja", "zh", "my", "km")


def test_marked_sentences_are_found() -> None:
    """F1 of the ends inside paragraphs; two sentences that stay together are better than one that is cut."""
    right = wrong = missed = 0
    for line in MARKED.read_text("utf-8").splitlines():
        language, text = line.split("\t")
        parts = text.split(" | ")
        paragraph = ("" if language in WITHOUT_BLANKS else " ").join(parts)
        wanted, at = set(), 0
        for part in parts[:-1]:
            at = paragraph.index(part, at) + len(part)
            wanted.add(at)
        found = {end for _, end in spans(paragraph, language)} - {len(paragraph)}
        right, wrong, missed = (
            right + len(wanted & found),
            wrong + len(found - wanted),
            missed + len(wanted - found),
        )
    assert wrong <= 1
    assert 2 * right / (2 * right + wrong + missed) > 0.985


@given(some.text(some.sampled_from("aB.1 \n\"'()«»。」!?“”:*`é։")))
def test_only_white_space_lies_between_sentences(text: str) -> None:
    at = 0
    for begin, end in spans(text):
        assert not text[at:begin].strip()
        assert begin < end and text[begin:end] == text[begin:end].strip()
        at = end
    assert not text[at:].strip()


@given(some.text(some.sampled_from("aB. "), min_size=4), some.data())
def test_no_sentence_ends_inside_a_protected_part(text: str, draws: some.DataObject) -> None:
    begin = draws.draw(some.integers(0, len(text) - 2))
    end = draws.draw(some.integers(begin + 1, len(text)))
    for first, last in spans(text, None, [(begin, end)]):
        for place in (first, last):
            assert not (begin < place < end) or not text[begin:place].strip() or not text[place:end].strip()


def test_hostile_text_ends() -> None:
    """It is read in a time that grows with its length: this test would not end else."""
    shapes = ["(", "a. ", "(“", ".", "a.\n", '"A. ', "」", "\n \n", "1. ", " ", " \n", "。*"]
    for shape in shapes:
        spans("a." + shape * 30_000 + "b", "en")
