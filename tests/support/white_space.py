"""The white space that is part of a word: all of Unicode's but blank, tab and the ends of lines."""

from __future__ import annotations

import sys

OF_WORDS = [
    character
    for character in map(chr, range(sys.maxunicode))
    if character.isspace() and character not in " \t\r\n"
]

PRINTABLE = [character for character in OF_WORDS if character > "\x9f"]
"""Without the control characters, which no document may have."""
