"""The names of features that a plugin declares."""

from __future__ import annotations

import re
from typing import Any


def fired_names(plugin: Any) -> re.Pattern[str] | None:
    """Return a pattern that matches all names a plugin declares; None if the plugin declares none.

    The names are those of the plugin's ``fires``; its ``prefix`` may come before each of them. Names of
    n-gram features always begin with their ``prefix``.
    """
    prefix = re.escape(str(getattr(plugin, "prefix", "")))
    fires = getattr(plugin, "fires", ())
    if fires:
        patterns = "|".join(".*".join(map(re.escape, pattern.split("*"))) for pattern in fires)
        return re.compile(f"(?:{prefix})?(?:{patterns})", re.DOTALL)
    return re.compile(f"{prefix}.*", re.DOTALL) if prefix and plugin.level == "n-gram" else None
