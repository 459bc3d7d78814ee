"""A translation as a page shows it: phrases over the source, words that stay, alternatives, n-best lists."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass, field
from itertools import groupby

from hopefear.base.texts import split_words
from hopefear.decoder import Derivation, Hypergraph, Segment
from hopefear.decoder.views import TreeNode, derivation_tree
from hopefear.decoder.views import alternatives as alternatives_of
from hopefear.grammars.extractor import POST_EDIT_SUPPORT
from hopefear.text import Restored

from ..unknown_words import PASS_THROUGH, words_with_rules
from .models import Candidate, Phrase, PhraseAlternative
from .system import pieces


@dataclass
class Layout:
    """Where the rules of a derivation stand in the translation."""

    words: list[tuple[TreeNode, int]] = field(default_factory=list)
    """For each target word its node, and its index in the rule."""
    nodes: dict[int, tuple[TreeNode, int, int]] = field(default_factory=dict)
    """Each node, by its identity, with its target words [begin, end); a node comes after its children."""

    @classmethod
    def of(cls, tree: TreeNode) -> Layout:
        """Lay out a derivation."""
        layout = cls()

        def visit(node: TreeNode) -> None:
            begin = len(layout.words)
            items = node.rule.target if node.rule is not None else range(1, len(node.children) + 1)
            for index, item in enumerate(items):
                if isinstance(item, int):
                    visit(node.children[item - 1])
                else:
                    layout.words.append((node, index))
            layout.nodes[id(node)] = node, begin, len(layout.words)

        visit(tree)
        return layout


def staying_words(segment: Segment, forest: Hypergraph) -> set[int]:
    """Return the source positions that are not unknown when they stay: pieces, and words that have a rule."""
    return {*pieces(segment), *words_with_rules(forest)}


def phrases(tree: TreeNode, shown: Restored, stay: Container[int] = ()) -> list[Phrase]:
    """Divide a derivation's translation into phrases, in the order of the target words."""
    layout, out = Layout.of(tree), list[Phrase]()
    numbered = [(position, node) for position, (node, _) in enumerate(layout.words)]
    for identity, run in groupby(numbered, key=lambda word: id(word[1])):
        node, begin, end = layout.nodes[identity]
        positions = [position for position, _ in run]
        span = _span(shown, positions[0], positions[-1] + 1)
        fired = {each.feature for each in node.features if each.value}
        out.append(
            Phrase(
                text=shown.text[slice(*span)],
                place=span,
                source=node.span,
                target=(begin, end),
                unknown=PASS_THROUGH in fired and node.span[0] not in stay,
                learned=POST_EDIT_SUPPORT in fired,
            )
        )
    return out


def _span(shown: Restored, begin: int, end: int) -> tuple[int, int]:
    """Return where the target words [begin, end) stand in a translation."""
    return (shown.places[begin][0], shown.places[end - 1][1]) if begin < end else (0, 0)


def alternatives(forest: Hypergraph, span: tuple[int, int], most: int) -> list[PhraseAlternative]:
    """List other translations of source words, each as it stands in the best translation."""
    derivation = forest.best()
    words = list(split_words(forest.text(derivation)))
    links = forest.links(derivation)
    nodes = Layout.of(derivation_tree(forest, derivation)).nodes.values()
    spans = [(begin, end) for node, begin, end in nodes if node.span == span]
    begin, end = spans[-1] if spans else (0, len(words))  # of the topmost rule
    behind = len(words) - end
    outside = [(f, e) for f, e in links if not begin <= e < end]
    listed = dict[str, PhraseAlternative]()
    for each in sorted(alternatives_of(forest, span, most), key=lambda each: -each.score):
        new = split_words(each.text)
        moved = [(f, e if e < begin else e - end + begin + len(new)) for f, e in outside]
        whole = forest.reading.restore([*words[:begin], *new, *words[len(words) - behind :]], moved)
        around = _around(whole, begin, begin + len(new))
        first, last = _span(whole, begin, begin + len(new)) if new else (around[1], around[1])
        text, sides = whole.text[first:last], (whole.text[around[0] : first], whole.text[last : around[1]])
        alternative = PhraseAlternative(text=text, before=sides[0], after=sides[1], score=each.score)
        listed.setdefault(text, alternative)
    return list(listed.values())


def _around(shown: Restored, begin: int, end: int) -> tuple[int, int]:
    """Return where the word before the target words [begin, end) ends, and where that behind them begins."""
    first = shown.places[begin - 1][1] if begin else 0
    return first, shown.places[end][0] if end < len(shown.places) else len(shown.text)


def nbest(forest: Hypergraph, size: int) -> list[Candidate]:
    """List the best translations with score, features and alignment."""
    return [_candidate(forest, each) for each in forest.derivations(size, unique=True)]


def _candidate(forest: Hypergraph, derivation: Derivation) -> Candidate:
    shown = forest.restored(derivation)
    return Candidate(
        text=shown.text,
        places=list(shown.places),
        complaints=list(shown.complaints),
        score=forest.score(derivation),
        features=forest.features(derivation),
        alignment=forest.links(derivation),
    )
