"""What an extractor keeps of the text changes no grammar."""

from __future__ import annotations

import random

import pytest
from support.world import write_parallel_text

from hopefear.grammars.bitext import Bitext
from hopefear.grammars.extractor import CDEC_FEATURES, CHIANG_FEATURES, POST_EDIT_SUPPORT, GrammarExtractor

FEATURES = [*CDEC_FEATURES, *CHIANG_FEATURES, POST_EDIT_SUPPORT]
OUT = (["veo", "la", "casa"], ["i", "see", "the", "house"], [(0, 0), (0, 1), (1, 2), (2, 3)])
"""A sentence pair; where it is left out at two places, nothing is kept of the text."""


@pytest.fixture(scope="module")
def pairs(tmp_path_factory):
    """Return some hundred sentence pairs, whose frequent words are frequent enough for the cache."""
    folder = tmp_path_factory.mktemp("text")
    write_parallel_text(folder, 400, ambiguous=True)
    lines = [(folder / f"train.{end}").read_text("utf-8").splitlines() for end in ("f", "e", "align")]
    draw = random.Random(3)
    found = []
    for source, target, links in zip(*lines, strict=True):
        points = [tuple(map(int, link.split("-"))) for link in links.split()]
        found.append((source.split(), target.split(), [point for point in points if draw.random() < 0.9]))
    return found


def extractor(pairs, **options):
    bitext = Bitext.from_pairs(pairs)
    return GrammarExtractor(bitext, features=FEATURES, corrections_from=len(bitext), **options)


def forgetful(pairs, **options):
    """Return an extractor of the text that keeps nothing where sentence pairs 0 and 2 are left out."""
    return extractor([OUT, pairs[0], OUT, *pairs[1:]], **options)


def rules(extractor, source, **options):
    """Return the rules as lines, in an order that is not that of the words of the text."""
    return sorted(extractor.grammar(source, **options).text().splitlines())


@pytest.mark.parametrize(
    "options", [{}, {"tight": False, "samples": 40}, {"min_gap": 2, "max_span": 6, "samples": 100, "top": 3}]
)
def test_grammars_are_those_of_a_text_of_which_nothing_is_kept(pairs, options):
    text, corrections = pairs[:340], pairs[340:]
    kept, anew = extractor(text, **options), forgetful(text, **options)
    for number, (source, target, links) in enumerate(corrections[:12]):
        for _ in range(2):  # what was kept for the first is used for the second
            assert rules(kept, source) == rules(anew, source, exclude=[0, 2])
        if number % 2:
            kept.add(source, target, links)
            anew.add(source, target, links)
    assert "PostEditSupport=1" in kept.grammar(corrections[1][0]).text()


@pytest.mark.parametrize("options", [{}, {"tight": False, "samples": 40}, {"samples": 300, "top": 3}])
def test_a_text_without_a_sentence_pair_has_the_grammars_of_one_that_never_had_it(pairs, options):
    kept = extractor(pairs, **options)
    for number in range(0, len(pairs), 130):
        without = extractor([*pairs[:number], *pairs[number + 1 :]], **options)
        for source in (pairs[number][0], pairs[number - 1][0]):
            expected = rules(without, source)
            for _ in range(2):  # what was kept for the first is used for the second
                assert rules(kept, source, exclude=[number]) == expected
    assert rules(kept, pairs[0][0]) == rules(extractor(pairs, **options), pairs[0][0])


def test_neighbours_are_left_out_together(pairs):
    kept, without = extractor(pairs), extractor([*pairs[:100], *pairs[180:]])
    fold = kept.exclusion(range(100, 180))
    for number in (99, 100, 180):
        source = pairs[number][0]
        for _ in range(2):
            assert rules(kept, source, exclude=fold) == rules(without, source)


def test_corrections_and_a_part_of_the_text_are_left_out(pairs):
    text, corrections = pairs[:300], pairs[300:]
    kept = extractor(text)
    without = extractor([*text[:120], *text[121:]])
    for pair in corrections:
        kept.add(*pair)
        without.add(*pair)
    exclusion = kept.exclusion([120, 310, 330])
    others = without.exclusion([309, 329])
    for number in (120, 310):
        source = pairs[number][0]
        for _ in range(2):
            assert rules(kept, source, exclude=exclusion) == rules(without, source, exclude=others)


def test_a_text_without_corrections_grows(pairs):
    bitext = Bitext.from_pairs(pairs[:300])
    grown = GrammarExtractor(bitext, features=FEATURES)
    grown.grammar(pairs[0][0])  # what is kept now is of the shorter text
    for pair in pairs[300:]:
        grown.add(*pair)
    whole = GrammarExtractor(Bitext.from_pairs(pairs), features=FEATURES)
    assert rules(grown, pairs[0][0]) == rules(whole, pairs[0][0])
    assert rules(grown, pairs[0][0], exclude=[0]) == rules(whole, pairs[0][0], exclude=[0])


@pytest.mark.parametrize(
    "options", [{}, {"tight": False, "samples": 40}, {"min_gap": 2, "max_span": 6, "samples": 100, "top": 3}]
)
def test_a_sentence_that_is_asked_for_again_has_the_rules_of_later_corrections(pairs, options):
    text, corrections = pairs[:340], pairs[340:380]
    asked = [[*source, "zorgulo"] for source, _, _ in corrections[:6]]
    options = {**options, "corrections_apart": True}
    kept, added = extractor(text, **options), list[tuple[list[str], list[str], list[tuple[int, int]]]]()
    for source in asked:
        kept.grammar(source)
    for source, target, links in corrections:
        added.append(([*source, "zorgulo"], [*target, "dragon"], [*links, (len(source), len(target))]))
        kept.add(*added[-1])
        if len(added) % 10:
            continue
        anew = extractor(text, **options)  # does not know the sentences
        for pair in added:
            anew.add(*pair)
        left_out = [len(text) + 2, len(text) + 5]
        exclusions = [each.growing_exclusion() for each in (kept, anew)]
        for each, exclusion in zip((kept, anew), exclusions, strict=True):
            for number in left_out:
                each.exclude(exclusion, number)
            each.withdraw(exclusion, [(("zorgulo",), ("dragon",))])
        for source in asked:
            assert kept.grammar(source).text() == anew.grammar(source).text()
            again = [
                each.grammar(source, exclude=out) for each, out in zip((kept, anew), exclusions, strict=True)
            ]
            assert again[0].text() == again[1].text()
    assert "PostEditSupport=1" in kept.grammar(asked[0]).text()
