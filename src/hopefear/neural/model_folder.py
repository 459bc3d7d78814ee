"""A translation model in a folder of CTranslate2, with its subwords."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hopefear.base import InputError
from hopefear.base.stored import parse_json

from .packages import neural_packages

MODEL = "model.bin"
"""The file by which a folder of CTranslate2 is known."""

OURS = "subwords.model"
"""The subwords of both sides in a folder that hopefear train-transformer wrote."""

CHECKPOINT = "checkpoint"
"""The state of the training in such a folder."""

MOST = 1000
"""Subwords of a sentence, or of a translation, that a model sees."""
_TOKENS = 4096
"""Of a batch."""
_END, _UNKNOWN = "</s>", "<unk>"
_VOCABULARIES = ("target_vocabulary.json", "shared_vocabulary.json")
_SIDES = ("source.spm", "target.spm")


class Subwords:
    """A model of sentencepiece, which cuts text into subwords."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        with neural_packages():
            import sentencepiece
        try:
            self._pieces: Any = sentencepiece.SentencePieceProcessor(model_file=os.fspath(path))
        except (OSError, RuntimeError):
            raise InputError("expected a model of sentencepiece", path=path) from None

    def __len__(self) -> int:
        """Count the subwords."""
        return int(self._pieces.get_piece_size())

    def names(self) -> list[str]:
        """List all subwords by number."""
        return [self._pieces.id_to_piece(number) for number in range(len(self))]

    def numbers(self, texts: Sequence[str]) -> list[list[int]]:
        """Cut texts into numbers of subwords."""
        found: list[list[int]] = self._pieces.encode(list(texts))
        return found

    def cut(self, texts: Sequence[str]) -> list[list[str]]:
        """Cut texts into subwords."""
        found: list[list[str]] = self._pieces.encode(list(texts), out_type=str)
        return found

    def join(self, subwords: Sequence[str]) -> str:
        """Return the text of subwords."""
        return str(self._pieces.decode(list(subwords)))


class ScoredTranslation(NamedTuple):
    """A translation, its natural log probability for each subword, and that of the whole with its end."""

    text: str
    score: float
    log_probability: float


class SubwordProbabilities:
    """The probability of each subword of a translation behind those before it.

    Attributes
    ----------
    end : int
        The number of the end of a translation.
    """

    def __init__(self, translator: Any, source: list[str], subwords: Subwords, vocabulary: list[str]) -> None:
        self._translator, self._source, self._subwords = translator, source, subwords
        self._names = vocabulary
        self._number = {name: number for number, name in enumerate(vocabulary)}
        self.end = self._number[_END]

    def cut(self, words: Sequence[str]) -> list[tuple[int, ...]]:
        """Cut words into numbers of subwords."""
        return [
            tuple(self._number.get(subword, self._number[_UNKNOWN]) for subword in cut)
            for cut in self._subwords.cut(words)
        ]

    def log_probabilities(self, beginnings: Sequence[tuple[int, ...]]) -> NDArray[np.float64]:
        """Return the natural logarithm of the probability of each subword behind each beginning."""
        from scipy.special import log_softmax  # only here: the import takes long

        if not beginnings:
            return np.zeros((0, len(self._names)))
        found = self._translator.translate_batch(
            [self._source] * len(beginnings),
            target_prefix=[[self._names[each] for each in beginning] for beginning in beginnings],
            beam_size=1,
            min_decoding_length=0,  # else the end has no probability at the beginning
            max_decoding_length=max(map(len, beginnings)) + 1,
            return_logits_vocab=True,
        )
        behind = [each.logits[0][len(begun)] for each, begun in zip(found, beginnings, strict=True)]
        log_probabilities: NDArray[np.float64] = log_softmax(np.array(behind, np.float64), axis=1)
        return log_probabilities


class TranslationModel:
    """A model that scores translations of a sentence and translates it.

    Parameters
    ----------
    folder : path
        A folder of CTranslate2 with ``model.bin``. The subwords are ``source.spm`` and ``target.spm``, as
        OPUS-MT has them, or the one other file whose name ends in ``.model`` or ``.spm``.

    Raises
    ------
    InputError
        A file is missing or of another kind, or CTranslate2 or sentencepiece is not installed.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        with neural_packages():
            import ctranslate2
        folder = Path(folder)
        if not (folder / MODEL).is_file():
            raise InputError(f"expected the folder of a CTranslate2 model, with {MODEL}", path=folder)
        self._source, self._target = _subwords(folder)
        self._folder = folder
        try:
            self._translator: Any = ctranslate2.Translator(os.fspath(folder), device="cpu", intra_threads=1)
        except (RuntimeError, ValueError) as error:
            raise InputError(f"expected a translation model of CTranslate2: {error}", path=folder) from None

    def scores(self, sources: Sequence[str], translations: Sequence[str]) -> NDArray[np.float64]:
        """Return the natural logarithm of the probability of each translation, its end included."""
        cut = [
            [subwords[:MOST] for subwords in side.cut(texts)]
            for side, texts in ((self._source, sources), (self._target, translations))
        ]
        found = self._translator.score_batch(*cut, max_batch_size=_TOKENS, batch_type="tokens")
        return np.array([sum(each.log_probs) for each in found], np.float64)

    def next_subword(self, source: str) -> SubwordProbabilities:
        """Return the probabilities of the subwords of a translation, one after the other.

        Raises
        ------
        InputError
            The folder has no vocabulary.
        """
        (cut,) = self._source.cut([source])
        return SubwordProbabilities(self._translator, cut[:MOST], self._target, self._vocabulary)

    @cached_property
    def _vocabulary(self) -> list[str]:
        return _vocabulary(self._folder)

    def translate(
        self, sources: Sequence[str], *, beam: int = 4, n_best: int = 1
    ) -> list[list[ScoredTranslation]]:
        """Return the best translations of each source that a beam search finds, the best first."""
        cut = [subwords[:MOST] for subwords in self._source.cut(sources)]
        longest = max(map(len, cut), default=0)
        found = self._translator.translate_batch(
            cut,
            beam_size=max(beam, n_best),
            num_hypotheses=n_best,
            length_penalty=1.0,
            return_scores=True,
            max_decoding_length=min(2 * longest + 10, MOST),
            max_batch_size=_TOKENS,
            batch_type="tokens",
        )
        return [
            [
                ScoredTranslation(self._target.join(subwords), float(score), score * (len(subwords) + 1))
                for subwords, score in zip(each.hypotheses, each.scores, strict=True)
            ]
            for each in found
        ]


def _subwords(folder: Path) -> tuple[Subwords, Subwords]:
    sides = [folder / name for name in _SIDES]
    if all(path.is_file() for path in sides):
        return Subwords(sides[0]), Subwords(sides[1])
    others = sorted({*folder.glob("*.model"), *folder.glob("*.spm")})
    if len(others) != 1:
        wanted = f"{' and '.join(_SIDES)}, or one other model of sentencepiece"
        got = ", ".join(path.name for path in others) or "none"
        raise InputError(f"expected {wanted}, got {got}", path=folder)
    both = Subwords(others[0])
    return both, both


def _vocabulary(folder: Path) -> list[str]:
    """Read the target's subwords by number."""
    for path in (folder / name for name in _VOCABULARIES):
        if path.is_file():
            with suppress(ValueError):
                names = parse_json(path.read_bytes())
                if isinstance(names, list) and _END in names and _UNKNOWN in names:
                    return names
            raise InputError(f"expected a list of subwords with {_END} and {_UNKNOWN}", path=path)
    raise InputError(f"expected {' or '.join(_VOCABULARIES)}", path=folder)
