"""Small Transformers: trained in a second on sentences of a regular language."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

WORDS = {"casa": "house", "gato": "cat", "perro": "dog", "libro": "book", "mesa": "table"}
SMALL = {"width": 8, "heads": 2, "layers": 1, "inner": 16, "subwords": 20, "dropout": 0.0}
OPTIONS = tuple(word for name, value in SMALL.items() for word in ("--set", f"{name}={value}"))


def need_neural() -> None:
    """Skip a test where a library of the extra is missing."""
    for module, name in (
        ("torch", "PyTorch"),
        ("ctranslate2", "CTranslate2"),
        ("sentencepiece", "sentencepiece"),
    ):
        pytest.importorskip(module, reason=f"needs {name}")
    import torch

    torch.set_num_threads(1)  # the network is small


def pairs(count: int) -> list[tuple[str, str]]:
    """Return sentences whose words are translated one by one."""
    draw = random.Random(1)
    chosen = [draw.choices(sorted(WORDS), k=draw.randint(4, 5)) for _ in range(count)]
    return [(" ".join(words), " ".join(WORDS[word] for word in words)) for words in chosen]


def training(count: int = 20, **settings: Any) -> Any:
    """Return a training that has not begun."""
    from hopefear.tuners.transformer import TransformerSettings
    from hopefear.tuners.transformer.training import TransformerTraining

    text = pairs(count)
    made = TransformerSettings(**{**SMALL, "warmup": 10, "rate": 0.02, "batch": 60, **settings})
    return TransformerTraining(text[: -count // 10], text[-count // 10 :], made, "the text")


def trained(folder: Path, passes: int, **settings: Any) -> Any:
    """Train, and write the model and the checkpoint into a folder."""
    made = training(**settings)
    made.reports = []
    made.run(passes, folder, folder / "checkpoint", made.reports.append)
    return made
