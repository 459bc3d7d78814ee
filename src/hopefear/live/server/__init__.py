"""The translator's page and its HTTP API; needs what ``pip install "hopefear[live]"`` installs."""

from __future__ import annotations

from .application import make_app
from .documents import Document
from .guard import Access, is_loopback
from .running import serve
from .workplace import Limits, Workplace

__all__ = ["Access", "Document", "Limits", "Workplace", "is_loopback", "make_app", "serve"]
