"""Explanations of many sentences as one page: each behind a line that opens it."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from importlib.resources import files

from hopefear.base.web_page import page

from .explanation import Explanation

_TOOLS = """
<div class="tools"><label>Filter
<input id="filter" type="search" placeholder="words of source or translation"></label>
<span id="count" role="status" class="key"></span></div>
"""


def explanation_page(explanations: Sequence[Explanation]) -> str:
    """Return a page without links to other files.

    It begins with a line for each sentence: number, source, translation and score. A click opens the
    explanation; that of a single sentence is open. ``#s7`` in the address opens that of sentence 7.
    """
    folder = files(__package__)
    style, script = (folder.joinpath(f"explanation_page.{kind}").read_text("utf-8") for kind in ("css", "js"))
    parts = [f"<style>{style}</style>", *([_TOOLS] if len(explanations) > 1 else [])]
    for number, one in enumerate(explanations, 1):
        summary = "".join(
            f"<span{kind}>{escape(text)}</span>"
            for text, kind in (
                (str(one.id), ' class="less"'),
                (one.source, ""),
                (one.text, ""),
                (f"{one.score:.4g}", ' class="number"'),
            )
        )
        state = " open" if len(explanations) == 1 else ""
        parts.append(
            f'<details class="sentence" id="s{escape(str(one.id))}"{state}><summary>{summary}</summary>\n'
            f"{one.html(f'd{number}')}\n</details>"
        )
    if len(explanations) > 1:
        parts.append(f"<script>{script}</script>")
    return page("Why these translations won", parts)
