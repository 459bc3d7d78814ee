"""Text as people write it: split into tokens, joined again, with case, marks and documents."""

from hopefear.base.signatures import check_exports

from .case import CaseCounts, Casing
from .languages import Chinese, Japanese, Spaced, Splitter, Unspaced, languages, splitter
from .profile import Profile, read_kinds
from .system import Language, Restored, TextSystem, split_line
from .tokens import join, join_line

__all__ = [
    "CaseCounts",
    "Casing",
    "Chinese",
    "Japanese",
    "Language",
    "Profile",
    "Restored",
    "Spaced",
    "Splitter",
    "TextSystem",
    "Unspaced",
    "join",
    "join_line",
    "languages",
    "read_kinds",
    "split_line",
    "splitter",
]

check_exports(__name__)
