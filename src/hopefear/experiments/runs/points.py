"""What a run has learned on its way, after some numbers of sentences: its points, which other cells test."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

from hopefear.base import InputError
from hopefear.base.files import written_whole
from hopefear.base.stored import parse_json
from hopefear.decoder import Weights
from hopefear.tuners import OnlineTuner
from hopefear.tuners.contract import PassRecord, RunFiles, from_json

from ..cell_file import checked


class Points:
    """Keeps the points of a run in its folder: the weights, and the record of the pass up to there."""

    def __init__(self, files: RunFiles, tuner: OnlineTuner, weights: Weights, points: Iterable[int]) -> None:
        self._files, self._tuner, self._weights = files, tuner, weights
        goes_on = files.checkpoint.exists()  # else the points of the folder, if any, are made anew
        self._left = [
            point for point in sorted(points) if not (goes_on and (files.folder / _weights(point)).exists())
        ]

    def keep(self) -> None:
        """Keep the points that the run has reached; call this after each sentence and before each save."""
        while self._left and not self._tuner.passes_ and self._tuner.position >= self._left[0]:
            point = self._left.pop(0)
            record, learned = self._tuner.so_far()
            with written_whole(self._files.folder / _record(point)) as path:
                path.write_text(json.dumps(asdict(record)) + "\n", "utf-8")
            self._files.write_weights(_weights(point), learned, self._weights)


def files_of(points: Iterable[int]) -> list[str]:
    """Name the files that the points of a run have in its folder."""
    return [name(point) for point in points for name in (_record, _weights)]


def read_point(place: Path, point: int, weights: Weights) -> PassRecord:
    """Read a point of a finished cell into weights, and give the record of the pass up to there."""
    weights.read(checked(place, _weights(point)), may_be_empty=True)
    path = checked(place, _record(point))
    try:
        record: PassRecord = from_json(PassRecord, parse_json(path.read_bytes()), "the pass")
        return record
    except ValueError as error:
        raise InputError(f"expected the record of a pass: {error}", path=path) from None


def _weights(point: int) -> str:
    return f"weights.{point}"


def _record(point: int) -> str:
    return f"pass.{point}.json"
