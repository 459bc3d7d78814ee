"""The input of the parser for a sentence with marks: terms, zones and walls."""

from __future__ import annotations

from dataclasses import replace

from hopefear import _native
from hopefear.base import InputError
from hopefear.base.texts import split_words
from hopefear.plugins import Segment, SentenceGrammar
from hopefear.plugins.marks import Mark
from hopefear.text import TextSystem

from .glossary import GLOSSARY, Glossary
from .hard_terms import HardTerm


def with_terms(segment: Segment, glossary: Glossary | None, text: TextSystem | None) -> Segment:
    """Return a segment with marks of a glossary's terms, whose written sentence knows the translations."""
    if glossary is not None:
        segment = glossary.marked(segment)
    if text is None or segment.written is None or not any(mark.kind == "term" for mark in segment.marks):
        return segment
    terms = {
        mark.words(segment.places): dict(
            text.read_target(each, segment.written)[:2] for each in mark.translations
        )
        for mark in segment.marks
        if mark.kind == "term"
    }
    return replace(segment, written=replace(segment.written, terms=terms))


def marked_input(segment: Segment) -> tuple[_native.Input, list[HardTerm]]:
    """Return the input of a sentence with marks, and the terms that every derivation translates as they say.

    Beside the words of a term stands one word that only the term's own rules have: its translations. As other
    rules see a nonterminal in its place, it takes part in reordering, and the n-gram model sees the
    translation. Which other rules may cover a term's words, `with_hard_terms` says.
    """
    tokens = segment.tokens or ()
    made = _native.Input(len(tokens))
    held: list[HardTerm] = []
    marks = [(mark, *mark.words(segment.places)) for mark in segment.marks]
    for mark, begin, end in marks:
        if mark.kind == "zone":
            made.add_zone(begin, end)
        elif mark.kind == "wall":
            made.add_wall(begin)
    for number, (mark, begin, end) in enumerate(marks):
        if mark.kind != "term":
            continue
        word = f"⟦{number + 1}:{'_'.join(tokens[begin:end])}⟧"
        while word in tokens:
            word = f"⟦{word}⟧"
        made.add_arc(begin, end, word, [], [], passes=False)
        translations = _translations(mark, (begin, end), segment)
        rules = [
            ([word], target, [float(end - begin)] if mark.soft else [], [(0, e) for e in range(len(target))])
            for target in translations
        ]
        made.add_grammar(SentenceGrammar.of([GLOSSARY] if mark.soft else [], rules).native)
        if not mark.soft:
            if any(begin < term.end and term.begin < end for term in held):
                raise InputError("expected marks of terms that do not overlap", path=segment.where)
            held.append(HardTerm(begin, end, word, tuple(translations)))
    closed = {position for term in held for position in range(term.begin, term.end)}
    for position, token in enumerate(tokens):
        made.add_arc(position, position + 1, token, [], [], passes=position not in closed)
    return made, held


def _translations(mark: Mark, span: tuple[int, int], segment: Segment) -> list[tuple[str, ...]]:
    """List the target words of a term's translations."""
    written = {} if segment.written is None else segment.written.terms.get(span, {})
    translations = list(written) or [split_words(each) for each in mark.translations]
    if not all(translations):
        raise InputError("expected words as the translation of a term", path=segment.where)
    return translations
