from __future__ import annotations

import gzip
import math
import random
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from itertools import permutations, product

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from support.brute_force_extraction import Limits, X, brute_force, lexical_counts, patterns, shape

from hopefear.decoder import Decoder, Segment
from hopefear.grammars.bitext import Bitext
from hopefear.grammars.extractor import CDEC_FEATURES, CHIANG_FEATURES, POST_EDIT_SUPPORT, GrammarExtractor

ALL = (*CDEC_FEATURES, *CHIANG_FEATURES, POST_EDIT_SUPPORT)


def text_of(symbols):
    """A side in cdec's form, symbol by symbol."""
    return tuple(s if isinstance(s, str) else f"[X,{s if isinstance(s, int) else s[1]}]" for s in symbols)


def rules_of(grammar):
    out = {(text_of(r.source), text_of(r.target)): (r.features, r.alignment) for r in grammar}
    assert len(out) == len(grammar)
    return out


def check_same(grammar, expected):
    got = rules_of(grammar)
    assert got.keys() == expected.keys()
    for rule, (features, alignment) in expected.items():
        assert got[rule][0] == pytest.approx(features, abs=1e-5), rule
        assert got[rule][1] == alignment, rule


@st.composite
def pairs(draw, longest=7):
    source = draw(st.lists(st.sampled_from("abc"), min_size=0, max_size=longest))
    target = draw(st.lists(st.sampled_from("xyz"), min_size=0, max_size=longest))
    links = []
    if source and target:
        point = st.tuples(st.integers(0, len(source) - 1), st.integers(0, len(target) - 1))
        links = draw(st.lists(point, max_size=longest + 1))
    return tuple(source), tuple(target), tuple(links)


@st.composite
def limits(draw):
    return Limits(
        max_symbols=draw(st.integers(1, 6)),
        max_nonterminals=draw(st.integers(0, 3)),
        max_span=draw(st.integers(1, 8)),
        min_gap=draw(st.integers(1, 2)),
        tight=draw(st.booleans()),
        samples=draw(st.sampled_from([1, 3, 300])),
    )


corpora = st.lists(pairs(), min_size=1, max_size=6)
sentences = st.lists(st.sampled_from("abcd"), max_size=6)


LONG = [(("a", "a"), ("x",), ((0, 0),))]  # longer than a phrase, with as many symbols as a source side


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(corpora, sentences, limits())
@example(LONG, ["a", "a"], Limits(max_symbols=2, max_nonterminals=0, max_span=1, tight=False))
def test_rules_are_those_of_the_definition(corpus, tokens, limits):
    extractor = GrammarExtractor(Bitext.from_pairs(corpus), features=ALL, **asdict(limits))
    check_same(extractor.grammar(tokens), brute_force(corpus, tokens, limits))


@settings(max_examples=100, deadline=None)
@given(corpora, sentences, limits(), st.data())
def test_a_text_without_the_excluded_pairs_gives_the_same(corpus, tokens, limits, data):
    out = data.draw(st.sets(st.integers(0, len(corpus) - 1)))
    rest = [pair for i, pair in enumerate(corpus) if i not in out]
    options = dict(asdict(limits), features=ALL, top=data.draw(st.sampled_from([None, 1, 2])))
    extractor = GrammarExtractor(Bitext.from_pairs(corpus), **options)
    expected = rules_of(GrammarExtractor(Bitext.from_pairs(rest), **options).grammar(tokens))
    check_same(extractor.grammar(tokens, exclude=out), expected)
    check_same(extractor.grammar(tokens, exclude=extractor.exclusion(out)), expected)


@settings(max_examples=100, deadline=None)
@given(corpora, corpora, sentences, limits())
def test_added_pairs_count_as_if_they_had_always_been_there(corpus, more, tokens, limits):
    options = dict(asdict(limits), features=ALL)
    extractor = GrammarExtractor(Bitext.from_pairs(corpus), **options)
    for source, target, links in more:
        extractor.add(source, target, links)
    assert len(extractor.bitext) == len(corpus) + len(more)
    whole = GrammarExtractor(Bitext.from_pairs([*corpus, *more]), **options)
    assert extractor.grammar(tokens).text() == whole.grammar(tokens).text()


@settings(max_examples=150, deadline=None)
@given(st.lists(pairs(), max_size=4), st.lists(pairs(), max_size=4), sentences, limits(), st.data())
def test_corrections_count_beside_the_sampled_text(corpus, more, tokens, limits, data):
    options = dict(asdict(limits), features=ALL, corrections_from=len(corpus))
    extractor = GrammarExtractor(Bitext.from_pairs(corpus), **options)
    for pair in more:
        extractor.add(*pair)
    whole = [*corpus, *more]
    check_same(extractor.grammar(tokens), brute_force(whole, tokens, limits, len(corpus)))
    # Without some of the corrections, such as those of another translator.
    out = data.draw(st.sets(st.integers(len(corpus), len(whole)))) - {len(whole)}
    rest = [pair for i, pair in enumerate(whole) if i not in out]
    check_same(extractor.grammar(tokens, exclude=out), brute_force(rest, tokens, limits, len(corpus)))


def symbols_of(side):
    return [X.index(symbol) + 1 if symbol in X else symbol for symbol in side]


@settings(max_examples=60, deadline=None)
@given(
    st.lists(pairs(), max_size=3), st.lists(pairs(), min_size=1, max_size=4), sentences, limits(), st.data()
)
def test_corrections_do_not_give_what_is_withdrawn(corpus, more, tokens, limits, data):
    options = dict(asdict(limits), features=ALL, corrections_from=len(corpus))
    extractor = GrammarExtractor(Bitext.from_pairs([*corpus, *more]), **options)
    exclusion = extractor.growing_exclusion()
    known = sorted(brute_force([*corpus, *more], tokens, limits, len(corpus)))
    rules = data.draw(st.lists(st.sampled_from(known), max_size=3) if known else st.just([]))
    extractor.withdraw(exclusion, [tuple(map(symbols_of, rule)) for rule in rules])
    expected = brute_force([*corpus, *more], tokens, limits, len(corpus), rules)
    check_same(extractor.grammar(tokens, exclude=exclusion), expected)
    assert all(rule not in expected or not expected[rule][0][POST_EDIT_SUPPORT] for rule in rules)
    extractor.withdraw(exclusion, [])
    assert extractor.grammar(tokens, exclude=exclusion).text() == extractor.grammar(tokens).text()


def test_a_rule_is_withdrawn_before_any_sentence_has_its_words():
    extractor = GrammarExtractor(Bitext.from_pairs([]), features=ALL, corrections_from=0)
    exclusion = extractor.growing_exclusion()
    extractor.withdraw(exclusion, [(("a",), ("x",)), ((1, "b"), ("y", 1))])
    extractor.add(["a", "b"], ["y", "x"], [(0, 1), (1, 0)])
    left = rules_of(extractor.grammar(["a", "b"], exclude=exclusion))
    assert [*left] == [(("b",), ("y",))]
    other = GrammarExtractor(Bitext.from_pairs([]), corrections_from=0)
    with pytest.raises(ValueError, match="those of another"):
        other.withdraw(exclusion, [])


@settings(max_examples=50, deadline=None)
@given(corpora, sentences, st.randoms(use_true_random=False))
def test_pairs_can_be_excluded_one_by_one(corpus, tokens, draw):
    extractor = GrammarExtractor(Bitext.from_pairs(corpus), features=ALL)
    growing, out = extractor.growing_exclusion(), []
    for number in draw.sample(range(len(corpus)), len(corpus)):
        extractor.exclude(growing, number)
        out.append(number)
        assert extractor.grammar(tokens, exclude=growing).text() == (
            extractor.grammar(tokens, exclude=out).text()
        )
    with pytest.raises(ValueError, match="expected sentence pairs from 0"):
        extractor.exclude(growing, len(corpus))


@settings(max_examples=50, deadline=None)
@given(corpora, pairs(), st.data())
def test_links_are_counted_as_for_the_lexical_features(corpus, pair, data):
    out = data.draw(st.sets(st.integers(0, len(corpus) - 1)))
    extractor = GrammarExtractor(Bitext.from_pairs(corpus))
    source, target = [*pair[0], "unknown"], [*pair[1], "unknown"]
    got = extractor.link_counts(source, target, exclude=extractor.exclusion(out))
    pairs, sources, targets = lexical_counts([pair for i, pair in enumerate(corpus) if i not in out])
    rows, columns = [*source, None], [*target, None]
    assert got[0].tolist() == [[pairs[f, e] for e in columns] for f in rows]
    assert got[1].tolist() == [sources[f] for f in rows]
    assert got[2].tolist() == [targets[e] for e in columns]


def test_neighbouring_nonterminals_leave_one_gap_in_the_target():
    pair = (["b", "a", "c"], ["s", "x", "x", "x", "t"], ((0, 1), (1, 0), (1, 4), (2, 2), (2, 3)))
    limits = Limits(max_nonterminals=2)
    extractor = GrammarExtractor(Bitext.from_pairs([pair]), features=ALL)
    rule = ("[X,1]", "a", "[X,2]"), ("s", "[X,1]", "[X,2]", "t")
    grammar = extractor.grammar(pair[0])
    assert rules_of(grammar)[rule][0]["LogProbFgivenE"] == 0
    check_same(grammar, brute_force([pair], pair[0], limits))


def test_loose_phrases_count_a_rule_as_often_as_cdecs_extractor_does():
    """An unlinked word belongs to the nonterminal before it or to no phrase: the rule is the same."""
    pair = (["f", "g"], ["w", "x", "u", "u"], [(0, 0), (1, 1)])
    extractor = GrammarExtractor(Bitext.from_pairs([pair]), tight=False)
    grammar = rules_of(extractor.grammar(["f"]))
    # What run_extractor --tight_phrases false writes: -log10(count / samples), log10(1 + count), singletons.
    for target, count in {"w [X,1]": 3, "w [X,1] u": 2, "w [X,1] u u": 1}.items():
        features, alignment = grammar[("f", "[X,1]"), tuple(target.split())]
        assert features["EgivenFCoherent"] == pytest.approx(-math.log10(count), abs=1e-6)
        assert features["CountEF"] == pytest.approx(math.log10(1 + count))
        assert (features["IsSingletonF"], features["IsSingletonFE"]) == (1, count == 1)
        assert alignment == ((0, 0),)


def test_a_rule_may_have_more_links_than_a_byte_can_count():
    """All words of five are linked to all of sixty."""
    links = list(product(range(5), range(60)))
    pair = ([*"abcde"], [f"w{i}" for i in range(60)], links)
    extractor = GrammarExtractor(Bitext.from_pairs([pair]), features=ALL, max_span=60)
    grammar = extractor.grammar(pair[0])
    (rule,) = grammar
    assert (rule.source, rule.target) == (tuple(pair[0]), tuple(pair[1]))
    assert rule.alignment == tuple(links)
    decoder = Decoder(formalism="scfg", weights={"Glue": 0})
    for rules in grammar, grammar.text():
        forest = decoder.translate("a b c d e", rules)
        assert forest.viterbi() == " ".join(pair[1])
        found = [forest.rule(edge) for edge in range(len(forest.edges))]
        assert links in [list(rule.alignment) for rule in found]


def test_as_many_links_as_a_rule_can_have():
    words = [f"w{i}" for i in range(255)]
    pair = (words, words, list(product(range(255), range(255))))
    limits = {"max_span": 255, "max_symbols": 255, "max_nonterminals": 0}
    (rule,) = GrammarExtractor(Bitext.from_pairs([pair]), **limits).grammar(words)
    assert len(rule.alignment) == 255 * 255


# Chiang (2007), figure 3: 30 duonianlai de youhao hezuo, friendly cooperation over the last 30 years.
CHIANG = (
    ["30", "duonianlai", "de", "youhao", "hezuo"],
    ["friendly", "cooperation", "over", "the", "last", "30", "years"],
    [(0, 5), (1, 3), (1, 4), (1, 6), (2, 2), (3, 0), (4, 1)],
)


def test_the_example_of_the_paper():
    grammar = GrammarExtractor(Bitext.from_pairs([CHIANG])).grammar(CHIANG[0])
    rules = {(" ".join(s), " ".join(t)) for s, t in rules_of(grammar)}
    assert ("30 duonianlai de youhao hezuo", "friendly cooperation over the last 30 years") in rules
    assert ("youhao", "friendly") in rules
    assert ("[X,1] duonianlai de [X,2]", "[X,2] over the last [X,1] years") in rules
    assert ("[X,1] de [X,2]", "[X,2] over [X,1]") in rules
    assert not any(source == "duonianlai" for source, _ in rules)  # 30 stands within its translation


def test_top_keeps_what_was_extracted_most_often():
    corpus = [(("a",), (word,), ((0, 0),)) for word in "zzzyyxxxxw"]
    bitext = Bitext.from_pairs(corpus)
    kept = rules_of(GrammarExtractor(bitext, top=2).grammar(["a"]))
    everything = rules_of(GrammarExtractor(bitext).grammar(["a"]))
    assert list(kept) == [(("a",), ("x",)), (("a",), ("z",))]
    assert kept == {rule: everything[rule] for rule in kept}


def test_ties_for_the_last_places_are_broken_by_the_alphabet():
    corpus = [(("a",), (word,), ((0, 0),)) for word in "zyx"]
    for order in permutations(corpus):
        grammar = GrammarExtractor(Bitext.from_pairs(order), top=2).grammar(["a"])
        assert [rule.target for rule in grammar] == [("x",), ("y",)]


def test_words_that_no_grammar_file_can_hold_are_in_no_rule():
    corpus = [(("a", "[X,1]", "b"), ("A", "B", "C"), ((0, 0), (1, 1), (2, 2))), (("a",), ("|||",), ((0, 0),))]
    extractor = GrammarExtractor(Bitext.from_pairs(corpus))
    rules = rules_of(extractor.grammar(["a", "[X,1]", "b"]))
    assert (("a", "[X,1]", "b"), ("A", "[X,1]", "C")) in rules  # here it is a nonterminal
    assert (("a",), ("A",)) in rules and not any("|||" in target for _, target in rules)
    assert not any("B" in target for _, target in rules)
    assert rules[("a",), ("A",)][0]["EgivenFCoherent"] == pytest.approx(0.30103)  # the other one counts


def test_the_text_is_cdecs():
    extractor = GrammarExtractor(Bitext.from_pairs([(("a", "b"), ("B", "A"), ((0, 1), (1, 0)))]))
    assert extractor.grammar(["a"]).text().splitlines() == [
        "[X] ||| a ||| A ||| EgivenFCoherent=0 SampleCountF=0.301029995664 CountEF=0.301029995664"
        " MaxLexFgivenE=0 MaxLexEgivenF=0 IsSingletonF=1 IsSingletonFE=1 ||| 0-0",
        "[X] ||| a [X,1] ||| [X,1] A ||| EgivenFCoherent=0 SampleCountF=0.301029995664 CountEF=0.301029995664"
        " MaxLexFgivenE=0 MaxLexEgivenF=0 IsSingletonF=1 IsSingletonFE=1 ||| 0-1",
    ]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"max_symbols": 0}, "max_symbols must be from 1 to 255, got 0"),
        ({"max_nonterminals": 4}, "max_nonterminals must be from 0 to 3, got 4"),
        ({"max_span": 256}, "max_span must be from 1 to 255, got 256"),
        ({"min_gap": 0}, "min_gap must be from 1 to 255, got 0"),
        ({"samples": 0}, "samples must be from 1"),
        ({"top": 0}, "top must be from 1 to 1073741824, got 0"),
        ({"top": 1 << 31}, "top must be from 1"),
        ({"samples": 1 << 31}, "samples must be from 1"),
        ({"features": ["CountEF", "SampleCountF", "CountEF"]}, "each feature once, got CountEF again"),
        ({"features": ["EgivenF"]}, "unknown feature 'EgivenF', known are EgivenFCoherent, "),
    ],
)
def test_wrong_settings(wrong, message):
    with pytest.raises(ValueError, match=message):
        GrammarExtractor(Bitext.from_pairs([]), **wrong)


def test_wrong_arguments():
    extractor = GrammarExtractor(Bitext.from_pairs([CHIANG]))
    for sentence in (1, -1):
        with pytest.raises(ValueError, match=f"from 0 to below 1, got {sentence}"):
            extractor.grammar(["30"], exclude=[sentence])
    with pytest.raises(TypeError, match="expected words, got a string"):
        extractor.grammar("30 duonianlai")
    with pytest.raises(ValueError, match="links between 1 and 1 words, got 0-1"):
        extractor.add(["a"], ["b"], [(0, 1)])
    with pytest.raises(ValueError, match="words without blanks, got 'a b'"):
        extractor.add(["a b"], ["b"], [])
    assert len(extractor.bitext) == 1


def test_extractors_of_one_text_see_what_another_adds():
    bitext = Bitext.from_pairs([CHIANG])
    first, second = (GrammarExtractor(bitext, features=ALL) for _ in range(2))
    first.add(["30"], ["thirty"], [(0, 0)])
    whole = GrammarExtractor(Bitext.from_pairs([CHIANG, (["30"], ["thirty"], [(0, 0)])]), features=ALL)
    assert second.grammar(CHIANG[0]).text() == whole.grammar(CHIANG[0]).text()
    first.add(["30"], ["XXX"], [(0, 0)])
    third = second.exclusion([2])
    assert second.grammar(CHIANG[0], exclude=third).text() == whole.grammar(CHIANG[0]).text()


def test_an_exclusion_of_another_text():
    first, second = (GrammarExtractor(Bitext.from_pairs([CHIANG])) for _ in range(2))
    with pytest.raises(ValueError, match="pairs of the extractor's own text, got those of another"):
        second.grammar(["30"], exclude=first.exclusion([0]))


def test_as_many_different_words_as_a_sentence_may_have():
    words = [str(i) for i in range(65_535)]
    bitext = Bitext.from_pairs([(words, words, [(65_534, 65_534)])])
    extractor = GrammarExtractor(bitext, max_symbols=1, max_nonterminals=0)
    assert [rule.source for rule in extractor.grammar(words)] == [("65534",)]
    with pytest.raises(ValueError, match="expected at most 65535 words in a sentence"):
        extractor.grammar([*words, "one more"])


def random_corpus(sentences, seed):
    draw = random.Random(seed)
    corpus = []
    for _ in range(sentences):
        source = draw.choices("abcdefgh", k=draw.randint(1, 10))
        target = draw.choices("stuvwxyz", k=draw.randint(1, 10))
        links = [(i, draw.randrange(len(target))) for i in range(len(source)) if draw.random() < 0.8]
        corpus.append((source, target, links))
    return corpus


def test_grammars_come_from_many_threads_while_pairs_are_added():
    corpus = random_corpus(300, 1)
    extractor = GrammarExtractor(Bitext.from_pairs(corpus[:200]))
    with ThreadPoolExecutor(3) as pool:
        grammars = [pool.submit(extractor.grammar, source, exclude=[7]) for source, _, _ in corpus]
        for pair in corpus[200:]:
            extractor.add(*pair)
        for grammar in grammars:
            grammar.result()  # raises what went wrong
    whole = GrammarExtractor(Bitext.from_pairs(corpus))
    for source, _, _ in corpus[:20]:
        assert extractor.grammar(source).text() == whole.grammar(source).text()


# with the decoder


@pytest.fixture(scope="module")
def toy():
    corpus = random_corpus(100, 2)
    weights = {"EgivenFCoherent": -1.0, "MaxLexFgivenE": -0.3, "MaxLexEgivenF": -0.3, "Glue": -0.1}
    return (
        GrammarExtractor(Bitext.from_pairs(corpus)),
        Decoder(formalism="scfg", weights=weights),
        [" ".join(s) for s, _, _ in corpus],
    )


def test_a_grammar_goes_straight_to_the_decoder(toy):
    extractor, decoder, lines = toy
    for line in lines[:20]:
        grammar = extractor.grammar(line.split())
        ways = [
            decoder.translate(line, grammar),
            decoder.translate(Segment(tuple(line.split()), rules=grammar)),
            decoder.translate(Segment.from_input(line).with_rules(grammar)),
            decoder.translate(line, grammar.text()),
        ]
        best = [[(list(forest.kbest(9)), list(forest.kbest_features(9)))] for forest in ways]
        assert best[0] == best[1] == best[2]
        assert list(ways[3].kbest(9)) == list(ways[0].kbest(9))


def test_segments_carry_their_grammars_through_threads(toy):
    extractor, decoder, lines = toy
    segments = [Segment.from_input(line).with_rules(extractor.grammar(line.split())) for line in lines]
    together = [forest.viterbi() for forest in decoder.translate_all(segments, threads=3)]
    assert together == [decoder.translate(segment).viterbi() for segment in segments]


def test_rules_of_a_segment_and_others_add_up(toy):
    _, decoder, _ = toy
    grammars = [
        GrammarExtractor(Bitext.from_pairs([((f,), (e,), ((0, 0),))])).grammar([f]) for f, e in ("as", "bt")
    ]
    segment = Segment(("a", "b"), rules=grammars[0])
    assert decoder.translate(segment, grammars[1]).viterbi() == "s t"
    assert decoder.translate(segment, "[X] ||| b ||| u ||| p=1\n").viterbi() == "s u"


def test_decoding_does_not_grow_with_sentences(toy):
    extractor, decoder, lines = toy
    names = len(decoder.weights)
    for line in lines:
        decoder.translate(line, extractor.grammar(line.split()))
    assert len(decoder.weights) <= names + len(CDEC_FEATURES)


# against cdec's extractor


def read_grammar(path, sources):
    """The rules of some source sides: features, and alignment."""
    out = {}
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            _, source, target, features, *alignment = line.rstrip("\n").split(" ||| ")
            if source in sources:
                values = dict(feature.rsplit("=", 1) for feature in features.split())
                points = [tuple(map(int, point.split("-"))) for point in " ".join(alignment).split()]
                out[tuple(source.split()), tuple(target.split())] = (
                    {name: float(value) for name, value in values.items()},
                    tuple(points),
                )
    return out


def source_sides(tokens):
    """All that a rule for the sentence may have as its source side."""
    found = {shape(tokens, words) for words in patterns(len(tokens), Limits(), 1)}
    sides = set()
    for left, pattern, right in product([(), (None,)], found, [(), (None,)]):
        side = (*left, *pattern, *right)
        if len(side) <= 5 and side.count(None) <= 2:
            numbers = iter(X)
            sides.add(" ".join(symbol if symbol is not None else next(numbers) for symbol in side))
    return sides


TASKS = {
    "tanaka ja-en": ("tanaka", "ja", "en", "train.ja-en.align.gz", False, "ja-en/grammar.gz", 50),
    "tanaka en-ja": ("tanaka", "en", "ja", "train.ja-en.align.gz", True, "en-ja/grammar.gz", 50),
}


def fewer_than_sampled(features):
    return 10 ** features["SampleCountF"] - 1 < 299.5


@pytest.mark.slow
@pytest.mark.parametrize("task", TASKS)
def test_the_rules_are_those_of_cdecs_extractor(shared, task):
    name, f, e, alignment, reverse, grammar, number = TASKS[task]
    folder = shared / "data" / name
    bitext = Bitext.read(
        folder / f"train.{f}.gz", folder / f"train.{e}.gz", folder / alignment, reverse=reverse
    )
    extractor = GrammarExtractor(bitext)
    lines = (folder / f"dev.{f}").read_text("utf-8").splitlines()[:number]
    ours, sides = {}, set()
    for line in lines:
        ours.update(rules_of(extractor.grammar(line.split())))
        sides |= source_sides(line.split())
    theirs = read_grammar(folder / grammar, sides)
    ours, theirs = (
        {rule: value for rule, value in rules.items() if fewer_than_sampled(value[0])}
        for rules in (ours, theirs)
    )
    assert len(theirs) > 10_000
    assert ours.keys() == theirs.keys()
    for rule, (features, points) in theirs.items():
        check_near(ours[rule][0], features, 1e-5)
        assert ours[rule][1] == points, rule


def check_near(found, expected, absolute, relative=0.0):
    """Do as `pytest.approx`, which takes a minute for so many rules."""
    assert found.keys() == expected.keys()
    for name, value in expected.items():
        assert abs(found[name] - value) <= absolute + relative * abs(value), (found, expected)


@pytest.mark.slow
def test_the_rules_of_a_cut_grammar_are_all_found(shared):
    # bible-de-en's has the more frequent rules only, in 5 digits.
    folder = shared / "data" / "bible-de-en"
    files = [folder / name for name in ("train.de.gz", "train.en.gz", "train.de-en.align.gz")]
    extractor = GrammarExtractor(Bitext.read(*files))
    ours = {}
    for line in (folder / "dev.de").read_text("utf-8").splitlines()[:5]:
        ours.update(rules_of(extractor.grammar(line.split())))
    theirs = read_grammar(folder / "grammar.gz", {" ".join(source) for source, _ in ours})
    few = {rule: value for rule, value in theirs.items() if fewer_than_sampled(value[0])}
    assert len(few) > 10_000
    for rule, (features, points) in few.items():
        check_near(ours[rule][0], features, 1e-12, 1e-4)
        assert ours[rule][1] == points, rule
