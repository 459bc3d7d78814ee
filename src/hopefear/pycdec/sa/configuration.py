"""The configuration file of cdec's extractor: lines ``name = value``, values as in Python."""

from __future__ import annotations

import ast
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hopefear.base import InputError
from hopefear.base.files import written_whole
from hopefear.base.lines import read_lines
from hopefear.base.texts import BLANK


def read_configuration(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read a configuration."""
    if not os.path.exists(path):
        raise FileNotFoundError(None, "cannot read the configuration", os.fspath(path))
    config = {}
    for where, line in read_lines(Path(path)):
        if not line.strip(BLANK) or line.lstrip(BLANK).startswith("#"):
            continue
        name, equals, value = line.partition("=")
        try:
            if not equals or not name.strip(BLANK):
                raise ValueError
            config[name.strip(BLANK)] = ast.literal_eval(value.strip(BLANK))
        except (ValueError, SyntaxError):
            message = f"expected name = value, with a number, True, False or a quoted text; got {line[:80]!r}"
            raise InputError(message, path=where) from None
    return config


def write_configuration(config: Mapping[str, Any], path: str | os.PathLike[str]) -> None:
    """Write a configuration; raises OSError if that cannot be done."""
    with written_whole(path) as part:
        part.write_text("".join(f"{name} = {value!r}\n" for name, value in config.items()), encoding="utf-8")
