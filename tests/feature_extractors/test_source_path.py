from __future__ import annotations

from collections import Counter
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st
from support.plugin_batches import Edge, Edges, Sentence, fired

from hopefear.feature_extractors import SourcePath
from hopefear.plugins import create


def fire(plugin: SourcePath, words: tuple[str, ...], edges: list[Edge]) -> list[dict[str, float]]:
    plugin.prepare()
    return fired(plugin, Edges(len(words), edges), Sentence(words))


def test_cdecs_names() -> None:
    words = ("la", "casa", "de", "papel", "nuevo", "a=b")
    edges: list[Edge] = [
        (0, (0, 5), [(0, 2), (3, 5)]),  # [X,1] de [X,2]
        (1, (0, 2), []),
        (2, (0, 5), [(0, 3), (3, 5)]),  # [X,1] [X,2]
        (3, (0, 6), [(0, 6)]),
        (4, (1, 6), [(2, 4)]),  # casa [X,1] nuevo a=b
    ]
    assert fire(SourcePath(), words, edges) == [
        {"SU:de": 1, "SB:casa_de": 1, "SB:de_nuevo": 1},
        {"SU:la": 1, "SU:casa": 1, "SB:la_casa": 1},
        {"SB:de_nuevo": 1},
        {},
        dict.fromkeys(
            ("SU:casa", "SB:casa_papel", "SU:nuevo", "SB:papel_nuevo", "SU:a_b", "SB:nuevo_a_b"), 1
        ),
    ]


def test_values_count() -> None:
    assert fire(SourcePath(), ("a", "a", "a"), [(0, (0, 3), [])]) == [{"SU:a": 3, "SB:a_a": 2}]


def test_types() -> None:
    plugin = create("SourcePathFeatures --types suffix,digits")
    assert fire(plugin, ("ventanas", "12"), [(0, (0, 2), [])]) == [
        {
            **{"SU:+anas": 1, "SU:ventanas": 1, "SU:12": 1, "SU:@@": 1},
            **{"SB:+anas_12": 1, "SB:ventanas_@@": 1},
        }
    ]


def cdec(words: tuple[str, ...], span: tuple[int, int], tails: list[tuple[int, int]]) -> Counter[str]:
    """The loop of SourcePathFeatures::TraversalFeaturesImpl."""
    features: Counter[str] = Counter()
    previous, place = "", span[0]
    waiting = list(tails)
    while place < span[1]:
        if waiting and waiting[0][0] == place:
            place = waiting.pop(0)[1]
            current = words[place - 1]
        else:
            current = words[place]
            place += 1
            features[f"SU:{current}"] += 1
        if previous:
            features[f"SB:{previous}_{current}"] += 1
        previous = current
    return features


@given(st.lists(st.sampled_from("abc"), min_size=8, max_size=8), st.data())
def test_against_cdecs_loop(letters: list[str], data: st.DataObject) -> None:
    words = tuple(letters)
    edges: list[Edge] = []
    for _ in range(data.draw(st.integers(0, 4))):
        cuts = sorted(data.draw(st.sets(st.integers(0, 8), min_size=2, max_size=6)))
        between = list(pairwise(cuts))
        tails = [tail for tail in between if data.draw(st.booleans())]
        edges += [(0, (cuts[0], cuts[-1]), tails)] * data.draw(st.integers(1, 3))
    assert fire(SourcePath(), words, edges) == [cdec(words, span, tails) for _, span, tails in edges]
