"""A package with a plugin to begin from, as ``hopefear plugins new`` writes it."""

from __future__ import annotations

import keyword
import os
import re
import sys
import tempfile
from enum import Enum
from pathlib import Path
from string import Template

from hopefear.decoder import InputError

_FOLDER = Path(__file__).with_name("templates")

# What fires in the package's own test, behind the plugin's name.
_FIRED = {
    "rule": {"": 2},
    "edge": {"_2": 1, "_3": 2},
    "ngram": dict.fromkeys((":<s>_very", ":very_red", ":red_the", ":the_house", ":house_</s>"), 1),
    "state": {"": 2},
}


class Level(str, Enum):
    """When a plugin is asked."""

    rule = "rule"
    edge = "edge"
    ngram = "ngram"
    state = "state"


def write_package(name: str, folder: Path, level: Level) -> Path:
    """Write the package, whole or not at all, and give its folder.

    Raises
    ------
    InputError
        The name is none of a module, or taken, or there is something of that name in the folder.
    """
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name) or keyword.iskeyword(name):
        raise InputError(f"expected a name of a module, such as my_feature, got {name!r}")
    from hopefear.plugins import known

    class_name = "".join(part.capitalize() for part in name.split("_"))
    taken = (
        name in sys.stdlib_module_names or name in ("hopefear", "numpy", "pytest") or class_name in known()
    )
    if taken:
        raise InputError(f"{name}: there is a module, or a plugin {class_name}, of that name already")
    path = folder / name
    if path.exists():
        raise InputError("is there already", path=path)
    lines = (
        f'    assert fired["{class_name}{rest}"] == {value}' for rest, value in _FIRED[level.value].items()
    )
    words = {"name": name, "project": name.replace("_", "-"), "plugin": class_name, "fired": "\n".join(lines)}
    files = {
        "pyproject.toml": "pyproject.toml.in",
        "README.md": "README.md.in",
        f"{name}.py": f"{level.value}.py.in",
        f"tests/test_{name}.py": "test.py.in",
    }
    with tempfile.TemporaryDirectory(dir=folder, prefix=f".{name}.") as beside:
        package = Path(beside) / name
        (package / "tests").mkdir(parents=True)
        for file, template in files.items():
            text = Template((_FOLDER / template).read_text("utf-8")).substitute(words)
            (package / file).write_text(text, "utf-8")
        os.rename(package, path)
    return path
