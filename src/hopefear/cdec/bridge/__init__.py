"""Plugins inside cdec: a library that cdec loads as a feature function, and its Python side.

``native/`` contains the library's C++ source, which `build` compiles against the user's own cdec. The library
calls `session`.
"""

from __future__ import annotations

from hopefear.base.signatures import check_exports

from .build import Bridge, build

__all__ = ["Bridge", "build"]

check_exports(__name__)
