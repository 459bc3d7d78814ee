"""The output for a sentence: lines in cdec's form, and the files that a cdec.ini asks for."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from hopefear.base import InputError
from hopefear.base.files import written_whole
from hopefear.base.progress import warn
from hopefear.base.texts import join_words, split_lines
from hopefear.decoder import Config, Consensus, Derivation, Hypergraph, RuleText, Segment
from hopefear.decoder.views import ShownTranslation
from hopefear.plugins.corpus import BadLine


@dataclass(frozen=True)
class Output:
    """Renders forests as text."""

    k: int | None = None
    unique: bool = False
    forests: Path | None = None
    rules: Path | None = None
    derivations: Path | None = None
    consensus: Consensus | None = None
    as_json: bool = False

    @classmethod
    def from_config(
        cls,
        config: Config,
        *,
        k: int | None = None,
        unique: bool = False,
        consensus: Consensus | None = None,
        as_json: bool = False,
    ) -> Output:
        """Make the output that a cdec.ini and the options ask for, and make its folders."""
        folders = (config.forest_output, config.extract_rules, config.show_derivations)
        for folder in folders:
            if folder is not None:
                folder.mkdir(parents=True, exist_ok=True)
        output = cls(
            config.k_best, unique or config.unique_k_best, *folders, consensus=consensus, as_json=as_json
        )
        return output if k is None else replace(output, k=k)

    def nothing(self, item: Segment | BadLine, problem: str | None = None) -> str:
        """Return the output for a line without a translation: empty, or nothing in k-best output."""
        if self.as_json:
            name = item.id if isinstance(item, Segment) else item.index
            return json_line({"id": name, "text": "", "problem": problem})
        return "\n" if self.k is None else ""

    def chosen(self, forest: Hypergraph) -> Hypergraph:
        """Return the forest whose best derivations are written."""
        return forest if self.consensus is None else forest.consensus(self.consensus)

    def render(self, segment: Segment, forest: Hypergraph, chosen: Hypergraph) -> str:
        """Return the output lines of a sentence, and write its files."""
        if self.forests is not None:
            forest.write(self.forests / f"{_file_name(segment)}.json.gz")
        if self.k is None and self.rules is None and self.derivations is None and not self.as_json:
            return one_line(chosen.written()) + "\n"
        derivations = list(chosen.derivations(self.k or 1, unique=self.unique))
        if self.rules is not None:
            rules = (chosen.rule(int(edge)) for derivation in derivations for edge in derivation)
            _write(self.rules / _file_name(segment), _rule_lines(rules, segment))
        if self.derivations is not None:
            lines = (
                f"{segment.id} ||| {chosen.score(d):.6g} ||| {' ||| '.join(chosen.trees(d))}"
                for d in derivations
            )
            _write(self.derivations / _file_name(segment), lines)
        if self.as_json:
            best = ShownTranslation.of(chosen, derivations[0])
            lists = {} if self.k is None else {"nbest": [_candidate(chosen, d) for d in derivations]}
            return json_line({"id": segment.id, **best.record(), "problem": None, **lists})
        if self.k is None:
            return one_line(chosen.written(derivations[0])) + "\n"
        return "".join(kbest_line(segment, chosen, derivation) for derivation in derivations)


_CATEGORY = re.compile(r"\[.+\]")
_NUMBERED = re.compile(r"\[(?:.*,\d+|[1-9]\d?)\]")
"""Words that the readers of grammars take for nonterminals, of source sides and of target sides."""


def json_line(found: Mapping[str, Any]) -> str:
    """Return a JSON object as a line."""
    return json.dumps(found, ensure_ascii=False) + "\n"


def _candidate(forest: Hypergraph, derivation: Derivation) -> dict[str, Any]:
    shown = forest.restored(derivation)
    return {
        "text": shown.text,
        "words": shown.places,
        "score": forest.score(derivation),
        "features": forest.features(derivation),
        "alignment": forest.links(derivation),
    }


def kbest_line(segment: Segment, forest: Hypergraph, derivation: Derivation) -> str:
    """Return a line of a k-best list in cdec's form, features sorted by name, six significant digits."""
    text = one_line(forest.written(derivation))
    return candidate_line(segment.id, text, forest.features(derivation), forest.score(derivation), digits=6)


def candidate_line(
    sentence: object, text: str, features: Mapping[str, float], score: float | None, *, digits: int
) -> str:
    """Return a line of a k-best list in cdec's form; without a score if there is none."""
    named = " ".join(f"{name}={value:.{digits}g}" for name, value in features.items())
    fields = [str(sentence), text, named, *([] if score is None else [f"{score:.{digits}g}"])]
    return " ||| ".join(fields) + "\n"


def one_line(text: str) -> str:
    """Return a text without line ends, which a piece of its source may have."""
    return join_words(split_lines(text))


def _rule_lines(rules: Iterable[RuleText], segment: Segment) -> Iterator[str]:
    """Write rules as lines of a grammar; name those that none can hold, such as of a word like ``[X]``."""
    for rule in rules:
        if _can_be_written(rule):
            yield str(rule)
        else:
            warn(f"extract_rules: sentence {segment.number}: no grammar can hold the rule {rule}")


def _can_be_written(rule: RuleText) -> bool:
    words = [item for side in (rule.source, rule.target) for item in side if isinstance(item, str)]
    like_category = any(isinstance(item, str) and _CATEGORY.fullmatch(item) for item in rule.source)
    like_number = any(isinstance(item, str) and _NUMBERED.fullmatch(item) for item in rule.target)
    return bool(rule.source) and "|||" not in words and not like_category and not like_number


def _file_name(segment: Segment) -> str:
    name = str(segment.id)
    if not name or name.startswith(".") or any(c in name for c in "/\\\0"):
        raise InputError(f"expected an id that can be the name of a file, got {name!r}", path=segment.where)
    return name


def _write(path: Path, lines: Iterable[str]) -> None:
    with written_whole(path) as part:
        part.write_text("".join(f"{line}\n" for line in lines), "utf-8")
