"""How far a run of online training is: all that a stopped run needs to go on."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hopefear.decoder import InputError, Weights
from hopefear.metrics import PseudoDocument

from .averaging import WeightAverage
from .base import PassRecord, State


@dataclass
class Progress:
    """Where a run of `Mira` stands.

    Attributes
    ----------
    document : PseudoDocument
        O and O_f.
    updates : int
        Since the beginning.
    passes : list of PassRecord
        The passes that are complete.
    position : int
        Segments of the pass under way that are done.
    statistics : array of float64
        Sum over the 1-best translations of the pass under way.
    skipped : int
        Segments of the pass under way without a derivation.
    seconds : float
        Processor time of the pass under way.
    average : WeightAverage
        Of the weights so far.
    chosen : array of float64 or None
        The averaged weights of the pass with the highest development BLEU.
    chosen_bleu : float
        That BLEU.
    """

    document: PseudoDocument
    updates: int = 0
    passes: list[PassRecord] = field(default_factory=list)
    position: int = 0
    statistics: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    skipped: int = 0
    seconds: float = 0.0
    average: WeightAverage = field(default_factory=WeightAverage)
    chosen: NDArray[np.float64] | None = None
    chosen_bleu: float = -1.0

    def __post_init__(self) -> None:
        if not len(self.statistics):
            self.start_pass()

    def start_pass(self) -> None:
        """Begin to count anew."""
        self.position, self.skipped, self.seconds = 0, 0, 0.0
        self.statistics = np.zeros(self.document.metric.size)

    def finish_pass(self, learned: NDArray[np.float64], development_bleu: float | None) -> None:
        """Record the pass, and choose what it learned if that is the best so far."""
        if development_bleu is not None and development_bleu > self.chosen_bleu:
            self.chosen, self.chosen_bleu = learned, development_bleu
        metric = self.document.metric
        self.passes.append(
            PassRecord(
                pass_number=len(self.passes) + 1,
                bleu=metric.score(self.statistics),
                length_ratio=float(self.statistics[0] / max(self.statistics[1], 1.0)),
                pseudo_bleu=metric.score(self.document.statistics),
                development_bleu=development_bleu,
                updates=self.updates,
                skipped=self.skipped,
                seconds=self.seconds,
            )
        )
        self.start_pass()

    def stagnant(self, patience: int) -> bool:
        """Whether the last `patience` passes brought no new best development BLEU."""
        scores = [r.development_bleu for r in self.passes if r.development_bleu is not None]
        return len(scores) > patience and max(scores[-patience:]) <= max(scores[:-patience])

    def get_state(self, weights: Weights, settings: dict[str, Any]) -> State:
        """Give the state, the weights and the settings of the run with it."""
        array = weights.array
        names = "\n".join(weights.name(feature) for feature in range(len(array)))
        return {
            "facts": {
                "settings": settings,
                "document": self.document.get_state(),
                "updates": self.updates,
                "passes": [asdict(record) for record in self.passes],
                "position": self.position,
                "skipped": self.skipped,
                "seconds": self.seconds,
                "average_updates": self.average.updates,
                "chosen_bleu": self.chosen_bleu,
            },
            "arrays": {
                "names": np.frombuffer(names.encode("utf-8", "surrogateescape"), np.uint8),
                "weights": array.copy(),
                "moment": self.average.moment.copy(),
                "statistics": self.statistics.copy(),
                "chosen": np.zeros(0) if self.chosen is None else self.chosen,
            },
        }

    def set_state(self, state: State, weights: Weights, settings: dict[str, Any]) -> None:
        """Go back to a state, the weights too.

        Raises
        ------
        InputError
            It is of a run with other settings, or incomplete.
        """
        try:
            facts, arrays = state["facts"], state["arrays"]
            saved = facts["settings"]
            changed = [name for name in settings if saved.get(name) != settings[name]]
            if changed:
                name = changed[0]
                raise InputError(
                    f"expected {name}={saved.get(name)}, as in the checkpoint, got {settings[name]}"
                )
            numbers = _numbers(arrays["names"], weights)
            if len(numbers) != len(arrays["weights"]):
                raise ValueError("as many names as weights")
            self.document.set_state(facts["document"])
            self.updates = int(facts["updates"])
            known = {f.name for f in fields(PassRecord)}
            self.passes = [
                PassRecord(**{k: v for k, v in record.items() if k in known}) for record in facts["passes"]
            ]
            self.position = int(facts["position"])
            self.skipped = int(facts["skipped"])
            self.seconds = float(facts["seconds"])
            self.statistics = arrays["statistics"].copy()
            self.average.updates = int(facts["average_updates"])
            self.average.moment = _spread(arrays["moment"], numbers)
            self.chosen_bleu = float(facts["chosen_bleu"])
            self.chosen = _spread(arrays["chosen"], numbers) if len(arrays["chosen"]) else None
        except InputError:
            raise
        except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
            raise InputError(
                f"expected the state of a Mira run, got one that lacks or breaks {error}"
            ) from None
        weights.clear()
        weights.array[numbers] = arrays["weights"]


def _numbers(names: NDArray[np.uint8], weights: Weights) -> NDArray[np.int64]:
    """Give the numbers that saved names have now; the same as they had, with the same decoder."""
    text = names.tobytes().decode("utf-8", "surrogateescape")
    saved = text.split("\n") if text else []
    return np.array(weights.native.intern_all(saved), np.int64)


def _spread(values: NDArray[np.float64], numbers: NDArray[np.int64]) -> NDArray[np.float64]:
    """Values by saved number as values by number now; saved arrays may be longer than there are features."""
    count = min(len(values), len(numbers))
    out = np.zeros(int(numbers[:count].max(initial=-1)) + 1)
    out[numbers[:count]] = values[:count]
    return out
