"""A translation as a page shows it: phrases over the source, unknown and learned words."""

from __future__ import annotations

from hopefear.decoder import Hypergraph
from hopefear.decoder.views import TreeNode, derivation_tree
from hopefear.grammars.extractor import POST_EDIT_SUPPORT

from .models import Candidate, Phrase

PASS_THROUGH = "PassThrough"
"""The feature of the rules that leave a word as it is."""


def phrases(tree: TreeNode) -> list[Phrase]:
    """Divide a derivation's translation into phrases, in the order of the target words."""
    found: list[Phrase] = []
    words = 0

    def visit(node: TreeNode) -> None:
        nonlocal words
        begin, fired = words, {one.feature for one in node.features if one.value}
        own: list[tuple[int, str]] = []  # places in `found` where words of the node itself stand
        last = None
        items = node.rule.target if node.rule is not None else range(1, len(node.children) + 1)
        for item in items:
            if isinstance(item, int):
                visit(node.children[item - 1])
            else:
                words += 1
                if last is not None and last == len(found):
                    own[-1] = (own[-1][0], f"{own[-1][1]} {item}")
                else:
                    own.append((len(found), item))
                    found.append(_PLACE)
                last = len(found)
        unknown, learned = PASS_THROUGH in fired, POST_EDIT_SUPPORT in fired
        for place, text in own:
            found[place] = Phrase(
                text=text, source=node.span, target=(begin, words), unknown=unknown, learned=learned
            )

    visit(tree)
    return found


_PLACE = Phrase(text="", source=(0, 0), target=(0, 0), unknown=False, learned=False)


def unknown_words(tree: TreeNode) -> list[int]:
    """List the source positions of words that no rule translates."""
    return sorted(
        position
        for _, node in tree.walk()
        if any(one.feature == PASS_THROUGH and one.value for one in node.features)
        for part in node.words
        for position in range(*part.span)
    )


def alignment(tree: TreeNode) -> list[tuple[int, int]]:
    """List the links of source and target words in a derivation, by the rules' own alignments."""
    links: list[tuple[int, int]] = []
    words = 0

    def visit(node: TreeNode) -> None:
        nonlocal words
        items = node.rule.target if node.rule is not None else range(1, len(node.children) + 1)
        places: dict[int, int] = {}
        for index, item in enumerate(items):
            if isinstance(item, int):
                visit(node.children[item - 1])
            else:
                places[index] = words
                words += 1
        if node.rule is None:
            return
        sources: dict[int, int] = {}
        position, tails = node.span[0], iter(node.children)
        for index, symbol in enumerate(node.rule.source):
            if isinstance(symbol, str):
                sources[index] = position
                position += 1
            else:
                position = next(tails).span[1]
        links.extend((sources[f], places[e]) for f, e in node.rule.alignment if f in sources and e in places)

    visit(tree)
    return sorted(links)


def nbest(forest: Hypergraph, size: int) -> list[Candidate]:
    """List the best translations with score, features and alignment."""
    return [
        Candidate(
            text=forest.text(each),
            score=forest.score(each),
            features=forest.features(each),
            alignment=alignment(derivation_tree(forest, each)),
        )
        for each in forest.derivations(size, unique=True)
    ]
