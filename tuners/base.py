"""What every tuner shares: its records, its errors and its checkpoints."""

from __future__ import annotations

import json
import os
import zipfile
from dataclasses import dataclass
from typing import Any

import numpy as np

from hopefear.decoder import InputError
from hopefear.decoder.files import written_whole


class TuningError(RuntimeError):
    """Tuning went astray; the message says which setting to change."""


@dataclass(frozen=True, slots=True)
class UpdateRecord:
    """One change of the weights.

    Attributes
    ----------
    update : int
        How many there were, this one included.
    pass_number : int
        From 1; 0 outside `fit`.
    segments : tuple
        The ids of the batch's segments.
    hinge : float
        The batch's sum of max_j (l_ij - Δh_ij·w) of equation 1, before the change.
    loss : float
        The batch's sum of the losses of the 1-best translations.
    pseudo_bleu : float
        BLEU of the pseudo-document, in per cent.
    steps : int
        Of the solver.
    change : float
        Euclidean length of the change of the weights.
    """

    update: int
    pass_number: int
    segments: tuple[int | str, ...]
    hinge: float
    loss: float
    pseudo_bleu: float
    steps: int
    change: float


@dataclass(frozen=True, slots=True)
class PassRecord:
    """One pass over the corpus.

    Attributes
    ----------
    pass_number : int
        From 1.
    bleu : float
        Of the corpus as it was translated while the weights changed, in per cent.
    length_ratio : float
        Of these translations to the references.
    pseudo_bleu : float
        Of the pseudo-document at the end.
    development_bleu : float or None
        Of the development set, translated with the averaged weights.
    updates : int
        Since the beginning.
    skipped : int
        Segments that no derivation covers.
    seconds : float
        Of processor time, without the development set.
    """

    pass_number: int
    bleu: float
    length_ratio: float
    pseudo_bleu: float
    development_bleu: float | None
    updates: int
    skipped: int
    seconds: float


State = dict[str, Any]
"""A tuner's state: ``{"facts": what JSON can hold, "arrays": numpy arrays by name}``."""


def write_checkpoint(path: str | os.PathLike[str], state: State) -> None:
    """Write a state, all or nothing.

    Raises
    ------
    OSError
        The file cannot be written.
    """
    facts = np.frombuffer(json.dumps(state["facts"]).encode(), np.uint8)
    with written_whole(path) as beside, open(beside, "wb") as file:
        np.savez(file, facts=facts, **{f"array_{name}": array for name, array in state["arrays"].items()})
        file.flush()
        os.fsync(file.fileno())


def read_checkpoint(path: str | os.PathLike[str]) -> State:
    """Read a state that `write_checkpoint` wrote.

    Raises
    ------
    InputError
        The file is missing or no checkpoint.
    """
    try:
        with np.load(path, allow_pickle=False) as file:
            facts = json.loads(file["facts"].tobytes())
            names = [name for name in file.files if name.startswith("array_")]
            return {"facts": facts, "arrays": {name.removeprefix("array_"): file[name] for name in names}}
    except FileNotFoundError:
        raise InputError("no such checkpoint to resume from", path=path) from None
    except (OSError, ValueError, KeyError, TypeError, EOFError, AttributeError, zipfile.BadZipFile) as error:
        raise InputError(
            f"expected a tuner's checkpoint, got a file that is none ({error})", path=path
        ) from None
