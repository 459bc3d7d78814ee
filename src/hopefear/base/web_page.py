"""The frame of a self-contained HTML page."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from html import escape
from importlib.resources import files


def page(title: str, parts: Sequence[str]) -> str:
    """Assemble parts of HTML into a page."""
    body = "\n".join(parts)
    text = f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title>
<style>
{_style()}</style>
</head>
<body>
<h1>{escape(title)}</h1>
{body}
</body>
</html>
"""
    return text.encode("utf-8", "backslashreplace").decode()  # names of files may be no UTF-8


@cache
def _style() -> str:
    return (files(__package__) / "web_page.css").read_text("utf-8")
