"""The world of the tests: a little Spanish with right and wrong English, as grammars, systems and texts."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from hopefear.decoder import Decoder, Segment, Weights
from hopefear.feature_extractors import RuleIndicators
from hopefear.plugins import EdgeBatch, EdgeFeatures, FeatureTable

TARGETS = {
    "la": ("the", "her"),
    "casa": ("house", "home"),
    "verde": ("green", "raw"),
    "es": ("is", "are"),
    "muy": ("very",),
    "grande": ("big", "tall"),
    "la casa": ("the home",),
    "casa verde": ("green house",),
}
"""The translations of words and phrases, of words the right one first."""

WORDS = [(source, *TARGETS[source]) for source in ("la", "casa", "verde", "es")]
"""Words with their right and their wrong translation."""

RIGHT = {source: right for source, right, _ in WORDS}

OF_PHRASES = {"la casa": "Wrong=1 Phrase=1", "casa verde": "Swap=1"}

# "la casa" is "the house" (-2), "the home" (-3), "the building" (-9).
COSTS = """\
[X] ||| la ||| the ||| p=1
[X] ||| casa ||| house ||| p=1 a=1
[X] ||| casa ||| home ||| p=2 b=1
[X] ||| la casa ||| the building ||| p=9 ||| 0-0 1-1
[X] ||| roja ||| red ||| p=1
[X] ||| [X,1] roja ||| red [X,1] ||| p=1
[X] ||| casa roja ||| red house ||| p=5
[X] ||| [X,1] de [X,2] ||| [X,2] 's [X,1] ||| p=1 ||| 1-1
"""
"""A grammar with a cost for each rule, some rules with nonterminals."""

ARPA = r"""\data\
ngram 1=7
ngram 2=4
ngram 3=2

\1-grams:
-2	<unk>
-9	<s>	-0.5
-1	</s>
-0.7	the	-0.25
-0.9	house	-0.125
-1.2	green	-0.2
-1.5	is	-0.1

\2-grams:
-0.3	<s> the	-0.1
-0.4	house </s>
-0.2	the green	-0.2
-0.6	the house	-0.1

\3-grams:
-0.2	<s> the house
-0.3	the green house

\end\
"""
"""A language model of order 3."""


def right_or_wrong(source: str, target: str) -> str:
    """Return the features of a rule: Right or Wrong for a word, Phrase or Swap for a phrase."""
    if source in OF_PHRASES:
        return OF_PHRASES[source]
    return "Right=1" if target == TARGETS[source][0] else "Wrong=1"


def rule(source: str, target: str, features: str) -> str:
    """Return a line of a grammar."""
    return f"[X] ||| {source} ||| {target} ||| {features}\n"


def own_features(source: str, target: str) -> str:
    """Return the features of a rule: right words have a feature each, with values that differ."""
    number = list(RIGHT).index(source)
    return f"Right=1 {target}={1 + 0.1 * number}" if target == RIGHT[source] else "Wrong=1"


def grammar(
    *sources: str, features: Callable[[str, str], str] = right_or_wrong, most: int | None = None
) -> str:
    """Return the grammar of some words and phrases: features by source and target, `most` targets of each."""
    return "".join(
        rule(source, target, features(source, target))
        for source in sources
        for target in TARGETS[source][:most]
    )


def corpus(*pairs: tuple[str, str]) -> list[Segment]:
    """Return sentences with one reference each, numbered from 0."""
    return [
        Segment(tuple(source.split()), id=i, index=i, references=(reference,))
        for i, (source, reference) in enumerate(pairs)
    ]


def right(*sources: str) -> list[Segment]:
    """Return a corpus whose references are the right words in the order of the source."""
    return corpus(*((source, " ".join(RIGHT[word] for word in source.split())) for source in sources))


class Spans(EdgeFeatures):
    """Features that come up while sentences are translated."""

    def fire(self, edges: EdgeBatch, segment: Segment) -> FeatureTable:
        """Name span and sentence."""
        spans = edges.span.tolist()
        return FeatureTable.from_pairs(
            len(spans),
            [(i, f"{segment.tokens[begin]}:{end - begin}") for i, (begin, end) in enumerate(spans)],
        )


@dataclass(frozen=True)
class World:
    """A system and what it learns from: `write` makes its files, and `decoder` a decoder of them."""

    rules: str = COSTS
    lines: Sequence[str] = ()
    """Of the cdec.ini, besides formalism and grammar."""
    weights: Mapping[str, float] = field(default_factory=dict)
    plugins: Sequence[Callable[[], Any]] = ()
    """They make feature functions; a decoder has them besides those of the cdec.ini."""
    corpus: Sequence[Segment] = ()
    files: Mapping[str, str] = field(default_factory=dict)

    def write(self, folder: Path) -> Path:
        """Write the grammar, the cdec.ini, weights if there are any and other files; return the cdec.ini."""
        ini = "".join(f"{line}\n" for line in ("formalism=scfg", "grammar=grammar", *self.lines))
        weights = "".join(f"{name} {value}\n" for name, value in self.weights.items())
        for name, text in {"grammar": self.rules, "cdec.ini": ini, "weights": weights, **self.files}.items():
            if text:
                (folder / name).write_text(text, "utf-8")
        return folder / "cdec.ini"

    def decoder(
        self,
        folder: Path,
        weights: Weights | Mapping[str, float] | Path | None = None,
        *more: Any,
        kind: type[Decoder] = Decoder,
        **options: Any,
    ) -> Decoder:
        """Write the files, and make a decoder, perhaps with other weights and more feature functions."""
        features = [*(make() for make in self.plugins), *more]
        start = self.weights if weights is None else weights
        return kind(self.write(folder), weights=start, features=features, **options)


EQUALLY_LONG = right(
    "la casa es verde", "verde es la casa", "casa es la verde", "es casa verde la", "la casa la casa"
)
"""Sentences of four words."""

PHRASED = ("la", "casa", "la casa", "verde", "es", "muy", "grande", "casa verde")
PHRASED_CORPUS = corpus(
    ("la casa verde es grande", "the green house is big"),
    ("la casa es muy grande", "the house is very big"),
    ("casa verde es muy grande", "green house is very big"),
    ("la casa es grande", "the house is big"),
)
"""Words and phrases, and sentences whose references need phrases."""

THREE = right("la casa es verde", "la casa verde es la casa", "verde es la casa")

CHOICES = World(grammar(*RIGHT), weights={"Wrong": 0.05, "Right": -0.05}, corpus=EQUALLY_LONG)
"""Each word has a right and a wrong translation, and the wrong one scores better."""

OWN = World(grammar(*RIGHT, features=own_features))
"""Right words have features of their own, which have no weights yet."""

PHRASES = World(grammar(*PHRASED), weights={"Wrong": 0.5, "Right": -0.5}, corpus=PHRASED_CORPUS)
"""So have phrases."""


def drawn(count: int = 23) -> list[Segment]:
    """Return sentences of up to five words at random, whose ids are no numbers."""
    rng = np.random.default_rng(3)
    words = [[WORDS[j][0] for j in rng.integers(0, 4, rng.integers(1, 6))] for _ in range(count)]
    return [replace(segment, id=f"s{segment.index}") for segment in right(*map(" ".join, words))]


def named(source: str, target: str) -> str:
    """Let the right words have a feature each."""
    return f"Right=0.7 {target}=1" if target == RIGHT[source] else "Wrong=1.3"


SPANS = World(
    grammar(*RIGHT, features=named)
    + "".join(rule(f"{a[0]} {b[0]}", f"{b[1]} {a[1]}", "Swap=1") for a in WORDS for b in WORDS),
    weights=CHOICES.weights,
    plugins=[Spans],
    corpus=drawn(),
)
"""Two words change places if they like, and features come up while sentences are translated."""

GOOD = {
    "the": "Good=1 Bad=1",
    "her": "Good=1.5",
    "house": "Good=1",
    "home": "Good=1.2 Bad=0.3",
    "green": "Good=1 Bad=0.2",
    "raw": "Good=1.1",
    "is": "Good=1",
    "are": "Good=0.5 Bad=1",
    "green house": "Good=1",
}
SPARSE = World(
    grammar(*RIGHT, "casa verde", features=lambda _, target: GOOD[target]),
    lines=["feature_function=WordPenalty"],
    weights={"Good": 1.0, "Bad": -0.5, "WordPenalty": 0.1, "Glue": 0.05},
    plugins=[RuleIndicators],
    corpus=corpus(
        ("la casa verde es la casa", "the green house is the house"),
        ("casa verde es casa verde", "green house is green house"),
        ("la casa es verde", "the house is green"),
        ("casa es la casa verde", "house is the green house"),
        ("la casa verde es verde", "the green house is green"),
        ("es la casa verde", "is the green house"),
        ("la casa es la casa", "the house is the house"),
        ("verde es la casa verde", "green is the green house"),
    ),
)
"""Sparse features are needed for what the references say."""

LINKED = """\
[X] ||| [X,1] hana [X,2] ||| [2] flower of [1] ||| p=1 ||| 1-1
[X] ||| ano hito no ||| that person ||| p=1 ||| 0-0 1-1
[X] ||| ga saku ||| does bloom bloom ||| p=1 ||| 1-2 1-1
[S] ||| [X,1] ||| [1] ||| p=0
"""
"""The grammar of one sentence of Japanese, whose one derivation is "does bloom bloom flower of that person".

Its links are saku-bloom, saku-bloom, hana-flower, ano-that and hito-person.
"""

LINKED_WORDS = ("ano", "hito", "no", "hana", "ga", "saku")


def configure(folder: Path, *lines: str) -> None:
    """Add lines to the cdec.ini of a folder."""
    with (folder / "cdec.ini").open("a", encoding="utf-8") as ini:
        ini.writelines(f"{line}\n" for line in lines)


def contents(folder: Path) -> dict[str, bytes]:
    """Return what the files of a folder hold, by their paths there."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


NOUNS = {"casa": "house", "mesa": "table", "puerta": "door", "silla": "chair", "calle": "street"}
ADJECTIVES = {"roja": "red", "vieja": "old", "pequeña": "small", "nueva": "new"}
VERBS = {"veo": "i see", "busco": "i seek", "tengo": "i have"}


def write_parallel_text(folder: Path, sentences: int = 60, *, seed: int = 1, ambiguous: bool = False) -> None:
    """Write ``train.f``, ``train.e``, ``train.align`` and ``test.f``: verb, article, noun, perhaps adjective.

    Adjectives change places with their nouns. The test sentences are new, of the same words. In ambiguous
    text, nouns are in the plural at random.
    """
    draw = random.Random(seed)
    pairs: dict[str, tuple[str, str]] = {}
    while len(pairs) < sentences + 5:
        verb, noun, adjective = draw.choice([*VERBS]), draw.choice([*NOUNS]), draw.choice([*ADJECTIVES, ""])
        second, other = draw.choice([*NOUNS]), draw.choice([*ADJECTIVES])
        source, target = [verb, "la", noun], [*VERBS[verb].split(), "the", NOUNS[noun]]
        links = ["0-0", "0-1", "1-2"]
        links += [f"{len(source) - 1}-{len(target) - 1}"]
        if adjective:
            source, target = [*source, adjective], [*target[:-1], ADJECTIVES[adjective], target[-1]]
            links = [*links[:-1], "2-4", "3-3"]
        at, to = len(source), len(target)
        source += ["y", "la", second, other]
        target += ["and", "the", ADJECTIVES[other], NOUNS[second]]
        links += [f"{at}-{to}", f"{at + 1}-{to + 1}", f"{at + 2}-{to + 3}", f"{at + 3}-{to + 2}"]
        if ambiguous:
            target = [word + draw.choice(["", "s"]) if word in NOUNS.values() else word for word in target]
        pairs[" ".join(source)] = " ".join(target), " ".join(links)
    train = [*pairs.items()][:sentences]
    test = [*pairs.items()][sentences:]
    for name, lines in {
        "train.f": [source for source, _ in train],
        "train.e": [target for _, (target, _) in train],
        "train.align": [links for _, (_, links) in train],
        "test.f": [source for source, _ in test],
        "test.e": [target for _, (target, _) in test],
    }.items():
        (folder / name).write_text("".join(f"{line}\n" for line in lines), "utf-8")
