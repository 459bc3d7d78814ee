"""Joshua's configurations and grammars (versions 5 and 6)."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from hopefear.base import InputError
from hopefear.base.lines import read_lines
from hopefear.base.texts import BLANK, split_words

from .configuration import Configuration, arpa_order, find_file
from .ends import FEATURE as SENTENCE_ENDS
from .rules import ForeignRule, Nonterminal, Symbol, category, feature_name, number, word, word_links
from .system import LanguageModel, RuleTable, System

WORD = -1 / math.log(10)
"""The value of a word in the word penalties of Joshua and of cdec."""

OOV = -100.0
"""The value of Joshua's OOVPenalty."""

_NONTERMINAL = re.compile(r"\[([^\[\]\s]+?)(?:,(\d+))?\]")

_OF_OUTPUT = frozenset(
    """
    amortize cachedrulessize c config filtergrammar includealignindex inputfile inputtype maxlen nbestlist
    nodotchart numparalleldecoders numtranslationoptions outputformat projectcase reorderinglimit serverport
    servertype showweights threads topn useuniquenbest v addcombinedcost usekenlm usesentspecifictm
    usetreenbest usecubeprune usebeamandthresholdprune regexpgrammar fragmentmap useposlabels
    latticedecoding markoovs lowercase trueoovsonly weightfile constrainparse moses
    """.split()  # noqa: SIM905
)
"""Options that change no score of a derivation of plain text."""

_IF_FALSE = frozenset(("parse", "segmentoovs", "rescoreforest", "fuzzymatching", "sourceannotations"))
"""Options that are not carried over, unless they are false."""

_OF_WEIGHTS = {
    "Distortion": "Distortion", "EdgePhraseSimilarity": "EdgePhraseSimilarity", "FragmentLM": "FragmentLM",
    "LabelCombination": "LabelCombination", "LabelSubstitution": "LabelSubstitution",
    "LexicalFeatures": "Lexical", "RuleCountBin": "RuleCountBin", "RuleFF": "RuleFF",
    "RuleLength": "RuleLength", "RulePropertiesQuerying": "RulePropertiesQuerying", "RuleShape": "RuleShape",
    "SourcePath": "SourcePath", "TargetBigram": "TargetBigram",
}  # fmt: skip
"""Feature functions without a counterpart, and how the names of their weights begin."""


def normalized(key: str) -> str:
    """Return the name of an option as Joshua compares it."""
    return re.sub("[-_]", "", key).lower()


def read_joshua(path: Path) -> System:
    """Read a joshua.config."""
    return _Reader(path).read()


class _Reader(Configuration):
    """Reads a configuration line by line."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, System(goal="GOAL", pop_limit=100))
        self.weights: dict[str, float] = {}
        self.file_weights: dict[str, float] = {}
        self.tables: list[tuple[int, str, dict[str, str]]] = []
        self.functions: list[tuple[int, str, list[str]]] = []
        self.penalties: dict[str, float] = {}  # of each rule, by owner
        self.arities: list[tuple[str, int, int]] = []
        self.unknown: list[tuple[str, float]] = []

    def read(self) -> System:
        for line, text in self._lines():
            key, equals, value = text.partition("=")
            if equals:
                self._option(line, key.strip(BLANK), value.strip(BLANK))
            else:
                name, weight = self._weight(text, self.name, line)
                self.weights[name] = weight
        self.weights = {**self.file_weights, **self.weights}
        oov = False
        for line, name, words in self.functions:
            oov |= self._function(line, name, words)
        if not self.tables:
            raise InputError("expected a line tm = thrax -owner pt -maxspan 20 -path FILE", path=self.name)
        for line, kind, arguments in self.tables:
            self._table(line, kind, arguments)
        if all(table.name != "tm_glue" for table in self.system.tables):
            self.system.tables.append(self._default_glue())
        self._finish(oov)
        return self.system

    def _lines(self) -> Iterator[tuple[int, str]]:
        for line, (_, text) in enumerate(read_lines(self.path), 1):
            if text.strip(BLANK) and not text.lstrip(BLANK).startswith(("#", "//")):
                yield line, text.strip(BLANK)

    def _weight(self, text: str, path: str, line: int) -> tuple[str, float]:
        words = split_words(text)
        if len(words) != 2:
            raise InputError(
                f"expected option = value, or the name and the weight of a feature, got {text[:80]!r}",
                path=path,
                line=line,
            )
        return feature_name(words[0], path, line), number(words[1], path, line)

    def _option(self, line: int, key: str, value: str) -> None:
        option = normalized(key)
        if option == "tm":
            self.tables.append((line, *self._tm(line, value)))
        elif option == "lm":
            self._old_model(line, value)
        elif option == "featurefunction":
            name, *arguments = split_words(value.strip('"')) or [""]
            self.functions.append((line, name, arguments))
        elif option == "weightsfile":
            self._read_weights(find_file(value, self.path, line))
        elif option == "defaultnonterminal":
            self.system.default = category(value.strip("[]"), self.name, line)
        elif option == "goalsymbol":
            self.system.goal = category(value.strip("[]"), self.name, line)
        elif option == "poplimit":
            self.system.pop_limit = int(self._whole(line, value))
        elif option == "oovlist":
            self._oov_list(line, value)
        elif option == "weightoverwrite":
            words = split_words(value)
            if len(words) % 2:
                raise self._wrong(f"expected names and weights, got {value[:80]!r}", line)
            for name, weight in zip(words[::2], words[1::2], strict=True):
                self.weights[name] = number(weight, self.name, line)
        elif option == "search":
            if value != "cky":
                raise self._wrong(f"expected search = cky, hierarchical decoding, got {value[:80]!r}", line)
        elif option in _IF_FALSE:
            if value.lower() != "false":
                raise self._wrong(f"option {key} changes translations and cannot be carried over", line)
        elif option in _OF_OUTPUT:
            if value.lower() != "false":
                self._notice(line, f"{key} = {value} is not carried over")
        else:
            raise self._wrong(f"expected an option of Joshua, got {key[:80]!r}", line)

    def _tm(self, line: int, value: str) -> tuple[str, dict[str, str]]:
        kind, *words = split_words(value) or [""]
        if words and not words[0].startswith("-"):
            if len(words) != 3:
                raise self._wrong(f"expected tm = TYPE OWNER MAXSPAN FILE, got {value[:80]!r}", line)
            return kind, dict(zip(("owner", "maxspan", "path"), words, strict=True))
        arguments = self._arguments(line, words)
        if missing := [name for name in ("owner", "maxspan", "path") if not arguments.get(name)]:
            raise self._wrong(f"expected -{missing[0]} in tm = TYPE -owner NAME -maxspan N -path FILE", line)
        return kind, arguments

    def _arguments(self, line: int, words: list[str]) -> dict[str, str]:
        """Read ``-name value`` and ``-name``."""
        arguments: dict[str, str] = {}
        last = ""
        for text in words:
            if re.fullmatch(r"--?[A-Za-z_][\w-]*", text):
                last = text.lstrip("-")
                arguments[last] = ""
            elif last and not arguments[last]:
                arguments[last] = text
            else:
                raise self._wrong(f"expected -name value, got {text[:80]!r}", line)
        return arguments

    def _old_model(self, line: int, value: str) -> None:
        words = split_words(value)
        if len(words) != 6:
            message = "expected lm = TYPE ORDER MINIMIZING RIGHT CEILING FILE"
            raise self._wrong(f"{message}, got {value[:80]!r}", line)
        kind, order, minimizing, _, _, path = words
        name = "StateMinimizingLanguageModel" if minimizing == "true" else "LanguageModel"
        arguments = ["-lm_type", "kenlm" if minimizing == "true" else kind, "-lm_order", order]
        self.functions.append((line, name, [*arguments, "-lm_file", path]))

    def _read_weights(self, path: Path) -> None:
        for line, (_, text) in enumerate(read_lines(path), 1):
            if text.strip(BLANK) and not text.startswith(("#", "//")):
                name, weight = self._weight(text, str(path), line)
                self.file_weights[name] = self.file_weights.get(name, 0.0) + weight

    def _oov_list(self, line: int, value: str) -> None:
        try:
            words = split_words(" ".join(text for _, text in read_lines(find_file(value, self.path, line))))
        except InputError:
            words = split_words(value)
        if not words or len(words) % 2:
            raise self._wrong(
                f"expected categories and probabilities, or a file of them, got {value[:80]!r}", line
            )
        for label, probability in zip(words[::2], words[1::2], strict=True):
            share = number(probability, self.name, line)
            if share <= 0:
                raise self._wrong(f"expected a probability above 0, got {probability[:80]!r}", line)
            self.unknown.append((category(label.strip("[]"), self.name, line), math.log(share)))

    # feature functions

    def _function(self, line: int, name: str, words: list[str]) -> bool:
        """Carry over a feature function; tell whether it is the penalty of unknown words."""
        if name in ("LanguageModel", "StateMinimizingLanguageModel"):
            self._model(line, name, self._arguments(line, words))
        elif name == "WordPenalty":
            arguments = self._arguments(line, words)
            value = number(arguments["value"], self.name, line) if "value" in arguments else WORD
            weight = self.weights.get("WordPenalty", 0.0) * value
            self.system.functions.append("WordPenalty")
            self.system.weights["WordPenalty"] = weight / WORD
            self.system.weights[SENTENCE_ENDS] = weight
        elif name == "OOVPenalty":
            return True
        elif name == "PhrasePenalty":
            owner = self._arguments(line, words).get("owner", "pt")
            self.penalties[owner] = self.penalties.get(owner, 0.0) + 1.0
        elif name in ("ArityPhrasePenalty", "ArityPenalty"):
            self._arity(line, words)
        elif name in _OF_WEIGHTS:
            prefix = _OF_WEIGHTS[name].lower()
            if any(weight and key.lower().startswith(prefix) for key, weight in self.weights.items()):
                raise self._wrong(f"feature function {name} changes scores and cannot be carried over", line)
            self._notice(line, f"feature function {name} is not carried over: it has no weights")
        else:
            raise self._wrong(f"expected a feature function of Joshua, got {name[:80]!r}", line)
        return False

    def _model(self, line: int, name: str, arguments: dict[str, str]) -> None:
        if "class_map" in arguments:
            raise self._wrong("an n-gram model over classes, -class_map, cannot be carried over", line)
        if missing := [key for key in ("lm_file", "lm_order") if not arguments.get(key)]:
            raise self._wrong(f"expected {name} with -{missing[0]}", line)
        kind = arguments.get("lm_type", "kenlm")
        if kind not in ("kenlm", "berkeleylm"):
            raise self._wrong(f"expected -lm_type kenlm or berkeleylm, got {kind[:80]!r}", line)
        path = find_file(arguments["lm_file"], self.path, line)
        order = self._whole(line, arguments["lm_order"])
        order_of_file = arpa_order(path)
        if order_of_file is None and kind == "berkeleylm":
            raise self._wrong(f"expected an ARPA file for -lm_type berkeleylm, got {path}", line)
        if order_of_file is not None and order < order_of_file and name == "LanguageModel":
            raise self._wrong(f"expected -lm_order {order_of_file}, the order of {path}, got {order}", line)
        if kind == "berkeleylm":
            self._notice(
                line, "berkeleylm scores unknown words in its own way; here they are scored as by kenlm"
            )
        feature = f"lm_{len(self.system.models)}"
        unknown = self.weights.get(f"{feature}_oov", 0.0) if "oov_feature" in arguments else 0.0
        weight = self.weights.get(feature, 0.0)
        self.system.models.append(LanguageModel(path, feature, weight, unknown))

    def _arity(self, line: int, words: list[str]) -> None:
        if words and not words[0].startswith("-"):
            names = ("-owner", "-min-arity", "-max-arity")
            words = [part for pair in zip(names, words, strict=False) for part in pair]
        arguments = self._arguments(line, words)
        try:
            bounds = self._whole(line, arguments["min-arity"]), self._whole(line, arguments["max-arity"])
            self.arities.append((arguments["owner"], *bounds))
        except KeyError as error:
            raise self._wrong(f"expected ArityPhrasePenalty with -{error.args[0]}", line) from None

    # grammars

    def _table(self, line: int, kind: str, arguments: dict[str, str]) -> None:
        if kind not in ("thrax", "hiero", "samt"):
            raise self._wrong(f"expected a grammar of type thrax, hiero or samt, got {kind[:80]!r}", line)
        path = find_file(arguments["path"], self.path, line)
        if path.is_dir():
            raise self._wrong(f"expected a grammar in text form, got the packed grammar {path}", line)
        span = arguments["maxspan"]
        if span != "-1":
            self._whole(line, span)
        owner = feature_name(arguments["owner"], self.name, line)
        name = f"tm_{owner}"
        rules = partial(self._rules, path, owner)
        self.system.tables.append(RuleTable(name, rules, None if span == "-1" else int(span), span == "-1"))

    def _default_glue(self) -> RuleTable:
        """Return Joshua's own glue rules, for a configuration without a grammar of the owner ``glue``."""
        goal, default = self.system.goal, self.system.default
        lines = [
            f"[{goal}] ||| <s> ||| <s> ||| 0",
            f"[{goal}] ||| [{goal},1] [{default},2] ||| [{goal},1] [{default},2] ||| -1",
            f"[{goal}] ||| [{goal},1] </s> ||| [{goal},1] </s> ||| 0",
        ]

        def rules() -> Iterator[ForeignRule]:
            return (self._rule(text, "glue", "Joshua's glue rules", i) for i, text in enumerate(lines, 1))

        return RuleTable("tm_glue", rules, None, from_start=True)

    def _rules(self, path: Path, owner: str) -> Iterator[ForeignRule]:
        for line, (_, text) in enumerate(read_lines(path), 1):
            if text.strip(BLANK):
                yield self._rule(text, owner, str(path), line)

    def _rule(self, text: str, owner: str, path: str, line: int) -> ForeignRule:
        fields = [field.strip(BLANK) for field in re.split(rf"[{BLANK}]*\|\|\|(?:[{BLANK}]+|$)", text)]
        match = _NONTERMINAL.fullmatch(fields[0])
        if len(fields) < 3 or match is None or not fields[1]:
            message = f"expected [LHS] ||| source ||| target ||| features, got {text[:80]!r}"
            raise InputError(message, path=path, line=line)
        source: list[Symbol] = []
        numbers: dict[int, str] = {}
        for symbol in split_words(fields[1]):
            if nonterminal := _NONTERMINAL.fullmatch(symbol):
                numbers[len(numbers) + 1] = nonterminal[1]
                if nonterminal[2] not in (None, str(len(numbers))):
                    message = f"expected nonterminal {len(numbers)}, got {symbol!r}"
                    raise InputError(message, path=path, line=line)
                source.append(Nonterminal(category(nonterminal[1], path, line)))
            else:
                source.append(word(symbol, path, line))
        target: list[str | int] = []
        for symbol in split_words(fields[2]):
            if nonterminal := _NONTERMINAL.fullmatch(symbol):
                target.append(int(nonterminal[2] or 0))
            else:
                target.append(word(symbol, path, line))
        if sorted(symbol for symbol in target if isinstance(symbol, int)) != list(numbers):
            message = f"expected each of {len(numbers)} nonterminals once in the target"
            message += f", got {fields[2][:80]!r}"
            raise InputError(message, path=path, line=line)
        features = self._features(fields[3] if len(fields) > 3 else "", owner, path, line)
        if owner in self.penalties:
            features["PhrasePenalty"] = self.penalties[owner]
        arity = sum(of == owner and low <= len(numbers) <= high for of, low, high in self.arities)
        if arity:
            features["ArityPenalty"] = float(arity)
        links = word_links(fields[4] if len(fields) > 4 else "", len(source), len(target), path, line)
        return ForeignRule(category(match[1], path, line), source, target, features, links, (path, line))

    def _features(self, text: str, owner: str, path: str, line: int) -> dict[str, float]:
        """Read features: numbers stand for costs, and named features for themselves."""
        features: dict[str, float] = {}
        place = 0
        for item in split_words(text):
            name, equals, value = item.rpartition("=")
            if not equals:
                name = f"tm_{owner}_{place}"
                place += 1
                features[name] = 0.0 - number(value, path, line)
            else:
                features[feature_name(name, path, line)] = number(value, path, line)
        return features

    def _finish(self, oov: bool) -> None:
        """Carry over weights and unknown words."""
        system, weights = self.system, dict(self.weights)
        for name in [*system.weights, "WordPenalty", *(model.name for model in system.models)]:
            weights.pop(name, None)
        weight = weights.pop("OOVPenalty", 0.0) if oov else 0.0
        if self.unknown:
            system.unknown = [(label, {"OOVPenalty": value}) for label, value in self.unknown]
            system.weights["OOVPenalty"] = weight
            system.weights["PassThrough"] = 0.0
        else:
            system.weights["PassThrough"] = OOV * weight
        system.weights.update(weights)
