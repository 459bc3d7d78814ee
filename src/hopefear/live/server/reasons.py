"""Why some words of a translation are not those of the untouched system: corrections, terms, weights."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from hopefear.base.texts import split_words
from hopefear.decoder import Segment
from hopefear.decoder.glossary import GLOSSARY
from hopefear.decoder.views import TreeNode, derivation_tree
from hopefear.grammars.extractor import POST_EDIT_SUPPORT

from ..corrections import Correction, RuleSides
from ..corrections_model import ORDER
from ..expert_search import ExpertAnswer
from ..experts import CERTAIN, LEARNED, UNTOUCHED
from ..memory import MEMORY
from ..session import LiveSession
from .models import ChangeReason
from .phrases import Layout
from .written_rules import WrittenRules, text_at

_MOST = 3
"""Corrections that are named for a rule, and weights."""

_LEAST = 0.005
"""The least that a weight's change must give to a score to be named."""


def reasons(
    session: LiveSession,
    segment: Segment,
    answer: ExpertAnswer,
    span: tuple[int, int],
    document: int,
    written: WrittenRules,
) -> list[ChangeReason]:
    """List why the target words [begin, end) of an answer are not those of the untouched system."""
    tree, shown = derivation_tree(answer.shown), answer.shown.restored()
    segment = session.decoder.segment(segment)
    words = split_words(answer.shown.viterbi())
    layout = Layout.of(tree)
    corrections = [*session.active.corrections.values()][::-1]
    owners = list({id(node): node for node, _ in layout.words[slice(*span)]}.values())
    listed: list[ChangeReason] = []
    for node in owners:
        if _has(node, GLOSSARY):
            target = text_at(shown.text, shown.places, layout.nodes[id(node)][1:])
            listed.append(ChangeReason(kind="term", source=_source(segment, node.span), target=target))
        listed += _of_rule(session, segment.tokens or (), document, node, corrections, written)
    if answer.expert not in (CERTAIN, UNTOUCHED):
        listed += _of_words(words, span, answer.texts.get(UNTOUCHED, ""), corrections, written)
    if answer.expert == LEARNED:
        listed += _of_weights(session, owners)
    return listed


def _of_rule(
    session: LiveSession,
    tokens: Sequence[str],
    document: int,
    node: TreeNode,
    corrections: Sequence[Correction],
    written: WrittenRules,
) -> Iterator[ChangeReason]:
    """Iterate over the reasons of a rule: it is of a close sentence, or of corrections."""
    if node.rule is None:
        return
    rule = RuleSides.of(node.rule)
    if _has(node, MEMORY) and (close := session.memory.close(tokens, document=document)) is not None:
        entry, similarity = close
        same = (
            correction.number
            for correction in corrections
            if (correction.source, correction.target) == (entry.source, entry.target)
        )
        texts = entry.texts()
        yield ChangeReason(
            kind="memory", source=texts[0], target=texts[1], number=next(same, None), value=similarity
        )
    if _has(node, POST_EDIT_SUPPORT):
        having = (each for each in corrections if rule.is_in(each.source, each.target))
        for correction in islice(having, _MOST):
            source, target = written.sides(correction, rule)
            yield ChangeReason(kind="rule", source=source, target=target, number=correction.number)


def _has(node: TreeNode, name: str) -> bool:
    """Tell whether a rule of a derivation has a feature."""
    return any(feature.feature == name and feature.value for feature in node.features)


def _source(segment: Segment, span: tuple[int, int]) -> str:
    """Return source words as they are written."""
    if segment.written is None:
        return " ".join((segment.tokens or ())[slice(*span)])
    return text_at(segment.written.text, segment.written.places, span)


def _of_words(
    words: Sequence[str],
    span: tuple[int, int],
    untouched: str,
    corrections: Sequence[Correction],
    written: WrittenRules,
) -> Iterator[ChangeReason]:
    """Give the longest run of words around some of them that is of a correction, and is new."""
    begin, end = span
    texts = [(correction, f" {' '.join(correction.target)} ") for correction in corrections]
    for length in range(ORDER, 1, -1):
        for first in range(max(0, begin - length + 1), min(end, len(words) - length + 1)):
            run = f" {' '.join(words[first : first + length])} "
            correction = next((correction for correction, text in texts if run in text), None)
            if correction is not None and run not in f" {untouched} ":
                _, target = written.sides(correction, RuleSides((), split_words(run)))
                yield ChangeReason(kind="words", target=target, number=correction.number)
                return


def _of_weights(session: LiveSession, owners: Sequence[TreeNode]) -> Iterator[ChangeReason]:
    """Iterate over the weights whose changes give most to the score of some rules, or take most from it."""
    moved = {name: now - then for name, then, now in session.moved_weights(len(session.weights))}
    gives: dict[str, float] = {}
    for node in owners:
        for feature in node.features:
            gives[feature.feature] = gives.get(feature.feature, 0.0) + feature.value * moved.get(
                feature.feature, 0.0
            )
    for name in sorted(gives, key=lambda name: -abs(gives[name]))[:_MOST]:
        if abs(gives[name]) >= _LEAST:
            yield ChangeReason(kind="weight", target=name, value=gives[name])
