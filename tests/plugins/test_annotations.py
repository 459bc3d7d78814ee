from __future__ import annotations

import gzip
import pickle
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopefear.base import InputError
from hopefear.decoder import Lattice, Segment, parse_line
from hopefear.plugins import Annotations, annotate, parse_tree, read_classes
from hopefear.plugins.annotations import UNKNOWN_CLASS, parse_tagged
from hopefear.plugins.conllu import Contraction, DependencyParse, read_conllu
from hopefear.plugins.trees import Constituent, format_tree
from hopefear.plugins.written import Written


def conllu(*rows: str) -> str:
    """Rows ``id form upos xpos head``, and rows that are lines already."""
    lines = []
    for row in rows:
        if row and not row.startswith("#"):
            number, form, upos, xpos, head = row.split()
            row = f"{number}\t{form}\t_\t{upos}\t{xpos}\t_\t{head}\t_\t_\t_"
        lines.append(row + "\n")
    return "".join(lines)


# The words of the format's own description: contractions, and an empty node after word 1.
VAMONOS = conllu(
    "# text = vámonos al mar",
    "1-2 vámonos _ _ _",
    "1 vamos VERB V 0",
    "1.1 que _ _ _",
    "2 nos PRON _ 1",
    "3-4 al _ _ _",
    "3 a ADP _ 5",
    "4 el DET _ 5",
    "5 mar NOUN _ 1",
    "",
)
NOTHING = "# sent_id = 1\n\n"
HOUSE = conllu("1 la _ DA 2", "2 casa _ NC 0", "3 ! _ _ 2")


def segments(*lines: str) -> list[Segment]:
    return [parse_line(line, index=index, where=f"in:{index + 1}") for index, line in enumerate(lines)]


def written(folder: Path, name: str, text: str, packed: bool = False) -> Path:
    path = folder / name
    path.write_bytes(gzip.compress(text.encode()) if packed else text.encode())
    return path


@pytest.mark.parametrize("packed", [False, True])
def test_conllu_of_words_or_of_tokens(tmp_path, packed):
    path = written(tmp_path, "c", VAMONOS + NOTHING + VAMONOS + HOUSE, packed)
    words, empty, tokens, house = annotate(
        segments("vamos nos a el mar", "", "vámonos al mar", "La casa !"), conllu=path
    )
    assert words.tags == ("VERB", "PRON", "ADP", "DET", "NOUN")
    assert words.dependencies == (0, 1, 5, 5, 1)
    assert (empty.tags, empty.dependencies) == ((), ())
    assert tokens.tags == ("VERB", "ADP", "NOUN")
    assert tokens.dependencies == (0, 3, 1)
    assert house.tags == ("DA", "NC", "_")
    assert house.dependencies == (2, 0, 2)


def test_columns_without_heads_or_tags(tmp_path):
    text = conllu("1 la D _ _", "2 casa N _ _", "") + conllu("1 la _ _ 0")
    first, second = annotate(segments("la casa", "la"), conllu=written(tmp_path, "c", text))
    assert (first.tags, first.dependencies) == (("D", "N"), None)
    assert (second.tags, second.dependencies) == (None, (0,))


@given(st.data())
def test_contractions_keep_a_forest(data):
    n = data.draw(st.integers(1, 9))
    order = data.draw(st.permutations(range(n)))  # a word depends on one before it in this order
    heads = [0] * n
    for place, word in enumerate(order):
        heads[word] = data.draw(st.sampled_from([0, *(other + 1 for other in order[:place])]))
    borders = sorted(data.draw(st.sets(st.integers(1, n - 1) if n > 1 else st.nothing())))
    parts = list(zip([0, *borders], [*borders, n], strict=True))
    ranges = tuple(Contraction(b, e, f"t{b}") for b, e in parts if e - b > 1)
    parse = DependencyParse(tuple(f"t{i}" for i in range(n)), None, tuple(heads), ranges).contracted()
    assert parse.words == tuple(f"t{begin}" for begin, _ in parts)
    token = {word + 1: place for place, (b, e) in enumerate(parts, 1) for word in range(b, e)} | {0: 0}
    assert parse.heads is not None
    for place, head in enumerate(parse.heads, 1):
        begin, end = parts[place - 1]
        assert head in {token[heads[word]] for word in range(begin, end)} - {place}
        for _ in parts:
            place = parse.heads[place - 1] if place else 0
        assert place == 0


@pytest.mark.parametrize("text", ["the/DT and/or/CC --/:\n\n", "the_DT and/or_CC --_:\n\n"])
def test_tagged_words(tmp_path, text):
    first, second = annotate(segments("the and/or --", ""), tags=written(tmp_path, "t", text))
    assert (first.tags, second.tags) == (("DT", "CC", ":"), ())
    assert parse_tagged("a_b/N") == (("a_b",), ("N",))


def test_tags_go_before_those_of_the_parse(tmp_path):
    parse, tags = written(tmp_path, "c", HOUSE), written(tmp_path, "t", "la/X casa/Y !/Z\n")
    (segment,) = annotate(segments("la casa !"), conllu=parse, tags=tags)
    assert (segment.tags, segment.dependencies) == (("X", "Y", "Z"), (2, 0, 2))


@pytest.mark.parametrize("text", ["la\t7\nca\u00a0sa 12\n", "\n111\tla\t90\n0 ca\u00a0sa 1\n"])
def test_word_classes(tmp_path, text):
    path = written(tmp_path, "classes", text)
    la, casa = ("7", "12") if text.startswith("la") else ("111", "0")
    assert read_classes(path) == {"la": la, "ca\u00a0sa": casa}
    (segment,) = annotate(segments("ca\u00a0sa la roja"), classes=path)
    assert segment.classes == (casa, la, UNKNOWN_CLASS)


def test_trees(tmp_path):
    lines = "(S (NP (-LRB- -LRB-) the dog) (`` ``) 1\\/2)\n()\n\n(NP x)\n"
    own = '<seg id="9" parse="(S (X y))">y</seg>'
    found = list(
        annotate(segments('( The dog " 1/2', "no parse", "", own), trees=written(tmp_path, "t", lines))
    )
    assert [segment.tree for segment in found] == [*lines.split("\n")[:3], "(S (X y))"]


def test_a_lattice_has_no_annotation(tmp_path):
    lattice = Segment.from_input(Lattice.from_plf("((('la',1,1),),)"))
    files = {name: written(tmp_path, name, "\n") for name in ("trees", "tags")}
    found = Annotations(
        **files, conllu=written(tmp_path, "c", NOTHING), classes=written(tmp_path, "k", "la 1\n")
    ).attach(lattice)
    assert (found.tags, found.dependencies, found.classes) == ((), (), None)
    with pytest.raises(InputError, match="t:1: a tree: expected nothing, as in lattice 1, got 1 words"):
        Annotations(trees=written(tmp_path, "t", "(S la)\n")).attach(lattice)


def test_items_belong_to_segments_by_index(tmp_path):
    path = written(tmp_path, "t", "a/A\nb/B\nc/C\nd/D\n")
    a, b, c = segments("a", "b", "c")
    assert [segment.tags for segment in annotate([a, c], tags=path)] == [("A",), ("C",)]
    with pytest.raises(ValueError, match="in order: 1 came after 2"):
        list(annotate([c, b], tags=path))


def test_what_comes_before_a_bad_line_is_given(tmp_path):
    found = annotate(segments("a", "b"), tags=written(tmp_path, "t", "a/A\nc/B\n"))
    assert next(found).tags == ("A",)
    with pytest.raises(InputError, match=r"t:2: .* expected 'b' as word 1, as in sentence 2, got 'c'"):
        next(found)


@pytest.mark.parametrize(
    ("tokens", "constituents", "text"),
    [
        ("a b c", [("S", 0, 3), ("NP", 0, 1), ("VP", 1, 3), ("V", 1, 2)], "(S (NP a) (VP (V b) c))"),
        ("( :)", [("S", 0, 2), ("X", 0, 2), ("Y", 1, 2)], "(S (X -LRB- (Y :-RRB-)))"),
        ("a", [("S", 0, 1)], "(S a)"),
    ],
)
def test_writes_trees(tokens, constituents, text):
    assert format_tree(tokens.split(), [Constituent(*item) for item in constituents]) == text


@pytest.mark.parametrize("part", ["dev", "test"])
def test_real_parses(shared, part):
    folder = shared / "data" / "bible-es-en"
    files = {"trees": folder / f"{part}.es.trees", "conllu": folder / f"{part}.es.conllu"}
    lines = (folder / f"{part}.es").read_text("utf-8").splitlines()
    found = list(annotate(segments(*lines), **files))
    rows = [row.split("\t") for row in files["conllu"].read_text("utf-8").split("\n") if row[:1].isdigit()]
    assert [tag for segment in found for tag in segment.tags] == [row[3] for row in rows]
    assert [str(head) for segment in found for head in segment.dependencies] == [row[6] for row in rows]
    assert all(len(parse_tree(segment.tree).tokens) == segment.length for segment in found)


def test_the_parses_of_another_part_are_refused(shared):
    folder = shared / "data" / "bible-es-en"
    lines = (folder / "dev.es").read_text("utf-8").splitlines()
    for kind, name in (("trees", "test.es.trees"), ("conllu", "test.es.conllu")):
        with pytest.raises(InputError, match=rf"{name}:1: a (tree|parse): expected 23 words"):
            list(annotate(segments(*lines), **{kind: folder / name}))


def test_reads_each_sentence_of_conllu(tmp_path):
    path = written(tmp_path, "c", "\n" + HOUSE + "\n\n" + NOTHING + HOUSE.rstrip("\n"))
    assert [(line, len(parse.words)) for line, parse in read_conllu(path)] == [(2, 3), (7, 0), (9, 3)]


# annotations with other words than the tokens that were made of a sentence as written

TEXT = "We don’t see <b>half-done</b> work (it is “bad”)."
TOKENS = "We don ’ t see half - done work ( it is “ bad ” ) .".split()  # noqa: SIM905
OWN_WORDS = ["We", "do", "n’t", "see", "<b>", "half-done", "</b>", "work", "-LRB-", "it", "is", "“bad”", ")."]


def of_written(text: str, tokens: list[str]) -> Segment:
    places, place = [], 0
    for token in tokens:
        place = text.index(token, place)
        places.append((place, place + len(token)))
        place += len(token)
    return Segment(
        [t.lower() for t in tokens], text=text, written=Written(text, tuple(places), tuple(tokens))
    )


def parsed(words: list[str], heads: list[int]) -> str:
    numbers = range(1, len(words) + 1)
    rows = zip(numbers, words, words, words, heads, strict=True)
    return conllu(*(" ".join(map(str, row)) for row in rows), "")


def test_a_parser_s_own_words_meet_the_tokens_at_their_characters(tmp_path):
    segment = of_written(TEXT, TOKENS)
    heads = [4, 4, 4, 0, 6, 8, 6, 4, 12, 12, 12, 4, 4]
    path = written(tmp_path, "c", parsed(OWN_WORDS, heads))
    (found,) = annotate([segment], conllu=path)
    assert found.tags == (
        *("We", "do", "n’t", "n’t", "see", "half-done", "half-done", "half-done", "work"),
        *("-LRB-", "it", "is", "“bad”", "“bad”", "“bad”", ").", ")."),
    )
    # The tokens of a word depend on its longest one, or the first of these: 2 for n’t, 6, 14, 16.
    assert found.dependencies == (5, 5, 2, 2, 0, 9, 6, 6, 5, 14, 14, 14, 14, 5, 14, 5, 16)
    line = " ".join(f"{word}/{number}" for number, word in enumerate(OWN_WORDS))
    (tagged,) = annotate([segment], tags=written(tmp_path, "t", line))
    assert tagged.tags == tuple(map(str, (0, 1, 2, 2, 3, 5, 5, 5, 7, 8, 9, 10, 11, 11, 11, 12, 12)))


def test_words_of_the_tokens_alone_fit_too(tmp_path):
    segment = of_written(TEXT, TOKENS)
    words = [word for word in OWN_WORDS if not word.startswith("<")]
    (found,) = annotate([segment], conllu=written(tmp_path, "c", parsed(words, [0] * len(words))))
    assert found.tags is not None and found.tags[5:9] == ("half-done", "half-done", "half-done", "work")


def test_trees_of_other_words(tmp_path):
    segment = of_written("He can’t <b>see</b>.", ["He", "can", "’", "t", "see", "."])
    tree = "(S (NP-SBJ (PRP He)) (VP (MD ca) (RB n’t) (X <b>) (VP (VB see)) (X </b>)) (. .))"
    (found,) = annotate([segment], trees=written(tmp_path, "t", tree))
    assert found.tree == "(S (NP-SBJ (PRP he)) (VP (MD can) (RB ’ t) (VP (VB see))) (. .))"
    (failed,) = annotate([segment], trees=written(tmp_path, "t", "()"))
    assert failed.tree == "()"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("We/P saw/V", r"t:1: tagged words: expected 'don', as in sentence 1, got 'saw' as word 2"),
        (
            "We/P don’t/V",
            r"t:1: tagged words: expected 'see <b>half-done</b>', as in sentence 1, got the end of",
        ),
        (" ".join(f"{w}/X" for w in [*OWN_WORDS, "!"]), "expected no more words, .* got '!' as word 14"),
        ("", "got the end of the words"),
    ],
)
def test_words_of_another_sentence_are_refused_by_file_and_line(tmp_path, words, message):
    with pytest.raises(InputError, match=message):
        list(annotate([of_written(TEXT, TOKENS)], tags=written(tmp_path, "t", words + "\n")))


@st.composite
def divisions(draw):
    """Return a text, its tokens' places, other words of it, and heads of these words."""
    text = draw(st.text("abß “", min_size=1, max_size=20).filter(str.strip))
    cuts = [sorted({0, len(text), *draw(st.lists(st.integers(0, len(text))))}) for _ in range(2)]
    tokens, words = ([(a, b) for a, b in pairwise(each) if text[a:b].strip()] for each in cuts)
    order = draw(st.permutations(range(1, len(words) + 1)))
    heads = [0] * len(words)
    for place, word in enumerate(order):
        heads[word - 1] = draw(st.sampled_from([0, *order[:place]]))
    return text, tuple(tokens), ["".join(text[a:b].split()) for a, b in words], heads


@given(divisions())
def test_heads_lead_to_roots_and_trees_hold_the_tokens_for_all_divisions(tmp_path_factory, case):
    text, places, words, heads = case
    folder = tmp_path_factory.getbasetemp()
    tokens = [f"t{n}" for n in range(len(places))]
    segment = Segment(tokens, written=Written(text, places, tuple(tokens)))
    halves = [Constituent("A", 0, (len(words) + 1) // 2), Constituent("B", (len(words) + 1) // 2, len(words))]
    tree = format_tree(
        words, [Constituent("S", 0, len(words)), *(half for half in halves if half.begin < half.end)]
    )
    files = {"conllu": written(folder, "c", parsed(words, heads)), "trees": written(folder, "t", tree)}
    (found,) = annotate([segment], **files)
    for token in range(len(tokens)):
        way = [token + 1]
        while way[-1]:
            way.append(found.dependencies[way[-1] - 1])
            assert len(way) <= len(tokens) + 1
    assert parse_tree(found.tree).tokens == tuple(tokens)
    assert parse_tree(found.tree).constituents[0] == Constituent("S", 0, len(tokens))
    assert set(found.tags) <= set(words)


def test_annotations_of_ones_own(tmp_path):
    (tmp_path / "moods").write_text("glad\n\nvery sad \n", "utf-8")
    (tmp_path / "facts.json").write_text('{"age": 3}\n[1, "x"]\nnull\n', "utf-8")
    files = {"mood": tmp_path / "moods", "facts": tmp_path / "facts.json"}
    lines = ["a", '<seg id="7" mood="calm" topic="sea" parse="(S b)">b</seg>', "c"]
    found = list(annotate([parse_line(line, index=i) for i, line in enumerate(lines)], own=files))
    assert [segment.annotations["mood"] for segment in found] == ["glad", "calm", "very sad "]
    assert [segment.annotations["facts"] for segment in found] == [{"age": 3}, [1, "x"], None]
    assert [dict(segment.annotations).get("topic") for segment in found] == [None, "sea", None]
    assert found[1].attributes["mood"] == "calm" and "id" not in found[1].annotations
    assert pickle.loads(pickle.dumps(found[1])) == found[1]
    with pytest.raises(InputError, match=r"no annotation mod: expected --annotation mod=FILE, near: mood"):
        found[0].annotations["mod"]
    with pytest.raises(InputError, match=r"no annotation x: expected --annotation x=FILE, there is none"):
        Segment("a").annotations["x"]
    assert Segment("a", annotations={"x": 3}).annotations["x"] == 3


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("short", "one\n", r"short:2: expected the annotation it of sentence 2, got the end of the file"),
        ("long", "one\ntwo\nthree\n", r"long:3: expected 2 lines, one a segment, got more"),
        ("wrong.json", "1\n{\n", r"wrong.json:2: expected a JSON value: "),
        ("none", None, r"none: .*[Nn]o such file"),
    ],
)
def test_files_of_ones_own_annotations_are_counted_and_checked(tmp_path, name, text, message):
    if text is not None:
        (tmp_path / name).write_text(text, "utf-8")
    segments = [Segment("a", id=i, index=i) for i in range(2)]
    with pytest.raises(InputError, match=message):
        list(annotate(segments, own={"it": tmp_path / name}))
