"""``now.json``: where a tuning run stands between its passes, for those who watch it."""

from __future__ import annotations

import json
import time
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from hopefear.base.files import written_whole
from hopefear.base.stored import parse_json
from hopefear.base.texts import split_words
from hopefear.base.typed import from_json
from hopefear.decoder import Weights
from hopefear.text import TextSystem

from .tuner import AnyTuner, Can, can

NOW = "now.json"
"""The name of the file in the folder of a run."""

_MOST = 12  # weights that are told
_SHARE = 50  # of the time goes to the file, at most: a fiftieth


@dataclass(frozen=True, slots=True)
class NowSentence:
    """The sentence that was learned from last."""

    id: int | str
    source: str
    references: list[str]
    best: str
    hope: str
    fear: str

    def texts(self) -> list[tuple[str, str]]:
        """Return the texts by what they are; of the references the first."""
        texts = [("source", self.source), *(("reference", text) for text in self.references[:1])]
        return [*texts, ("translation", self.best), ("hope", self.hope), ("fear", self.fear)]


@dataclass(frozen=True, slots=True)
class Now:
    """Where a run stands."""

    time: float
    seconds: float
    passes: int
    position: int
    most: int
    sentences: int
    begun: int = 0
    weights: dict[str, float] = field(default_factory=dict)
    sentence: NowSentence | None = None

    @property
    def share(self) -> float | None:
        """How much of the run is done, from 0 to 1, as far as it makes all its passes."""
        total = self.most * self.sentences
        return min((self.passes * self.sentences + self.position) / total, 1.0) if total else None

    @property
    def left(self) -> float | None:
        """The seconds until all passes are done, at the speed of this command so far."""
        done = self.passes * self.sentences + self.position - self.begun
        if not self.sentences or done <= 0:
            return None
        return self.seconds / done * max(self.most * self.sentences - self.begun - done, 0)


def read_now(folder: Path) -> Now | None:
    """Read where a run stands; None if it does not say so."""
    try:
        found: Now = from_json(Now, parse_json((folder / NOW).read_text("utf-8")), "now")
        return found
    except (OSError, ValueError, TypeError):
        return None


class NowFile:
    """Writes ``now.json`` while a tuner learns, once a second, and for a fiftieth of the time at most."""

    def __init__(
        self,
        folder: Path,
        tuner: AnyTuner,
        weights: Weights,
        sentences: int,
        text: TextSystem | None = None,
    ) -> None:
        self._path, self._tuner, self._weights, self._text = folder / NOW, tuner, weights, text
        self._sentences = 0 if can(tuner, Can.LEARN_FROM_FOLDS) else sentences
        self._began, self._next = time.monotonic(), 0.0
        self._start = weights.array.copy()
        self._passes, self._position, self._begun = -1, 0, -1

    def tell(self) -> None:
        """Note that a sentence is done, or several; write the file if it is time."""
        passes = len(getattr(self._tuner, "passes_", ()))
        if passes != self._passes:
            self._passes, self._position = passes, 0
        self._position = getattr(self._tuner, "position", self._position + 1)
        if self._begun < 0:
            self._begun = max(passes * self._sentences + self._position - 1, 0)
        begin = time.monotonic()
        if begin < self._next:
            return
        with suppress(OSError, UnicodeError):  # nobody learns less without it
            self.write()
        self._next = begin + max(1.0, _SHARE * (time.monotonic() - begin))

    def remove(self) -> None:
        """Remove the file, at the end of the run."""
        self._path.unlink(missing_ok=True)

    def write(self) -> None:
        """Write the file."""
        now = Now(
            time=time.time(),
            seconds=time.monotonic() - self._began,
            passes=self._passes,
            position=self._position,
            most=int(getattr(self._tuner, "passes", 0)),
            sentences=self._sentences,
            begun=self._begun,
            weights=self._moved(),
            sentence=self._sentence(),
        )
        with written_whole(self._path) as path:
            path.write_text(json.dumps(asdict(now)), "utf-8")

    def _moved(self) -> dict[str, float]:
        change = self._weights.array.copy()
        change[: len(self._start)] -= self._start
        size = np.abs(change)
        most = np.argpartition(size, -_MOST)[-_MOST:] if len(size) > _MOST else np.arange(len(size))
        known = [int(i) for i in most if size[i] > 0 and np.isfinite(size[i])]
        return {self._weights.name(i): float(self._weights.array[i]) for i in known}

    def _sentence(self) -> NowSentence | None:
        latest: Any = getattr(self._tuner, "latest", None)
        if latest is None:
            return None
        segment, found = latest
        source, references = " ".join(segment.tokens or ()), segment.references
        texts = [getattr(found, name).texts[0] for name in ("best", "hope", "fear")]
        written = segment.written
        if self._text is not None and written is not None:
            source, references = written.text, written.references
            texts = [self._text.restore(split_words(text), [], written).text for text in texts]
        best, hope, fear = texts
        return NowSentence(segment.number, source, list(references), best, hope, fear)
