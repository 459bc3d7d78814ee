"""Plugins inside cdec: a library that cdec loads as a feature function, and the Python side of it.

``native/`` holds the library's C++ source, which `build` compiles against the user's own cdec; `session` is
what it calls.
"""

from __future__ import annotations

from .build import Bridge, build

__all__ = ["Bridge", "build"]
