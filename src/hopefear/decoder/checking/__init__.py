"""`check_plugin`: what it checks, its material, and a fresh process."""

from __future__ import annotations

from hopefear.base.signatures import check_exports

from .checks import check_plugin

__all__ = ["check_plugin"]

check_exports(__name__)
