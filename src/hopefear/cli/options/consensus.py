"""``--consensus``: which translation of a forest is shown."""

from __future__ import annotations

from dataclasses import dataclass

from hopefear.decoder import Config, Consensus, create_consensus

from ..command import option
from ..names import NamedKind


@dataclass(frozen=True, kw_only=True)
class ChosenConsensus:
    """The options of consensus."""

    consensus: bool = option(
        "Write the translation that agrees best with all the others, by their probabilities.", default=False
    )
    by: str | None = option(
        'How --consensus chooses: linear, fast, or a metric; "NAME arguments". Implies --consensus.',
        "--consensus-by",
        default=None,
        shown="the cdec.ini's consensus, else linear",
        completion=NamedKind.metrics,
    )

    def method(self, config: Config) -> Consensus | None:
        """Return how a consensus is found; None where the model's best translation is wanted."""
        if self.by is not None:
            return create_consensus(self.by)
        if config.consensus is None:
            return create_consensus("linear") if self.consensus else None
        with config.naming(f"consensus {config.consensus}"):
            return create_consensus(config.consensus)
