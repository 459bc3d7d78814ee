"""The parallel text of a system as a corpus: each sentence is translated with models that leave it out."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from hopefear.base import InputError
from hopefear.decoder import (
    Decoder,
    Delta,
    FamilyReport,
    Fired,
    Hypergraph,
    Lattice,
    Segment,
    SentenceGrammar,
    Translator,
)
from hopefear.decoder.lengths import MAX_WORDS
from hopefear.parallel import Replica
from hopefear.plugins import Annotations

from .bitext import Bitext
from .extracting_decoder import place_in_text

_ANNOTATIONS = ("tree", "tags", "dependencies", "classes", "annotations")


@dataclass(frozen=True, slots=True)
class LeftOut:
    """The sentence pairs of a text that nothing can be learned from."""

    empty: int
    too_long: int


class TrainingText(Sequence[Segment]):
    """Sentence pairs of a parallel text in memory, as segments whose ids are their indices in the text."""

    def __init__(
        self,
        bitext: Bitext,
        fingerprint: str,
        *,
        where: str,
        max_words: int = MAX_WORDS,
        sentences: int | None = None,
        seed: int = 0,
        annotations: Annotations | None = None,
    ) -> None:
        self._bitext, self._where = bitext, where
        words = np.array([(len(bitext.source(i)), len(bitext.target(i))) for i in range(len(bitext))])
        words = words.reshape(len(bitext), 2)
        empty = (words == 0).any(axis=1)
        too_long = ~empty & (words[:, 0] > max_words)
        self.left_out = LeftOut(int(empty.sum()), int(too_long.sum()))
        found = np.flatnonzero(~empty & ~too_long)
        if not len(found):
            raise InputError(
                f"expected sentence pairs of 1 to {max_words} source words, got none", path=where
            )
        if sentences is not None:
            found = np.sort(np.random.default_rng(seed).permutation(found)[:sentences])
        self._places: NDArray[np.int64] = found
        hashed = sha256(found.tobytes())
        self._annotations: dict[int, dict[str, Any]] = {}
        if annotations:
            for place in found.tolist():
                segment = annotations.attach(self._segment(place))
                items = [(name, getattr(segment, name)) for name in _ANNOTATIONS]
                self._annotations[place] = {name: item for name, item in items if item not in (None, {})}
                hashed.update(repr(self._annotations[place]).encode())
        self.fingerprint = f"{fingerprint} {hashed.hexdigest()[:16]}"

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, index: int) -> Segment: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Segment]: ...

    def __getitem__(self, index: int | slice) -> Segment | Sequence[Segment]:
        if isinstance(index, slice):
            return [self._segment(place) for place in self._places[index].tolist()]
        return self._segment(int(self._places[index]))

    def __iter__(self) -> Iterator[Segment]:
        return map(self._segment, self._places.tolist())

    def _segment(self, place: int) -> Segment:
        source, target = self._bitext.source(place), self._bitext.target(place)
        return Segment(
            source,
            id=place,
            index=place,
            references=(" ".join(target),),
            where=f"{self._where}:{place + 1}",
            line=" ".join(source),
            **self._annotations.get(place, {}),
        )


class LeavingOut(Translator, Replica):
    """Translates the sentences of a text, each with the decoder of its fold."""

    def __init__(self, decoders: Sequence[Decoder], ends: Sequence[int]) -> None:
        self._decoders, self._ends = tuple(decoders), tuple(ends)
        self._first = self._decoders[0]
        self.weights = self._first.weights

    tells_plugins = True

    def translate(
        self,
        source: str | Lattice | Segment,
        grammar: str | SentenceGrammar = "",
        *,
        reference: str | Lattice | None = None,
    ) -> Hypergraph:
        """Translate a sentence of the text, given as a segment whose id is its index in the text."""
        segment = Segment.from_input(source)
        with self.attempting(segment):
            return self._decoder_of(segment).translate(segment, grammar, reference=reference)

    def of_plugins(self, features: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Mark the features that come from plugins of any fold's decoder."""
        marked = np.zeros(len(features), bool)
        for decoder in self._decoders:
            marked |= decoder.of_plugins(features)
        return marked

    def model_features(self, segment: Segment | None = None) -> list[str]:
        """List the features of the model itself, which are the same in all folds."""
        return self._first.model_features(segment)

    def fired(self) -> Fired:
        """Return all features that plugins fired in all folds."""
        self._collect()
        return self._first.fired()

    def feature_report(self) -> list[FamilyReport]:
        """Count the features that each plugin fired in all folds."""
        self._collect()
        return self._first.feature_report()

    def delta(self) -> Delta | None:
        """Return what happened since the last call in all folds; None if nothing did."""
        fired_parts = [
            delta.fired for decoder in self._decoders if (delta := decoder.delta()) and delta.fired
        ]
        fired, failures = Fired.joined(fired_parts) if fired_parts else None, self.take_failures()
        return Delta(fired, failures) if fired is not None or failures else None

    def merge(self, delta: Delta) -> None:
        """Take what a copy of this decoder tells."""
        super().merge(delta)
        self._first.merge(Delta(delta.fired))

    def _collect(self) -> None:
        """Let the first decoder know what the others have fired."""
        for decoder in self._decoders[1:]:
            delta = decoder.delta()
            if delta is not None:
                self._first.merge(delta)

    def _decoder_of(self, segment: Segment) -> Decoder:
        return self._decoders[bisect_right(self._ends, place_in_text(segment, self._ends[-1]))]

    def _factory(self) -> Callable[[], LeavingOut]:
        makers = [decoder._factory() for decoder in self._decoders]
        return partial(_made, makers, self._ends, self.on_error is not None and self.sends_deltas)


def _made(makers: Sequence[Callable[[], Any]], ends: Sequence[int], collects: bool) -> LeavingOut:
    """Make a copy; if its original takes errors of sentences, the copy keeps them for the original."""
    made = LeavingOut([make() for make in makers], ends)
    if collects:
        made.collect_failures()
    return made
