"""What every room needs: errors about input, files written whole, lines, texts, progress, classes by name."""

from __future__ import annotations

from .errors import InputError, InvalidConfig, ParseFailed, PluginError, failure

__all__ = ["InputError", "InvalidConfig", "ParseFailed", "PluginError", "failure"]
