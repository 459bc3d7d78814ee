"""Documents in, and the same documents with translations out: catalogues, XLIFF, tables, pages, texts.

A document has units; a translation of one replaces exactly its place in the document, and all other bytes stay.
"""

from __future__ import annotations

from .contract import (
    LONGEST,
    Code,
    Complaint,
    Format,
    Kind,
    State,
    Unit,
    balanced,
    check_text,
    pieces,
)
from .document import FORMATS, Document
from .html import Html
from .markdown import Markdown
from .odf import OpenDocument
from .plain import Text
from .po import Po
from .sheet import Sheet
from .subtitles import Subtitles
from .tmx import Tmx, tmx
from .xliff import Xliff

__all__ = [
    "FORMATS",
    "LONGEST",
    "Code",
    "Complaint",
    "Document",
    "Format",
    "Html",
    "Kind",
    "Markdown",
    "OpenDocument",
    "Po",
    "Sheet",
    "State",
    "Subtitles",
    "Text",
    "Tmx",
    "Unit",
    "Xliff",
    "balanced",
    "check_text",
    "pieces",
    "tmx",
]
