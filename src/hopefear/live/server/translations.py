"""A translation as a page shows it: phrases over the source, unknown and learned words."""

from __future__ import annotations

from collections.abc import Container

from hopefear.base.texts import split_words
from hopefear.decoder import Derivation, Hypergraph
from hopefear.decoder.views import TreeNode, derivation_tree
from hopefear.decoder.views import alternatives as alternatives_of
from hopefear.grammars.extractor import POST_EDIT_SUPPORT
from hopefear.text import Restored

from ..unknown_words import PASS_THROUGH
from .models import Alternative, Candidate, Phrase


def phrases(tree: TreeNode, shown: Restored, stay: Container[int] = ()) -> list[Phrase]:
    """Divide a derivation's translation into phrases, in the order of the target words."""
    found: list[Phrase] = []
    words = 0

    def visit(node: TreeNode) -> None:
        nonlocal words
        begin, fired = words, {one.feature for one in node.features if one.value}
        own: list[tuple[int, int, int]] = []  # places in `found` where words [·, ·) of the node itself stand
        last = None
        items = node.rule.target if node.rule is not None else range(1, len(node.children) + 1)
        for item in items:
            if isinstance(item, int):
                visit(node.children[item - 1])
            else:
                words += 1
                if last is not None and last == len(found):
                    own[-1] = (*own[-1][:2], words)
                else:
                    own.append((len(found), words - 1, words))
                    found.append(_PLACE)
                last = len(found)
        unknown = PASS_THROUGH in fired and node.span[0] not in stay
        learned = POST_EDIT_SUPPORT in fired
        for place, first, end in own:
            where = _place(shown, first, end)
            found[place] = Phrase(
                text=shown.text[slice(*where)],
                place=where,
                source=node.span,
                target=(begin, words),
                unknown=unknown,
                learned=learned,
            )

    visit(tree)
    return found


_PLACE = Phrase(text="", place=(0, 0), source=(0, 0), target=(0, 0), unknown=False, learned=False)


def _place(shown: Restored, begin: int, end: int) -> tuple[int, int]:
    """Return where the target words [begin, end) stand in a translation."""
    return (shown.places[begin][0], shown.places[end - 1][1]) if begin < end else (0, 0)


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


def alternatives(forest: Hypergraph, span: tuple[int, int], most: int) -> list[Alternative]:
    """List other translations of source words, each as it stands in the best translation."""
    best = forest.best()
    words = list(split_words(forest.text(best)))
    links = forest.links(best)
    begin, end = _target_span(derivation_tree(forest, best), span) or (0, len(words))
    behind = len(words) - end
    outside = [(f, e) for f, e in links if not begin <= e < end]
    found = dict[str, float]()
    for one in alternatives_of(forest, span, most):
        own = split_words(one.text)
        moved = [(f, e if e < begin else e - end + begin + len(own)) for f, e in outside]
        whole = forest.reading.restore([*words[:begin], *own, *words[len(words) - behind :]], moved)
        text = whole.text[slice(*_place(whole, begin, begin + len(own)))]
        found[text] = max(one.score, found.get(text, one.score))
    return [Alternative(text=text, score=score) for text, score in found.items()]


def _target_span(tree: TreeNode, span: tuple[int, int]) -> tuple[int, int] | None:
    """Return the target words of the topmost rule over some source words; None without one."""
    words = 0
    found: tuple[int, int] | None = None

    def visit(node: TreeNode) -> None:
        nonlocal words, found
        begin = words
        for item in node.rule.target if node.rule is not None else range(1, len(node.children) + 1):
            if isinstance(item, int):
                visit(node.children[item - 1])
            else:
                words += 1
        if node.span == span:
            found = begin, words

    visit(tree)
    return found


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
        alignment=alignment(derivation_tree(forest, derivation)),
    )
