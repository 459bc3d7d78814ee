"""The translator's page and its HTTP API; needs what ``pip install "hopefear[live]"`` installs."""

from __future__ import annotations

from hopefear.base.signatures import check_exports

from .application import Application
from .guard import Access, is_loopback
from .received import Received
from .running import serve
from .session_store import SessionStore, private_files
from .system import ServerLimits, TranslationSystem

__all__ = [
    "Access",
    "Application",
    "Received",
    "ServerLimits",
    "SessionStore",
    "TranslationSystem",
    "is_loopback",
    "private_files",
    "serve",
]

check_exports(__name__)
