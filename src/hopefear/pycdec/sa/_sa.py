"""The names of cdec's extension module ``cdec.sa._sa`` that `hopefear.pycdec.sa` has."""

from __future__ import annotations

from hopefear.pycdec.sa.rules import FeatureVector, Phrase, Rule
from hopefear.pycdec.sa.symbols import (
    decode_lattice,
    decode_sentence,
    decode_words,
    encode_words,
    isvar,
    make_lattice,
)
from hopefear.pycdec.sa.texts import Alignment, BiLex, DataArray, SuffixArray

__all__ = [
    "Alignment",
    "BiLex",
    "DataArray",
    "FeatureVector",
    "Phrase",
    "Rule",
    "SuffixArray",
    "decode_lattice",
    "decode_sentence",
    "decode_words",
    "encode_words",
    "isvar",
    "make_lattice",
]
