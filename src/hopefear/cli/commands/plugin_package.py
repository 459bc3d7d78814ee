"""The example packages that ``hopefear plugins new`` writes: a plugin, a tuner, an oracle or a metric."""

from __future__ import annotations

import keyword
import os
import re
import sys
import tempfile
from enum import Enum
from pathlib import Path
from string import Template

from hopefear.base import InputError

from ..names import NamedKind, catalogue

_FOLDER = Path(__file__).with_name("templates")

# The features that fire in the test of the package: the rest of the name, and the value.
_FIRED = {
    "rule": {"": 2},
    "edge": {"_2": 1, "_3": 2},
    "ngram": dict.fromkeys((":<s>_very", ":very_red", ":red_the", ":the_house", ":house_</s>"), 1),
    "state": {"": 2},
}


class PluginLevel(str, Enum):
    """The level of a plugin."""

    rule = "rule"
    edge = "edge"
    ngram = "ngram"
    state = "state"


class PackageKind(str, Enum):
    """What a package has."""

    plugin = "plugin"
    tuner = "tuner"
    oracle = "oracle"
    metric = "metric"

    @property
    def words(self) -> dict[str, str]:
        """What the files of the package say of the kind."""
        kind, article = self.value, "an" if self is PackageKind.oracle else "a"
        used = {
            "used": "An option of `hopefear tune` turns it on",
            "line": f"hopefear tune --{kind} $plugin ...",
        }
        shown = f"hopefear list {kind}s $plugin"
        if self is PackageKind.plugin:
            used = {"used": "A line of a cdec.ini turns it on", "line": "feature_function=$plugin"}
            shown = "hopefear plugins $plugin"
        group, what = (
            ("features", "Features") if self is PackageKind.plugin else (f"{kind}s", kind.capitalize())
        )
        return {
            "article": f"{article} {kind}",
            "shown": shown,
            **used,
            "group": f"hopefear.{group}",
            "description": f"{what} for hopefear",
        }


def write_package(
    name: str, folder: Path, level: PluginLevel, kind: PackageKind = PackageKind.plugin
) -> Path:
    """Write the complete package, or nothing after an error, and give its folder."""
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name) or keyword.iskeyword(name):
        raise InputError(f"expected a valid name of a module, such as my_feature, got {name!r}")

    class_name = "".join(part.capitalize() for part in name.split("_"))
    taken = (
        name in sys.stdlib_module_names
        or name in ("hopefear", "numpy", "pytest")
        or class_name in catalogue(NamedKind(f"{kind.value}s")).known()
    )
    if taken:
        raise InputError(
            f"{name}: a module of this name, or {kind.words['article']} {class_name}, exists already"
        )
    path = folder / name
    if path.exists():
        raise InputError("exists already", path=path)
    lines = (
        f'    assert fired["{class_name}{rest}"] == {value}' for rest, value in _FIRED[level.value].items()
    )
    words = {"name": name, "project": name.replace("_", "-"), "plugin": class_name, "fired": "\n".join(lines)}
    words |= {key: Template(text).substitute(plugin=class_name) for key, text in kind.words.items()}
    module, test = (
        (kind.value, f"{kind.value}_test") if kind is not PackageKind.plugin else (level.value, "test")
    )
    files = {
        "pyproject.toml": "pyproject.toml.in",
        "README.md": "README.md.in",
        f"{name}.py": f"{module}.py.in",
        f"tests/test_{name}.py": f"{test}.py.in",
    }
    try:
        with tempfile.TemporaryDirectory(dir=folder, prefix=f".{name}.") as beside:
            package = Path(beside) / name
            (package / "tests").mkdir(parents=True)
            for file, template in files.items():
                text = Template((_FOLDER / template).read_text("utf-8")).substitute(words)
                (package / file).write_text(text, "utf-8")
            os.rename(package, path)
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror}", path=path) from None
    return path
