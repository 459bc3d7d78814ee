"""A run of a tuner, and signals."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Any

from support.small_parallel_mira import CORPUS, small_decoder

from hopefear.cli.run import Run
from hopefear.tuners import Mira


class Interrupted(Mira):
    """Gets Ctrl-C when all is learned."""

    def fit(self, *given: Any, **options: Any) -> Interrupted:
        super().fit(*given, **options)
        signal.raise_signal(signal.SIGINT)
        return self


def test_a_signal_that_comes_at_the_very_end_counts(tmp_path: Path) -> None:
    """Else a command of several stages would go on."""
    decoder = small_decoder(tmp_path / "grammar")
    run = Run(tmp_path / "run")
    assert not run.fit(Interrupted(passes=1), decoder, CORPUS)
    assert run.final.exists()
    assert Run(tmp_path / "other").fit(Mira(passes=1), small_decoder(tmp_path / "grammar"), CORPUS)
    assert (tmp_path / "other" / "weights.final").read_bytes() == run.final.read_bytes()
