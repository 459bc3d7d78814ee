"""The names of cdec's extension module ``cdec.sa._sa`` that `hopefear.pycdec.sa` has, and its two helpers."""

from __future__ import annotations

import resource
from io import TextIOWrapper
from typing import TextIO

from hopefear.base.unpacking import unpacked
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
from hopefear.pycdec.text import FilePath, as_path

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
    "gzip_or_text",
    "isvar",
    "make_lattice",
    "monitor_cpu",
]


def monitor_cpu() -> float:
    """Return the seconds of processor time that this process has used."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def gzip_or_text(filename: FilePath) -> TextIO:
    """Open a text, compressed if its name ends in ``.gz``."""
    path = as_path(filename)
    return (
        TextIOWrapper(unpacked(path), encoding="utf-8")
        if path.suffix == ".gz"
        else path.open(encoding="utf-8")
    )
