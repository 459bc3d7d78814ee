"""The words that two sentences share on a shortest way of edits from one to the other."""

from __future__ import annotations

from collections.abc import Sequence


def fewest_edits(words: Sequence[str], others: Sequence[str]) -> tuple[int, list[tuple[int, int]]]:
    """Return the fewest insertions, deletions and substitutions, and the positions of words that stay."""
    rows = [[*range(len(others) + 1)]]
    for i, word in enumerate(words, 1):
        above, row = rows[-1], [i]
        for j, other in enumerate(others, 1):
            row.append(min(above[j] + 1, row[-1] + 1, above[j - 1] + (word != other)))
        rows.append(row)
    i, j, kept = len(words), len(others), list[tuple[int, int]]()
    while i and j:
        if rows[i][j] == rows[i - 1][j - 1] + (words[i - 1] != others[j - 1]):
            i, j = i - 1, j - 1
            if words[i] == others[j]:
                kept.append((i, j))
        elif rows[i][j] == rows[i - 1][j] + 1:
            i -= 1
        else:
            j -= 1
    return rows[-1][-1], kept[::-1]
