"""Features of whole translations: the forest is then the list, from which all that reads a forest chooses."""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from support import world

from hopefear import Decoder, InputError, Segment, check_plugin
from hopefear.plugins import FeatureTable, ListFeatures
from hopefear.tuners import BatchMira, Mira

SOURCE = world.PHRASED_CORPUS[0]
LIKED = "the home green are tall"
"""A translation among the best 20, not the first."""

Make = Callable[..., Decoder]


class Likes(ListFeatures):
    """The number of words that a translation shares with those that are liked."""

    fires = ("Likes", "Words")

    def __init__(self, *, liked: str = LIKED, k: int = 20, search_weights: Path | None = None) -> None:
        self.liked, self.k, self.search_weights = liked, k, search_weights

    def fire(self, translations: Sequence[str], segment: Segment) -> FeatureTable:
        shared = [len({*text.split()} & {*self.liked.split()}) for text in translations]
        words = [len(text.split()) for text in translations]
        return FeatureTable.from_dense(Likes.fires, np.array([shared, words], float).T)


@pytest.fixture(name="make")
def made_decoders(tmp_path: Path) -> Make:
    def make(*plugins: Any, **weights: float) -> Decoder:
        return world.PHRASES.decoder(tmp_path, {**world.PHRASES.weights, **weights}, *plugins)

    return make


def test_the_list_is_that_of_the_search_with_more_features(make: Make) -> None:
    plain, listed = make().translate(SOURCE), make(Likes()).translate(SOURCE)
    expected, found = plain.best_translations(20), listed.best_translations(100)
    assert list(found.texts) == list(expected.texts) and len(expected) == 20
    for before, after in zip(plain.derivations(20, unique=True), listed.derivations(20), strict=True):
        text = plain.text(before)
        shared = len({*text.split()} & {*LIKED.split()})
        liked = {"Likes": float(shared)} if shared else {}
        assert listed.features(after) == {**plain.features(before), **liked, "Words": len(text.split())}
        assert listed.score(after) == pytest.approx(plain.score(before))


def test_the_features_choose_among_the_best_of_the_search(make: Make) -> None:
    likely = list(make().translate(SOURCE).best_translations(20).texts)
    rank = likely.index(LIKED)
    assert rank > 0
    forest = make(Likes(k=rank + 1), other := Other(), Likes=9).translate(SOURCE)
    assert forest.viterbi() == LIKED and len(forest.best_translations(100)) == rank + 1
    assert other.seen == [rank + 1]
    assert make(Likes(k=rank), Likes=9).translate(SOURCE).viterbi() in likely[:rank]


def test_a_list_is_found_with_the_weights_of_its_search(make: Make, tmp_path: Path) -> None:
    def best(decoder: Decoder) -> set[str]:
        return set(decoder.translate(SOURCE).best_translations(3).texts)

    expected = best(make(Wrong=-0.5, Right=0.5))
    assert expected != best(make())
    (tmp_path / "search").write_text("Wrong -0.5\nRight 0.5\nGlue 0\nPhrase 0\nSwap 0\nUnknown 1\n")
    likes = partial(Likes, k=3, search_weights=tmp_path / "search")
    decoder = make(likes(), Likes=0.5)
    assert best(decoder) == expected
    found = decoder.translate(SOURCE)
    for each in found.derivations(3):
        score = sum(decoder.weights[name] * value for name, value in found.features(each).items())
        assert found.score(each) == pytest.approx(score)
    Mira(passes=2).fit(decoder, [Segment(SOURCE.tokens, references=(LIKED,))])
    assert best(decoder) == expected
    assert "Unknown" in decoder.unmatched_weights()
    (tmp_path / "another").write_text("Right 1\n")
    with pytest.raises(InputError, match="another: expected the same weights of the search for all lists"):
        make(likes(), Likes(search_weights=tmp_path / "another"))
    with pytest.raises(InputError, match="absent: cannot be opened"):
        make(Likes(search_weights=tmp_path / "absent"))


def test_completions_are_not_bound_to_the_list(make: Make) -> None:
    plain, listed = make().translate(SOURCE), make(Likes(k=2)).translate(SOURCE)
    first, second = listed.unique_kbest(9)
    assert listed.complete("") == first and listed.complete(second[:-1]) == second
    rare = [*plain.unique_kbest(1000)][-1]
    assert listed.complete(rare[:-1]) == rare
    unknown = f"{rare} unknown"
    assert listed.complete(unknown) == plain.complete(unknown) == unknown
    assert pickle.loads(pickle.dumps(listed)).complete(rare[:-1]) == rare
    assert listed.intersect(first)
    assert listed.complete(rare[:-1]) != rare


class Spelled(ListFeatures):
    """The log probability of words of one subword each, of which those that are liked are likely."""

    fires = ("Spelled",)
    end = 0

    def __init__(self, *, prefix: str = "", beam: int = 0) -> None:
        self.prefix, self.beam, self.k = prefix, beam, 1
        self.numbers: dict[str, int] = {}

    def fire(self, translations: Sequence[str], segment: Segment) -> FeatureTable:
        scores = np.array([self.of(text) for text in translations])
        return FeatureTable.from_dense([f"{self.prefix}Spelled"], scores[:, None])

    def of(self, text: str) -> float:
        return sum(-1.0 - 4 * (word not in LIKED.split()) for word in text.split())

    def next_subword(self, segment: Segment) -> Spelled:
        return self

    def cut(self, words: Sequence[str]) -> list[tuple[int, ...]]:
        return [(self.numbers.setdefault(word, len(self.numbers) + 1),) for word in words]

    def log_probabilities(self, beginnings: Sequence[tuple[int, ...]]) -> NDArray[np.float64]:
        return np.array([[0.0, *map(self.of, self.numbers)]] * len(beginnings))


def test_a_beam_adds_the_best_translation_to_the_list(make: Make) -> None:
    plain, spelled = make().translate(SOURCE), Spelled()
    every = {plain.text(each): plain.score(each) for each in plain.derivations(1000, unique=True)}
    totals = {text: score + spelled.of(text) for text, score in every.items()}
    best = max(totals, key=totals.__getitem__)
    assert best != plain.viterbi()
    found = make(Spelled(prefix="Mine", beam=99), MineSpelled=1.0).translate(SOURCE)
    assert found.viterbi() == best
    assert found.score(found.best()) == pytest.approx(totals[best])
    assert found.features(found.best())["MineSpelled"] == spelled.of(best)
    backwards = make(Spelled(beam=99), Spelled=-1.0).translate(SOURCE)
    assert list(backwards.best_translations(9).texts) == [plain.viterbi()]


class Says(Likes):
    """A plugin with translations of its own."""

    fires = ("Likes", "Words", "SaysEdits")

    def __init__(self, *said: str, k: int = 20) -> None:
        super().__init__(k=k)
        self.said = said

    def translations(self, segment: Segment) -> Sequence[str]:
        return self.said


NEAR = "the house crimson"
"""No rule has its last word."""


def test_translations_that_no_rule_has_are_listed(tmp_path: Path) -> None:
    (tmp_path / "grammar").write_text(world.COSTS)
    (tmp_path / "lm.arpa").write_text(world.ARPA)
    functions = "feature_function=WordPenalty\nfeature_function=KLanguageModel lm.arpa\n"
    ini = f"formalism=scfg\ngrammar=grammar\n{functions}"
    (tmp_path / "cdec.ini").write_text(ini)
    (tmp_path / "whole.ini").write_text(ini.replace("grammar=", "grammar=whole\ngrammar="))
    (tmp_path / "whole").write_text(f"[X] ||| la casa roja ||| {NEAR} ||| whole=1\n")
    weights = {"p": -1.0, "LanguageModel": 0.5, "WordPenalty": -0.1}
    plain = Decoder(tmp_path / "cdec.ini", weights=weights).translate("la casa roja")
    likely = plain.best_translations(2).texts
    says = Says(NEAR, " ", likely[1], " ".join("word" for _ in range(256)), k=2)
    decoder = Decoder(tmp_path / "cdec.ini", weights={**weights, "SaysEdits": -0.25}, features=[says])
    forest = decoder.translate("la casa roja")
    assert {*forest.best_translations(9).texts} == {*likely, NEAR}

    found = {forest.text(each): each for each in forest.derivations(9)}
    features = {text: forest.features(each) for text, each in found.items()}
    whole = Decoder(tmp_path / "whole.ini", weights={**weights, "whole": 100.0}).translate("la casa roja")
    assert whole.viterbi() == NEAR
    of_words = {
        name: value
        for name, value in whole.features(whole.best()).items()
        if name in ("LanguageModel", "LanguageModel_OOV", "WordPenalty")
    }
    assert of_words["LanguageModel_OOV"] == 1
    assert likely[0] == "the house red"
    of_nearest = {name: value for name, value in features[likely[0]].items() if name not in of_words}
    expected = {**of_nearest, **of_words, "Words": 3.0, "SaysEdits": 1.0}
    assert features[NEAR] == pytest.approx(expected)
    for text, each in found.items():
        score = sum(decoder.weights[name] * value for name, value in features[text].items())
        assert forest.score(each) == pytest.approx(score)

    chosen = Decoder(tmp_path / "cdec.ini", weights={**weights, "SaysEdits": 9.0}, features=[says])
    assert chosen.translate("la casa roja").viterbi() == NEAR
    assert chosen.translate("la casa roja").consensus("linear").viterbi() in {*likely, NEAR}
    assert chosen.translate("la casa roja").complete("the house cr") == NEAR


class SaysAndSearches(Spelled):
    """A plugin with a beam whose best translation has words that the forest has not."""

    fires = ("Spelled", "SaysAndSearchesEdits")

    def translations(self, segment: Segment) -> Sequence[str]:
        return ["words from elsewhere"]


def test_a_beam_begins_with_such_words(make: Make) -> None:
    weights = {"Spelled": 1.0, "SaysAndSearchesEdits": 9.0}
    forest = make(SaysAndSearches(beam=99), **weights).translate(SOURCE)
    assert forest.viterbi() == "words from elsewhere"


@pytest.mark.parametrize("tuner", [Mira(C=0.5, passes=6), BatchMira(passes=6)], ids=["online", "batch"])
def test_tuners_learn_what_such_words_cost(make: Make, tuner: Any) -> None:
    said = LIKED.replace("tall", "lofty")
    decoder = make(Says(said))
    segment = Segment(SOURCE.tokens, references=(said,))
    tuner.fit(decoder, [segment])
    assert decoder.weights["SaysEdits"] > 0
    assert decoder.translate(segment).viterbi() == said


def test_batch_mira_goes_on_where_the_list_stays(make: Make) -> None:
    tuner = BatchMira(passes=3, epochs=1, C=0.001)
    tuner.fit(make(Likes()), [Segment(SOURCE.tokens, references=(LIKED,))])
    assert [record.new > 0 for record in tuner.passes_] == [True, False, False]


class Other(Likes):
    """Another plugin of the same pass, which wants a shorter list."""

    fires = ("Other",)

    def __init__(self) -> None:
        super().__init__(k=2)
        self.seen: list[int] = []

    def fire(self, translations: Sequence[str], segment: Segment) -> FeatureTable:
        self.seen.append(len(translations))
        return FeatureTable.from_dense(self.fires, np.ones((len(translations), 1)))


@pytest.mark.parametrize("tuner", [Mira(C=0.5, passes=6), BatchMira(passes=6)], ids=["online", "batch"])
def test_tuners_learn_the_weight_from_hope_and_fear_among_the_list(make: Make, tuner: Any) -> None:
    decoder = make(Likes())
    segment = Segment(SOURCE.tokens, references=(LIKED,))
    tuner.fit(decoder, [segment])
    assert decoder.weights["Likes"] > 0
    assert decoder.translate(segment).viterbi() == LIKED
    found = Mira().hypotheses(decoder, decoder.translate(segment), segment)
    listed = decoder.translate(segment).best_translations(20).texts
    assert {*found.hope.translations.texts, *found.fear.translations.texts} <= {*listed}
    assert found.hope.objective(0.5)[0] >= found.best.objective(0.5).max() - 1e-9
    assert found.fear.objective(math.inf)[0] >= found.best.objective(math.inf).max() - 1e-9


def test_consensus_and_confidence_are_those_of_the_list(make: Make) -> None:
    forest = make(Likes(k=1)).translate(SOURCE)
    assert forest.consensus("linear").viterbi() == forest.viterbi()
    assert forest.npaths == 1


def test_the_contract_is_checked(make: Make) -> None:
    check_plugin(Likes(), processes=False)
    with pytest.raises(InputError, match=r"plugin Wrong on sentence 1: .*3"):
        make(Wrong()).translate(SOURCE)
    ini = "formalism=rescore\n"
    with pytest.raises(InputError, match="Likes sees the source sentence, which a forest does not have"):
        Decoder(ini, features=[Likes()])


class Wrong(Likes):
    """A plugin whose table is of other translations."""

    def fire(self, translations: Sequence[str], segment: Segment) -> FeatureTable:
        return FeatureTable.from_dense(self.fires, np.ones((3, 2)))
