"""Plugins for tests of the bridge into cdec, which copy this file beside the file of plugins."""

from itertools import pairwise

import numpy as np

from hopefear.plugins import (
    EdgeFeatures,
    FeatureTable,
    NgramFeatures,
    RuleFeatures,
    RuleStrings,
    StateFeatures,
)


class SpanOnly(EdgeFeatures):
    asked = 0

    def fire(self, edges, segment):
        type(self).asked += 1
        begin, end = edges.span[0]
        if end - begin == 3:  # looks further
            return FeatureTable.from_pairs(len(edges), [(0, f"Rule_{edges.rule[0]}")])
        return FeatureTable.from_pairs(len(edges), [(0, f"Span_{begin}_{end}")])


class Annotated(EdgeFeatures):
    def fire(self, edges, segment):
        tags, tokens = segment.tags or ["lattice"], segment.tokens or ["lattice"]
        names = [segment.tree or "none", str(segment.index), "-".join(tags), "+".join(tokens)]
        return FeatureTable.from_pairs(len(edges), [(0, name.replace(" ", "_")) for name in names])


class Twice(EdgeFeatures):
    def fire(self, edges, segment):
        return FeatureTable.from_pairs(len(edges), [(0, "Span_0_1", 0.5)])


class Broken(RuleFeatures):
    def fire(self, rules):
        return FeatureTable.from_pairs(len(rules), [(0, str(1 / (len(rules.source) - 2)))])


class Blank(RuleFeatures):
    def fire(self, rules):
        return FeatureTable.from_pairs(len(rules), [(0, "a b")])


class Pairs(NgramFeatures):  # words and reversed words; some strings leave out a nonterminal
    order, prefix, patterns = 3, "P:", ((0, 1, 0), (0, 0, 0), (1, 1, 1))

    def strings(self, rules):
        units, symbols, indptr = [], [], [0]
        for r in range(len(rules)):
            for symbol in rules.target[rules.target_indptr[r] : rules.target_indptr[r + 1]].tolist():
                if symbol > 0:
                    units.append((rules.symbol(symbol), rules.symbol(symbol)[::-1]))
                    symbols.append(len(units) - 1)
                elif symbol < 0 or len(symbols) == indptr[-1]:
                    symbols.append(symbol - 1)
            indptr.append(len(symbols))
        return RuleStrings(units, *(np.array(a, np.int32) for a in (indptr, symbols)))


class Unigrams(Pairs):
    order, prefix, patterns, boundaries = 1, "U:", ((1,),), False


class Depth(StateFeatures):  # up to 3, and whether the number of words is odd
    state_size = 2

    def begin(self, rules, segment):
        return [np.count_nonzero(rules.target[i:j] > 0) for i, j in pairwise(rules.target_indptr)]

    def fire(self, edges, words):
        pairs, states = [], []
        for e in range(len(edges)):
            tails = range(edges.tail_indptr[e], edges.tail_indptr[e + 1])
            depth = min(3, 1 + max((edges.tail_state[t, 0] for t in tails), default=0))
            odd = sum(edges.tail_state[t, 1] for t in tails)
            place = "Goal" if edges.is_goal[e] else "Inner"
            if not edges.is_goal[e]:
                odd += words[edges.local_rule[e]]
            spans = edges.tail_span[tails.start : tails.stop].sum() % 2
            pairs += [(e, f"{place}_{depth}"), (e, f"{place}_odd{odd % 2}_{spans}", edges.span[e][1])]
            states.append((depth, odd % 2))
        return FeatureTable.from_pairs(len(edges), pairs), np.array(states, np.int64)


class WrongState(Depth):
    def fire(self, edges, words):
        table, states = super().fire(edges, words)
        return table, states.astype(np.int32)


class WrongOrder(Pairs):
    order = 6


class WrongUnit(Pairs):
    def strings(self, rules):
        return RuleStrings([("a", "b")], *(np.array(a, np.int32) for a in ([0, 1], [1])))


class WrongArray(Pairs):
    def strings(self, rules):
        return RuleStrings([("a", "b")], np.array([0, 1], np.int32), np.array([0.0]))
