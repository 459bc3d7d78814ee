"""What every package needs: errors about input, files written whole, lines, progress, classes by name."""

from __future__ import annotations

from .errors import ForeignCode, InputError, InvalidConfig, ParseFailed, PluginError, ScoreError

__all__ = ["ForeignCode", "InputError", "InvalidConfig", "ParseFailed", "PluginError", "ScoreError"]
