"""``python -m hopefear``: the command line."""

from __future__ import annotations

from hopefear.cli import app

app(prog_name="hopefear")
