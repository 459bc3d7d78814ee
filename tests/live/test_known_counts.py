"""Rules of corrections beside a grammar file, whose features tell the counts of its text."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from pytest import approx
from support.brute_force_extraction import Limits, brute_force

from hopefear import _native
from hopefear.decoder import SentenceGrammar, Weights, read_config
from hopefear.decoder.compiled import make_engine
from hopefear.grammars.bitext import Bitext
from hopefear.grammars.extractor import CDEC_FEATURES, GrammarExtractor

COUNTED = ("SampleCountF", "CountEF", "EgivenFCoherent", "IsSingletonF", "IsSingletonFE")


@st.composite
def pairs(draw):
    source = draw(st.lists(st.sampled_from("abc"), min_size=1, max_size=5))
    target = draw(st.lists(st.sampled_from("xyz"), min_size=1, max_size=5))
    point = st.tuples(st.integers(0, len(source) - 1), st.integers(0, len(target) - 1))
    return tuple(source), tuple(target), tuple(draw(st.lists(point, min_size=1, max_size=6)))


def sides(rule):
    return tuple(
        tuple(s if isinstance(s, str) else f"[X,{s if isinstance(s, int) else s[1]}]" for s in side)
        for side in (rule.source, rule.target)
    )


@settings(max_examples=60, deadline=None)
@given(
    st.lists(pairs(), min_size=1, max_size=5),
    st.lists(pairs(), min_size=1, max_size=3),
    st.lists(st.sampled_from("abc"), min_size=1, max_size=5),
)
def test_counts_of_grammar_and_corrections_are_those_of_the_joined_text(tmp_path_factory, text, more, tokens):
    known = GrammarExtractor(Bitext.from_pairs(text)).grammar(tokens)
    if not len(known):
        return
    folder = tmp_path_factory.mktemp("known")
    known.write(folder / "grammar")
    (folder / "cdec.ini").write_text("formalism=scfg\ngrammar=grammar\n")
    engine = make_engine(read_config(folder / "cdec.ini"), Weights())
    small = GrammarExtractor(Bitext.from_pairs(more), features=CDEC_FEATURES).grammar(tokens)
    summed = SentenceGrammar(_native.GrammarCounts(engine).added_to(small.native))
    sources = {sides(rule)[0] for rule in known}
    whole = brute_force([*text, *more], tokens, Limits())
    alone = brute_force(more, tokens, Limits())
    for rule in summed:
        joined = sides(rule)[0] in sources
        expected = (whole if joined else alone)[sides(rule)][0]
        for name in COUNTED:
            assert rule.features[name] == approx(expected[name], abs=1e-4), (rule, name)
        for name in ("MaxLexFgivenE", "MaxLexEgivenF"):
            assert rule.features[name] >= -1e-9
