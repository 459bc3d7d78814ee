"""Moses' chart systems: ``moses.ini`` with ``[feature]`` and ``[weight]``, and rule tables as text."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from hopefear.base import InputError
from hopefear.base.lines import read_lines
from hopefear.base.texts import BLANK, is_whole, split_words

from .configuration import Configuration, arpa_order, find_file
from .ends import FEATURE as SENTENCE_ENDS
from .rules import ForeignRule, Nonterminal, Symbol, category, feature_name, number, word, word_links
from .system import LanguageModel, RuleTable, System

LOWEST = -100.0
"""The least score in Moses, of a probability of 0."""

_TABLES = ("PhraseDictionaryMemory", "PhraseDictionaryScope3", "RuleTable")
_MODELS = ("KENLM", "SRILM", "IRSTLM")
_CHART = {"3", "5", "6"}
"""Search algorithms that parse text: CYK+, incremental, string to tree."""

_NO_EFFECT = frozenset(
    """
    distortion-limit feature-name-overwrite input-file labeled-n-best-list mark-unknown n-best-factor
    n-best-list no-cache output-factors print-alignment-info print-id report-all-factors
    report-segmentation rule-limit s2t-parsing-algorithm start-translation-id threads time-out
    translation-details unknown-word-prefix unknown-word-suffix verbose alignment-output-file
    cube-pruning-diversity cube-pruning-lazy-scoring max-phrase-length max-trans-opt-per-coverage
    mbr-scale mbr-size n-best-trees output-hypo-score output-search-graph output-search-graph-extended
    output-search-graph-hypergraph output-unknowns persistent-cache-size print-passthrough
    segment-time-out show-weights sort-word-alignment stack unpruned-search-graph beam-threshold
    include-lhs-in-search-graph clean-lm-cache cube-pruning-deterministic-search description
    include-segmentation-in-n-best print-alignment-info-in-n-best default-non-term-for-empty-range-only
    source-label-overlap xml-input xml-brackets link-param-count input-scores
    """.split()  # noqa: SIM905
)
"""Sections that change no score of a derivation of plain text."""

_OLD = ("ttable-file", "lmodel-file", "weight-t", "weight-l", "weight-w", "weight-u", "ttable-limit")
"""Sections of the form before Moses 1.0 that stand for features and weights."""

_OLD_TABLES = {"0": "PhraseDictionaryMemory", "6": "PhraseDictionaryMemory"}
_OLD_MODELS = {"0": "SRILM", "1": "IRSTLM", "8": "KENLM", "9": "KENLM"}

_SYMBOL = re.compile(r"\[([^\[\] \t]*)\]\[([^\[\] \t]*)\]")
_LABEL = re.compile(r"\[([^\[\] \t]*)\]")


def read_moses(path: Path) -> System:
    """Read a moses.ini of a chart system."""
    return _Reader(path).read()


@dataclass(frozen=True)
class _Feature:
    """A line of ``[feature]``."""

    line: int
    kind: str
    name: str
    arguments: dict[str, str]


class _Reader(Configuration):
    """Reads the sections of a file."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, System(pop_limit=1000))
        self.sections: dict[str, list[tuple[int, str]]] = {}
        self.headers: dict[str, int] = {}  # lines of sections
        self.unknown_name = ""  # the name of UnknownWordPenalty
        self.weights: dict[str, tuple[int, list[float]]] = {}
        self.used: set[str] = set()
        self.of_rules: dict[str, float] = {}  # features that every rule has

    def read(self) -> System:
        self._read_sections()
        if any(name in self.sections for name in _OLD):
            self._modernize()
        self._check_sections()
        self.system.default = self._single("non-terminals", "X")[1]
        category(self.system.default, self.name, None)
        limit_line, limit = self._single("cube-pruning-pop-limit", "1000")
        self.system.pop_limit = self._whole(limit_line, limit)
        self._read_weights()
        features = self._features()
        tables = [feature for feature in features if feature.kind in _TABLES]
        if not tables:
            raise InputError(
                "expected a rule table in [feature], such as PhraseDictionaryMemory", path=self.name
            )
        spans = self._spans(len(tables))
        for feature in features:
            if feature.kind in _TABLES:
                self._table(feature, spans[tables.index(feature)])
            elif feature.kind in _MODELS:
                self._model(feature)
            else:
                self._other(feature)
        self._unknown()
        self._sparse_weights()
        for name, (line, _) in self.weights.items():
            if name not in self.used:
                raise self._wrong(f"expected weights of features of [feature], got {name!r}", line)
        return self.system

    def _read_sections(self) -> None:
        section = None
        for line, (_, text) in enumerate(read_lines(self.path), 1):
            text = text.split("#", 1)[0].strip(BLANK)
            if header := re.fullmatch(r"\[([\w-]+)\]", text):
                section = header[1]
                self.sections.setdefault(section, [])
                self.headers[section] = line
            elif text:
                if section is None:
                    raise self._wrong(f"expected a section such as [feature], got {text[:80]!r}", line)
                self.sections[section].append((line, text))

    def _modernize(self) -> None:
        """Replace the sections of the form before Moses 1.0 by ``[feature]`` and ``[weight]``."""
        old = {name: self.sections.pop(name, []) for name in _OLD}
        features = self.sections.setdefault("feature", [])
        weights = self.sections.setdefault("weight", [])
        for name in ("feature", "weight"):
            self.headers.setdefault(name, 0)

        def weigh(feature: str, line: int, section: str, count: int) -> None:
            given, old[section] = old[section][:count], old[section][count:]
            weights.append((given[0][0] if given else line, f"{feature}= " + " ".join(w for _, w in given)))

        for place, (line, text) in enumerate(old["ttable-file"]):
            fields = split_words(text)
            if len(fields) < 5 or not is_whole(fields[3]):
                raise self._wrong(f"expected TYPE INPUT OUTPUT SCORES FILE, got {text[:80]!r}", line)
            kind, source, target, scores, path = fields[:5]
            if kind not in _OLD_TABLES:
                raise self._wrong(
                    f"expected a rule table as text, of type 6 or 0, got type {kind[:80]}", line
                )
            limits = old["ttable-limit"]
            limit = f" table-limit={limits[min(place, len(limits) - 1)][1]}" if limits else ""
            arguments = f"num-features={scores} path={path} input-factor={source} output-factor={target}"
            features.append((line, f"{_OLD_TABLES[kind]} name=TranslationModel{place} {arguments}{limit}"))
            weigh(f"TranslationModel{place}", line, "weight-t", int(scores))
        for place, (line, text) in enumerate(old["lmodel-file"]):
            fields = split_words(text)
            if len(fields) != 4 or fields[0] not in _OLD_MODELS:
                message = "expected TYPE FACTOR ORDER FILE with type 0, 1, 8 or 9"
                raise self._wrong(f"{message}, got {text[:80]!r}", line)
            kind, factor, order, path = fields
            arguments = f"name=LM{place} factor={factor} order={order} path={path}"
            features.append((line, f"{_OLD_MODELS[kind]} {arguments}"))
            weigh(f"LM{place}", line, "weight-l", 1)
        for section, name in (("weight-w", "WordPenalty"), ("weight-u", "UnknownWordPenalty")):
            features.append((self.headers.get(section, 0), name))
            if old[section]:
                weigh(f"{name}0", 0, section, 1)
        for section, lines in old.items():
            if lines and section.startswith("weight"):
                raise self._wrong(f"expected fewer weights in [{section}]", lines[0][0])

    def _check_sections(self) -> None:
        line, search = self._single("search-algorithm", "0")
        if search not in _CHART:
            message = f"expected a chart system, [search-algorithm] 3, 5 or 6, got {search[:80]!r}"
            raise self._wrong(message, line or None)
        sections_read = {
            "search-algorithm", "non-terminals", "cube-pruning-pop-limit", "max-chart-span", "unknown-lhs",
            "feature", "weight", "weight-file", "mapping", "input-factors", "inputtype", "drop-unknown",
            "decoding-graph-backoff", "always-create-direct-transopt", "lmodel-oov-feature",
        }  # fmt: skip
        for section, lines in self.sections.items():
            line = self.headers[section]
            text = " ".join(text for _, text in lines)
            if section in _NO_EFFECT:
                self._notice(line, f"[{section}] {text} is not carried over")
            elif section not in sections_read:
                raise self._wrong(f"[{section}] is not carried over, and may change translations", line)
        for section, allowed in (
            ("input-factors", ("0",)), ("inputtype", ("0", "3")), ("drop-unknown", ("false", "0")),
            ("decoding-graph-backoff", ("0",)), ("lmodel-oov-feature", ("false", "0")),
        ):  # fmt: skip
            for line, text in self.sections.get(section, []) or (
                [(self.headers[section], "true")] if section in self.sections else []
            ):
                if text not in allowed:
                    message = f"expected [{section}] {' or '.join(allowed)}, got {text[:80]!r}"
                    raise self._wrong(f"{message}: it changes translations and cannot be carried over", line)
        if self.sections.get("inputtype", [(0, "0")])[0][1] == "3":
            line = self.sections["inputtype"][0][0]
            self._notice(line, "[inputtype] 3: only plain sentences are read, no trees")

    def _single(self, section: str, default: str) -> tuple[int, str]:
        lines = self.sections.get(section, [])
        if len(lines) > 1:
            raise self._wrong(f"expected one line in [{section}], got {len(lines)}", lines[1][0])
        return lines[0] if lines else (0, default)

    def _read_weights(self) -> None:
        for line, text in self.sections.get("weight", []):
            name, *values = split_words(text.replace("=", " "))
            numbers = [number(value, self.name, line) for value in values]
            if not numbers:
                raise self._wrong(f"expected NAME= weights, got {text[:80]!r}", line)
            self.weights[name] = line, numbers

    def _features(self) -> list[_Feature]:
        features: list[_Feature] = []
        counts: dict[str, int] = {}
        for line, text in self.sections.get("feature", []):
            kind, *words = split_words(text)
            arguments = {}
            for item in words:
                key, equals, value = item.partition("=")
                if not equals:
                    raise self._wrong(f"expected key=value, got {item[:80]!r}", line)
                arguments[key] = value
            name = arguments.get("name", f"{kind}{counts.get(kind, 0)}")
            counts[kind] = counts.get(kind, 0) + 1
            if any(feature.name == name for feature in features):
                raise self._wrong(f"feature {name} is given twice", line)
            features.append(_Feature(line, kind, feature_name(name, self.name, line), arguments))
        return features

    def _spans(self, tables: int) -> list[int | None]:
        """Return the span limit of each table; the mapping's steps are the tables in their order."""
        spans = [self._whole(line, text) for line, text in self.sections.get("max-chart-span", [])]
        for step, (line, text) in enumerate(self.sections.get("mapping", [])):
            words = split_words(text)
            if words[-2:-1] == ("T",) and words[-1] != str(step):
                raise self._wrong(f"expected step {step} T {step}, each table once, got {text[:80]!r}", line)
            if words[-2:-1] == ("G",):
                raise self._wrong("generation steps cannot be carried over", line)
        spans += [20] * (tables - len(spans))
        return [None if span in (0, *range(999, span + 1)) else span for span in spans]

    def _weights_of(self, feature: _Feature, count: int, default: list[float] | None = None) -> list[float]:
        self.used.add(feature.name)
        line, weights = self.weights.get(feature.name, (feature.line, default))
        if weights is None:
            raise self._wrong(f"expected {feature.name}= in [weight]", feature.line)
        if len(weights) != count:
            raise self._wrong(f"expected {count} weights of {feature.name}, got {len(weights)}", line)
        return weights

    def _known_arguments(self, feature: _Feature, *known: str) -> None:
        for key, value in feature.arguments.items():
            if key in ("factor", "input-factor", "output-factor"):
                if value != "0":
                    raise self._wrong(
                        f"expected {key}=0, got {value[:80]!r}: factors are not carried over", feature.line
                    )
            elif key not in (*known, "name", "tuneable", "verbosity", "filterable", "num-features", "path"):
                raise self._wrong(f"argument {key} of {feature.kind} is not carried over", feature.line)

    def _path(self, feature: _Feature) -> Path:
        if "path" not in feature.arguments:
            raise self._wrong(f"expected path= of {feature.kind}", feature.line)
        return find_file(feature.arguments["path"], self.path, feature.line)

    def _table(self, feature: _Feature, span: int | None) -> None:
        self._known_arguments(feature, "table-limit", "cache-size")
        scores = self._whole(feature.line, feature.arguments.get("num-features", "1"))
        weights = self._weights_of(feature, scores)
        names = [f"{feature.name}_{i}" for i in range(scores)] if scores > 1 else [feature.name]
        self.system.weights.update(zip(names, weights, strict=True))
        limit = self._whole(feature.line, feature.arguments.get("table-limit", "20"))
        table = _RuleTable(self._path(feature), feature.name, names, self.system.default, self.of_rules)
        rules = partial(table.rules, limit, partial(self._over_limit, feature.line, limit))
        self.system.tables.append(RuleTable(feature.name, rules, span))

    def _over_limit(self, line: int, limit: int) -> None:
        self._notice(line, f"table-limit={limit} is not carried over: all rules of each source side are kept")

    def _model(self, feature: _Feature) -> None:
        names = ("order", "load", "lazyken", "oov-feature", "dub")
        self._known_arguments(feature, *names)
        path = self._path(feature)
        with_unknown = feature.arguments.get("oov-feature", "0").lower() in ("1", "true", "yes")
        weights = self._weights_of(feature, 1 + with_unknown)
        order = arpa_order(path)
        if order is None and feature.kind != "KENLM":
            raise self._wrong(f"expected an ARPA file for {feature.kind}, got {path}", feature.line)
        if feature.kind != "KENLM":
            order_given = self._whole(feature.line, feature.arguments.get("order", str(order)))
            if order is not None and order_given < order:
                raise self._wrong(f"expected order={order}, that of {path}, got {order_given}", feature.line)
            self._notice(
                feature.line, f"{feature.kind} scores unknown words in its own way; here as KENLM does"
            )
        self.system.models.append(
            LanguageModel(path, feature.name, weights[0] * math.log(10), weights[1] if with_unknown else 0.0)
        )

    def _other(self, feature: _Feature) -> None:
        if feature.kind == "WordPenalty":
            self._known_arguments(feature)
            (weight,) = self._weights_of(feature, 1)
            self.system.functions.append("WordPenalty")
            self.system.weights["WordPenalty"] = weight * math.log(10)
            self.system.weights[SENTENCE_ENDS] = -weight
        elif feature.kind == "PhrasePenalty":
            self._known_arguments(feature)
            (weight,) = self._weights_of(feature, 1)
            self.of_rules[feature.name] = 1.0
            self.system.weights[feature.name] = weight
        elif feature.kind == "UnknownWordPenalty":
            self._known_arguments(feature)
            (weight,) = self._weights_of(feature, 1, [1.0])
            self.system.weights[feature.name] = weight
            self.unknown_name = feature.name
        elif feature.kind in ("Distortion", "SyntaxInputWeight", "InputFeature"):
            self.used.add(feature.name)
            self._notice(
                feature.line, f"{feature.kind} is not carried over: it is 0 for sentences in a chart"
            )
        else:
            self.used.add(feature.name)
            if any(self.weights.get(feature.name, (0, [1.0]))[1]):
                message = f"feature {feature.kind} changes scores and cannot be carried over"
                if feature.kind.startswith("PhraseDictionary"):
                    message = f"expected a rule table as text, PhraseDictionaryMemory, got {feature.kind}"
                raise self._wrong(message, feature.line)
            self._notice(feature.line, f"{feature.kind} is not carried over: its weights are 0")

    def _unknown(self) -> None:
        """Carry over the scores of words without rules."""
        penalty = self.unknown_name
        if not penalty:
            raise InputError("expected UnknownWordPenalty in [feature]", path=self.name)
        of_rules = sum(self.system.weights[name] * value for name, value in self.of_rules.items())
        lines = self.sections.get("unknown-lhs", [])
        if not lines:
            weight = self.system.weights.pop(penalty)
            self.system.weights["PassThrough"] = LOWEST * weight + of_rules
            return
        path = find_file(lines[0][1], self.path, lines[0][0])
        for line, (_, text) in enumerate(read_lines(path), 1):
            words = split_words(text)
            if len(words) != 2:
                raise InputError(
                    f"expected a category and a probability, got {text[:80]!r}", path=path, line=line
                )
            share = number(words[1], str(path), line)
            label = category(words[0], str(path), line)
            self.system.unknown.append((label, {penalty: log_score(share, str(path), line)}))
        self.system.weights["PassThrough"] = of_rules

    def _sparse_weights(self) -> None:
        for line, text in self.sections.get("weight-file", []):
            path = find_file(text, self.path, line)
            for place, (_, weight) in enumerate(read_lines(path), 1):
                words = split_words(weight)
                if len(words) == 2:
                    name = feature_name(words[0], str(path), place)
                    self.system.weights[name] = number(words[1], str(path), place)
                elif words:
                    message = f"expected a feature and its weight, got {weight[:80]!r}"
                    raise InputError(message, path=path, line=place)


def log_score(probability: float, path: str, line: int) -> float:
    """Return Moses' score of a probability; raises InputError if it is negative."""
    if probability < 0:
        raise InputError(f"expected a score of at least 0, got {probability!r}", path=path, line=line)
    return max(LOWEST, math.log(probability)) if probability else LOWEST


@dataclass(frozen=True)
class _RuleTable:
    """A rule table: ``source [X] ||| target [X] ||| scores ||| links ||| counts ||| sparse features``."""

    # A nonterminal is [source label][target label]; the last symbol of a side is its left-hand side. The
    # target labels are the categories.

    path: Path
    name: str
    names: list[str]
    default: str
    of_rules: dict[str, float]

    def rules(self, limit: int, over_limit: Callable[[], None]) -> Iterator[ForeignRule]:
        """Read the rules; call `over_limit` if a source side has more of them than the limit."""
        last, count = "", 0
        for line, (_, text) in enumerate(read_lines(self.path), 1):
            if not text.strip(BLANK):
                continue
            fields = text.split("|||")
            count = count + 1 if fields[0] == last else 1
            last = fields[0]
            if limit and count == limit + 1:
                over_limit()
            yield self._rule(fields, line)

    def _rule(self, fields: list[str], line: int) -> ForeignRule:
        if len(fields) < 3:
            raise self._wrong(
                f"expected source [X] ||| target [X] ||| scores ||| links, got {fields[0][:80]!r}", line
            )
        source_words, source_label = self._side(fields[0], line)
        target_words, lhs = self._side(fields[1], line)
        if source_label != self.default:
            raise self._wrong(f"expected [{self.default}] on the source side, got [{source_label}]", line)
        text, path = fields[3] if len(fields) > 3 else "", str(self.path)
        links = word_links(text, len(source_words), len(target_words), path, line)
        source: list[Symbol] = []
        target: list[str | int] = [text for text in target_words]
        numbers = 0
        for i, text in enumerate(source_words):
            match = _SYMBOL.fullmatch(text)
            if match is None:
                source.append(word(text, str(self.path), line))
                continue
            numbers += 1
            places = [j for k, j in links if k == i]
            if len(places) != 1 or _SYMBOL.fullmatch(target_words[places[0]]) is None:
                raise self._wrong(f"expected a link of nonterminal {text} to one of the target side", line)
            other = target_words[places[0]]
            if other != text:
                raise self._wrong(
                    f"expected the same nonterminal on both sides, got {text} and {other}", line
                )
            if match[1] != self.default:
                raise self._wrong(f"expected [{self.default}] as the source label, got {text}", line)
            if target[places[0]] != other:
                raise self._wrong(f"expected one link of each nonterminal, got several of {other}", line)
            source.append(Nonterminal(category(match[2], str(self.path), line)))
            target[places[0]] = numbers
        for j, symbol in enumerate(target):
            if isinstance(symbol, str):
                if _SYMBOL.fullmatch(symbol):
                    raise self._wrong(
                        f"expected a link of nonterminal {symbol} to one of the source side", line
                    )
                target[j] = word(symbol, str(self.path), line)
        of_words = [(i, j) for i, j in links if isinstance(source[i], str) and isinstance(target[j], str)]
        features = self._features(fields, line)
        return ForeignRule(category(lhs, path, line), source, target, features, of_words, (path, line))

    def _side(self, text: str, line: int) -> tuple[list[str], str]:
        *words, label = split_words(text) or ("",)
        match = _LABEL.fullmatch(label)
        if match is None or not words:
            raise self._wrong(f"expected symbols and a left-hand side such as [X], got {text[:80]!r}", line)
        return words, match[1]

    def _features(self, fields: list[str], line: int) -> dict[str, float]:
        scores = split_words(fields[2])
        if len(scores) != len(self.names):
            raise self._wrong(f"expected {len(self.names)} scores, got {len(scores)}", line)
        path = str(self.path)
        features = {
            name: log_score(number(score, path, line), path, line)
            for name, score in zip(self.names, scores, strict=True)
        }
        sparse = split_words(fields[5]) if len(fields) > 5 else []
        if len(sparse) % 2:
            raise self._wrong(f"expected names and values of sparse features, got {fields[5][:80]!r}", line)
        for name, value in zip(sparse[::2], sparse[1::2], strict=True):
            features[feature_name(f"{self.name}_{name}", path, line)] = number(value, path, line)
        return {**features, **self.of_rules}

    def _wrong(self, message: str, line: int) -> InputError:
        return InputError(message, path=self.path, line=line)
