"""The settings of a Transformer and of its training."""

from __future__ import annotations

from dataclasses import dataclass, replace

from hopefear.base import InputError

from ..contract.settings import expect_settings, setting


@dataclass(frozen=True, kw_only=True)
class TransformerSettings:
    """The settings of a Transformer and of its training; a size of 0 is chosen by the size of the text.

    Parameters
    ----------
    subwords : int
        The most subwords of several characters, of both sides together; by default one for 15 sentence
        pairs, from 2,000 to 16,000 (Sennrich and Zhang 2019).
    width : int
        Numbers of a subword: 128, or 256 from 100,000 sentence pairs on, or 512 from a million on.
    inner : int
        Units of a layer between two of that width: by default twice as many, or four times from 100,000
        sentence pairs on.
    heads : int
        Heads of attention; by default one for 32 numbers.
    layers : int
        Layers of the encoder, and of the decoder (van Biljon et al. 2020: few for a small text).
    dropout : float
        The share of the numbers of each layer that are 0 in a step of training; -1 for 0.3, or 0.1 from
        100,000 sentence pairs on.
    smoothing : float
        The share of the probability that the labels give to all other subwords.
    rate : float
        The highest rate of Adam, reached after `warmup` steps; it then falls with their square root.
    warmup : int
        Steps until the highest rate.
    average : float
        The share of the weights that the moving average keeps in a step; the average is what translates.
    batch : int
        Subwords of an update, on the longer side.
    seed : int
        Of the first numbers, and of the order of the sentences.
    """

    subwords: int = setting(0, least=0)
    width: int = setting(0, least=0)
    inner: int = setting(0, least=0)
    heads: int = setting(0, least=0)
    layers: int = setting(3, least=1)
    dropout: float = setting(-1.0, least=-1, below=1)
    smoothing: float = setting(0.1, least=0, below=1)
    rate: float = setting(3e-3, above=0, finite=True)
    warmup: int = setting(1000, least=1)
    average: float = setting(0.998, least=0, below=1)
    batch: int = setting(1024, least=1)
    seed: int = setting(0, least=0)

    def __post_init__(self) -> None:
        """Refuse values out of range."""
        expect_settings(self)
        if self.heads and self.width % (2 * self.heads):
            raise InputError(f"width must be a multiple of 2 heads, got {self.width} and {self.heads}")

    def for_text(self, pairs: int) -> TransformerSettings:
        """Choose the sizes that are 0 by the number of sentence pairs."""
        large = pairs >= 100_000
        width = self.width or (512 if pairs >= 1_000_000 else 256 if large else 128)
        return replace(
            self,
            subwords=self.subwords or min(max(pairs // 15, 2000), 16_000),
            width=width,
            inner=self.inner or width * (4 if large else 2),
            heads=self.heads or max(width // 32, 1),
            dropout=self.dropout if self.dropout >= 0 else 0.1 if large else 0.3,
        )


@dataclass(frozen=True, kw_only=True)
class FineTuningSettings:
    """How a trained Transformer learns from each correction.

    Parameters
    ----------
    rate : float
        Of Adam, always the same.
    steps : int
        Of a correction.
    seed : int
        Of what is dropped.
    """

    rate: float = setting(1e-4, above=0, finite=True)
    steps: int = setting(3, least=1)
    seed: int = setting(0, least=0)

    def __post_init__(self) -> None:
        """Refuse values out of range."""
        expect_settings(self)
