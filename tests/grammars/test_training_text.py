"""The parallel text as a corpus, and its translation by models that leave each sentence out."""

from __future__ import annotations

import pickle
import re
from pathlib import Path

import pytest
from support.other_process import copy_of
from support.world import write_parallel_text

from hopefear.base import InputError
from hopefear.decoder import Decoder, Segment
from hopefear.decoder.config import parse_config
from hopefear.feature_extractors import RuleIndicators
from hopefear.grammars.bitext import Bitext
from hopefear.grammars.build import Recipe, build
from hopefear.grammars.built import Build
from hopefear.grammars.extracting_decoder import LeaveOneOutDecoder
from hopefear.grammars.extractor import GrammarExtractor
from hopefear.grammars.training_text import TrainingText
from hopefear.plugins import Annotations

PAIRS = [("a b", "x y", [(0, 0)]), ("", "x", []), ("a", "", []), ("a b c d", "x", []), ("c", "z  ", [(0, 0)])]


@pytest.fixture(scope="module")
def system(tmp_path_factory: pytest.TempPathFactory) -> Build:
    folder = tmp_path_factory.mktemp("system")
    write_parallel_text(folder, 20, ambiguous=True)
    texts = {"source": folder / "train.f", "target": folder / "train.e", "alignment": folder / "train.align"}
    return build(Recipe(**texts, folds=2, order=3, discount_fallback=True), folder / "system")


def text_of(pairs: list[tuple[str, str, list[tuple[int, int]]]]) -> Bitext:
    return Bitext.from_pairs((source.split(), target.split(), links) for source, target, links in pairs)


def test_sentences_of_the_text() -> None:
    text = TrainingText(text_of(PAIRS), "print", where="f", max_words=3)
    wanted = [
        Segment("a b", id=0, index=0, references=("x y",), where="f:1"),
        Segment("c", id=4, index=4, references=("z",), where="f:5"),
    ]
    assert [*text] == wanted == [text[i] for i in range(len(text))] == [*text[:2]]
    assert text[0].line == "a b"
    assert (text.left_out.empty, text.left_out.too_long) == (2, 1)
    assert len(TrainingText(text_of(PAIRS), "print", where="f", max_words=4)) == 3


def test_nothing_is_left_of_a_text() -> None:
    with pytest.raises(InputError, match=r"^f: expected sentence pairs of 1 to 3 source words, got none$"):
        TrainingText(text_of(PAIRS[1:4]), "print", where="f", max_words=3)
    with pytest.raises(InputError, match="got none"):
        TrainingText(text_of([]), "print", where="f")


def test_a_smaller_draw_is_a_part_of_a_larger_one() -> None:
    bitext = text_of([(f"w{i}", "x", []) for i in range(50)])

    def drawn(sentences: int | None, seed: int = 1) -> TrainingText:
        return TrainingText(bitext, "print", where="f", sentences=sentences, seed=seed)

    def ids(text: TrainingText) -> set[int | str]:
        return {segment.id for segment in text}

    small, large = drawn(10), drawn(30)
    assert len(small) == 10
    assert len(large) == 30
    assert ids(small) < ids(large)
    assert ids(drawn(10, seed=2)) != ids(small)
    assert ids(drawn(99)) == set(range(50))
    prints = {drawn(10).fingerprint, drawn(10, seed=2).fingerprint, large.fingerprint}
    assert len(prints) == 3
    assert drawn(10).fingerprint == small.fingerprint


def test_annotations_belong_to_the_lines_of_the_text(tmp_path: Path) -> None:
    (tmp_path / "trees").write_text("(S (A a) (B b))\n(S (X x))\n(S (A a))\n()\n(S (C c))\n")
    (tmp_path / "tags").write_text("a/A b/B\n\na/A\na/A b/B c/C d/D\nc/C\n")
    (tmp_path / "classes").write_text("a 1\nc 2\n")
    bitext = text_of(PAIRS)

    def annotated(**files: str) -> TrainingText:
        annotations = Annotations(**{kind: tmp_path / name for kind, name in files.items()})
        return TrainingText(bitext, "print", where="f", max_words=3, annotations=annotations)

    first, last = annotated(trees="trees", tags="tags", classes="classes")
    assert (first.tree, first.tags, first.classes) == ("(S (A a) (B b))", ("A", "B"), ("1", "<unknown>"))
    assert (last.index, last.tree, last.tags, last.classes) == (4, "(S (C c))", ("C",), ("2",))
    plain = TrainingText(bitext, "print", where="f", max_words=3)
    assert annotated().fingerprint == plain.fingerprint
    texts = [plain, annotated(trees="trees"), annotated(tags="tags"), annotated(classes="classes")]
    assert len({text.fingerprint for text in texts}) == 4


def test_annotations_of_another_text(tmp_path: Path) -> None:
    trees = tmp_path / "trees"
    for lines, message in (
        ("(S (A a) (B b))\n()\n()\n()\n(S (A a))\n", ":5: a tree: expected 'c' as word 1, as in sentence 5"),
        ("(S (A a) (B b))\n", ":2: expected the tree of sentence 5, got the end of the file"),
    ):
        trees.write_text(lines)
        annotations = Annotations(trees=trees)
        with pytest.raises(InputError, match=re.escape(f"{trees}{message}")):
            TrainingText(text_of(PAIRS), "print", where="f", max_words=3, annotations=annotations)


@pytest.mark.parametrize(("own_rules", "neighbours"), [(True, None), (True, 0), (True, 3), (False, None)])
def test_a_sentence_is_left_out(system: Build, own_rules: bool, neighbours: int | None) -> None:
    """Rules come from a text without it, its neighbours or its fold, the n-gram model from the other fold."""
    whole = system.read_text()
    source, _, alignment = (path.read_text("utf-8").splitlines() for path in system.texts)
    given = system.leaving_out(own_rules=own_rules, neighbours=neighbours)
    weights, sent = dict(given.weights), pickle.dumps(given)
    del given  # so that another is made, as in another process
    decoder = pickle.loads(sent)
    decoder.weights.update(weights)
    near = neighbours or 0  # of a text of 20 sentences, none are left out by default
    for segment in system.training_text():
        place, fold = int(segment.id), system.folds[int(segment.id) // 10]
        left_out = {*range(place - near, place + near + 1)} if own_rules else set(fold.sentences)
        kept = [i for i in range(20) if i not in left_out]
        rest = Bitext.from_pairs(
            (
                source[i].split(),
                whole.target(i),
                [tuple(map(int, link.split("-"))) for link in alignment[i].split()],
            )
            for i in kept
        )
        rules = GrammarExtractor(rest, **system.extraction).grammar(segment.tokens or ())
        wanted = Decoder(fold.config, weights=weights).translate(segment, rules)
        found = decoder.translate(segment)
        assert found.viterbi() == wanted.viterbi()
        assert found.viterbi_score() == pytest.approx(wanted.viterbi_score(), abs=1e-9)


@pytest.mark.parametrize(("sentences", "neighbours"), [(199, 0), (200, 1), (9_999, 49), (20_000, 50)])
def test_few_neighbours_of_a_short_text_are_left_out(sentences: int, neighbours: int) -> None:
    config = parse_config("formalism=scfg\nadd_pass_through_rules=true\n")
    extractor = GrammarExtractor(text_of([("a", "x", [])] * sentences))
    assert LeaveOneOutDecoder(config, extractor).neighbours == neighbours
    with pytest.raises(ValueError, match="neighbours must be at least 0, got -1"):
        LeaveOneOutDecoder(config, extractor, neighbours=-1)


def test_neighbours_are_of_the_whole_text(system: Build) -> None:
    with pytest.raises(ValueError, match="expected own_rules=True"):
        system.leaving_out(own_rules=False, neighbours=3)


def test_learning_may_search_less(system: Build) -> None:
    """The forests of another pop limit are those of decoders with this limit."""
    fewer = 0
    for limit in (1, 2, 1000):
        decoder = system.leaving_out(pop_limit=limit)
        for segment in list(system.training_text())[::3]:
            fold = system.folds[int(segment.id) // 10]
            config = fold.config
            config.passes[0].pop_limit = limit
            rules = system.extractor.grammar(segment.tokens or (), exclude=[int(segment.id)])
            wanted = Decoder(config, weights=dict(decoder.weights)).translate(segment, rules)
            found = decoder.translate(segment)
            assert found.viterbi_score() == wanted.viterbi_score()
            assert len(found.edges) == len(wanted.edges)
            fewer += len(found.edges) < len(system.leaving_out().translate(segment).edges)
    assert fewer > 5


def test_the_decoder_is_for_the_text_only(system: Build) -> None:
    decoder = system.leaving_out()
    for wrong in ("1", -1, 20):
        with pytest.raises(InputError, match=f"expected the id of a sentence of the text, got {wrong!r}"):
            decoder.translate(Segment("veo la casa", id=wrong))
    (fold, _) = system.folds
    with pytest.raises(InputError, match="expected the id of a sentence of the text, got 'one'"):
        fold.decoder(own_rules=True).translate(Segment("veo la casa", id="one"))


def test_folds_are_needed(tmp_path: Path) -> None:
    write_parallel_text(tmp_path, 20)
    texts = {name: tmp_path / f"train.{end}" for name, end in (("source", "f"), ("target", "e"))}
    recipe = Recipe(**texts, alignment=tmp_path / "train.align", order=2, discount_fallback=True)
    with pytest.raises(InputError, match="expected a system with folds: build it with --folds 5"):
        build(recipe, tmp_path / "system").leaving_out()


def test_features_of_all_folds_are_counted(system: Build) -> None:
    decoder = system.leaving_out(features=lambda: [RuleIndicators()])
    names = set()
    for segment in system.training_text():
        forest = decoder.translate(segment)
        found = forest.best_translations(1000)
        names |= {decoder.weights.name(int(feature)) for feature in found.features}
        marks = decoder.of_plugins(found.features)
        for feature, of_plugin in zip(found.features, marks, strict=True):
            assert decoder.weights.name(int(feature)).startswith("R:") == of_plugin
    (row,) = decoder.feature_report()
    assert row.family == "RuleIndicators"
    assert row.names >= len([name for name in names if name.startswith("R:")]) > 0
    assert decoder.fired().sentences == 20


def test_a_copy_tells_what_it_fired_and_skipped(system: Build) -> None:
    decoder, skipped = system.leaving_out(features=lambda: [RuleIndicators()]), []
    decoder.on_error = lambda segment, error: skipped.append((segment.id, str(error)))
    copy = copy_of(decoder)
    assert copy.weights is decoder.weights
    for segment in system.training_text():
        copy.translate(segment)
    with pytest.raises(InputError):
        copy.translate(Segment("veo la casa", id=99))
    delta = copy.delta()
    assert delta is not None
    decoder.merge(delta)
    assert [segment for segment, _ in skipped] == [99]
    alone = system.leaving_out(features=lambda: [RuleIndicators()])
    for segment in system.training_text():
        alone.translate(segment)
    assert decoder.feature_report() == alone.feature_report()
    assert copy.delta() is None
