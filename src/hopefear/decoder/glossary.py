"""Glossaries: terms that are translated as was agreed, as rules of each sentence that has them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

from hopefear.base import InputError
from hopefear.base.texts import split_words
from hopefear.plugins import Segment, SentenceGrammar
from hopefear.plugins.marks import Mark
from hopefear.plugins.sentence_grammar import Rule
from hopefear.text import TextSystem

from .config import Config

GLOSSARY = "Glossary"
"""The feature of rules of a glossary: the number of source words."""

_LONGEST = 40  # words of a term
_STEM, _ENDING = 3, 2  # letters that inflections of a word share at least, and the most of an ending

Words = tuple[str, ...]
Links = tuple[tuple[int, int], ...]


class Glossary:
    """Terms with one or several translations.

    A term of the sentence becomes a rule with each of its translations. It has one feature, `GLOSSARY`: the
    number of its source words, so that a long term wins over the short ones in it. A term that stands in the
    sentence only inside longer terms gives no rule.
    """

    PRIOR: ClassVar[float] = 20.0
    """How many times the greatest absolute weight of the model a source word of a term weighs at first."""

    def __init__(self, text: TextSystem | None = None) -> None:
        self._text = text
        self._targets: dict[Words, dict[Words, tuple[str, Links]]] = {}  # as written, with links
        self._lengths: dict[str, set[int]] = {}  # of the terms that begin with a word
        self._beginnings: dict[str, dict[Words, None]] = {}  # terms by their first letters

    @classmethod
    def of_files(cls, paths: Sequence[Path], config: Config, text: TextSystem | None) -> Glossary | None:
        """Read glossaries that a configuration names; None if there are none."""
        if not paths:
            return None
        made = cls(text)
        for path in paths:
            with config.naming(f"glossary {path}"):
                made.read(path)
        return made

    @classmethod
    def of_terms(cls, terms: Mapping[str, str | Sequence[str]], text: TextSystem | None) -> Glossary:
        """Make a glossary of terms, each with its translation or with several, as they are written."""
        made = cls(text)
        for source, targets in terms.items():
            for target in [targets] if isinstance(targets, str) else targets:
                made.add(source, target)
        return made

    def read(self, path: Path) -> None:
        """Add the terms of a file; see `hopefear.text.memory.read_glossary`."""
        from hopefear.text.memory import read_glossary  # imports all formats of documents

        for term in list(read_glossary(path, None if self._text is None else self._text.languages)):
            try:
                self.add(term.source, term.target)
            except InputError as error:
                raise InputError(str(error), path=term.where) from None

    def add(self, source: str, target: str) -> None:
        """Add a term and its translation, as they are written."""
        words, translation, links = self._tokens(source, target)
        self._lengths.setdefault(words[0], set()).add(len(words))
        self._beginnings.setdefault(words[0][:_STEM].lower(), {})[words] = None
        self._targets.setdefault(words, {})[translation] = target, links

    def __len__(self) -> int:
        """Return the number of terms."""
        return len(self._targets)

    def _tokens(self, source: str, target: str) -> tuple[Words, Words, Links]:
        """Return the tokens of a term, and the links of their rule: pieces that stay with their partners."""
        fixed: list[tuple[int, int]] = []
        if self._text is None:
            words, translation = split_words(source), split_words(target)
        else:
            made = self._text.prepare(Segment((), text=source, references=(target,)))
            words, translation = made.tokens or (), split_words(made.references[0])
            fixed = list(made.written.links[0]) if made.written else []
        for side in (words, translation):
            if not 1 <= len(side) <= _LONGEST:
                raise InputError(f"expected a term of 1 to {_LONGEST} words, got {len(side)}")
        places = ({link[side] for link in fixed} for side in (0, 1))
        free = [
            [position for position in range(len(side)) if position not in taken]
            for side, taken in zip((words, translation), places, strict=True)
        ]
        links = sorted([*fixed, *((f, e) for f in free[0] for e in free[1])])
        return words, translation, tuple(links)

    def found(self, tokens: Words) -> list[Words]:
        """List the terms of a sentence that do not stand only inside longer terms, each once."""
        return list(dict.fromkeys(tokens[begin:end] for begin, end in self._places(tokens)))

    def translations(self, tokens: Words) -> list[tuple[tuple[int, int], list[str]]]:
        """List where a sentence has terms, with their translations as they are written; see `found`."""
        return [((begin, end), self._written(tokens[begin:end])) for begin, end in self._places(tokens)]

    def inflected(self, tokens: Words) -> list[tuple[tuple[int, int], list[str]]]:
        """List where a sentence has terms in another inflection, such as *bytes* of *byte*.

        An inflection is the word with an ending of at most two letters. It gives no rule: nobody has said how
        it is translated.
        """
        taken = {n for begin, end in self._places(tokens) for n in range(begin, end)}
        out = list[tuple[tuple[int, int], list[str]]]()
        for begin, word in enumerate(tokens):
            ends = dict[int, list[str]]()
            for term in self._beginnings.get(word[:_STEM].lower(), ()):
                end = begin + len(term)
                if end <= len(tokens) and all(map(_is_inflection, tokens[begin:end], term)):
                    ends.setdefault(end, []).extend(self._written(term))
            if ends and taken.isdisjoint(range(begin, max(ends))):
                out.append(((begin, max(ends)), ends[max(ends)]))
                taken.update(range(begin, max(ends)))
        return out

    def keeps(self, source: Sequence[str | int], target: Sequence[str | int]) -> bool:
        """Tell whether a rule translates the terms of its source side as was agreed."""
        words, translation = tuple(source), tuple(target)
        return all(
            any(
                translation[at : at + len(each)] == each
                for each in self._targets[words[begin:end]]  # type: ignore[index]  # no term has a number
                for at in range(len(translation) - len(each) + 1)
            )
            for begin, end in self._places(words)  # type: ignore[arg-type]
        )

    def _written(self, words: Words) -> list[str]:
        return [target for target, _ in self._targets[words].values()]

    def marked(self, segment: Segment) -> Segment:
        """Return a segment with a mark for each term that touches no other mark of a term."""
        if segment.tokens is None:
            return segment
        spans = segment.places
        taken = [mark.words(spans) for mark in segment.marks if mark.kind == "term"]
        marks = list(segment.marks)
        for begin, end in self._places(segment.tokens):
            if all(end <= b or e <= begin for b, e in taken):
                written = tuple(self._written(segment.tokens[begin:end]))
                marks.append(Mark("term", spans[begin][0], spans[end - 1][1], written))
                taken.append((begin, end))
        return replace(segment, marks=tuple(marks)) if len(marks) > len(segment.marks) else segment

    def _places(self, tokens: Words) -> list[tuple[int, int]]:
        """List the places of terms that do not stand inside longer terms."""
        spans = [
            (begin, begin + length)
            for begin, word in enumerate(tokens)
            for length in self._lengths.get(word, ())
            if begin + length <= len(tokens) and tokens[begin : begin + length] in self._targets
        ]
        reach, free = 0, list[tuple[int, int]]()  # how far the terms that have begun reach
        for begin, end in sorted(spans, key=lambda span: (span[0], -span[1])):
            if end > reach:
                free.append((begin, end))
                reach = end
        return free

    def grammars(self, segment: Segment) -> list[SentenceGrammar]:
        """Return the rules of a segment's terms as a grammar; none for a lattice, or without terms."""
        terms = [] if segment.tokens is None else self.found(segment.tokens)
        if not terms:
            return []
        return [SentenceGrammar.of([GLOSSARY], self._rules(terms), any_span=True)]

    def _rules(self, terms: Iterable[Words]) -> Iterable[Rule]:
        for words in terms:
            for translation, (_, links) in self._targets[words].items():
                yield words, translation, [float(len(words))], links


def _is_inflection(word: str, term: str) -> bool:
    """Tell whether one of two words is the other one, maybe with an ending."""
    short, long = sorted((word.lower(), term.lower()), key=len)
    ending = long[len(short) :]
    return word == term or (
        len(short) >= _STEM and long.startswith(short) and len(ending) <= _ENDING and long.isalpha()
    )
