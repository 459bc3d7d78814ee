"""Training a joint model with PyTorch: a feed-forward network that normalises itself."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from hopefear.base.progress import ProgressBar

from ..contract.network_training import NetworkTraining
from .examples import Examples, Pair, vocabularies
from .network_file import NONE, JointNetwork
from .settings import JointSettings

_SHORT = 0.1
"""The share of the words that are learned with a part of their history: the search asks for such words."""
_AT_A_TIME = 4096
"""Words of held-out text whose distributions are in memory together."""


@dataclass(frozen=True)
class PassReport:
    """How good a network is after a pass."""

    number: int
    loss: float
    perplexity: float
    normaliser: float


class _Network(nn.Module):  # type: ignore[misc, unused-ignore]  # torch may not be there
    def __init__(self, settings: JointSettings, source: int, target: int) -> None:
        super().__init__()
        self.source = nn.Embedding(source, settings.embedding)
        self.target = nn.Embedding(target, settings.embedding)
        self.dropout = nn.Dropout(settings.dropout)
        places = settings.window + settings.history
        self.first = nn.Linear(places * settings.embedding, settings.first)
        self.second = nn.Linear(settings.first, settings.second) if settings.second else None
        self.output = nn.Linear(settings.second or settings.first, target)
        # What all words have in common: it changes Z alone, and learns faster than each word's row does.
        self.common = nn.Linear(settings.second or settings.first, 1)

    def forward(self, window: torch.Tensor, history: torch.Tensor) -> torch.Tensor:
        parts = torch.cat([self.source(window), self.target(history)], dim=1)
        layer = self.dropout(torch.relu(self.first(self.dropout(parts.flatten(1)))))
        if self.second is not None:
            layer = self.dropout(torch.relu(self.second(layer)))
        found: torch.Tensor = self.output(layer) - self.common(layer)
        return found


class JointTraining(NetworkTraining[PassReport]):
    """The training of a joint model."""

    network: _Network

    def __init__(
        self, text: Sequence[Pair], held_out: Sequence[Pair], settings: JointSettings, fingerprint: str
    ) -> None:
        self.settings = settings
        self.source, self.target = vocabularies(text, settings.words)
        self._text, self._held_out = (
            Examples.of(pairs, self.source, self.target, settings) for pairs in (text, held_out)
        )
        torch.manual_seed(settings.seed)
        network = _Network(settings, len(self.source.words), len(self.target.words)).eval()
        counts = np.bincount(self._text.target, minlength=len(self.target.words)) + 0.5
        with torch.no_grad():  # so that the network begins normalised, nearly
            network.output.bias.copy_(torch.from_numpy(np.log(counts / counts.sum())))
        adam = torch.optim.Adam(network.parameters(), lr=settings.rate)
        super().__init__("joint", network, adam, {"text": fingerprint, **asdict(settings)})

    @property
    def words(self) -> int:
        """The number of words that a pass learns from."""
        return len(self._text)

    def _pass(self, number: int) -> float:
        settings, text = self.settings, self._text
        draw = np.random.default_rng((settings.seed, number))
        order = draw.permutation(len(text))
        short = draw.random(len(text)) < _SHORT
        known = np.where(short, draw.integers(0, max(settings.history, 1), len(text)), settings.history)
        total = 0.0
        torch.manual_seed(settings.seed + number)  # of what is dropped
        self.network.train()
        with ProgressBar(len(text), name=f"pass {number}", unit="word", scale=True) as bar:
            for begin in range(0, len(text), settings.batch):
                rows = order[begin : begin + settings.batch]
                missing = np.arange(settings.history) < (settings.history - known[rows])[:, None]
                history = np.where(missing, NONE, text.history[rows])
                logits = self.network(_tensor(text.window[rows]), _tensor(history))
                normaliser = torch.logsumexp(logits, 1)
                chosen = logits.gather(1, _tensor(text.target[rows])[:, None])[:, 0]
                loss = (normaliser - chosen + settings.normalising * normaliser**2).mean()
                self._adam.zero_grad()
                loss.backward()
                self._adam.step()
                total += loss.item() * len(rows)
                bar.update(len(rows))
                bar.note(f"loss {total / (begin + len(rows)):.3f}")
        self.network.eval()
        return total / len(text)

    def measured(self, examples: Examples) -> tuple[float, float]:
        """Return the perplexity, and the mean of ``|log Z|``."""
        sums = np.zeros(2)
        with torch.no_grad():
            for begin in range(0, len(examples), _AT_A_TIME):
                part = slice(begin, begin + _AT_A_TIME)
                logits = self.network(_tensor(examples.window[part]), _tensor(examples.history[part]))
                normaliser = torch.logsumexp(logits, 1)
                chosen = logits.gather(1, _tensor(examples.target[part])[:, None])[:, 0]
                sums += (normaliser - chosen).sum().item(), normaliser.abs().sum().item()
        loss, off = sums / len(examples)
        return math.exp(loss), float(off)

    def _measured(self, number: int, loss: float) -> PassReport:
        return PassReport(number, loss, *self.measured(self._held_out))

    def _ended(self, *, better: bool) -> None:
        if not better:
            for group in self._adam.param_groups:
                group["lr"] /= 2

    def write(self, output: Path) -> None:
        """Write the file of the search."""
        self.exported().write(output)

    def exported(self) -> JointNetwork:
        """Return the network as the search uses it: the first layer by word and place."""
        with torch.no_grad():
            net, size = self.network, self.settings.embedding
            window = self.settings.window
            by_place = net.first.weight.reshape(self.settings.first, -1, size)
            source = torch.einsum("we,upe->wpu", net.source.weight, by_place[:, :window])
            history = torch.einsum("we,upe->wpu", net.target.weight, by_place[:, window:])
            none = np.zeros((0, self.settings.first), np.float32), np.zeros(0, np.float32)
            second = none if net.second is None else (net.second.weight.numpy(), net.second.bias.numpy())
            return JointNetwork(
                source_words=self.source.words,
                target_words=self.target.words,
                source=source.numpy(),
                history=history.numpy(),
                right_to_left=self.settings.right_to_left,
                bias=net.first.bias.numpy(),
                second=second[0],
                second_bias=second[1],
                output=(net.output.weight - net.common.weight).numpy(),
                output_bias=(net.output.bias - net.common.bias).numpy(),
            )

    def log_probabilities(self, window: NDArray[np.int32], history: NDArray[np.int32]) -> NDArray[np.float32]:
        """Return the output of the network, not normalised, for all words: shape (n, T)."""
        with torch.no_grad():
            found: NDArray[np.float32] = self.network(_tensor(window), _tensor(history)).numpy()
            return found


def _tensor(numbers: NDArray[np.integer[Any]]) -> torch.Tensor:
    return torch.from_numpy(numbers.astype(np.int64))
