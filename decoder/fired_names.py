"""Which names a plugin can fire, as far as it says so."""

from __future__ import annotations

import re
from typing import Any


def fired_names(plugin: Any) -> re.Pattern[str] | None:
    """Give a pattern that matches the whole of every name that a plugin fires; None where it does not say.

    The plugin's ``fires`` says it; its ``prefix`` may stand before each of these names. The names of n-gram
    features begin with their ``prefix`` in any case.
    """
    prefix = re.escape(str(getattr(plugin, "prefix", "")))
    fires = getattr(plugin, "fires", ())
    if fires:
        patterns = "|".join(".*".join(map(re.escape, pattern.split("*"))) for pattern in fires)
        return re.compile(f"(?:{prefix})?(?:{patterns})", re.DOTALL)
    return re.compile(f"{prefix}.*", re.DOTALL) if prefix and hasattr(plugin, "strings") else None
