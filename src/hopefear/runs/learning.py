"""A tuner learns, and the files of a run say how far it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from hopefear.base import InputError
from hopefear.base.errors import AuthorsCode
from hopefear.base.signals import Stopped
from hopefear.decoder import Decoder, Segment, Translator
from hopefear.parallel import WorkerDied
from hopefear.tuners import TuningError
from hopefear.tuners.contract import AnyTuner, NowFile, RunFiles


def learn(
    files: RunFiles,
    tuner: AnyTuner,
    decoder: Translator,
    corpus: Sequence[Segment],
    *,
    resume: bool,
    on_sentence: Callable[[], None] | None = None,
    **options: Any,
) -> None:
    """Let a tuner learn; ``now.json`` says where it stands, and the checkpoint has what it learned.

    Parameters
    ----------
    resume : bool
        Go on from the checkpoint.
    on_sentence : callable, optional
        Called after each sentence.
    **options
        Those of the tuner's `fit`.
    """
    text = decoder.text_system if isinstance(decoder, Decoder) else None
    now = NowFile(files.folder, tuner, decoder.weights, len(corpus), text)

    def tell() -> None:
        now.tell()
        if on_sentence is not None:
            on_sentence()

    try:
        with authors_run(tuner):
            tuner.fit(
                decoder, corpus, checkpoint=files.checkpoint, resume=resume, on_sentence=tell, **options
            )
    finally:
        now.remove()


def authors_run(tuner: AnyTuner) -> AuthorsCode:
    """Return the context of a whole run: a fault in code of the tuner's author names the author's line."""
    passing = (InputError, TuningError, WorkerDied, OSError, MemoryError, Stopped)
    return AuthorsCode(type(tuner), TuningError, *passing)


@contextmanager
def naming(tuner: str) -> Iterator[None]:
    """Turn what a tuner raises into an `InputError` that names the tuner."""
    try:
        yield
    except (InputError, UnicodeError):
        raise
    except (ValueError, TuningError) as error:
        named = str(error).startswith((f"{tuner},", "oracle "))
        raise InputError(str(error) if named else f"{tuner}: {error}") from None
