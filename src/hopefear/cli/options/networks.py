"""The options of the commands that train networks."""

from __future__ import annotations

from typing import Any

from ..command import named_values, option


def passes_over_text(default: int) -> Any:
    """Make the option of the passes."""
    return option("Passes over the text.", default=default, min=1)


def measured_at_the_end(default: int) -> Any:
    """Make the option of the held-out sentence pairs."""
    return option(
        "Sentence pairs at the end of the text that are measured, not learned from; at most a tenth of all.",
        default=default,
        min=1,
    )


SETTING: Any = named_values("A setting of the model, NAME=VALUE; may repeat.")
SEED: Any = option("Seed of the initial numbers and of the order of the text.", default=0, min=0)
RESUME: Any = option("Continue a training that was stopped.", default=False)
