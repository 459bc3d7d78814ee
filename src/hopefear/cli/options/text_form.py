"""Whether a system's texts are as written, or tokens."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from hopefear.decoder import Config, Segment
from hopefear.text import TextSystem

from ..command import option


@dataclass(frozen=True, kw_only=True)
class TextForm:
    """The option ``--tokens``."""

    tokens: bool = option(
        "Input, references and output are tokens separated by blanks, also of a system that was built with "
        "languages.",
        default=False,
    )

    def system(self, config: Config) -> TextSystem | None:
        """Read what a system knows about text as written; None if its texts are tokens.

        With ``--tokens`` the configuration forgets it, so that a decoder does not read it, either.
        """
        if self.tokens:
            config.text = None
        if config.text is None:
            return None
        with config.naming(f"text {config.text}"):
            return TextSystem.load(config.text)

    def prepare(self, segments: Iterable[Segment], text: TextSystem | None) -> list[Segment]:
        """Return segments with the tokens of their sentences and references.

        With ``--tokens`` they are tokens for every decoder, also for one that knows text as written.
        """
        if self.tokens:
            return [replace(segment, text="") for segment in segments]
        return [*segments] if text is None else [*map(text.prepare, segments)]
