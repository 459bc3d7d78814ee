"""The documentation as a site: make docs."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

DOCS = Path(__file__).resolve().parent
sys.path.insert(0, str(DOCS))
import reference  # noqa: E402

project = "hopefear"
author = copyright = "the authors of hopefear"
extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["README.md"]  # index.md includes it
html_theme = "furo"
html_title = "hopefear"
html_static_path = ["_static"]
html_css_files = ["site.css"]
# A summary of a result is fetched, which a browser refuses on a page opened from file://.
html_show_search_summary = False
html_copy_source = False
html_show_sphinx = False

# Markdown: links to headings, and the notebook with the outputs that it has.
myst_heading_anchors = 4
nb_execution_mode = "off"

# The reference: what the `__init__` of each package names, with docstrings in numpydoc form.
default_role = "py:obj"
suppress_warnings = ["ref.python"]  # several classes have a `size`
autodoc_default_options = {"members": True, "imported-members": True, "show-inheritance": True}
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_use_ivar = True


def write_reference(app: Any) -> None:
    """Write the pages that are made from the code, and a page for each package with its docstrings."""
    for old in set((DOCS / "api").glob("*.md")) - {DOCS / "api" / "index.md"}:
        old.unlink()
    project = tomllib.loads((DOCS.parent / "pyproject.toml").read_text("utf-8"))
    packages = [
        package
        for layer in project["tool"]["hopefear"]["layers"]
        for package in layer
        if package != "hopefear"
    ]
    more = {"grammars": ["grammars.conversion"], "pycdec": ["pycdec.sa"]}
    more["text"] = ["text.documents", "text.memory"]
    for package in (*packages, "pycdec"):
        modules = [f"hopefear.{name}" for name in (package, *more.get(package, ()))]
        sections = [f"{name}\n\n```{{eval-rst}}\n.. automodule:: {name}\n```\n" for name in modules]
        (DOCS / "api" / f"hopefear.{package}.md").write_text("# " + "\n## ".join(sections), "utf-8")
    reference.write(DOCS / "api")


def in_its_package(app: Any, kind: str, name: str, found: Any, skip: bool, options: Any) -> bool | None:
    """Leave out of a package's page what the package only passes on: another page has it."""
    page = app.env.current_document.docname.rpartition("/hopefear.")[2]
    home = getattr(found, "__module__", None) or ""
    passed_on = home.startswith("hopefear.") and home.split(".")[1] != page
    return True if kind == "module" and passed_on else None


def name_files_outside(app: Any, page: str, text: list[str]) -> None:
    """Name files of the repository that are no part of the site: a link would lead nowhere."""
    folder = (DOCS / page).parent

    def named(link: re.Match[str]) -> str:
        path = (folder / link[2]).resolve()
        if path.is_relative_to(DOCS) or not path.exists():
            return link[0]
        return f"{link[1]} (`{path.relative_to(DOCS.parent)}`)"

    text[0] = re.sub(r"\[([^]]*)\]\((\.\./[^)#]*)\)", named, text[0])


def setup(app: Any) -> None:
    """Connect what is above."""
    app.connect("builder-inited", write_reference)
    app.connect("autodoc-skip-member", in_its_package)
    app.connect("source-read", name_files_outside)
    app.connect("include-read", lambda app, path, page, text: name_files_outside(app, page, text))
