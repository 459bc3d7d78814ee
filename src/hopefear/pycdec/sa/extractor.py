"""pycdec's GrammarExtractor."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import groupby
from typing import Any

from hopefear._native import parse_links
from hopefear.base import InputError
from hopefear.base.texts import split_words
from hopefear.grammars import extractor as own
from hopefear.grammars.bitext import Bitext
from hopefear.grammars.built import make_extractor
from hopefear.plugins import RuleText
from hopefear.pycdec.sa import definitions
from hopefear.pycdec.sa.configuration import read_configuration
from hopefear.pycdec.sa.rules import FeatureContext, FeatureVector, Phrase, Rule
from hopefear.pycdec.sa.symbols import Column, decode_sentence, make_lattice
from hopefear.pycdec.sa.texts import DataArray
from hopefear.pycdec.text import FilePath, as_path, as_text

SAMPLES = 300
"""Occurrences of a source side that are used, as in cdec."""

_NAMES = {own.POST_EDIT_SUPPORT: "IsSupportedOnline"}
"""cdec's names of features where they differ."""

_NOBODY = object()
"""The owner of pairs of dropped contexts."""


class GrammarExtractor:
    """Extracts the rules of a sentence from a compiled parallel text.

    The attribute `extractor` is the `hopefear.grammars.extractor.GrammarExtractor` behind it.

    Parameters
    ----------
    config : path or mapping
        The configuration that ``hopefear.pycdec.sa.compile`` wrote, or its values by name: ``f_sa_file``,
        ``e_file``, ``a_file``, ``max_len``, ``max_nt``, ``max_size``, ``min_gap``, ``tight_phrases``. Others,
        such as ``lex_file`` and ``rank1``, are for functions of the user: lexical probabilities are always
        counted from the text.
    online : bool
        Whether `add_instance` may be called; rules have the feature ``IsSupportedOnline``, too.
    features
        Not used, as in cdec.

    Raises
    ------
    OSError
        There is no such configuration.
    InputError
        The configuration lacks a value or has a wrong one, or a file that it names is damaged.
    """

    def __init__(
        self,
        config: FilePath | Mapping[str, Any],
        online: bool = False,
        features: object = None,
    ) -> None:
        where = None
        if not isinstance(config, Mapping):
            where = as_path(config)
            config = read_configuration(where)
        for name in ("f_sa_file", "e_file", "a_file", "max_len", "max_nt", "max_size", "min_gap"):
            if name not in config:
                raise InputError(f"expected {name} = …", path=where)
        self._config = config
        bitext = Bitext.read(*(as_path(config[name]) for name in ("f_sa_file", "e_file", "a_file")))
        names = [*own.CDEC_FEATURES, own.POST_EDIT_SUPPORT] if online else own.CDEC_FEATURES
        settings = {
            "max_symbols": config["max_len"],
            "max_nonterminals": config["max_nt"],
            "max_span": config["max_size"],
            "min_gap": config["min_gap"],
            "tight": config.get("tight_phrases", True),
            "samples": SAMPLES,
            "features": names,
            "corrections_from": len(bitext) if online else None,
        }
        self.extractor = make_extractor(bitext, settings)
        self._online = online
        self._owners: list[object] = []  # the context of each learned pair
        self._exclusions: dict[str | None, own.Exclusion] = {}
        self._features = list(definitions.features)
        for fn in definitions.configurations:
            with definitions.foreign(fn):
                fn(config)

    def grammar(self, sentence: str | bytes, ctx_name: str | bytes | None = None) -> Iterator[Rule]:
        """Iterate over the rules that a sentence can use, with those of a context's learned sentences.

        Raises
        ------
        PluginError
            A feature or an annotator of the user raised an error, or gave no number.
        """
        words = split_words(as_text(sentence))
        test_sentence = make_lattice(["<s>", *words, "</s>"])
        meta = definitions.annotate(tuple(column[0][0] for column in test_sentence))
        rules = self.extractor.grammar(
            words, exclude=self._exclusion(_context(ctx_name)) if self._online else ()
        )
        for _, group in groupby(rules, lambda rule: rule.source):
            alternatives = list(group)
            counts = [_count(rule.features["CountEF"]) for rule in alternatives]
            for rule, count in zip(alternatives, counts, strict=True):
                made = _rule(rule)
                if self._features:
                    context = self._context(made, rule, count, sum(counts), test_sentence, meta)
                    self._score(made.scores, context)
                yield made

    def add_instance(
        self,
        sentence: str | bytes,
        reference: str | bytes,
        alignment: str | bytes,
        ctx_name: str | bytes | None = None,
    ) -> None:
        """Learn a sentence pair, for later grammars of a context.

        Raises
        ------
        InputError
            The extractor is not online, or the alignment is not of links between the sentences.
        """
        if not self._online:
            raise InputError("learning needs GrammarExtractor(config, online=True)")
        source, target = split_words(as_text(sentence)), split_words(as_text(reference))
        links = parse_links(as_text(alignment), len(source), len(target))
        ctx_name = _context(ctx_name)
        exclusions = {ctx_name: self._exclusion(ctx_name), **self._exclusions}
        number = len(self.extractor.bitext)
        self.extractor.add(source, target, links)
        self._owners.append(ctx_name)
        for name, exclusion in exclusions.items():
            if name != ctx_name:
                self.extractor.exclude(exclusion, number)

    def drop_ctx(self, ctx_name: str | bytes | None = None) -> None:
        """Forget what was learned in a context."""
        ctx_name = _context(ctx_name)
        self._exclusions.pop(ctx_name, None)
        self._owners = [_NOBODY if owner == ctx_name else owner for owner in self._owners]
        if all(owner is _NOBODY for owner in self._owners):
            self._exclusions.clear()
            self.extractor.cut(len(self.extractor.bitext) - len(self._owners))
            self._owners.clear()

    def _exclusion(self, ctx_name: str | None) -> own.Exclusion:
        """Return the exclusion of the pairs that were not learned in a context."""
        if ctx_name not in self._exclusions:
            exclusion = self._exclusions[ctx_name] = self.extractor.growing_exclusion()
            first = len(self.extractor.bitext) - len(self._owners)
            for number, owner in enumerate(self._owners, first):
                if owner != ctx_name:
                    self.extractor.exclude(exclusion, number)
        return self._exclusions[ctx_name]

    def _context(
        self,
        made: Rule,
        rule: RuleText,
        count: int,
        total: int,
        test_sentence: tuple[Column, ...],
        meta: Mapping[str, Any],
    ) -> FeatureContext:
        # In the sentence, as in cdec, the words of a source side may cover a word more than in the text.
        limits = self._config["min_gap"], self._config["max_size"] + 1
        match, end = _first_match(made.f, decode_sentence(test_sentence), *limits)
        return FeatureContext(
            fphrase=made.f,
            ephrase=made.e,
            paircount=count,
            fcount=total,
            fsample_count=_count(rule.features["SampleCountF"]),
            input_span=(match[0], end),
            input_match=match,
            test_sentence=test_sentence,
            f_text=self._texts[0],
            e_text=self._texts[1],
            meta=meta,
        )

    def _score(self, scores: FeatureVector, context: FeatureContext) -> None:
        for fn in self._features:
            with definitions.foreign(fn):
                scores.set(fn.__name__, float(fn(context)))

    @cached_property
    def _texts(self) -> tuple[DataArray, DataArray]:
        return DataArray(from_binary=self._config["f_sa_file"]), DataArray(from_binary=self._config["e_file"])


def _context(name: str | bytes | None) -> str | None:
    return None if name is None else as_text(name)


def _rule(rule: RuleText) -> Rule:
    category = f"[{rule.lhs}]"
    source = [symbol if isinstance(symbol, str) else f"[{symbol[0]},{symbol[1]}]" for symbol in rule.source]
    target = [symbol if isinstance(symbol, str) else f"[{rule.lhs},{symbol}]" for symbol in rule.target]
    scores = FeatureVector({_NAMES.get(name, name): value for name, value in rule.features.items()})
    return Rule(category, Phrase(source), Phrase(target), scores, rule.alignment)


def _count(log_of_one_more: float) -> int:
    """Return the count c of a feature log10(1 + c)."""
    return round(10**log_of_one_more) - 1


def _first_match(
    source: Phrase, words: Sequence[str], min_gap: int, longest: int
) -> tuple[tuple[int, ...], int]:
    """Return where the first match of a source side has its sequences of words, and where it ends."""
    chunks = [span for span, is_words in source.iterspans() if is_words]

    def match(number: int, first: int, end: int) -> tuple[tuple[int, ...], int]:
        chunk = chunks[number]
        for begin in range(first, end - len(chunk) + 1):
            if list(words[begin : begin + len(chunk)]) == chunk:
                after = begin + len(chunk)
                if number + 1 == len(chunks):
                    return (begin,), after
                limit = min(len(words), begin + longest) if number == 0 else end
                places, last = match(number + 1, after + min_gap, limit)
                if places:
                    return (begin, *places), last
        return (), 0

    return match(0, 0, len(words))
