"""Distribute work over several machines with Ray; ``pip install hopefear[cluster]``."""

from __future__ import annotations

from .connection import Connection, open_executor, require_ray
