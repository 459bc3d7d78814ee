"""The drawing of a derivation."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree as ET

from support.small_sample import small_sample
from support.world import World

from hopefear import Decoder
from hopefear.decoder.views import derivation_svg, derivation_tree, explain, switched
from hopefear.reports import explanation_page
from hopefear.tuners import Mira

SVG = "{http://www.w3.org/2000/svg}"


class Word(NamedTuple):
    rule: int
    text: str
    x: float
    y: float


def words_of(drawn: str) -> list[Word]:
    """The words of a drawing by line, and from left to right, with the rules that have them."""
    svg, found = ET.fromstring(drawn), list[Word]()
    for number, rule in enumerate(svg.findall(f"{SVG}g")):
        for text in rule.findall(f"{SVG}text"):
            if text.get("class") != "score":
                found.append(
                    Word(number, text.text or "", float(text.get("x", "")), float(text.get("y", "")))
                )
    return sorted(found, key=lambda word: (word.y, word.x))


def sides(drawn: str) -> list[list[str]]:
    rows: dict[float, list[str]] = {}
    for word in words_of(drawn):
        rows.setdefault(word.y, []).append(word.text)
    return list(rows.values())


def test_both_sides_in_their_own_order(tmp_path: Path) -> None:
    grammar = "[X] ||| a ||| A ||| p=1\n[X] ||| b [X,1] c ||| [X,1] C B ||| p=1\n"
    decoder = World(grammar).decoder(tmp_path, {"p": -1.0})
    drawn = derivation_svg(derivation_tree(decoder.translate("b a c")))
    assert sides(drawn) == [["b", "a", "c"], ["A", "C", "B"]]
    rules = {text: number for number, text, _, _ in words_of(drawn)}
    # A rule has its words of both sides, so that what lights it lights both.
    assert rules["b"] == rules["c"] == rules["C"] == rules["B"] != rules["a"] == rules["A"]
    svg = ET.fromstring(drawn)
    assert all(rule.get("tabindex") == "0" for rule in svg.findall(f"{SVG}g"))
    assert len(svg.findall(f"{SVG}g")) == 2  # glue is not drawn
    links = [len(rule.findall(f"{SVG}path")) for rule in svg.findall(f"{SVG}g")]
    assert sorted(links) == [2, 5]  # one for each word; and the rule to the one in its place


def test_texts_are_texts(tmp_path: Path) -> None:
    grammar = '[X] ||| a ||| <script>alert(1)</script>&" ||| p=1\n'
    drawn = derivation_svg(derivation_tree(World(grammar).decoder(tmp_path, {"p": -1.0}).translate("a")))
    assert "<script" not in drawn
    assert sides(drawn) == [["a"], ['<script>alert(1)</script>&"']]


def test_long_sentences_fold_and_records_are_drawn_alike() -> None:
    sample = small_sample()
    decoder = Decoder(sample / "cdec.ini", weights=sample / "weights.init")
    source = max((sample / "dev.es").read_text("utf-8").splitlines(), key=len)
    forest = decoder.translate(source)
    tree = derivation_tree(forest)
    drawn = derivation_svg(tree)
    rows = sides(drawn)
    assert [word for row in rows[::2] for word in row] == source.split()
    assert [word for row in rows[1::2] for word in row] == forest.viterbi().split()
    one, narrow = derivation_svg(tree, width=1e9), derivation_svg(tree, width=300)
    assert len(sides(one)) == 2 < len(rows) <= len(sides(narrow))
    assert derivation_svg(json.loads(json.dumps(tree.record()))) == drawn
    inside = float(ET.fromstring(drawn).get("width", ""))
    assert all(0 < word.x < inside for word in words_of(drawn))


def test_one_of_several_is_shown() -> None:
    html = switched({"best": "<i/>", "hope & fear": "<b/>"}, "d1")
    assert html.count("<input") == 2 and html.count(" checked") == 1
    assert "hope &amp; fear" in html
    assert "<input" not in switched({"best": "<i/>"}, "d1")


def test_a_page_of_many(tmp_path: Path) -> None:
    sample = small_sample()
    decoder = Decoder(sample / "cdec.ini", weights=sample / "weights.init")
    lines = (sample / "dev.es").read_text("utf-8").splitlines()[:2]
    oracle = partial(Mira.paper().hypotheses, decoder)
    found = [explain(decoder, line, oracle=oracle) for line in lines]
    page = explanation_page(found)
    assert page.count('<details class="sentence"') == 2 and 'id="filter"' in page
    assert "prefers-color-scheme: dark" in page and "http://" not in page.replace(
        "http://www.w3.org/2000/svg", ""
    )
    alone = explanation_page(found[:1])
    assert alone.count(" open><summary>") == 1 and 'id="filter"' not in alone
