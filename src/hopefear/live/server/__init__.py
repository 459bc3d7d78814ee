"""The translator's page and its HTTP API; needs what ``pip install "hopefear[live]"`` installs."""

from __future__ import annotations

from .application import make_app
from .guard import Access, is_loopback
from .place import Workplace, private_files
from .received import Received
from .running import serve
from .system import Limits, System

__all__ = [
    "Access",
    "Limits",
    "Received",
    "System",
    "Workplace",
    "is_loopback",
    "make_app",
    "private_files",
    "serve",
]
