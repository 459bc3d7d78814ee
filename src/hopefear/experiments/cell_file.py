"""``cell.json``: what a finished cell gave, with checksums of this file and of other files of the cell."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from io import BytesIO
from pathlib import Path
from typing import Any

from hopefear.base import InputError
from hopefear.base.files import written_whole
from hopefear.base.stored import digest, parse_json

DONE = "cell.json"

_OTHER = "expected the content that was written, got a file with another checksum"


def write_facts(place: Path, facts: Mapping[str, Any], files: Iterable[str] = ()) -> None:
    """Write the file; the cell is then finished."""
    sums = {}
    for name in files:
        with (place / name).open("rb") as file:
            sums[name] = digest(file)
    facts = {**facts, "files": sums}
    with written_whole(place / DONE) as path:
        path.write_text(json.dumps({**facts, "checksum": _checksum(facts)}, indent=1) + "\n", "utf-8")


def read_facts(place: Path) -> dict[str, Any]:
    """Read what `write_facts` wrote."""
    path = place / DONE
    try:
        facts: dict[str, Any] = parse_json(path.read_bytes())
        if facts.pop("checksum") != _checksum(facts):
            raise ValueError(_OTHER)
        return facts
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", path=path) from None
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise InputError(
            f"expected the results of a run: {error}; remove the file to repeat the run", path=path
        ) from None


def checked(place: Path, name: str, facts: Mapping[str, Any] | None = None) -> Path:
    """Return the path of a file of a finished cell."""
    path = place / name
    what = problem(place, name, read_facts(place) if facts is None else facts)
    if what:
        raise InputError(f"{what}; remove the {DONE} beside it to repeat the run", path=path)
    return path


def problem(place: Path, name: str, facts: Mapping[str, Any]) -> str:
    """Say what is wrong with a file of a finished cell; nothing if it has the checksum in its facts."""
    try:
        with (place / name).open("rb") as file:
            found = digest(file)
    except OSError as error:
        return f"cannot be read: {error.strerror or error}"
    return "" if found == facts["files"].get(name) else _OTHER


def _checksum(facts: Mapping[str, Any]) -> str:
    return digest(BytesIO(json.dumps(facts).encode()))
