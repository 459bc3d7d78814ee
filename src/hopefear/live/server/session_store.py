"""The sessions of translators over one decoder, in a folder."""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from hopefear.base import InputError
from hopefear.base.files import alone_in, written_whole
from hopefear.base.stored import parse_json
from hopefear.base.typed import to_json, typed

from .errors import NotFound
from .models import SessionInfo, name_of
from .session_service import SessionService
from .system import TranslationSystem

LOCK, _ABOUT = "serve.lock", "about.json"
PRIVATE = 0o700
"""The mode of the folders: what translators write is for the user who runs the server alone."""

_ID = re.compile("[0-9a-f]{12}")


@dataclass(frozen=True)
class _About:
    """What the file of a session says of it."""

    name: str
    created: float


@contextmanager
def private_files() -> Iterator[None]:
    """Let all files that this process makes in the context be those of its user alone."""
    outer = os.umask(0o777 & ~PRIVATE)
    try:
        yield
    finally:
        os.umask(outer)


class SessionStore:
    """Sessions over one decoder, in a folder that one process at a time uses.

    No method is safe to call from several threads at once: the decoder works for one session at a time.
    """

    def __init__(self, system: TranslationSystem, folder: Path) -> None:
        self.system, self._folder = system, folder
        folder.mkdir(parents=True, exist_ok=True)
        inside = (path for path in folder.rglob("*") if not path.is_symlink())  # which may lead elsewhere
        for path in (folder, *inside):
            path.chmod(path.stat().st_mode & PRIVATE)  # earlier versions made them readable
        self._opened: dict[str, SessionService] = {}
        self._closing = ExitStack()
        self._closing.enter_context(alone_in(folder, LOCK, "server"))

    def close(self) -> None:
        """Save all sessions and let other processes use the folder; a second call does nothing."""
        while self._opened:
            _, service = self._opened.popitem()
            self._closing.callback(service.close)
        self._closing.close()

    def sessions(self) -> list[SessionInfo]:
        """List the sessions, the oldest first, and before them those whose names cannot be read."""
        listed = [self._listed(path.name) for path in self._folder.iterdir() if self._has(path.name)]
        return sorted(listed, key=lambda about: (about.created, about.id))

    def create(self, name: str) -> SessionService:
        """Make a new session."""
        most = self.system.limits.sessions
        if len(self.sessions()) >= most:
            raise InputError(f"expected at most {most} sessions: remove one first")
        folder = self._folder / secrets.token_hex(6)
        about = SessionInfo(id=folder.name, name=name_of(name, "Session"), created=time.time())
        folder.mkdir(PRIVATE)
        self._write(about)
        return self.open(folder.name)

    def rename(self, id: str, name: str) -> SessionInfo:
        """Give a session another name."""
        self._expect(id)
        about = self._about(id).model_copy(update={"name": name_of(name)})
        self._write(about)
        if id in self._opened:
            self._opened[id].about = about
        return about

    def _write(self, about: SessionInfo) -> None:
        with written_whole(self._folder / about.id / _ABOUT) as path:
            path.write_text(json.dumps(to_json(_About(about.name, about.created))), "utf-8")

    def open(self, name: str) -> SessionService:
        """Return a session; it is read from its files if this process has not used it yet."""
        if name not in self._opened:
            self._expect(name)
            self._opened[name] = SessionService(self.system, self._folder / name, self._about(name))
        return self._opened[name]

    def remove(self, name: str) -> None:
        """Delete a session with all its files."""
        self._expect(name)
        if name in self._opened:
            self._opened.pop(name).close()
        shutil.rmtree(self._folder / name)

    def _has(self, name: str) -> bool:
        return _ID.fullmatch(name) is not None and (self._folder / name / _ABOUT).is_file()

    def _expect(self, name: str) -> None:
        if not self._has(name):
            raise NotFound("session")

    def _listed(self, name: str) -> SessionInfo:
        """Return what is known of a session, also of one with a damaged file, which cannot be opened."""
        try:
            return self._about(name)
        except InputError as error:
            return SessionInfo(id=name, name=f"{name} (damaged)", created=0, problem=str(error))

    def _about(self, name: str) -> SessionInfo:
        path = self._folder / name / _ABOUT
        try:
            return SessionInfo(id=name, **vars(typed(_About, parse_json(path.read_text("utf-8")))))
        except OSError as error:
            raise InputError(f"cannot be read: {error.strerror or error}", path=path) from None
        except ValueError:
            raise InputError("expected the name of a session and its time", path=path) from None
