"""``--memory``, ``--glossary`` and ``--terms``: what was translated before, and terms that are agreed on."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from hopefear.base import InputError
from hopefear.decoder import Config

from ..command import option


@dataclass(frozen=True, kw_only=True)
class Knowledge:
    """The options of translation memories and glossaries."""

    memory: list[Path] = option(
        "A translation memory (tmx, po, xlf, tsv): sentences that were translated before; may repeat.",
        default=(),
    )
    glossary: list[Path] = option(
        "A glossary (tsv, txt, tbx): terms, each with its translation; may repeat.", default=()
    )
    terms: list[Path] = option(
        "A glossary whose terms are translated as it says wherever they stand; may repeat.", default=()
    )

    def add_terms(self, config: Config) -> None:
        """Let the decoders of a configuration use the glossaries, too."""
        config.glossaries += self.glossary
        config.terms += self.terms

    def check(self, *, learns: bool) -> None:
        """Refuse a memory where nothing learns: no session could take the memory in."""
        if self.memory and not learns:
            raise InputError("--memory needs --learn or a line online_tuner=... in the cdec.ini")
