"""Copies of a decoder with weights of their own, in this process or in another."""

from __future__ import annotations

import io
import pickle
from typing import Any

from hopefear.decoder import Translator, Weights

from ..contract import TuningError

_WEIGHTS = "weights"


class DecoderCopies:
    """Called with weights, makes a copy of a decoder with them; can be pickled."""

    def __init__(self, decoder: Translator) -> None:
        buffer = io.BytesIO()
        try:
            _Writer(buffer, decoder).dump(decoder)
        except Exception as error:  # whatever a plugin raises
            raise TuningError(
                f"a worker needs a copy of the decoder, but the decoder cannot be copied ({error}): "
                "set make_decoder"
            ) from error
        self._written = buffer.getvalue()

    def __call__(self, weights: Weights) -> Translator:
        """Make a copy."""
        copy: Translator = _Reader(io.BytesIO(self._written), weights).load()
        return copy


class _Writer(pickle.Pickler):
    """Pickles a decoder's factory instead of its token, and a placeholder for the weights."""

    def __init__(self, file: io.BytesIO, decoder: Translator) -> None:
        super().__init__(file)
        self._decoder = decoder

    def persistent_id(self, obj: Any) -> str | None:
        return _WEIGHTS if obj is self._decoder.weights else None

    def reducer_override(self, obj: Any) -> Any:
        if obj is not self._decoder:
            return NotImplemented
        return self._decoder._factory(), ()


class _Reader(pickle.Unpickler):
    def __init__(self, file: io.BytesIO, weights: Weights) -> None:
        super().__init__(file)
        self._weights = weights

    def persistent_load(self, pid: str) -> Weights:
        assert pid == _WEIGHTS
        return self._weights
