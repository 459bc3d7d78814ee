"""Rules of a sentence by the definition: all occurrences, all spans, nothing clever."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, pairwise, product

Pair = tuple[tuple[str, ...], tuple[str, ...], tuple[tuple[int, int], ...]]
X = ["[X,1]", "[X,2]", "[X,3]"]


@dataclass(frozen=True)
class Limits:
    max_symbols: int = 5
    max_nonterminals: int = 2
    max_span: int = 15
    min_gap: int = 1
    tight: bool = True
    samples: int = 300


def patterns(length: int, limits: Limits, more: int = 0) -> list[tuple[int, ...]]:
    """All choices of words, in order, that are a pattern's: [0, 1, 3] is two words, a gap and a word."""
    out = []
    for size in range(1, limits.max_symbols + 1):
        for words in combinations(range(length), size):
            gaps = [b - a - 1 for a, b in pairwise(words) if b > a + 1]
            if (
                len(gaps) <= limits.max_nonterminals
                and size + len(gaps) <= limits.max_symbols
                and words[-1] - words[0] < limits.max_span + more
                and all(gap >= limits.min_gap for gap in gaps)
            ):
                out.append(words)
    return out


def shape(tokens, words):
    """A pattern's words, None between those that stand apart."""
    out = [tokens[words[0]]]
    for a, b in pairwise(words):
        out += [None] * (b > a + 1) + [tokens[b]]
    return tuple(out)


class Sentence:
    """Phrase pairs of a sentence pair."""

    def __init__(self, pair: Pair, limits: Limits) -> None:
        self.source, self.target, links = pair
        self.links = sorted(set(links))
        self.limits = limits

    def linked(self, i):
        return any(f == i for f, _ in self.links)

    def hull(self, begin, end):
        """The target words that source words are linked to, and those between."""
        to = [e for f, e in self.links if begin <= f < end]
        return (min(to), max(to) + 1) if to else None

    def consistent(self, begin, end):
        to = self.hull(begin, end)
        return to is not None and all(begin <= f < end for f, e in self.links if to[0] <= e < to[1])

    def ends_linked(self, begin, end):
        return not self.limits.tight or (self.linked(begin) and self.linked(end - 1))

    def short(self, begin, end):
        to = self.hull(begin, end)
        return to is None or max(end - begin, to[1] - to[0]) <= self.limits.max_span

    def phrase_pair(self, begin, end):
        return self.consistent(begin, end) and self.ends_linked(begin, end) and self.short(begin, end)

    def sources(self, words):
        """Source sides of an occurrence's rules: the phrase, and its gaps from left to right."""
        inner = [(a + 1, b) for a, b in pairwise(words) if b > a + 1]
        low, high = words[0], words[-1] + 1
        if not any(map(self.linked, words)) or not all(self.phrase_pair(*gap) for gap in inner):
            return []
        to = self.hull(low, high)
        if not self.short(low, high):
            return []
        # Source words outside that are linked to target words inside must become nonterminals.
        outside = [f for f, e in self.links if to[0] <= e < to[1] and not low <= f < high]
        least = self.limits.min_gap
        base_low = min([low - least, *outside]) if min([low, *outside]) < low else low
        base_high = max([high - 1 + least, *outside]) + 1 if max([high - 1, *outside]) >= high else high
        forced = (base_low < low, base_high > high)
        if not (base_low >= 0 and base_high <= len(self.source) and self.short(base_low, base_high)):
            return []
        if self.hull(base_low, base_high) != to:
            return []
        base = [(base_low, low)] * forced[0] + inner + [(high, base_high)] * forced[1]
        if not all(self.phrase_pair(*gap) for gap in base):
            return []
        out = []
        for left, right in product((False, True), repeat=2):
            if (left and forced[0]) or (right and forced[1]):
                continue
            begins = range(base_low - least, -1, -1) if left else [base_low]
            ends = range(base_high + least, len(self.source) + 1) if right else [base_high]
            spans = [(b, e) for b in begins for e in ends if self.phrase_pair(b, e)]
            if not spans:
                continue
            begin, end = min(spans, key=lambda span: span[1] - span[0])
            gaps = [(begin, base_low)] * left + base + [(base_high, end)] * right
            if len(gaps) > self.limits.max_nonterminals:
                continue
            if len(words) + len(gaps) > self.limits.max_symbols:
                continue
            if all(self.phrase_pair(*gap) for gap in gaps):
                out.append(((begin, end), gaps))
        return out

    def targets(self, phrase, gaps):
        """Target spans of the phrase and its gaps; where they need not be tight, all that they may be."""
        cores = [self.hull(*span) for span in [phrase, *gaps]]
        if self.limits.tight:
            return [cores]
        free = {e for e in range(len(self.target)) if all(e != link[1] for link in self.links)}

        def wider(core):
            return [
                (b, e)
                for b in range(core[0] + 1)
                for e in range(core[1], len(self.target) + 1)
                if free.issuperset(range(b, core[0])) and free.issuperset(range(core[1], e))
            ]

        out = []
        for whole, *inside in product(*map(wider, cores)):
            ordered = sorted(inside)
            apart = all(a[1] <= b[0] for a, b in pairwise(ordered))
            within = all(whole[0] <= gap[0] and gap[1] <= whole[1] for gap in inside)
            if apart and within and whole[1] - whole[0] <= self.limits.max_span:
                out.append([whole, *inside])
        return out

    def rules(self, words):
        """Source, target, alignment and share of each rule of an occurrence."""
        for phrase, gaps in self.sources(words):
            source, place_of_source = self.side(self.source, phrase, gaps)
            targets = self.targets(phrase, gaps)
            for whole, *inside in targets:
                target, place_of_target = self.side(self.target, whole, inside)
                alignment = tuple(
                    (place_of_source[f], place_of_target[e]) for f, e in self.links if f in words
                )
                yield source, target, alignment, Fraction(1, len(targets))

    @staticmethod
    def side(tokens, span, gaps):
        symbols, places, i = [], {}, span[0]
        while i < span[1]:
            number = next((k for k, gap in enumerate(gaps) if gap[0] == i), None)
            if number is not None:
                symbols.append(X[number])
                i = gaps[number][1]
            else:
                places[i] = len(symbols)
                symbols.append(tokens[i])
                i += 1
        return tuple(symbols), places


def lexical_counts(corpus):
    pairs, sources, targets = Counter(), Counter(), Counter()
    for source, target, links in corpus:
        links = set(links)
        found = [(source[f], target[e]) for f, e in links]
        found += [(word, None) for f, word in enumerate(source) if all(f != link[0] for link in links)]
        found += [(None, word) for e, word in enumerate(target) if all(e != link[1] for link in links)]
        for f, e in found:
            pairs[f, e] += 1
            sources[f] += 1
            targets[e] += 1
    return pairs, sources, targets


def is_word(symbol):
    return symbol not in X


def holds(rule, alignment, other):
    """Whether the other rule is a part of a rule that no link leads out of, or the rule itself."""
    spans = [[range(i, j) for j in range(len(side) + 1) for i in range(j)] for side in rule]
    for parts in product(*spans):
        source, target = ([side[i] for i in part] for side, part in zip(rule, parts, strict=True))
        numbers = {gap: X[k] for k, gap in enumerate(gap for gap in source if not is_word(gap))}
        renamed = tuple(tuple(numbers.get(symbol, symbol) for symbol in side) for side in (source, target))
        if renamed == other and all((f in parts[0]) == (e in parts[1]) for f, e in alignment):
            return True
    return False


def brute_force(
    corpus: list[Pair], tokens, limits: Limits, corrections_from: int | None = None, withdrawn=()
):
    """Features and alignment of each rule, by its source and target side."""
    text = len(corpus) if corrections_from is None else corrections_from
    sentences = [Sentence(pair, limits) for pair in corpus]
    occurrences = defaultdict(list)
    for number, sentence in enumerate(sentences):
        # By the beginning, then by the places of the later chunks.
        for words in sorted(patterns(len(sentence.source), limits)):
            occurrences[shape(sentence.source, words)].append((sentence, words, number >= text))
    pairs, sources, targets = lexical_counts(corpus)
    out = {}
    for pattern in {shape(tokens, words) for words in patterns(len(tokens), limits, 1)}:  # as cdec
        found = occurrences[pattern]
        old, new = ([one for one in found if one[2] == is_new] for is_new in (False, True))
        sampled = min(len(old), limits.samples)
        used = [old[i * len(old) // sampled] for i in range(sampled)] + new[-limits.samples :]
        samples = len(used)
        counts, shares, alignments = Counter(), Counter(), defaultdict(Counter)
        corrected = set()
        for sentence, words, is_new in used:
            for source, target, alignment, share in sentence.rules(words):
                if is_new and any(holds((source, target), alignment, other) for other in withdrawn):
                    continue
                counts[source, target] += 1
                shares[source, target] += share
                alignments[source, target][alignment] += 1
                if is_new:
                    corrected.add((source, target))
        for (source, target), count in counts.items():
            whole = sum(share for rule, share in shares.items() if rule[0] == source)
            alignment = min(alignments[source, target].items(), key=lambda item: (-item[1], item[0]))[0]

            def best(scores):
                return -math.log10(max(scores)) if max(scores) > 0 else 99

            es = [*filter(is_word, target), None]
            fs = [*filter(is_word, source), None]

            def mean(scores, empty):
                return sum(scores) / len(scores) if scores else empty

            matches = sum(len(places(pair[1], target, limits.max_span)) for pair in corpus)
            features = {
                "EgivenFCoherent": -math.log10(count / samples),
                "SampleCountF": math.log10(1 + samples),
                "CountEF": math.log10(1 + count),
                "MaxLexFgivenE": sum(
                    best([pairs[f, e] / targets[e] if targets[e] else 0 for e in es]) for f in fs[:-1]
                ),
                "MaxLexEgivenF": sum(
                    best([pairs[f, e] / sources[f] if sources[f] else 0 for f in fs]) for e in es[:-1]
                ),
                "IsSingletonF": float(whole == 1),
                "IsSingletonFE": float(count == 1),
                "LogProbEgivenF": math.log(shares[source, target] / whole),
                "LogProbFgivenE": min(0.0, math.log(shares[source, target] * len(found) / samples / matches)),
                "LogLexEgivenF": sum(
                    math.log(
                        mean(
                            [pairs[source[i], e] / sources[source[i]] for i, j in alignment if j == place],
                            pairs[None, e] / sources[None] if sources[None] else 0,
                        )
                    )
                    for place, e in enumerate(target)
                    if is_word(e)
                ),
                "LogLexFgivenE": sum(
                    math.log(
                        mean(
                            [pairs[f, target[j]] / targets[target[j]] for i, j in alignment if i == place],
                            pairs[f, None] / targets[None] if targets[None] else 0,
                        )
                    )
                    for place, f in enumerate(source)
                    if is_word(f)
                ),
                "PostEditSupport": float((source, target) in corrected),
            }
            out[source, target] = features, alignment
    return out


def places(tokens, target, max_span):
    """Where the words of a target side stand, nonterminals between them being one word or more."""
    while not is_word(target[0]):
        target = target[1:]
    while not is_word(target[-1]):
        target = target[:-1]
    wanted = [word for word in target if is_word(word)]
    apart = [not is_word(a) for a, b in pairwise(target) if is_word(b)]
    return [
        words
        for words in combinations(range(len(tokens)), len(wanted))
        if [tokens[i] for i in words] == wanted
        and words[-1] - words[0] < max_span
        and all((b > a + 1) == gap for (a, b), gap in zip(pairwise(words), apart, strict=False))
    ]
