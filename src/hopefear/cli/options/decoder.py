"""``--decoder``: what translates."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from hopefear.base import InputError

from ..command import option
from ..io.skipped import Skipped
from .weights import NONE, GivenWeights

if TYPE_CHECKING:
    from hopefear.cdec import CdecProcess

OWN = "hopefear"


@dataclass(frozen=True, kw_only=True)
class ChosenDecoder:
    """The option ``--decoder``."""

    name: str = option(
        "The decoder: hopefear, or a program of cdec by its name, such as cdec, or its path.",
        "--decoder",
        metavar="NAME",
        default=OWN,
    )

    @property
    def own(self) -> bool:
        """Whether hopefear itself translates."""
        return self.name == OWN

    def start_cdec(
        self,
        config: Path,
        given: GivenWeights,
        *,
        max_words: int,
        excluded: Iterable[str],
        skipped: Skipped | None = None,
    ) -> CdecProcess:
        """Start a cdec that gives forests."""
        from hopefear.cdec import CdecProcess

        for name in excluded:
            raise InputError(
                f"{name} is for hopefear's own decoder: expected no --decoder {self.name}; the file of the "
                "bridge names plugins inside cdec (hopefear cdec-bridge)"
            )
        weights: str | dict[str, float] | None = {} if given.weights == NONE else given.weights
        cdec = CdecProcess(config, executable=self.name, weights=weights, max_words=max_words)
        if skipped is not None:
            cdec.on_error = skipped.add
        return cdec
