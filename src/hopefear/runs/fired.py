"""The features that a run has fired so far, in its checkpoint, so that a resumed run counts them, too."""

from __future__ import annotations

import numpy as np

from hopefear.base import InputError
from hopefear.base.typed import from_json
from hopefear.decoder.feature_account import Fired
from hopefear.tuners.contract import State


def add_fired(state: State, fired: Fired) -> None:
    """Add what was fired to the state of a tuner."""
    counts = {family: int(count) for family, count in fired.counts.items()}
    state["facts"]["fired"] = {"counts": counts, "sentences": int(fired.sentences)}
    for number, family in enumerate(counts):
        state["arrays"][f"fired_features_{number}"] = fired.features[family]
        state["arrays"][f"fired_others_{number}"] = fired.others[family]


def fired_in(state: State) -> Fired | None:
    """Return what `add_fired` added; None if it added nothing."""
    facts, arrays = state["facts"], state["arrays"]
    if "fired" not in facts:
        return None
    try:
        sentences = from_json(int, facts["fired"]["sentences"], "sentences", least=0)
        counts = from_json(dict[str, int], facts["fired"]["counts"], "counts", least=0)
        features, others = (
            {
                family: arrays[f"fired_{kind}_{number}"].astype(np.int64)
                for number, family in enumerate(counts)
            }
            for kind in ("features", "others")
        )
    except (ValueError, KeyError, TypeError) as error:
        message = f"expected the features that the run has fired; missing or wrong: {error}"
        raise InputError(message) from None
    return Fired(features, others, counts, sentences)
