"""Products of features, and bins of their values."""

from __future__ import annotations

import pickle
from collections.abc import Iterator

import pytest
from support.small_sample import small_sample

from hopefear import Decoder, check_plugin
from hopefear.base import InputError
from hopefear.feature_extractors import Arity, GrammarFeature, Product, RuleCounts, SpanSize
from hopefear.plugins import Plugin, create

SENTENCES = ("y dijo dios : sea la luz .", "luz", "y la tierra desconocida .")


def edges_with(*plugins: Plugin) -> Iterator[dict[str, float]]:
    """Yield the features of each edge of some forests."""
    weights = {"LanguageModel": 0.1, "PassThrough": -1.0}
    decoder = Decoder(small_sample() / "cdec.ini", features=plugins, weights=weights)
    for sentence in SENTENCES:
        edges = decoder.translate(sentence).forest.edges
        for edge in range(len(edges)):
            numbered = edges.features_of(edge)
            yield {decoder.weights.name(number): value for number, value in numbered.items()}


def chosen(features: dict[str, float], beginning: str) -> dict[str, float]:
    return {name: value for name, value in features.items() if name.startswith(beginning) and "&" not in name}


@pytest.mark.parametrize(
    ("first", "second", "beginnings"),
    [
        (Arity(), SpanSize(), ("Arity", "SSS:")),
        (SpanSize(), RuleCounts(bins=3), ("SSS:", "Count:")),
        (GrammarFeature(name="MaxLexEgivenF"), RuleCounts(), ("Value:", "Count:")),
    ],
)
def test_a_product_is_that_of_all_pairs_on_an_edge(
    first: Plugin, second: Plugin, beginnings: tuple[str, str]
) -> None:
    some = 0
    for features in edges_with(first, second, Product(first=first, second=second)):
        ones, others = (chosen(features, beginning) for beginning in beginnings)
        expected = {f"{a}&{b}": x * y for a, x in ones.items() for b, y in others.items()}
        assert {name: value for name, value in features.items() if "&" in name} == pytest.approx(expected)
        some += len(expected)
    assert some


def test_a_product_of_a_product() -> None:
    plugin = create('Product Arity "Product SpanSize RuleOwners"')
    names = {name for features in edges_with(plugin) for name in features if "&" in name}
    assert names and all(name.count("&") == 2 for name in names)


def test_bins_divide_the_values_of_the_grammar() -> None:
    bins = create('Bins "GrammarFeature CountEF" --bounds 0.5,1')
    seen = set()
    for features in edges_with(bins):
        value = features.get("CountEF", 0.0)
        expected = f"Value:CountEF{'<=0.5' if value <= 0.5 else '<=1' if value <= 1 else '>1'}"
        assert chosen(features, "Value:") == ({expected: 1.0} if value else {})
        seen.add(expected if value else "")
    assert len(seen) == 4


def test_plugins_are_checked_and_pickled() -> None:
    for line in ('Product "RuleCounts --bins 3" SpanSize', 'Bins "GrammarFeature CountEF" --bounds 1'):
        plugin = create(line)
        check_plugin(plugin)
        assert [*edges_with(pickle.loads(pickle.dumps(plugin)))] == [*edges_with(plugin)]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("Product Arty SpanSize", "unknown feature function, near: Arity"),
        ("Product TargetBigrams SpanSize", "expected rule or edge plugins, got a plugin of level n-gram"),
        ('Product "Arity x" SpanSize', "--most must be a whole number"),
        ("Product Arity", "--second must be given"),
        ("Bins Arity --bounds 1,1", "bounds must be ascending numbers, got 1.0, 1.0"),
    ],
)
def test_wrong_arguments(line: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        create(line).prepare()
