"""Explanations of many sentences as one page: each behind a line that opens it."""

from __future__ import annotations

from collections.abc import Sequence

from hopefear.decoder.views import Explanation

from .pages import page


def explanation_page(explanations: Sequence[Explanation]) -> str:
    """Return a page without links to other files.

    It begins with a line for each sentence: number, source, translation and score. A click opens the
    explanation; that of a single sentence is open. ``#s7`` in the address opens that of sentence 7.
    """
    return page("explanations.html", "Why these translations won", explanations=explanations)
