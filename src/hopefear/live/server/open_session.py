"""A session that the server has opened, with what reads its events and what works in its background."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ..session import LiveSession
from .documents import Documents
from .figures import Figures
from .system import TranslationSystem
from .work_queue import WorkQueue


@dataclass(frozen=True)
class OpenSession:
    """A session of a translation system, its documents and figures, and its background work."""

    system: TranslationSystem
    session: LiveSession
    documents: Documents
    figures: Figures
    queue: WorkQueue

    @classmethod
    def of(cls, system: TranslationSystem, folder: Path) -> OpenSession:
        """Make a session whose documents are in a folder."""
        session, documents, figures = system.new_session(), Documents(folder, system.limits), Figures()
        session.readers += [documents.read, figures.read]
        return cls(system, session, documents, figures, WorkQueue())
