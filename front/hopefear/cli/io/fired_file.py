"""The file of the features that a run has fired so far, so that a resumed run counts them, too."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from hopefear.base import InputError
from hopefear.base.files import written_whole
from hopefear.base.stored import read_arrays
from hopefear.decoder.feature_account import Fired


def write_fired(path: Path, fired: Fired) -> None:
    """Write what was fired, all or nothing."""
    arrays: dict[str, Any] = {}
    for number, family in enumerate(fired.features):
        arrays[f"features_{number}"] = fired.features[family]
        arrays[f"others_{number}"] = fired.others[family]
    counts = [fired.counts[family] for family in fired.features]
    with written_whole(path) as beside, beside.open("wb") as file:
        np.savez(
            file,
            families=np.array([*fired.features], str),
            counts=np.array(counts, np.int64),
            sentences=np.int64(fired.sentences),
            **arrays,
        )


def read_fired(path: Path) -> Fired:
    """Read what `write_fired` wrote."""
    try:
        file = read_arrays(path)
        families = [str(family) for family in file["families"]]
        counts = dict(zip(families, file["counts"].astype(np.int64).tolist(), strict=True))
        features, others = (
            {family: file[f"{kind}_{number}"].astype(np.int64) for number, family in enumerate(families)}
            for kind in ("features", "others")
        )
        return Fired(features, others, counts, int(file["sentences"]))
    except (OSError, ValueError, KeyError, TypeError) as error:
        message = f"expected the features that the run has fired: {error}; remove the file to go on without"
        raise InputError(message, path=path) from None
