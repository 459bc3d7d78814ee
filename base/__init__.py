"""What every room needs: errors about input, files written whole, texts, progress."""

from __future__ import annotations

from .errors import ForeignCode, InputError, InvalidConfig, ParseFailed

__all__ = ["ForeignCode", "InputError", "InvalidConfig", "ParseFailed"]
