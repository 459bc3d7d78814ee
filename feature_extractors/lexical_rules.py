"""Features of rules without nonterminals under cdec's names: for lexical translation and tagging."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from hopefear.base.lines import each_line
from hopefear.base.texts import BLANK, split_words
from hopefear.plugins import (
    EdgeBatch,
    EdgeFeatures,
    FeatureTable,
    InputError,
    PluginError,
    RuleBatch,
    RuleFeatures,
    Segment,
    growing,
    name_fault,
)
from hopefear.plugins.keys import edge_uses
from hopefear.plugins.tokens import UNDERSCORES

from .keyed import Numbering, named_rows, tokens_of

_MACRO = re.compile(r"%([xy])\[(-[1-9][0-9]*|0|[1-9][1-9]*)\]")  # as cdec has it: 10 is no position


def _first_words(rules: RuleBatch) -> Iterator[tuple[int, str, str]]:
    """Yield number, first source word and first target word of rules without nonterminals."""
    wide = set(rules.nonterminals[:, 0].tolist())
    source = zip(rules.source_indptr[:-1].tolist(), rules.source_indptr[1:].tolist(), strict=True)
    target = zip(rules.target_indptr[:-1].tolist(), rules.target_indptr[1:].tolist(), strict=True)
    for rule, ((f, f_end), (e, e_end)) in enumerate(zip(source, target, strict=True)):
        if rule not in wide and f < f_end and e < e_end:
            yield rule, rules.symbol(int(rules.source[f])), rules.symbol(int(rules.target[e]))


@dataclass(kw_only=True, eq=False)
class WordPairFeatures(RuleFeatures):
    """cdec's ``WordPairFeatures``: the features that a file lists for a source and a target word.

    A rule without nonterminals fires the features of its first source word and first target word; a pair that
    is not in the file fires none. cdec ends if the file has no line for a source word.

    Parameters
    ----------
    table : Path or str
        A file with lines ``f ||| e ||| name=value name=value``; cdec reads values as 32-bit numbers. The last
        of several values of a name counts.
    """

    fires: ClassVar[tuple[str, ...]] = ("*",)
    table: Path | str

    def prepare(self) -> None:
        """Read the file."""
        _ = self._features

    def fire(self, rules: RuleBatch) -> FeatureTable:
        """Make a row for each rule."""
        entries = []
        for rule, source, target in _first_words(rules):
            pairs = self._features.get((source, target), {})
            entries += [(rule, name, value) for name, value in pairs.items()]
        return FeatureTable.from_pairs(len(rules), entries)

    @cached_property
    def _features(self) -> dict[tuple[str, str], dict[str, float]]:
        features: dict[tuple[str, str], dict[str, float]] = {}
        for number, line in enumerate(each_line(self.table), 1):
            if not line.strip(BLANK):
                continue
            fields = split_words(line)
            words, items = fields[:4], fields[4:]
            if len(fields) < 4 or words[1] != "|||" or words[3] != "|||":
                self._refuse(number, "f ||| e ||| name=value", line)
            pair = features.setdefault((words[0], words[2]), {})
            for text in items:
                name, _, value = text.partition("=")
                try:
                    pair[name] = float(np.float32(value))
                except ValueError:
                    self._refuse(number, "name=value", text)
                if name_fault(name) or not np.isfinite(pair[name]):
                    self._refuse(number, "name=value", text)
        if not features:
            raise InputError("expected lines f ||| e ||| name=value, got an empty file", path=self.table)
        return features

    def _refuse(self, number: int, expected: str, got: str) -> None:
        raise InputError(f"expected {expected}, got {got[:80]!r}", path=self.table, line=number)


@dataclass(kw_only=True, eq=False)
class LexicalTranslationTrigger(EdgeFeatures):
    """cdec's ``LexicalTranslationTrigger``: a rule's words with each trigger of the sentence.

    A rule without nonterminals, with first source word f and first target word e, fires ``T:t:f_e`` and
    ``TT:t:e`` for each trigger t of the sentence. Equal signs and semicolons stay.

    Parameters
    ----------
    triggers : Path or str
        A file with a line of triggers for each sentence; as in cdec, the line of a sentence is its number
        in ``<seg id="...">``, from 0, or its position in the input.

    Raises
    ------
    InputError
        In `fire`: the file has no line for the sentence.
    """

    fires: ClassVar[tuple[str, ...]] = ("T:*", "TT:*")

    triggers: Path | str

    def prepare(self) -> None:
        """Read the triggers."""
        _ = self._lines

    def rule_attributes(self, rules: RuleBatch) -> NDArray[np.int32]:
        """Number the pairs of words; 0 for rules with nonterminals."""
        numbers = np.zeros(len(rules), np.int32)
        for rule, *pair in _first_words(rules):
            numbers[rule] = self._pairs[tuple(pair)]
        return numbers

    def fire(self, edges: EdgeBatch, segment: Segment) -> FeatureTable:
        """Make a row for each pair of words."""
        number = segment.id if isinstance(segment.id, int) else segment.index
        if number >= len(self._lines):
            message = f"expected triggers of sentence {segment.number}, got the end of the file"
            raise InputError(message, path=self.triggers, line=number + 1)
        triggers = dict.fromkeys(self._lines[number])
        row, pairs, _ = edge_uses(edges, np.zeros(len(edges.groups), np.int32))
        word_pairs = list(self._pairs)
        return named_rows(
            (self._names(triggers, word_pairs[pair - 1]) if pair else () for pair in pairs), row
        )

    def _names(self, triggers: Mapping[str, None], pair: tuple[str, ...]) -> Iterator[str]:
        source, target = pair
        for trigger in triggers:
            yield f"T:{trigger}:{source}_{target}"
            yield f"TT:{trigger}:{target}"

    @cached_property
    def _lines(self) -> list[tuple[str, ...]]:
        return [split_words(line) for line in each_line(self.triggers)]

    @growing
    def _pairs(self) -> Numbering[tuple[str, ...]]:
        return Numbering()


@dataclass(kw_only=True, eq=False)
class RuleContextFeatures(EdgeFeatures):
    """cdec's ``RuleContextFeatures``: the target word of a rule among the source words around it.

    A rule that covers one source word and has one target word fires the template, in which the target word
    replaces ``%y[0]`` and the source word k positions to the right replaces ``%x[k]``; before the
    sentence are ``<s>``, behind it ``</s>``. Equal signs and semicolons turn into underscores. A rule with
    one target word that covers several source words fires nothing; cdec ends there.

    Parameters
    ----------
    template : str
        Such as ``U1:%x[-1]_%x[0]|%y[0]``; cdec's ``-t``.

    Raises
    ------
    InputError
        In `fire`: the segment is a lattice.
    """

    fires: ClassVar[tuple[str, ...]] = ("*",)
    template: str

    def prepare(self) -> None:
        """Check the template."""
        macros = _MACRO.findall(self.template)
        kinds = [kind for kind, _ in macros]
        if {"x", "y"} - set(kinds) or any(kind == "y" and offset != "0" for kind, offset in macros):
            message = "template must have one or more %x[k], and %y[0]"
            raise PluginError(f"RuleContextFeatures: {message}, got {self.template!r}")

    def rule_attributes(self, rules: RuleBatch) -> NDArray[np.int32]:
        """Number the target words of rules that fire."""
        numbers = np.zeros(len(rules), np.int32)
        single = (np.diff(rules.target_indptr) == 1) & (np.diff(rules.source_indptr) == 1)
        for rule, _, target in _first_words(rules):
            if single[rule]:
                numbers[rule] = self._words[target]
        return numbers

    def fire(self, edges: EdgeBatch, segment: Segment) -> FeatureTable:
        """Make a row for each word and position."""
        tokens = tokens_of(segment, "RuleContextFeatures")
        row, words, begins = edge_uses(edges, np.ascontiguousarray(edges.groups.span[:, 0]))
        targets = list(self._words)
        pairs = zip(words.tolist(), begins.tolist(), strict=True)
        return named_rows(
            ([self._name(tokens, begin, targets[word - 1])] if word else () for word, begin in pairs), row
        )

    def _name(self, tokens: tuple[str, ...], begin: int, target: str) -> str:
        name = self.template
        for kind, offset in _MACRO.findall(self.template):
            if kind == "x":
                at = begin + int(offset)
                inside = 0 <= at < len(tokens)
                word = tokens[at] if inside else "<s>" if int(offset) < 0 else "</s>"
                name = name.replace(f"%x[{offset}]", word, 1)
        return name.replace("%y[0]", target, 1).translate(UNDERSCORES)

    @growing
    def _words(self) -> Numbering[str]:
        return Numbering()
