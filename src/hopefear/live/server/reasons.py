"""Why some words of a translation are not those of the untouched system: corrections, terms, weights."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

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

_MOST = 3
"""Corrections that are named for a rule, and weights."""

_LEAST = 0.005
"""The least that a weight's change must give to a score to be named."""


def reasons(
    session: LiveSession, segment: Segment, answer: ExpertAnswer, span: tuple[int, int], document: int
) -> list[ChangeReason]:
    """List why the target words [begin, end) of an answer are not those of the untouched system."""
    tree = derivation_tree(answer.shown)
    tokens = session.decoder.segment(segment).tokens or ()
    words = split_words(answer.shown.viterbi())
    corrections = [*session.active.corrections.values()][::-1]
    owners = list({id(node): node for node, _ in Layout.of(tree).words[slice(*span)]}.values())
    listed: list[ChangeReason] = []
    for node in owners:
        listed += _of_rule(session, tokens, document, node, corrections)
    if answer.expert not in (CERTAIN, UNTOUCHED):
        listed += _of_words(words, span, answer.texts.get(UNTOUCHED, ""), corrections)
    if answer.expert == LEARNED:
        listed += _of_weights(session, owners)
    return listed


def _of_rule(
    session: LiveSession,
    tokens: Sequence[str],
    document: int,
    node: TreeNode,
    corrections: Sequence[Correction],
) -> Iterator[ChangeReason]:
    """Iterate over the reasons of a rule: it is a term, of a close sentence, or of corrections."""
    if node.rule is None:
        return
    rule = RuleSides.of(node.rule)
    source, target = rule.texts()
    fired = {feature.feature for feature in node.features if feature.value}
    if GLOSSARY in fired:
        yield ChangeReason(kind="term", source=source, target=target)
    if MEMORY in fired and (close := session.memory.close(tokens, document=document)) is not None:
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
    if POST_EDIT_SUPPORT in fired:
        numbers = [
            correction.number
            for correction in corrections
            if rule.is_in(correction.source, correction.target)
        ]
        for number in numbers[:_MOST]:
            yield ChangeReason(kind="rule", source=source, target=target, number=number)


def _of_words(
    words: Sequence[str], span: tuple[int, int], untouched: str, corrections: Sequence[Correction]
) -> Iterator[ChangeReason]:
    """Give the longest run of words around some of them that is of a correction, and is new."""
    begin, end = span
    texts = [(correction.number, f" {' '.join(correction.target)} ") for correction in corrections]
    for length in range(ORDER, 1, -1):
        for first in range(max(0, begin - length + 1), min(end, len(words) - length + 1)):
            run = f" {' '.join(words[first : first + length])} "
            number = next((number for number, text in texts if run in text), None)
            if number is not None and run not in f" {untouched} ":
                yield ChangeReason(kind="words", target=run[1:-1], number=number)
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
