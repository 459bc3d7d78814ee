"""Documents in, and the same documents with translations out: catalogues, XLIFF, tables, pages, texts.

A document has units; the translation of a unit replaces exactly its place, and all other bytes stay.
"""

from __future__ import annotations

from hopefear.base.signatures import check_exports

from .contract import (
    LONGEST,
    Code,
    Complaint,
    Difference,
    Format,
    Kind,
    State,
    Unit,
    check_text,
    fitting,
    name_of,
    partners,
    pieces,
)
from .document import FORMATS, Document
from .docx import Docx
from .html import Html
from .json import Json
from .markdown import Markdown
from .marks import complaints_about, emptied, marks_in, profile_of
from .odf import OpenDocument
from .plain import Text
from .po import Po
from .qt import Qt
from .resources import AndroidStrings, Resx
from .sentences import DividedUnit, UnitText, joined
from .sheet import Sheet, TabSheet
from .subtitles import Subtitles
from .tmx import Tmx, tmx
from .xliff import Xliff

__all__ = [
    "FORMATS",
    "LONGEST",
    "AndroidStrings",
    "Code",
    "Complaint",
    "Difference",
    "DividedUnit",
    "Document",
    "Docx",
    "Format",
    "Html",
    "Json",
    "Kind",
    "Markdown",
    "OpenDocument",
    "Po",
    "Qt",
    "Resx",
    "Sheet",
    "State",
    "Subtitles",
    "TabSheet",
    "Text",
    "Tmx",
    "Unit",
    "UnitText",
    "Xliff",
    "check_text",
    "complaints_about",
    "emptied",
    "fitting",
    "joined",
    "marks_in",
    "name_of",
    "partners",
    "pieces",
    "profile_of",
    "tmx",
]

check_exports(__name__)
