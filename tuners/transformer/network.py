"""A Transformer in PyTorch, normalised before each layer, and its form for CTranslate2."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from hopefear.neural.model_folder import MOST

from .settings import TransformerSettings

UNKNOWN, BEGIN, END, PADDING = range(4)
"""The first subwords."""

_POSITIONS = MOST + 1  # behind the end or the begin of a sentence


class TableDropout(nn.Module):  # type: ignore[misc, unused-ignore]  # torch may not be there
    """Dropout that multiplies with a slice of one drawn table: to draw all masks is a fifth of a training."""

    def __init__(self, share: float, size: int) -> None:
        super().__init__()
        kept = (torch.rand(size) >= share) / (1 - share)
        self.register_buffer("kept", kept, persistent=False)

    def forward(self, values: torch.Tensor) -> torch.Tensor:
        """Return the values, and in a training a share of them as 0."""
        if not self.training:
            return values
        first = int(torch.randint(len(self.kept) - values.numel() + 1, ()))
        dropped: torch.Tensor = values * self.kept[first : first + values.numel()].view_as(values)
        return dropped


class TransformerNetwork(nn.Module):  # type: ignore[misc, unused-ignore]  # torch may not be there
    """The network; one table has the subwords of source, target and output."""

    def __init__(self, settings: TransformerSettings, subwords: int) -> None:
        super().__init__()
        width = settings.width
        self.settings = settings
        self.subwords = nn.Embedding(subwords, width)
        self.bias = nn.Parameter(torch.zeros(subwords))
        self.dropout = TableDropout(settings.dropout, 2 * max(settings.batch, _POSITIONS) * settings.inner)
        layer: dict[str, Any] = {
            "d_model": width,
            "nhead": settings.heads,
            "dim_feedforward": settings.inner,
            "dropout": 0.0,  # of the attention, which is then a third faster
            "batch_first": True,
            "norm_first": True,
        }
        self.encoder = nn.TransformerEncoder(
            nn.TransformerEncoderLayer(**layer),
            settings.layers,
            nn.LayerNorm(width),
            enable_nested_tensor=False,
        )
        self.decoder = nn.TransformerDecoder(
            nn.TransformerDecoderLayer(**layer), settings.layers, nn.LayerNorm(width)
        )
        for module in (*self.encoder.layers, *self.decoder.layers):
            for name, part in module.named_children():
                if isinstance(part, nn.Dropout):
                    setattr(module, name, self.dropout)
        for value in self.parameters():
            if value.dim() > 1:
                nn.init.xavier_uniform_(value)
        nn.init.normal_(self.subwords.weight, std=width**-0.5)
        self.register_buffer("positions", _positions(width), persistent=False)

    def forward(self, source: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        """Return the logits of all subwords after each one of the target that is no padding."""
        padding = source == PADDING
        memory = self.encoder(self._embedded(source), src_key_padding_mask=padding)
        later = torch.ones(target.shape[1], target.shape[1], dtype=torch.bool).triu(1)
        states = self.decoder(self._embedded(target), memory, tgt_mask=later, memory_key_padding_mask=padding)
        logits: torch.Tensor = nn.functional.linear(
            states[target != PADDING], self.subwords.weight, self.bias
        )
        return logits

    def _embedded(self, numbers: torch.Tensor) -> torch.Tensor:
        scaled = self.subwords(numbers) * math.sqrt(self.settings.width)
        embedded: torch.Tensor = self.dropout(scaled + self.positions[: numbers.shape[1]])
        return embedded


def _positions(width: int) -> torch.Tensor:
    """Return sines and cosines of each position."""
    rates = torch.exp(torch.arange(0, width, 2) * (-math.log(10_000) / width))
    angles = torch.arange(_POSITIONS)[:, None] * rates
    return torch.stack([angles.sin(), angles.cos()], 2).flatten(1)


def export(network: TransformerNetwork, names: Sequence[str], folder: Path) -> None:
    """Write a network with numbers of 8 bits into an empty folder, as CTranslate2 reads it."""
    from ctranslate2.specs import TransformerSpec

    settings = network.settings
    spec = TransformerSpec.from_config(settings.layers, settings.heads, pre_norm=True)
    for part, side in ((spec.encoder, network.encoder), (spec.decoder, network.decoder)):
        table = part.embeddings[0] if isinstance(part.embeddings, list) else part.embeddings
        table.weight = _array(network.subwords.weight)
        part.position_encodings.encodings = _array(network.positions)
        _fill_norm(part.layer_norm, side.norm)
        for into, layer in zip(part.layer, side.layers, strict=True):
            norms = [layer.norm1, layer.norm2]
            _fill_attention(into.self_attention, layer.self_attn, layer.norm1)
            if side is network.decoder:
                _fill_attention(into.attention, layer.multihead_attn, layer.norm2)
                norms.append(layer.norm3)
            _fill_norm(into.ffn.layer_norm, norms[-1])
            _fill(into.ffn.linear_0, layer.linear1.weight, layer.linear1.bias)
            _fill(into.ffn.linear_1, layer.linear2.weight, layer.linear2.bias)
    _fill(spec.decoder.projection, network.subwords.weight, network.bias)
    spec.register_source_vocabulary(list(names))
    spec.register_target_vocabulary(list(names))
    spec.config.add_source_eos = True
    spec.validate()
    spec.optimize(quantization="int8")
    spec.save(str(folder))


def _array(values: torch.Tensor) -> NDArray[np.float32]:
    """Return a copy: rounding to 8 bits changes it."""
    copied: NDArray[np.float32] = values.detach().numpy().copy()
    return copied


def _fill(into: Any, weight: torch.Tensor, bias: torch.Tensor) -> None:
    into.weight, into.bias = _array(weight), _array(bias)


def _fill_norm(into: Any, norm: nn.LayerNorm) -> None:
    into.gamma, into.beta = _array(norm.weight), _array(norm.bias)


def _fill_attention(into: Any, attention: nn.MultiheadAttention, norm: nn.LayerNorm) -> None:
    """Give queries, keys and values together, or where the keys are the source's, the queries alone."""
    weight, bias = attention.in_proj_weight, attention.in_proj_bias
    parts = len(into.linear)
    first = len(bias) if parts == 2 else len(bias) // 3
    _fill(into.linear[0], weight[:first], bias[:first])
    if parts == 3:
        _fill(into.linear[1], weight[first:], bias[first:])
    _fill(into.linear[-1], attention.out_proj.weight, attention.out_proj.bias)
    _fill_norm(into.layer_norm, norm)
