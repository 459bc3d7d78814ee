"""The pages of reports: templates, which escape what they show, and the skeleton that all pages share."""

from __future__ import annotations

import base64
import json
import zlib
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from hopefear.base.charts import breakable
from hopefear.base.files import written_whole

ROOM = 2_500_000
"""The bytes that the sentences of a page may take."""


def render(template: str, **values: Any) -> Markup:
    """Fill a template."""
    return Markup(_environment().get_template(template).render(values))


def page(template: str, title: str, **values: Any) -> str:
    """Fill the template of a whole page, which needs no other file and no network."""
    text = render(template, title=title, **values)
    return text.encode("utf-8", "backslashreplace").decode()  # names of files may be no UTF-8


def write_page(path: Path, template: str, title: str, **values: Any) -> Path:
    """Write a page; return its path."""
    with written_whole(path) as beside:
        beside.write_text(page(template, title, **values), "utf-8")
    return path


def number(value: float, *, signed: bool = False, decimals: int = 2) -> str:
    """Write a number with commas and a typographic minus."""
    value = round(value, decimals) + 0.0  # no -0.00
    return f"{value:{'+' if signed and value else ''},.{decimals}f}".replace("-", "−")


def packed(data: Any) -> str:
    """Compress JSON for the script of a page, in letters that need no escape."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return base64.b64encode(zlib.compress(text.encode("utf-8", "surrogatepass"), 9)).decode()


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("hopefear.reports"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"breakable": breakable, "number": number, "html": _html}
    environment.globals["source"] = _source
    return environment


def _html(shown: Any) -> Markup:
    """Show what a notebook can show, such as a `Table`."""
    return Markup(shown._repr_html_())


@cache
def _source(name: str) -> Markup:
    """Return a script or a style sheet."""
    return Markup((files(__package__) / "templates" / name).read_text("utf-8"))
