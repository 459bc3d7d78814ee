"""What an extractor keeps of the text changes no grammar."""

from __future__ import annotations

import random

import pytest
from support.small_parallel_text import write_parallel_text

from hopefear.grammars.bitext import Bitext
from hopefear.grammars.extractor import CDEC_FEATURES, CHIANG_FEATURES, POST_EDIT_SUPPORT, GrammarExtractor

FEATURES = [*CDEC_FEATURES, *CHIANG_FEATURES, POST_EDIT_SUPPORT]
OUT = (["veo", "la", "casa"], ["i", "see", "the", "house"], [(0, 0), (0, 1), (1, 2), (2, 3)])
"""A sentence pair; of a text without it nothing is kept."""


@pytest.fixture(scope="module")
def pairs(tmp_path_factory):
    """Give some hundred sentence pairs: frequent words are frequent enough for what they give to be kept."""
    folder = tmp_path_factory.mktemp("text")
    write_parallel_text(folder, 400, ambiguous=True)
    lines = [(folder / f"train.{end}").read_text("utf-8").splitlines() for end in ("f", "e", "align")]
    draw = random.Random(3)
    found = []
    for source, target, links in zip(*lines, strict=True):
        points = [tuple(map(int, link.split("-"))) for link in links.split()]
        found.append((source.split(), target.split(), [point for point in points if draw.random() < 0.9]))
    return found


def extractor(pairs, more=(), **options):
    bitext = Bitext.from_pairs([*more, *pairs])
    return GrammarExtractor(bitext, features=FEATURES, corrections_from=len(bitext), **options)


def rules(extractor, source, **options):
    """Give the rules as lines, in an order that is not that of the words of the text."""
    return sorted(extractor.grammar(source, **options).text().splitlines())


@pytest.mark.parametrize(
    "options", [{}, {"tight": False, "samples": 40}, {"min_gap": 2, "max_span": 6, "samples": 100, "top": 3}]
)
def test_grammars_are_those_of_a_text_of_which_nothing_is_kept(pairs, options):
    text, corrections = pairs[:340], pairs[340:]
    kept, anew = extractor(text, **options), extractor(text, [OUT], **options)
    for number, (source, target, links) in enumerate(corrections[:12]):
        for _ in range(2):  # what was kept for the first is used for the second
            assert rules(kept, source) == rules(anew, source, exclude=[0])
        if number % 2:
            kept.add(source, target, links)
            anew.add(source, target, links)
    assert "PostEditSupport=1" in kept.grammar(corrections[1][0]).text()


def test_a_text_that_is_left_out_is_not_in_what_was_kept(pairs):
    kept, anew = extractor(pairs[:340]), extractor(pairs[1:340], [OUT])
    source = pairs[350][0]
    kept.grammar(source)
    assert rules(kept, source, exclude=[0]) == rules(anew, source, exclude=[0])
