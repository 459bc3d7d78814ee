"""Translation memories and glossaries as files: what was translated before, and terms that are agreed on."""

from __future__ import annotations

from hopefear.base.signatures import check_exports

from .glossaries import GLOSSARY_ENDINGS, Term, read_glossary
from .memories import MEMORY_ENDINGS, TextPair, read_memory

__all__ = [
    "GLOSSARY_ENDINGS",
    "MEMORY_ENDINGS",
    "Term",
    "TextPair",
    "read_glossary",
    "read_memory",
]

check_exports(__name__)
