"""``--weights``, and the messages about weights that match no feature."""

from __future__ import annotations

import difflib
import weakref
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from hopefear.base import InputError
from hopefear.decoder import Config, Decoder, Segment

from ..command import option
from ..errors import warn

NONE = "none"
"""The value of ``--weights`` that sets all weights to 0; a file of this name is ``./none``."""

_SHOWN = 5  # names in a message
_MOST_NAMES = 1000  # that are compared with an unknown name


CONFIG = option("The cdec.ini.", "--config", "-c")
"""The option ``--config``."""


@dataclass(frozen=True, kw_only=True)
class GivenWeights:
    """The option ``--weights``."""

    weights: str | None = option(
        f"Weights in cdec's format; '{NONE}' sets all weights to 0.",
        "-w",
        metavar="FILE",
        default=None,
        shown="those the cdec.ini names",
    )

    def file(self, config: Config | None = None) -> Path | None:
        """Return the weights file: that of the option, else that of the cdec.ini, or None."""
        if self.weights is None:
            return None if config is None else config.passes[0].weights
        return None if self.weights == NONE else Path(self.weights)

    def check(self, config: Config) -> None:
        """Refuse to translate if neither the option nor the cdec.ini gives weights."""
        if self.weights is None and not any(one.weights for one in config.passes):
            raise InputError(
                "expected weights: --weights FILE, or a line weights=FILE in the cdec.ini; "
                f"--weights {NONE} sets all weights to 0",
                path=config.path,
            )


def check_weights(
    decoder: Decoder, path: Path | None, segment: Segment | None = None, *, refuse: bool = True
) -> None:
    """Name on standard error the weights that match no feature of a decoder."""
    names = decoder.unmatched_weights(segment)
    if not names:
        return
    declared = [name for plugin in decoder.plugins for name in plugin.fires]
    listed = _listed(names, declared + decoder.model_features(segment))
    later = any(one.weights for one in decoder.config.passes[1:])
    if refuse and not later and not decoder.weights.nonzero().keys() - set(names):
        raise InputError(
            f"no weight matches a feature of this configuration: {listed}; "
            f"--weights {NONE} sets all weights to 0",
            path=path,
        )
    where = "" if path is None else f"{path}: "
    warn(f"{where}these weights match no feature of this configuration: {listed}")


def checked(
    segments: Iterable[Segment | InputError], decoder: Decoder, path: Path | None
) -> Iterator[Segment | InputError]:
    """Pass segments on, and check the weights at the first sentence, which may have grammars of its own.

    If no weight matches, the error takes the place of the first sentence and ends the input.
    """
    # When a signal ends the process, a thread that waits for input must not keep the decoder alive.
    return _checked(segments, weakref.ref(decoder), path)


def _checked(
    segments: Iterable[Segment | InputError], decoder_of: weakref.ref[Decoder], path: Path | None
) -> Iterator[Segment | InputError]:

    rest = iter(segments)
    for segment in rest:
        decoder = decoder_of()
        if decoder is not None and isinstance(segment, Segment) and segment.length:
            try:
                check_weights(decoder, path, segment)
            except InputError as error:
                if error.path not in (*segment.grammars, segment.where):
                    yield error
                    return
                # Otherwise the decoder reports that the grammar cannot be read.
            del decoder
            yield segment
            break
        del decoder
        yield segment
    yield from rest


def _listed(names: list[str], known: list[str]) -> str:
    shown = []
    for name in names[:_SHOWN]:
        near = difflib.get_close_matches(name, known[:_MOST_NAMES], 1)
        shown.append(f"{name} (near: {near[0]})" if near else name)
    more = len(names) - len(shown)
    return ", ".join(shown) + (f" and {more:,} more" if more else "")
