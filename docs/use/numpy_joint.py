from pathlib import Path

import numpy as np

from hopefear import FeatureTable, StateFeatures
from hopefear.tuners.joint import JointNetwork

UNKNOWN, BEGIN, END, NONE = range(4)  # the first words of the vocabularies


class NumpyJoint(StateFeatures):
    """A neural joint model.

    Parameters
    ----------
    model : Path
        A file of `hopefear train-joint`.
    """

    fires = ("NumpyJoint",)

    def __init__(self, *, model: Path) -> None:
        self.net = JointNetwork.read(model)
        self.history = self.net.history.shape[1]
        # How many first words wait for words before them, these words, their affiliations, the last words.
        self.state_size = 1 + 3 * self.history
        self.source = {word: i for i, word in enumerate(self.net.source_words)}
        self.target = {word: i for i, word in enumerate(self.net.target_words)}

    def begin(self, rules, segment):
        words = [self.source.get(word, UNKNOWN) for word in segment.tokens]
        size = self.net.source.shape[1]
        padded = [BEGIN] * (size // 2 + 1) + words + [END] * (size // 2 + 1)
        windows = [  # of the places -1, 0, ..., the number of words
            self.net.bias + self.net.source[padded[i : i + size], range(size)].sum(axis=0)
            for i in range(len(words) + 2)
        ]
        return [self.rule(rules, r) for r in range(len(rules))], windows, {}

    def rule(self, rules, r):
        source, target, links = (
            array[indptr[r] : indptr[r + 1]].tolist()
            for array, indptr in (
                (rules.source, rules.source_indptr),
                (rules.target, rules.target_indptr),
                (rules.alignment, rules.alignment_indptr),
            )
        )
        # A word is a number from 0, nonterminal k is ~k.
        numbers = [self.target.get(rules.symbol(s), UNKNOWN) if s > 0 else s - 1 for s in target]
        return source, numbers, links

    def affiliations(self, rule, span, tails):
        source, target, links = rule
        places, at, k = [], span[0], 0
        for symbol in source:
            places.append(at)
            at, k = (at + 1, k) if symbol > 0 else (tails[k][1], k + 1)
        from_left, from_right = {}, {}
        for j, symbol in enumerate(target):
            linked = sorted(places[i] for i, to in links if to == j)
            if symbol < 0:
                from_left[j], from_right[j] = tails[~symbol][0], tails[~symbol][1] - 1
            elif linked:
                from_left[j] = from_right[j] = linked[(len(linked) - 1) // 2]
        found = []
        for j in range(len(target)):
            after = min((i for i in from_left if i >= j), default=None)
            before = max((i for i in from_right if i <= j), default=None)
            if after is None:
                found.append(span[1] - 1)
            elif before is None:
                found.append(span[0])
            else:
                is_after = after - j <= j - before
                found.append(from_left[after] if is_after else from_right[before])
        return found

    def log_probability(self, sentence, before, word, at):
        _, windows, known = sentence
        key = before, word, at
        if key not in known:
            net = self.net
            layer = windows[at + 1] + net.history[before, range(self.history)].sum(axis=0)
            layer = np.maximum(layer, 0)
            if len(net.second):
                layer = np.maximum(net.second @ layer + net.second_bias, 0)
            known[key] = float(net.output[word] @ layer + net.output_bias[word])
        return known[key]

    def fire(self, edges, sentence):
        values, states = [], []
        for i in range(len(edges)):
            part = slice(*edges.tail_indptr[i : i + 2].tolist())
            value, state = self.edge(
                sentence,
                int(edges.local_rule[i]),
                edges.span[i].tolist(),
                edges.tail_span[part].tolist(),
                edges.tail_state[part].tolist(),
            )
            values.append([value])
            states.append(state)
        return FeatureTable.from_dense(self.fires, np.array(values)), np.array(states, np.int64)

    def edge(self, sentence, rule, span, tail_spans, tails):
        n, is_goal, backwards = self.history, rule < 0, self.net.right_to_left
        if is_goal:
            last, end = (BEGIN,) * n, -1 if backwards else span[1]
            symbols = [(~0, None), (END, end)]
        else:
            last, rule = (NONE,) * n, sentence[0][rule]
            symbols = list(zip(rule[1], self.affiliations(rule, span, tail_spans), strict=True))
            symbols = symbols[::-1] if backwards else symbols
        value, first = 0.0, []
        for symbol, at in symbols:
            words, behind = [(symbol, at)], None
            if symbol < 0:
                count, *numbers = tails[~symbol]
                words = list(zip(numbers[:count], numbers[n : n + count], strict=True))
                behind = tuple(numbers[2 * n :]) if count == n else None
                alone = (NONE,) * n
            for word, at in words:
                value += self.log_probability(sentence, last, word, at)
                if symbol < 0:  # it counted already, after words that were not known
                    value -= self.log_probability(sentence, alone, word, at)
                    alone = (*alone, word)[1:] if n else ()
                last = (*last, word)[1:] if n else ()
                first.append((word, at))
            last = behind or last
        if is_goal:
            return value, [0] * self.state_size
        first = first[:n]
        row = [len(first)]
        for column in range(2):
            row += [pair[column] for pair in first] + [0] * (n - len(first))
        return value, [*row, *last]
