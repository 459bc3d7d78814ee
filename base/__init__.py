"""What every room needs: errors about input, files written whole, texts, progress."""

from __future__ import annotations

from .errors import InputError, InvalidConfig, ParseFailed, failure

__all__ = ["InputError", "InvalidConfig", "ParseFailed", "failure"]
