"""``--profile`` and ``--kinds``: what is not translated in text as written."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from hopefear.text import Profile, read_kinds

from ..command import option


@dataclass(frozen=True, kw_only=True)
class Pieces:
    """The options of what is not translated."""

    profile: str = option(
        "Pieces of written text that are not translated: plain, rst, markdown, html, xliff, printf or none.",
        metavar="NAME",
        default="plain",
    )
    kinds: Path | None = option(
        "More pieces that are not translated: a file of lines NAME = REGULAR EXPRESSION, with -> FORM if "
        "translations have another form.",
        default=None,
    )

    def read(self) -> Profile:
        """Return the kinds of the file and of the profile."""
        return Profile.named(self.profile, read_kinds(self.kinds) if self.kinds else None)
