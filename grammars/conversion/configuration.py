"""A foreign configuration while it is read."""

from __future__ import annotations

from pathlib import Path

from hopefear.base import InputError
from hopefear.base.texts import is_whole

from .system import System


class Configuration:
    """What was read of a configuration, with errors and notices that name its lines."""

    def __init__(self, path: Path, system: System) -> None:
        self.path, self.name, self.system = path, str(path), system

    def _wrong(self, message: str, line: int | None) -> InputError:
        return InputError(message, path=self.name, line=line)

    def _notice(self, line: int, message: str) -> None:
        self.system.notices.append(f"{self.name}:{line}: {message}")

    def _whole(self, line: int, value: str) -> int:
        if not is_whole(value):
            raise self._wrong(f"expected a whole number, got {value[:80]!r}", line or None)
        return int(value)
