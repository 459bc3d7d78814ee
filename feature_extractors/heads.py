"""Head words of source spans."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray


def heads_by_parse(dependencies: Sequence[int]) -> NDArray[np.int64]:
    """Find the first word of each span whose governor is outside the span; a parse has no cycles."""
    n = len(dependencies)
    heads = np.zeros((n + 1, n + 1), np.int64)
    for word in reversed(range(n)):  # the first word of a span is written last
        governor = dependencies[word] - 1
        begin = governor + 1 if governor < word else 0
        end = governor if governor > word else n
        heads[begin : word + 1, word + 1 : end + 1] = word
    return heads


def heads_by_content(tokens: Sequence[str], function_words: Collection[str]) -> NDArray[np.int64]:
    """Find the first word of each span with a letter or digit that is no function word, else the first."""
    n = len(tokens)
    heads = np.repeat(np.arange(n + 1)[:, None], n + 1, axis=1)
    for word in reversed(range(n)):
        if tokens[word] not in function_words and any(map(str.isalnum, tokens[word])):
            heads[: word + 1, word + 1 :] = word
    return heads
