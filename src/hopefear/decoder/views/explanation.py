"""Why a translation won: its derivation, its features, and what put other translations behind it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from html import escape
from typing import Any

import numpy as np

from hopefear.base.charts import bar_chart
from hopefear.base.signatures import Count
from hopefear.base.tables import Cell, Table, plain
from hopefear.base.texts import split_words, word_places
from hopefear.plugins import Lattice, Segment
from hopefear.plugins.written import Written

from ..decoder import Decoder
from ..hypergraph import Hypergraph
from ..hypotheses import Hypotheses, ScoredList
from ..translator import attempt
from ..weights import Weights
from .comparison import SAME, Comparison, Contribution, compare, contributions, decisive
from .derivation_drawing import derivation_svg, switched
from .shown import ShownTranslation
from .tree import TreeNode, derivation_tree

_SHOWN = 12  # features in a page
_SEARCHED = 1e-6  # scores that differ by less are equal


@dataclass(frozen=True, slots=True)
class Rival:
    """A translation that is not the best one, and what put it behind."""

    name: str
    text: str
    comparison: Comparison | None = None
    tree: TreeNode | None = None
    unknown: tuple[str, ...] = ()

    @property
    def verdict(self) -> str:
        """Say why the translation is not the best one."""
        if self.comparison is None:
            if self.unknown:
                return f"No derivation yields it: no rule produces {', '.join(self.unknown)}."
            return "No derivation yields it, although rules produce each of its words."
        difference = self.comparison.difference
        if difference < -_SEARCHED:
            return f"Its score is higher by {-difference:.4f}: the search missed it; raise the pop limit."
        if difference <= _SEARCHED:
            return "Its score equals that of the best translation."
        return f"Its score is lower by {difference:.4f}."


@dataclass(frozen=True, slots=True)
class Explanation:
    """What the decoder thinks of a sentence.

    `str` returns it as text, and a notebook shows it as HTML.
    """

    id: int | str
    number: int | str
    source: str
    best: ShownTranslation
    tree: TreeNode
    features: tuple[Contribution, ...]
    rivals: tuple[Rival, ...]
    lists: dict[str, Table]
    comparisons: tuple[Comparison, ...] = ()
    places: Sequence[tuple[int, int]] = ()
    others: dict[str, TreeNode] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """The best translation."""
        return self.best.text

    @property
    def score(self) -> float:
        """Its score."""
        return self.best.score

    def feature_table(self) -> Table:
        """Return the features of the best translation."""
        rows: list[tuple[Cell, ...]] = [
            (feature.feature, feature.value, feature.weight, feature.product) for feature in self.features
        ]
        return Table(("feature", "value", "weight", "contribution"), rows)

    def record(self) -> dict[str, Any]:
        """Return the explanation as JSON can hold it."""
        fields = {
            "id": self.id,
            "source": self.source,
            "places": self.places,
            **self.best.record(),
            "features": [feature.record() for feature in self.features],
            "derivation": self.tree.record(),
            "rivals": [
                {
                    "name": rival.name,
                    "text": rival.text,
                    "verdict": rival.verdict,
                    "unknown": list(rival.unknown),
                    "comparison": None if rival.comparison is None else rival.comparison.record(),
                    "derivation": None if rival.tree is None else rival.tree.record(),
                }
                for rival in self.rivals
            ],
            "lists": {name: table.records() for name, table in self.lists.items()},
            "comparisons": [comparison.record() for comparison in self.comparisons],
        }
        record: dict[str, Any] = plain(fields)
        return record

    def __str__(self) -> str:
        doubts = ", ".join(f"{word} {confidence:.2f}" for word, confidence in self.best.doubts())
        parts = [
            f"source       {self.source}\ntranslation  {self.text}\nscore        {self.score:.4f}\n"
            f"doubtful     {doubts or 'no word'}",
            f"Derivation\n{self.tree}",
            f"Features of the translation\n{self.feature_table()}",
        ]
        for rival in self.rivals:
            lines = [f"{rival.name.capitalize()}: {rival.text}", rival.verdict]
            if rival.comparison is not None and rival.comparison.differences:
                lines.append(str(rival.comparison.table()))
            parts.append("\n".join(lines))
        parts += [f"{name}\n{table}" for name, table in self.lists.items()]
        parts += [f"{comparison.title}\n{comparison}" for comparison in self.comparisons]
        return "\n\n".join(parts)

    def _repr_html_(self) -> str:
        return self.html(sha256(repr((self.id, self.source, self.text)).encode()).hexdigest()[:12])

    def html(self, name: str) -> str:
        """Return the explanation as HTML."""
        best = f"<b>{self.best._repr_html_()}</b> <span>({self.score:.4f})</span>"
        trees = {"best": self.tree, **self.others}
        trees |= {rival.name: rival.tree for rival in self.rivals if rival.tree is not None}
        drawings = {name: derivation_svg(tree) for name, tree in trees.items()}
        parts = [f"<p>{escape(self.source)}<br>{best}</p>", switched(drawings, f"drawing-{name}")]
        parts += ["<h3>Features of the translation</h3>", _bars(self.features)]
        parts.append(f"<details><summary>Table</summary>{_wide(self.feature_table())}</details>")
        for rival in self.rivals:
            parts.append(f"<h3>{escape(rival.name.capitalize())}</h3>")
            parts.append(f"<p><b>{escape(rival.text)}</b><br>{escape(rival.verdict)}</p>")
            if rival.comparison is not None and rival.comparison.differences:
                parts += [_bars(rival.comparison.differences), _wide(rival.comparison.table(_SHOWN))]
        for title, table in self.lists.items():
            parts += [f"<h3>{escape(title)}</h3>", _wide(table)]
        for both in self.comparisons:
            parts.append(f"<h3>{escape(both.title)}</h3>")
            if both.differences:
                parts += [_bars(both.differences), _wide(both.table(_SHOWN))]
            else:
                parts.append(f"<p>{SAME}</p>")
        return "\n".join(parts)


def _bars(features: Sequence[Contribution]) -> str:
    """Draw the greatest contributions as bars."""
    rows = [(feature.feature, feature.product) for feature in features[:_SHOWN]]
    return bar_chart(rows, title="Contributions of features") if rows else ""


def _wide(table: Table) -> str:
    return f'<div class="wide">{table._repr_html_()}</div>'


def explain(
    decoder: Decoder,
    source: str | Segment,
    *,
    rivals: Sequence[str] = (),
    k: Count = 5,
    oracle: Callable[[Hypergraph, Segment], Hypotheses] | None = None,
) -> Explanation:
    """Explain the translation of a sentence.

    Parameters
    ----------
    source : str or Segment
        The sentence. Its references are compared with the best translation.
    rivals : sequence of str
        Other translations to compare with the best one, as written if the sentence is.
    k : int
        Length of the k-best lists.
    oracle : callable, optional
        Finds hope and fear for a forest and its segment, such as ``partial(Mira().hypotheses, decoder)``;
        called if the segment has references.

    Raises
    ------
    ParseFailed
        No derivation covers the sentence.
    InputError
        As for `Decoder.translate`.
    """
    segment = decoder.segment(source)
    forest, weights = decoder.translate(segment), decoder.last_weights
    best = forest.best()
    features = forest.features(best)
    written, shown = segment.written, ShownTranslation.of(forest, best)
    references = segment.references if written is None else written.references
    others = _named("reference", references) + _named("rival", rivals)
    rules: list[set[str]] = []  # the words that rules produce, found when first needed

    def against(name: str, text: str) -> Rival:
        words, shown_words = _words_of(decoder, written, text)
        with attempt(decoder, segment) as work:
            forced = decoder.translate(segment, reference=Lattice.from_tokens(words))
        if work.failure is not None:
            if not rules:
                rules.append(_produced(decoder.parse(segment)))
            missing = (
                shown_word
                for word, shown_word in zip(words, shown_words, strict=True)
                if word not in rules[0]
            )
            return Rival(name, text, unknown=tuple(dict.fromkeys(missing)))
        reached = forced.best()
        other = forced.text(reached), forced.features(reached)
        comparison = compare(forest, best, other, names=("best", name), weights=weights)
        comparison = replace(comparison, texts=(shown.text, text))
        return Rival(name, text, comparison, derivation_tree(forced, reached, weights))

    hypotheses = oracle(forest, segment) if oracle is not None and segment.references else None
    lists = {"k-best": _kbest_table(forest, k)}
    comparisons: tuple[Comparison, ...] = ()
    trees: dict[str, TreeNode] = {}
    if hypotheses is not None:
        hope, fear = hypotheses.hope, hypotheses.fear
        texts = {name: _texts(forest, scored, k) for name, scored in (("hope", hope), ("fear", fear))}
        lists["hope"] = _scored_table(hope, texts["hope"])
        lists["fear"] = _scored_table(fear, texts["fear"])
        both = (
            compare(forest, best, hope, names=("best", "hope"), weights=weights),
            compare(forest, hope, fear, names=("hope", "fear"), weights=weights),
        )
        for name, of_oracle in (("hope", hope), ("fear", fear)):
            tree = tree_of_words(decoder, segment, of_oracle.texts[0], weights)
            if tree is not None:
                trees[name] = tree
        first = shown.text, texts["hope"][0], texts["fear"][0]
        comparisons = replace(both[0], texts=first[:2]), replace(both[1], texts=first[1:])
    source_text = " ".join(segment.tokens or ()) if written is None else written.text
    return Explanation(
        id=segment.id,
        number=segment.number,
        source=source_text,
        best=shown,
        tree=derivation_tree(forest, best, weights),
        features=decisive(contributions(features, weights)),
        rivals=tuple(against(name, text) for name, text in others),
        lists=lists,
        comparisons=comparisons,
        places=word_places(source_text) if written is None else written.places,
        others=trees,
    )


def tree_of_words(decoder: Decoder, segment: Segment, words: str, weights: Weights) -> TreeNode | None:
    """Return the best derivation of target words; None if the search does not find one."""
    with attempt(decoder, segment):
        forced = decoder.translate(segment, reference=Lattice.from_tokens(split_words(words)))
        return derivation_tree(forced, forced.best(), weights)
    return None


def _words_of(decoder: Decoder, written: Written | None, text: str) -> tuple[Sequence[str], Sequence[str]]:
    """Return the words of a translation, and how each is written."""
    system = decoder.text_system
    if written is None or system is None:
        words = split_words(text)
        return words, words
    read = system.read_target(text, written)
    return read.tokens, [text[begin:end] for begin, end in read.places]


def _named(name: str, texts: Sequence[str]) -> list[tuple[str, str]]:
    if len(texts) == 1:
        return [(name, texts[0])]
    return [(f"{name} {number}", text) for number, text in enumerate(texts, 1)]


def _kbest_table(forest: Hypergraph, k: int) -> Table:
    derivations = forest.derivations(k, unique=True)
    rows: list[tuple[Cell, ...]] = [
        (rank, forest.written(each), forest.score(each)) for rank, each in enumerate(derivations, 1)
    ]
    return Table(("rank", "translation", "score"), rows)


def _texts(forest: Hypergraph, hypotheses: ScoredList, k: int) -> list[str]:
    return [forest.restored_words(words).text for words in hypotheses.texts[:k]]


def _scored_table(hypotheses: ScoredList, texts: Sequence[str]) -> Table:
    scored = zip(texts, hypotheses.model.tolist(), hypotheses.B.tolist(), strict=False)
    rows: list[tuple[Cell, ...]] = [(rank, *each) for rank, each in enumerate(scored, 1)]
    return Table(("rank", "translation", "score", "B"), rows)


def _produced(forest: Hypergraph) -> set[str]:
    """Collect the target words of all rules of a forest."""
    _, edges = np.unique(forest.native.edge_local_rule, return_index=True)
    return {item for edge in edges.tolist() for item in forest.rule(edge).target if isinstance(item, str)}
