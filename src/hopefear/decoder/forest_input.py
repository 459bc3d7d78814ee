"""Input of ``formalism = rescore``: lines ``::forest:: FILE``, which name forests that cdec wrote."""

from __future__ import annotations

from hopefear import _native
from hopefear.base.errors import InputError
from hopefear.base.files import read_packed
from hopefear.plugins import Segment

MARK = "::forest::"
"""The first word of a line."""


def read_forest_input(engine: _native.Engine, segment: Segment) -> _native.Forest:
    """Read the forest that a segment names, with the vocabulary of a decoder, which can rescore it."""
    words = segment.tokens or ()
    if len(words) != 2 or words[0] != MARK:
        raise InputError(f"expected {MARK} FILE, since the formalism is rescore", path=segment.where)
    if segment.grammars or segment.rules is not None:
        raise InputError("expected no grammar: a forest has its rules", path=segment.where)
    content = read_packed(words[1])
    try:
        return engine.read_cdec_forest(content)
    except ValueError as error:
        raise InputError(str(error), path=words[1]) from None
