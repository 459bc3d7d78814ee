"""pycdec's grammar extractor, ``cdec.sa``, over `hopefear.grammars.extractor`.

Rules, counts and scores are those of `hopefear.grammars.extractor.GrammarExtractor`. The commands are
``python -m hopefear.pycdec.sa.compile`` and ``python -m hopefear.pycdec.sa.extract``, with cdec's options.
"""

from __future__ import annotations

from hopefear.base.signatures import check_exports
from hopefear.pycdec.sa import _sa, features, online
from hopefear.pycdec.sa.definitions import annotate, annotator, configure, feature
from hopefear.pycdec.sa.extractor import GrammarExtractor
from hopefear.pycdec.sa.rules import FeatureContext, FeatureVector, Phrase, Rule
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
    "FeatureContext",
    "FeatureVector",
    "GrammarExtractor",
    "Phrase",
    "Rule",
    "SuffixArray",
    "_sa",
    "annotate",
    "annotator",
    "configure",
    "decode_lattice",
    "decode_sentence",
    "decode_words",
    "encode_words",
    "feature",
    "features",
    "isvar",
    "make_lattice",
    "online",
]

check_exports(__name__)
