"""The frame of a self-contained HTML page."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

_STYLE = """
body { margin: 3rem auto; max-width: 62rem; padding: 0 1.5rem; color: #24292f;
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
h1 { font-size: 1.7rem; line-height: 1.25; margin: 0 0 1rem; }
h2 { font-size: 1.15rem; margin: 3rem 0 .8rem; }
p { margin: .5rem 0; max-width: 46rem; }
code { font: .86em ui-monospace, "SF Mono", Menlo, Consolas, monospace; background: #f1f2f0;
  padding: .1em .3em; border-radius: 3px; overflow-wrap: anywhere; }
.facts, .key { color: #5b636d; font-size: .86rem; }
.facts { border-left: 3px solid #dfe2e0; padding-left: 1rem; margin: 1.2rem 0; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; border-top: 2px solid #24292f;
  border-bottom: 2px solid #24292f; }
th, td { padding: .28rem 1.1rem .28rem 0; text-align: left; vertical-align: top; white-space: nowrap; }
thead { border-bottom: 1px solid #9aa1a8; }
thead th { font-weight: 600; vertical-align: bottom; }
th.over { border-bottom: 1px solid #cfd4d8; }
tbody th { font-weight: 400; }
.extra { text-align: right; }
.mean { display: inline-block; text-align: right; }
tbody tr.first td, tbody tr.first th { border-top: 1px solid #e3e6e4; }
tbody tr:hover td { background: #f4f6f3; }
.less { color: #6d757e; font-size: .88em; }
.mark { font-weight: 600; }
.better { color: #23733d; }
.worse { color: #b03a2e; }
figure { margin: 0; }
img { max-width: 100%; height: auto; }
"""


def page(title: str, parts: Sequence[str]) -> str:
    """Assemble parts of HTML into a page."""
    body = "\n".join(parts)
    text = f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title>
<style>{_STYLE}</style>
</head>
<body>
<h1>{escape(title)}</h1>
{body}
</body>
</html>
"""
    return text.encode("utf-8", "backslashreplace").decode()  # names of files may be no UTF-8
