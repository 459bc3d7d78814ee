"""Tables of plugins that grow with the words of the sentences."""

from __future__ import annotations

from functools import cached_property
from typing import Any, Generic, TypeVar

Table = TypeVar("Table")


class growing(cached_property[Table], Generic[Table]):
    """A `functools.cached_property` for a table that grows with the words of the sentences.

    When the tables of a plugin are large, the decoder begins them anew between two sentences: each is made
    again, or replaced by what its method ``emptied`` returns, and the decoder forgets all numbers that the
    plugin gave. The decoder does so only with a selection of features (``hash_bits``, ``freeze``, patterns):
    without a selection, every name is in the weights anyway.
    """


def tables_of(plugin: Any) -> dict[str, Any]:
    """Return a plugin's tables that grow, by attribute."""
    return {
        name: value
        for name, value in getattr(plugin, "__dict__", {}).items()
        if isinstance(getattr(type(plugin), name, None), growing)
    }
