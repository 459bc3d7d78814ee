"""The training of a network with PyTorch, pass after pass; a stopped one goes on to the same bytes."""

from __future__ import annotations

import math
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
import torch
from torch import nn

from hopefear.base import InputError
from hopefear.base.state import State

from .checkpoint import read_checkpoint, write_checkpoint

_MOMENTS = ("step", "exp_avg", "exp_avg_sq")


class Report(Protocol):
    """How good a network is after a pass."""

    @property
    def perplexity(self) -> float:
        """The perplexity of held-out sentences."""


AnyReport = TypeVar("AnyReport", bound=Report)


class NetworkTraining(ABC, Generic[AnyReport]):
    """A network, Adam, and how far they are; the network of the pass with the best perplexity is written."""

    def __init__(
        self, kind: str, network: nn.Module, adam: torch.optim.Adam, facts: Mapping[str, Any]
    ) -> None:
        self.done = 0
        self.best = math.inf
        self._kind, self._facts = kind, dict(facts)
        self.network, self._adam = network, adam

    @abstractmethod
    def _pass(self, number: int) -> float:
        """Learn from the whole text once; return the mean loss."""

    @abstractmethod
    def _measured(self, number: int, loss: float) -> AnyReport:
        """Measure the network on held-out sentences."""

    @abstractmethod
    def write(self, output: Path) -> None:
        """Write the network as it is used."""

    def _ended(self, *, better: bool) -> None:
        """Change what a pass with a better perplexity, or without, changes."""

    def _averages(self) -> Iterator[tuple[str, torch.Tensor]]:
        """Iterate over what a checkpoint has beside the network and Adam, by name."""
        yield from ()

    def run(self, passes: int, output: Path, checkpoint: Path, report: Callable[[AnyReport], None]) -> None:
        """Learn until so many passes are done; the network of the best one is written."""
        while self.done < passes:
            measured = self._measured(self.done + 1, self._pass(self.done + 1))
            self.done += 1
            better = measured.perplexity < self.best
            if better:
                self.best = measured.perplexity
                self.write(output)
            self._ended(better=better)
            self._save(checkpoint)
            report(measured)

    def _save(self, path: Path) -> None:
        arrays: dict[str, Any] = {}
        for name, value in self.network.named_parameters():
            arrays[name] = value.detach().numpy()
            for moment in _MOMENTS:
                arrays[f"{name} {moment}"] = self._adam.state[value][moment].numpy()
        arrays |= {name: value.detach().numpy() for name, value in self._averages()}
        rate = float(self._adam.param_groups[0]["lr"])
        facts = {self._kind: self._facts, "done": self.done, "best": self.best, "rate": rate}
        write_checkpoint(path, {"facts": facts, "arrays": arrays})

    def resume(self, path: str | os.PathLike[str]) -> None:
        """Go on from a checkpoint."""
        state: State = read_checkpoint(path)
        facts, arrays = state["facts"], state["arrays"]
        saved = facts.get(self._kind, {})
        for name, value in self._facts.items():
            if saved.get(name) != value:
                message = f"expected a training with {name} {value}, got {saved.get(name)}"
                raise InputError(message, path=path)
        self.done, self.best = facts["done"], facts["best"]
        with torch.no_grad():
            for name, value in self.network.named_parameters():
                value.copy_(torch.from_numpy(arrays[name]))
                self._adam.state[value] = {
                    moment: torch.from_numpy(np.array(arrays[f"{name} {moment}"])) for moment in _MOMENTS
                }
            for name, value in self._averages():
                value.copy_(torch.from_numpy(arrays[name]))
        for group in self._adam.param_groups:
            group["lr"] = facts["rate"]
