"""The table of sentences of a page: a script filters and orders its rows and opens them."""

from __future__ import annotations

import base64
import json
import zlib
from importlib.resources import files
from typing import Any


def sentence_view() -> str:
    """Return the table without rows, its style, and the script.

    The script has the functions ``unpacked(id)``, which reads what `embedded` wrote, and
    ``showSentences(rows, features, names, lowerIsBetter)``, which shows rows as `sentence_records` returns
    them; a row that opens has `drawings` by name, and in `fired` the places of its features among `features`;
    `names` has the headings of the two translations; ``lowerIsBetter`` is true for scores of error rates.
    """
    style, table, script = (_resource(f"sentences.{kind}") for kind in ("css", "html", "js"))
    return f"<style>{style}</style>\n{table}\n<script>{script}</script>"


def packed(data: Any) -> str:
    """Compress what JSON can hold, in letters that need no escape."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return base64.b64encode(zlib.compress(text.encode("utf-8", "surrogatepass"), 9)).decode()


def embedded(identifier: str, data: str) -> str:
    """Put what `packed` gave into the page."""
    return f'<script type="application/octet-stream" id="{identifier}">{data}</script>'


def _resource(name: str) -> str:
    return (files(__package__) / name).read_text("utf-8")
