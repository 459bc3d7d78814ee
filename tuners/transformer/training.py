"""Training a Transformer with PyTorch: label smoothing, and an average of the weights."""

from __future__ import annotations

import io
import math
import tempfile
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import sentencepiece
import torch
from torch.nn.functional import cross_entropy

from hopefear.base.files import written_whole
from hopefear.base.progress import ProgressBar
from hopefear.metrics import Bleu
from hopefear.neural import Subwords, TranslationModel
from hopefear.neural.model_folder import MODEL, OURS

from ..contract.network_training import NetworkTraining
from .batches import Numbered, Texts, batches, numbered, tensors
from .network import BEGIN, END, PADDING, UNKNOWN, TransformerNetwork, export
from .settings import TransformerSettings

KIND = "transformer"
"""The key of the settings in a checkpoint."""


@dataclass(frozen=True)
class PassMeasured:
    """How good a Transformer is after a pass: the perplexity of a subword, and BLEU of translations."""

    number: int
    loss: float
    perplexity: float
    bleu: float


class TransformerTraining(NetworkTraining[PassMeasured]):
    """The training of a Transformer."""

    network: TransformerNetwork

    def __init__(self, text: Texts, held_out: Texts, settings: TransformerSettings, fingerprint: str) -> None:
        self.settings = settings = settings.for_text(len(text))
        self._learned = _learned_subwords(text, settings.subwords)
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / OURS).write_bytes(self._learned)
            self.subwords = Subwords(Path(folder) / OURS)
        self._held_out = held_out
        self._exported: dict[str, bytes] = {}
        self._text, self._measured_on = (numbered(part, self.subwords) for part in (text, held_out))
        torch.manual_seed(settings.seed)
        network = TransformerNetwork(settings, len(self.subwords))
        self.average = deepcopy(network).eval()
        adam = torch.optim.Adam(network.parameters(), lr=settings.rate, betas=(0.9, 0.98), eps=1e-9)
        super().__init__(KIND, network, adam, {"text": fingerprint, **asdict(settings)})

    @property
    def parameters(self) -> int:
        """The number of weights."""
        return sum(value.numel() for value in self.network.parameters())

    @property
    def length(self) -> int:
        """The number of target subwords that a pass learns from."""
        return sum(len(target) for _, target in self._text)

    def _pass(self, number: int) -> float:
        settings = self.settings
        draw = np.random.default_rng((settings.seed, number))
        torch.manual_seed(settings.seed + number)  # of what is dropped
        parts = batches(self._text, settings.batch, draw)
        total, words, before = 0.0, 0, (number - 1) * len(parts)
        self.network.train()
        with ProgressBar(self.length, name=f"pass {number}", unit="subword", scale=True) as bar:
            for step, rows in enumerate(parts, before + 1):
                source, begun, ended = tensors([self._text[row] for row in rows])
                logits = self.network(source, begun)
                loss = cross_entropy(logits, ended, label_smoothing=settings.smoothing)
                self._adam.zero_grad()
                loss.backward()
                self._step(step)
                total += loss.item() * len(ended)
                words += len(ended)
                bar.update(len(ended))
                bar.note(f"loss {total / words:.3f}")
        return total / words

    def _step(self, step: int) -> None:
        settings = self.settings
        for group in self._adam.param_groups:
            group["lr"] = settings.rate * min(step / settings.warmup, math.sqrt(settings.warmup / step))
        self._adam.step()
        kept = min(settings.average, step / (step + 10))  # the first weights say little
        with torch.no_grad():
            for average, value in zip(self.average.parameters(), self.network.parameters(), strict=True):
                average.lerp_(value, 1 - kept)

    def _averages(self) -> Iterator[tuple[str, torch.Tensor]]:
        for name, value in self.average.named_parameters():
            yield f"{name} average", value

    def _measured(self, number: int, loss: float) -> PassMeasured:
        bleu = Bleu()
        with tempfile.TemporaryDirectory() as folder:
            export(self.average, self.subwords.names(), Path(folder))
            (Path(folder) / OURS).write_bytes(self._learned)
            self._exported = {path.name: path.read_bytes() for path in Path(folder).iterdir()}
            translations = TranslationModel(folder).translate(
                [source for source, _ in self._held_out], beam=1
            )
        texts, references = [found[0].text for found in translations], [[e] for _, e in self._held_out]
        score = bleu.score(bleu.corpus_stats(texts, references).sum(axis=0))
        return PassMeasured(number, loss, self.perplexity(), score)

    def perplexity(self) -> float:
        """Return the perplexity of a subword of the held-out sentences, their ends included."""
        subwords = sum(1 + len(target) for _, target in self._measured_on)
        return math.exp(-sum(self.log_probabilities(self._measured_on)) / subwords)

    def log_probabilities(self, pairs: Numbered) -> list[float]:
        """Return the natural logarithm of the probability of each target."""
        found = [0.0] * len(pairs)
        with torch.no_grad():
            for rows in batches(pairs, self.settings.batch):
                source, begun, ended = tensors([pairs[row] for row in rows])
                loss = cross_entropy(self.average(source, begun), ended, reduction="none")
                ends = [len(pairs[row][1]) + 1 for row in rows]
                for row, of_target in zip(rows, loss.split(ends), strict=True):
                    found[row] = -of_target.sum().item()
        return found

    def write(self, output: Path) -> None:
        """Write the folder of CTranslate2 as it was measured, the model itself last."""
        output.mkdir(parents=True, exist_ok=True)
        for name in sorted(self._exported, key=lambda each: (each == MODEL, each)):
            with written_whole(output / name) as part:
                part.write_bytes(self._exported[name])


def _learned_subwords(text: Texts, longer: int) -> bytes:
    """Learn the subwords of both sides: all characters, and longer ones; equal texts give equal bytes."""
    model = io.BytesIO()
    lines = [line for pair in text for line in pair]
    characters = set().union(*lines)
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines),
        model_writer=model,
        vocab_size=len(characters) + PADDING + 2 + longer,  # those that mean no text, and the blank
        hard_vocab_limit=False,
        character_coverage=1.0,
        normalization_rule_name="identity",
        max_sentence_length=max(len(line.encode()) for line in lines),
        unk_id=UNKNOWN,
        bos_id=BEGIN,
        eos_id=END,
        pad_id=PADDING,
        num_threads=1,
        minloglevel=2,
    )
    return model.getvalue()
