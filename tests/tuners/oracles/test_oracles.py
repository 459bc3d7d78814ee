"""Oracles against all derivations of small grammars, and MIRA with each of them."""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sacrebleu
from hypothesis import assume, given
from hypothesis import strategies as st
from support import brute_force as bf
from support import world
from support.brute_force import MOST, deterministic
from support.world import World

from hopefear import Decoder, InputError, Segment
from hopefear.base.state import save
from hopefear.decoder import BleuOracle
from hopefear.metrics import Bleu, Metric, Nist, PseudoDocument, Ter
from hopefear.tuners import (
    ConsensusHope,
    Forced,
    ForestHopeFear,
    Hypotheses,
    KBestLocal,
    LeastWork,
    MaxBleu,
    Mira,
    SearchSpace,
    TuningError,
    read_checkpoint,
)

NT = bf.NT
RULES = [
    bf.Rule("X", ("a",), ("the",), (("f0", 0.25),)),
    bf.Rule("X", ("a",), ("a",), (("f0", 0.5),)),
    bf.Rule("X", ("b",), ("cat",), (("f1", -0.125),)),
    bf.Rule("X", ("b",), ("dog",), (("f1", 0.75),)),
    bf.Rule("X", ("c",), ("sat",), (("f0", 0.1875),)),
    bf.Rule("X", ("a", "b"), ("the", "cat"), (("f2", -1.5),)),
    bf.Rule("X", (NT("X"), "c"), ("sat", 1), (("f2", 0.875),)),
]
WEIGHTS = {"f0": 1.0, "f1": 1.5, "f2": 0.5, "Glue": -0.25}
DOCUMENT = np.array([20, 21, 20, 18, 16, 14, 12, 8, 5, 3], float)
SOURCE_LENGTH = 15.0


def ngrams(tokens: Sequence[str], n: int) -> Counter[tuple[str, ...]]:
    return Counter(tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1))


def bleu_b(text: str, references: Sequence[str], source_length: int) -> float:
    """B of equation 8, with clipped counts and the shortest reference's length."""
    tokens = text.split()
    counts = [float(len(tokens)), float(min(len(r.split()) for r in references))]
    matches = []
    for n in range(1, 5):
        own, known = ngrams(tokens, n), Counter[tuple[str, ...]]()
        for reference in references:
            known |= ngrams(reference.split(), n)
        counts.append(float(sum(own.values())))
        matches.append(float(sum((own & known).values())))
    total = DOCUMENT + np.array(counts + matches)
    precision = float(np.mean(np.log(total[6:10] / total[2:6])))
    return (SOURCE_LENGTH + source_length) * math.exp(precision + min(0.0, 1 - total[1] / total[0]))


@dataclass
class Case:
    """A sentence with the score of the best derivation of each of its strings, by enumeration."""

    space: SearchSpace
    model: dict[str, float]

    def best(self, k: int) -> list[str]:
        return sorted(self.model, key=lambda text: -self.model[text])[:k]

    def B(self, text: str) -> float:
        return bleu_b(text, self.space.segment.references, self.space.segment.length)

    def objective(self, text: str, mu: float) -> float:
        if math.isinf(mu):
            return self.model[text] - self.B(text)
        return (1 - mu) * self.B(text) + mu * self.model[text]


def case(
    rules: list[bf.Rule],
    source: Sequence[str],
    references: Sequence[str],
    weights: dict[str, float],
    folder: Path,
    metric: Metric | None = None,
) -> Case:
    (folder / "grammar").write_text(bf.grammar_text(rules))
    decoder = Decoder(formalism="scfg", weights=weights, grammar=[str(folder / "grammar")])
    segment = Segment(tuple(source), references=tuple(references))
    document = PseudoDocument(metric or Bleu(effective_reference_length="shortest"))
    if metric is None:
        document.statistics, document.source_length = DOCUMENT.copy(), SOURCE_LENGTH
    model: dict[str, float] = {}
    for derivation in bf.derivations(rules, bf.chain(source)):
        score = derivation.score(weights)
        model[derivation.text] = max(score, model.get(derivation.text, -math.inf))
    return Case(SearchSpace(decoder, decoder.translate(segment), segment, document), model)


REFERENCES = [["the dog sat"], ["sat the cat", "a cat sat down"], ["nothing here"]]


@pytest.mark.parametrize("references", REFERENCES)
@pytest.mark.parametrize("oracle", [ForestHopeFear(k=3), ForestHopeFear(k=3, hope_mu=0.2), MaxBleu(k=3)])
def test_hope_and_fear_from_the_forest(oracle: ForestHopeFear, references: list[str], tmp_path: Path) -> None:
    small = case(RULES, "abc", references, WEIGHTS, tmp_path)
    assert len(small.model) > 2 * oracle.k  # the forest, not only the k best
    found = oracle.find(small.space)
    for scored, mu in ((found.hope, oracle.hope_mu), (found.fear, math.inf)):
        values = [small.objective(text, mu) for text in small.model]
        assert scored.objective(mu)[0] == pytest.approx(max(values), rel=1e-9)
        assert small.objective(scored.texts[0], mu) == pytest.approx(max(values), rel=1e-9)
    assert found.best.texts == small.best(3)
    for scored in (found.hope, found.best, found.fear):
        np.testing.assert_allclose(scored.B, [small.B(text) for text in scored.texts], rtol=1e-9)
        if scored is found.hope and isinstance(oracle, MaxBleu):  # any derivation of the string will do
            assert all(
                m <= small.model[text] + 1e-9 for m, text in zip(scored.model, scored.texts, strict=True)
            )
        else:
            np.testing.assert_allclose(scored.model, [small.model[text] for text in scored.texts], atol=1e-9)


@pytest.mark.parametrize("references", REFERENCES)
def test_least_work_counts_edits_in_B(references: list[str], tmp_path: Path) -> None:
    small = case(RULES, "abc", references, WEIGHTS, tmp_path)

    def B(text: str) -> float:
        edits = sacrebleu.sentence_ter(text, references, case_sensitive=True).score / 100
        return (small.B(text) - 3 * edits) / 2

    def objective(text: str, mu: float) -> float:
        return small.model[text] - B(text) if math.isinf(mu) else (1 - mu) * B(text) + mu * small.model[text]

    for k in (len(small.model), 2):
        candidates = ForestHopeFear(k=k).find(small.space)
        lists = (candidates.hope, candidates.best, candidates.fear)
        texts = {text for each in lists for text in each.texts}
        found = LeastWork(k=k).find(small.space)
        for scored, mu in ((found.hope, 0.5), (found.best, 1.0), (found.fear, math.inf)):
            np.testing.assert_allclose(scored.B, [B(text) for text in scored.texts], rtol=1e-9)
            values = sorted((objective(text, mu) for text in texts), reverse=True)
            assert len({*scored.texts}) == k
            np.testing.assert_allclose(scored.objective(mu), values[:k], atol=1e-9)


def test_the_first_of_a_short_list_is_that_of_a_long_one(shared: Path) -> None:
    tanaka = shared / "data/tanaka"
    decoder = Decoder(tanaka / "ja-en/cdec.ini", weights=tanaka / "ja-en/weights.tuned")
    lines = ((tanaka / f"dev.{language}").read_text("utf-8").splitlines() for language in ("ja", "en"))
    document = PseudoDocument(Bleu(effective_reference_length="shortest"))
    for source, reference in islice(zip(*lines, strict=True), 40):
        segment = Segment(tuple(source.split()), references=(reference,))
        space = SearchSpace(decoder, decoder.translate(segment), segment, document)
        found = [space.search(0, k).objective(0)[0] for k in (1, 100)]
        assert found[0] == pytest.approx(found[1], rel=1e-9), source
        document.update(space.best(1).statistics[0], segment.length)


@deterministic
@given(bf.grammars, bf.sentences, bf.weights, st.integers(1, 6), st.data())
def test_local_updating_takes_the_best_of_the_list(
    tmp_path_factory: pytest.TempPathFactory,
    rules: list[bf.Rule],
    source: list[str],
    weights: dict[str, float],
    k: int,
    data: st.DataObject,
) -> None:
    texts = sorted({d.text for d in bf.derivations(rules, bf.chain(source))})
    assume(0 < len(texts) < MOST)
    references = data.draw(st.lists(st.sampled_from(texts), min_size=1, max_size=2))
    small = case(rules, source, references, weights, tmp_path_factory.mktemp("local"))
    ranking = sorted(small.model.values(), reverse=True)
    assume(len(ranking) <= k or ranking[k - 1] - ranking[k] > 1e-6)  # which k are best is clear
    found = KBestLocal(k=k).find(small.space)
    best = small.best(k)
    assert sorted(found.best.texts) == sorted(best)
    assert small.B(found.hope.texts[0]) == pytest.approx(max(small.B(text) for text in best), rel=1e-9)
    assert found.fear is found.best


@deterministic
@given(bf.grammars, bf.sentences, bf.weights, st.data())
def test_forced_decoding_finds_the_best_derivation_of_a_reference(
    tmp_path_factory: pytest.TempPathFactory,
    rules: list[bf.Rule],
    source: list[str],
    weights: dict[str, float],
    data: st.DataObject,
) -> None:
    texts = sorted({d.text for d in bf.derivations(rules, bf.chain(source))})
    assume(0 < len(texts) < MOST)
    reachable = data.draw(st.lists(st.sampled_from(texts), max_size=2))
    references = [*reachable, "out of reach"]
    small = case(rules, source, references, weights, tmp_path_factory.mktemp("forced"))
    found = Forced(k=2).find(small.space)
    if not reachable:
        assert found is None
        return
    assert found is not None
    assert found.hope.model[0] == pytest.approx(max(small.model[text] for text in reachable), abs=1e-9)
    assert sorted(found.hope.texts) == sorted(set(reachable))
    assert found.best.model[0] == pytest.approx(max(small.model.values()), abs=1e-9)


def linear_gains(scored: Sequence[tuple[str, float]], scale: float) -> dict[str, float]:
    """Linear BLEU of strings, from all derivations with their scores (Tromble et al. 2008)."""
    deviation = float(np.std([score for _, score in scored])) or 1.0
    best = max(score for _, score in scored)
    shares = [
        math.exp(scale * (score - best) / (deviation if deviation > 1e-9 else 1.0)) for _, score in scored
    ]
    posterior = Counter[tuple[str, ...]]()
    for (text, _), share in zip(scored, shares, strict=True):
        for n in range(1, 5):
            for ngram in ngrams(text.split(), n):
                posterior[ngram] += share / sum(shares)  # type: ignore[assignment]
    return {
        text: sum(
            count * posterior[ngram] / (4 * 0.8 * 0.4 ** (n - 1))
            for n in range(1, 5)
            for ngram, count in ngrams(text.split(), n).items()
        )
        - len(text.split())
        for text, _ in scored
    }


@deterministic
@given(bf.grammars, bf.sentences, bf.weights, st.sampled_from([0.0, 0.5, 1.0]), st.data())
def test_hope_by_consensus_agrees_best_with_all_derivations(
    tmp_path_factory: pytest.TempPathFactory,
    rules: list[bf.Rule],
    source: list[str],
    weights: dict[str, float],
    mu: float,
    data: st.DataObject,
) -> None:
    every = bf.derivations(rules, bf.chain(source))
    assume(0 < len(every) < MOST)
    references = [data.draw(st.sampled_from(sorted({d.text for d in every})))]
    small = case(rules, source, references, weights, tmp_path_factory.mktemp("consensus"))
    scored = [(d.text, d.score(weights)) for d in every]
    if mu != 1:  # the search by BLEU has tests of its own
        oracle = BleuOracle(references, DOCUMENT, SOURCE_LENGTH, reference_length=len(references[0].split()))
        forest = oracle.rescore(small.space.forest, mu)
        scored = [(forest.text(d), forest.score(d)) for d in forest.derivations(len(every))]
    gains = linear_gains(scored, 2.5)
    hope = ConsensusHope(by="linear --density 1e9 --negligible 0", hope_mu=mu).find(small.space).hope
    found = [gains[text] for text in hope.texts]
    assert found == pytest.approx(sorted(gains.values(), reverse=True)[: len(found)])
    assert len(found) == min(10, len(gains))
    for text, score in zip(hope.texts, hope.model, strict=True):  # some derivation of the string
        assert any(score == pytest.approx(d.score(weights)) for d in every if d.text == text)


def test_hope_by_consensus_need_not_see_the_references(tmp_path: Path) -> None:
    oracle = ConsensusHope(hope_mu=1, loss_augmented=False, by="risk --metric Ter --scale 1 --k 50")
    hopes = []
    for references in (["the dog sat"], ["sat a cat"]):
        small = case(RULES, "abc", references, WEIGHTS, tmp_path, Ter())
        hopes.append(oracle.find(small.space).hope.texts)
    assert hopes[0] == hopes[1]
    with pytest.raises(TuningError, match="by BLEU of order 4 only"):
        ConsensusHope(loss_augmented=False).find(small.space)


@pytest.mark.parametrize(("fallback", "same_as"), [("local", KBestLocal(k=3)), ("hope", ForestHopeFear(k=3))])
def test_where_no_reference_is_reached_another_oracle_answers(
    fallback: Any, same_as: KBestLocal | ForestHopeFear, tmp_path: Path
) -> None:
    small = case(RULES, "abc", ["the cat sat down"], WEIGHTS, tmp_path)
    found = Forced(k=3, fallback=fallback).find(small.space)
    assert found is not None
    assert found.hope.texts == same_as.find(small.space).hope.texts
    assert found.fear is found.best


@pytest.mark.parametrize("oracle", [KBestLocal, Forced, ForestHopeFear])
def test_negative_examples_are_those_of_the_forest_or_the_list(oracle: type, tmp_path: Path) -> None:
    small = case(RULES, "abc", ["the dog sat"], WEIGHTS, tmp_path)
    found = oracle(k=2, loss_augmented=True).find(small.space)
    wanted = max(small.objective(text, math.inf) for text in small.model)
    assert found.fear.objective(math.inf)[0] == pytest.approx(wanted, rel=1e-9)
    assert oracle(k=2, loss_augmented=False).find(small.space).fear.texts == small.best(2)


def test_a_large_forest_is_searched_for_hope_and_fear_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = case(RULES, "abc", ["the dog sat"], WEIGHTS, tmp_path)
    found = []
    for least in (100, 0):
        monkeypatch.setattr("hopefear.tuners.oracles.oracles._LARGE", least)
        found.append(ForestHopeFear(k=2).find(small.space))
    assert found[0].hope.texts == found[1].hope.texts
    assert found[0].fear.texts == found[1].fear.texts


@pytest.mark.parametrize("references", REFERENCES)
def test_any_metric_ranks_a_list(references: list[str], tmp_path: Path) -> None:
    small = case(RULES, "abc", references, WEIGHTS, tmp_path, Ter())
    length = sum(len(r.split()) for r in references) / len(references)

    def B(text: str) -> float:  # O is one edit in one word, O_f = 0, |f| = 3
        rates = sacrebleu.sentence_ter(text, references, case_sensitive=True)
        return -3 * (1 + rates.score * length / 100) / (1 + length)

    found = KBestLocal(k=6).find(small.space)
    assert found.hope.B[0] == pytest.approx(max(B(text) for text in small.best(6)), rel=1e-9)
    np.testing.assert_allclose(found.best.B, [B(text) for text in found.best.texts], rtol=1e-9)


@pytest.mark.parametrize("metric", [Ter(), Bleu(order=2)])
def test_a_forest_is_searched_by_bleu_only(metric: Metric, tmp_path: Path) -> None:
    small = case(RULES, "abc", ["the dog sat"], WEIGHTS, tmp_path, metric)
    for oracle in (ForestHopeFear(), MaxBleu(), KBestLocal(loss_augmented=True)):
        with pytest.raises(TuningError, match=r"by BLEU of order 4 only, got .*\|.*KBestLocal"):
            oracle.find(small.space)


@pytest.mark.parametrize(
    ("oracle", "message"),
    [
        (ForestHopeFear(k=0), "k must be at least 1, got 0"),
        (ForestHopeFear(fear_mu=-1), "fear_mu must be at least 0, got -1"),
        (KBestLocal(hope_mu=math.nan), "hope_mu must be at least 0, got nan"),
        (Forced(pop_limit=-1), "pop_limit must be at least 0, got -1"),
        (ConsensusHope(hope_mu=math.inf), "hope_mu must be at least 0 and finite, got inf"),
        (ConsensusHope(by="lineer"), "by: lineer: unknown way to find a consensus, near: linear"),
        (Forced(fallback="no"), "fallback must be one of"),  # type: ignore[arg-type]
    ],
)
def test_settings_of_oracles_are_checked(oracle: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        oracle.prepare()


# MIRA with them

WORLD = World(world.grammar("la", "casa", "la casa", "verde", "casa verde"), weights=world.PHRASES.weights)
CORPUS = world.corpus(
    ("la casa verde", "the green house"), ("la casa", "the house"), ("verde la", "green the")
)
UNREACHED = Segment(("la", "verde"), id="far", index=3, references=("a green one",))


def translations(decoder: Decoder) -> list[str]:
    return [decoder.translate(segment).viterbi() for segment in CORPUS]


ALL = [
    ForestHopeFear(),
    LeastWork(),
    ForestHopeFear(loss_augmented=False),
    MaxBleu(),
    ConsensusHope(),
    KBestLocal(k=20),
    KBestLocal(k=20, loss_augmented=True),
    Forced(),
    Forced(loss_augmented=True, fallback="hope"),
]


@pytest.mark.parametrize("oracle", ALL, ids=repr)
def test_mira_learns_a_separable_corpus_with_each(oracle: Any, decoder: Decoder) -> None:
    wanted = [segment.references[0] for segment in CORPUS]
    assert translations(decoder) != wanted
    Mira.paper(C=0.5, passes=10, oracle=oracle).fit(decoder, CORPUS)
    assert translations(decoder) == wanted


@pytest.mark.parametrize("metric", [Ter(), Bleu(order=2), Bleu(smoothing="add-one")])
@pytest.mark.parametrize("decay", [0.9, 0.0])
def test_mira_learns_by_other_metrics(metric: Metric, decay: float, decoder: Decoder) -> None:
    tuner = Mira.paper(C=0.5, passes=10, oracle=KBestLocal(k=20), metric=metric, decay=decay)
    tuner.fit(decoder, CORPUS, development=CORPUS)
    assert translations(decoder) == [segment.references[0] for segment in CORPUS]
    assert tuner.passes_[0].metric == metric.name
    best = min if metric.name == "TER" else max
    assert best(tuner.score_per_pass_) == (0.0 if metric.name == "TER" else pytest.approx(100.0))
    assert len(tuner.passes_) < 10  # the best pass is known as such


def test_nist_weighs_by_the_references_of_the_corpus(decoder: Decoder) -> None:
    Mira.paper(C=0.5, passes=10, oracle=KBestLocal(k=20), metric=Nist()).fit(
        decoder, CORPUS, development=CORPUS
    )
    assert translations(decoder) == [segment.references[0] for segment in CORPUS]


def test_the_default_is_the_forest_oracle(decoder: Decoder) -> None:
    start = decoder.weights.array.copy()
    learned = []
    settings = {"k": 4, "hope_mu": 0.3, "fear_mu": 2.0}
    for tuner in (Mira.paper(passes=2, **settings), Mira.paper(passes=2, oracle=ForestHopeFear(**settings))):  # type: ignore[arg-type]
        decoder.weights.replace(start)
        learned.append(tuner.fit(decoder, CORPUS).weights_)
    assert learned[0] == learned[1]


def test_what_bold_updating_cannot_reach_is_left_out_and_counted(decoder: Decoder) -> None:
    seen: list[Any] = []
    corpus = [*CORPUS, UNREACHED]
    tuner = Mira.paper(C=0.5, passes=1, oracle=Forced())
    tuner.fit(decoder, corpus, on_update=lambda record: seen.extend(record.segments))
    assert sorted(seen) == [0, 1, 2]
    assert (tuner.passes_[0].without_oracle, tuner.passes_[0].skipped, tuner.passes_[0].updates) == (1, 0, 3)

    before = decoder.weights.nonzero()
    record = tuner.partial_fit(decoder, decoder.translate(UNREACHED), UNREACHED)
    assert (record.segments, record.change, record.update) == ((), 0.0, 3)
    assert decoder.weights.nonzero() == before
    with pytest.raises(TuningError, match="finds nothing to learn from sentence far"):
        tuner.hypotheses(decoder, decoder.translate(UNREACHED), UNREACHED)
    with pytest.raises(InputError, match="finds nothing to learn in any segment"):
        Mira.paper(oracle=Forced()).fit(decoder, [UNREACHED])


def test_sentences_without_an_oracle_count_in_the_pseudo_document(decoder: Decoder) -> None:
    tuner = Mira.paper(oracle=Forced())
    forest = decoder.translate(UNREACHED)
    tuner.partial_fit(decoder, forest, UNREACHED)
    document = PseudoDocument(Bleu(effective_reference_length="shortest"))
    document.update(document.metric.stats(forest.viterbi(), UNREACHED.references), 2)
    saved, expected = tuner.get_state(), save(document)
    assert saved["facts"]["progress"]["document"] == expected["facts"]
    statistics = saved["arrays"]["progress.document.statistics"]
    assert statistics.tolist() == expected["arrays"]["statistics"].tolist()


class Mine:
    """An oracle of somebody else's."""

    def __init__(self, *, answer: Callable[[SearchSpace], Any]) -> None:
        self.answer = answer

    def prepare(self) -> None: ...

    def find(self, space: SearchSpace) -> Hypotheses | None:
        return self.answer(space)  # type: ignore[no-any-return]


def raising(space: SearchSpace) -> None:
    raise KeyError("lost")


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (raising, "oracle Mine, sentence far: KeyError: 'lost'"),
        (lambda space: space.best(1), "find must return Hypotheses or None, got ScoredList"),
        (lambda space: sys.exit(0), "oracle Mine, sentence far: SystemExit: 0"),
        (
            lambda space: Hypotheses(space.segment, space.best(1), space.best(1).take([]), space.best(1)),
            "find must return at least one translation as hope, got none",
        ),
    ],
)
def test_an_oracle_that_fails_is_named(answer: Any, message: str, decoder: Decoder) -> None:
    before = decoder.weights.nonzero()
    with pytest.raises(TuningError, match=message):
        Mira.paper(oracle=Mine(answer=answer)).fit(decoder, [UNREACHED])
    assert decoder.weights.nonzero() == before


class Unprepared(Mine):
    def prepare(self) -> None:
        raise SystemExit(0)


def test_an_oracle_that_cannot_be_prepared_is_named(decoder: Decoder) -> None:
    with pytest.raises(
        TuningError, match=r"oracle Unprepared: cannot be prepared: SystemExit: 0 \(.*:\d+, in"
    ):
        Mira.paper(oracle=Unprepared(answer=raising)).fit(decoder, [UNREACHED])


def test_a_resumed_run_wants_the_same_oracle_and_metric(decoder: Decoder, tmp_path: Path) -> None:
    start, path = decoder.weights.array.copy(), tmp_path / "checkpoint"
    settings: dict[str, Any] = {"C": 0.1, "oracle": Forced(), "metric": Bleu(smoothing="add-one")}
    corpus = [UNREACHED, *CORPUS]
    whole = Mira.paper(passes=4, **settings).fit(decoder, corpus).weights_
    decoder.weights.replace(start)
    Mira.paper(passes=2, **settings).fit(decoder, corpus, checkpoint=path)
    assert [p["without_oracle"] for p in read_checkpoint(path)["facts"]["records"]] == [1, 1]
    for name, other in {"oracle": Forced(k=11), "metric": Bleu()}.items():
        with pytest.raises(InputError, match=rf"expected {name}=.* as in the checkpoint, got "):
            Mira.paper(passes=4, **{**settings, name: other}).fit(
                decoder, corpus, checkpoint=path, resume=True
            )
    again = Mira.paper(passes=4, **settings).fit(decoder, corpus, checkpoint=path, resume=True)
    assert again.weights_ == whole
