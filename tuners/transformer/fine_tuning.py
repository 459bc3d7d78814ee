"""A trained Transformer that goes on learning from corrections, one after the other."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import numpy as np
import torch
from torch.nn.functional import cross_entropy

from hopefear.base import InputError
from hopefear.neural import Subwords, TranslationModel
from hopefear.neural.model_folder import CHECKPOINT, OURS

from ..contract.checkpoint import read_checkpoint
from .batches import numbered, tensors
from .network import TransformerNetwork, export
from .settings import FineTuningSettings, TransformerSettings
from .training import KIND


class FineTuning:
    """A Transformer that learns from each correction (Peris & Casacuberta 2019).

    It begins with the average of the last pass of its training.

    Parameters
    ----------
    folder : path
        A folder of ``hopefear train-transformer``, with its checkpoint.
    settings : FineTuningSettings
        How it learns.

    Raises
    ------
    InputError
        A file is missing or of another kind.
    """

    def __init__(self, folder: str | os.PathLike[str], settings: FineTuningSettings) -> None:
        folder, self._settings = Path(folder), settings
        self._subwords, self._learned = Subwords(folder / OURS), (folder / OURS).read_bytes()
        path = folder / CHECKPOINT
        state = read_checkpoint(path)
        if KIND not in state["facts"]:
            raise InputError("expected a checkpoint of train-transformer", path=path)
        given = {name: value for name, value in state["facts"][KIND].items() if name != "text"}
        self._trained = TransformerSettings(**given)
        torch.manual_seed(settings.seed)  # of what is dropped
        self.network = TransformerNetwork(self._trained, len(self._subwords))
        with torch.no_grad():
            for name, value in self.network.named_parameters():
                value.copy_(torch.from_numpy(np.array(state["arrays"][f"{name} average"])))
        self._adam = torch.optim.Adam(self.network.parameters(), settings.rate, betas=(0.9, 0.98), eps=1e-9)

    def model(self) -> TranslationModel:
        """Return what it has learned as a model that translates."""
        with tempfile.TemporaryDirectory() as place:
            export(self.network, self._subwords.names(), Path(place))
            (Path(place) / OURS).write_bytes(self._learned)
            return TranslationModel(place)

    def learn(self, source: str, target: str) -> None:
        """Learn from a correction."""
        sources, begun, ended = tensors(numbered([(source, target)], self._subwords))
        self.network.train()
        for _ in range(self._settings.steps):
            logits = self.network(sources, begun)
            loss = cross_entropy(logits, ended, label_smoothing=self._trained.smoothing)
            self._adam.zero_grad()
            loss.backward()
            self._adam.step()
        self.network.eval()
