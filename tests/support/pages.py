"""What pages of the documentation show: fenced blocks, and the commands in them."""

from __future__ import annotations

import re
import shlex
from pathlib import Path


def blocks(page: Path, *languages: str) -> list[str]:
    """Return the content of the fenced blocks in these languages; "" is a block that names none."""
    fenced = re.findall(r"^```(\w*)[^\n]*\n(.*?)^```", page.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    return [content for language, content in fenced if language in languages]


def commands(page: Path) -> list[list[str]]:
    """Return the words of each command of hopefear, without ``hopefear``, < and > for themselves."""
    shown = [block.replace("\\\n", "") for block in blocks(page, "", "sh", "console")]
    lines = [line.removeprefix("$ ") for block in shown for line in block.splitlines()]
    return [shlex.split(line, comments=True)[1:] for line in lines if line.startswith("hopefear ")]
