"""The settings of a joint model and of its training."""

from __future__ import annotations

from dataclasses import dataclass

from hopefear.base import InputError

from ..contract.settings import expect_settings, setting
from .network_file import LANES


@dataclass(frozen=True, kw_only=True)
class JointSettings:
    """The settings of a joint model and of its training.

    Parameters
    ----------
    history : int
        Target words before the predicted one; with 0 the model is a lexical translation model.
    right_to_left : bool
        The words "before" a word are those on its right.
    around : int
        Source words on either side of the affiliated one.
    words : int
        The most words of each vocabulary; other words, and those that occur once, are one unknown word.
    embedding : int
        Numbers of a word.
    first, second : int
        Units of the hidden layers, multiples of 16; `second` 0 for one layer.
    dropout : float
        The share of the inputs, and of the units of each layer, that are 0 in a step of training.
    normalising : float
        The weight of (log Z)² in the loss: how near the sum Z of the probabilities comes to 1.
    rate : float
        The rate of Adam, halved after each pass without a better perplexity.
    batch : int
        Words of an update.
    seed : int
        Of the first numbers, and of the order of the words.
    """

    history: int = setting(3, least=0, most=16)
    right_to_left: bool = False
    around: int = setting(5, least=0, most=31)
    words: int = setting(16_000, least=1)
    embedding: int = setting(96, least=1)
    first: int = setting(192, least=16)
    second: int = setting(0, least=0)
    dropout: float = setting(0.0, least=0, below=1)
    normalising: float = setting(0.3, least=0, finite=True)
    rate: float = setting(1e-3, above=0, finite=True)
    batch: int = setting(512, least=1)
    seed: int = setting(0, least=0)

    def __post_init__(self) -> None:
        """Refuse sizes that the file cannot have."""
        expect_settings(self)
        for name in ("first", "second"):
            if getattr(self, name) % LANES:
                raise InputError(f"{name} must be a multiple of {LANES}, got {getattr(self, name)}")

    @property
    def window(self) -> int:
        """The number of source words that the model sees."""
        return 2 * self.around + 1
