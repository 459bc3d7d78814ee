"""What a joint model learns from, by hand after Devlin et al. (2014, section 2.1)."""

from __future__ import annotations

import pytest

from hopefear.tuners.joint import Examples, JointSettings, Pair, Vocabulary, affiliations
from hopefear.tuners.joint.examples import vocabularies
from hopefear.tuners.joint.network_file import SOURCE_MARKS, TARGET_MARKS


@pytest.mark.parametrize(
    ("words", "links", "expected"),
    [
        (2, [(3, 0), (1, 1)], [3, 1]),
        (1, [(4, 0), (0, 0), (2, 0)], [2]),  # the middle one
        (1, [(4, 0), (0, 0), (2, 0), (5, 0)], [2]),  # rounded down
        (3, [(7, 0), (2, 2)], [7, 2, 2]),  # of two at the same distance, the right one
        (4, [(7, 0), (2, 3)], [7, 7, 2, 2]),  # the closest one
        (4, [(5, 1)], [5, 5, 5, 5]),
    ],
)
def test_affiliations(words: int, links: list[tuple[int, int]], expected: list[int]) -> None:
    assert affiliations(words, links) == expected


def test_a_sentence_with_its_ends() -> None:
    source, target = Vocabulary((*SOURCE_MARKS, "f", "g")), Vocabulary((*TARGET_MARKS, "e", "d"))
    pair = Pair(["f", "new", "g"], ["d", "e"], [(2, 0), (0, 1)])
    found = Examples.of([pair], source, target, JointSettings(history=2, around=1))
    # 0 <unk>, 1 <s>, 2 </s>; source: 3 f, 4 g; target: 4 e, 5 d.
    assert found.history.tolist() == [[1, 1], [1, 5], [5, 4]]
    assert found.window.tolist() == [[0, 4, 2], [1, 3, 0], [4, 2, 2]]
    assert found.target.tolist() == [5, 4, 2]
    back = Examples.of([pair], source, target, JointSettings(history=2, around=1, right_to_left=True))
    assert back.history.tolist() == [[1, 1], [1, 4], [4, 5]]
    assert back.window.tolist() == [[1, 3, 0], [0, 4, 2], [1, 1, 3]]
    assert back.target.tolist() == [4, 5, 2]
    table = Examples.of([pair], source, target, JointSettings(history=0, around=1))
    assert table.history.shape == (3, 0)
    assert table.window.tolist() == found.window.tolist()


def test_vocabularies_have_the_most_frequent_words_that_occur_again() -> None:
    sentences = [["b", "a", "<s>"], ["a", "b", "c"], ["c", "c", "once", "<s>"]]
    pairs = [Pair(words, words, [(0, 0)]) for words in sentences]
    assert vocabularies(pairs, 2)[0].words == (*SOURCE_MARKS, "c", "a")
    assert vocabularies(pairs, 9)[1].words == (*TARGET_MARKS, "c", "a", "b")
