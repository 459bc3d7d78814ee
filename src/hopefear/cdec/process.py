"""A running cdec as a decoder."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import tempfile
import threading
import weakref
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import IO

import numpy as np

from hopefear.base.errors import InputError, ParseFailed
from hopefear.base.texts import BLANK, expect_several, is_whole
from hopefear.decoder.hypergraph import Hypergraph
from hopefear.decoder.lengths import MAX_WORDS, check_length
from hopefear.decoder.translator import Translator
from hopefear.decoder.weights import Weights
from hopefear.parallel import Replica
from hopefear.plugins.lattice import Lattice
from hopefear.plugins.segment import Segment
from hopefear.plugins.sentence_grammar import SentenceGrammar

from .forests import forest_of
from .live_weights import LiveWeights, NameFile
from .protocol import Hypothesis, k_best_list, segment_line
from .translation import CdecCannot, CdecTranslation

_ROUNDING = 1e-12
LIVE_SCORE = "HopefearPlugins"
"""The feature that holds the score of the bridge's features if they have live weights."""


class CdecProcess(Translator, Replica):
    """A running cdec that translates one sentence after the other, with weights that may change in between.

    It is a `Translator` of the forests that cdec has after its last rescoring pass, so tuners and oracles
    work as with `Decoder`; or, with `k`, of k-best lists of distinct strings with their features, which take
    less time where forests are large. A pickled process is loaded as a replica, which runs a cdec of its own.

    Changes of `weights` reach cdec with the next sentence: in the attribute ``delta`` of the sentence's tag,
    or, for features that the bridge scores, in the file of live weights. Only the weights of cdec's first
    pass change.

    Parameters
    ----------
    config : path
        A cdec.ini. cdec runs in the folder of the cdec.ini, so relative paths are relative to that folder, as
        elsewhere in hopefear.
    executable : path
        cdec's executable.
    weights : Weights, path or mapping, optional
        Initial weights, in place of those that the cdec.ini names.
    k : int, optional
        The length of the k-best lists; None for forests.
    live_weights : path, optional
        The file after ``--live-weights`` in the cdec.ini's line for the bridge. The file is overwritten.
    options : sequence of str
        More arguments of cdec.
    max_words : int
        As for `Decoder`.

    Raises
    ------
    InputError
        The cdec.ini, cdec or weights cannot be read.
    """

    def __init__(
        self,
        config: str | os.PathLike[str],
        *,
        executable: str | os.PathLike[str] = "cdec",
        weights: Weights | str | os.PathLike[str] | Mapping[str, float] | None = None,
        k: int | None = None,
        live_weights: str | os.PathLike[str] | None = None,
        options: Sequence[str] = (),
        max_words: int = MAX_WORDS,
    ) -> None:
        if k is not None and k < 1:
            raise ValueError(f"k must be at least 1, got {k}")
        expect_several("options", options)
        config = Path(config).absolute()
        program = shutil.which(executable)
        if program is None:
            raise InputError("expected cdec's executable, got no program of that name", path=executable)
        self.k, self.max_words = k, max_words
        self.weights = _initial_weights(config, weights)
        self._there = self.weights.array.copy()  # the weights that cdec and the bridge have at the moment
        self._again = partial(
            CdecProcess, config, executable=program, k=k, options=tuple(options), max_words=max_words
        )
        self._live: LiveWeights | None = None
        self._names: NameFile | None = None
        self._live_values: dict[str, float] = {}
        if live_weights is not None:
            Path(live_weights).write_bytes(b"")
            self._live, self._names = LiveWeights(live_weights), NameFile(live_weights)
            self._names.clear()
        folder = tempfile.TemporaryDirectory(prefix="hopefear-cdec-")
        self._folder = Path(folder.name)
        file = self._folder / "weights"
        _write_weights(file, {**self.weights.nonzero(), **({LIVE_SCORE: 1.0} if self._live else {})})
        command = [os.path.abspath(program), "-c", str(config), "-i", "-", "-w", str(file)]
        command += ["-k", str(k or 1), "-r"]
        if k is None:
            command += ["-O", folder.name]
        self._process = subprocess.Popen(
            [*command, "--mr_mira_compat", *options],
            cwd=config.parent,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,  # Ctrl-C stops what learns, which then ends cdec
        )
        self._complaints: deque[str] = deque(maxlen=20)
        assert self._process.stderr is not None
        self._listener = threading.Thread(
            target=_listen, args=(self._process.stderr, self._complaints), daemon=True
        )
        self._listener.start()
        self._end = weakref.finalize(self, _end, os.getpid(), self._process, self._listener, folder)
        self._turn = threading.Lock()

    def translate(
        self,
        source: str | Lattice | Segment,
        grammar: str | SentenceGrammar = "",
        *,
        reference: str | Lattice | None = None,
    ) -> Hypergraph | CdecTranslation:
        """Translate a sentence or lattice.

        A segment's index is cdec's number of the sentence and selects the line in files that belong to the
        input. Attributes of the segment's tag are passed on.

        Parameters
        ----------
        grammar : str or SentenceGrammar
            Rules for this sentence only, in cdec's text form or from an extractor.
        reference : str or Lattice, optional
            Only derivations of these target words, among those of the forest, as in cdec's forced decoding.

        Returns
        -------
        Hypergraph or CdecTranslation
            The forest, its scores by the present weights; the k-best list of a process with `k`.

        Raises
        ------
        ParseFailed
            No derivation covers the input, or none in the forest has the words of the reference.
        InputError
            cdec has ended; the message contains its last output. Or a process with `k` is given a reference.
        """
        if reference is not None and self.k is not None:
            raise CdecCannot("cdec writes no k-best list in forced decoding: start CdecProcess without k")
        segment = Segment.from_input(source)
        if segment.length == 0:
            raise ParseFailed(
                f"no derivation covers sentence {segment.number}: it is empty", path=segment.where
            )
        check_length(segment, self.max_words)
        with self._turn:
            path = None
            text = grammar if isinstance(grammar, str) else grammar.text()
            if segment.rules is not None:
                text = segment.rules.text() + text
            if text:
                path = str(self._folder / "grammar")
                Path(path).write_text(text, "utf-8")
            forest = self._folder / f"{segment.index}.bin.gz"
            if self.k is None:
                forest.unlink(missing_ok=True)  # cdec would join both forests
            lines = self._ask(segment_line(segment, grammar=path, delta=self._send_weights()), segment)
            if self.k is not None:
                return self._listed(lines, segment)
            try:
                result = forest_of(forest, self.weights, without=LIVE_SCORE)
            finally:
                forest.unlink(missing_ok=True)
        if reference is not None and not result.intersect(reference):
            raise ParseFailed(
                f"no derivation of sentence {segment.number} yields the reference", path=segment.where
            )
        return result

    def _listed(self, lines: list[str], segment: Segment) -> CdecTranslation:
        try:
            hypotheses = [Hypothesis.parse(text) for text in lines if text]
        except ValueError as error:
            raise InputError(f"expected a k-best list from cdec: {error}", path=segment.where) from None
        for hypothesis in hypotheses:
            hypothesis.features.pop(LIVE_SCORE, None)
        assert self.k is not None
        return CdecTranslation(
            k_best_list(hypotheses, self.weights),
            np.array([hypothesis.score for hypothesis in hypotheses]),
            self.weights,
            source_length=segment.length,
            k=self.k,
        )

    def translate_all(
        self, sources: Iterable[str | Lattice | Segment], *, threads: int = 1
    ) -> Iterator[Hypergraph | CdecTranslation]:
        """Translate many sentences in order, one at a time.

        Raises
        ------
        InputError
            `threads` is not 1; or, during the iteration, a sentence could not be translated.
        """
        if threads != 1:
            raise CdecCannot("one cdec translates one sentence at a time: expected threads=1")
        segments = (Segment.from_input(source, index=i) for i, source in enumerate(sources))
        return map(self.translate, segments)

    def parse(self, source: str | Lattice | Segment, grammar: str | SentenceGrammar = "") -> Hypergraph:
        """Raise an error: cdec writes no forest before its language models have scored it.

        Raises
        ------
        InputError
            Always.
        """
        raise CdecCannot(
            "cdec gives forests after rescoring only: use translate, or hopefear.Decoder to parse alone"
        )

    def close(self) -> None:
        """End cdec."""
        self._end()

    def __enter__(self) -> CdecProcess:
        """Return the object itself; cdec ends with the block."""
        return self

    def __exit__(self, *exception: object) -> None:
        """End cdec."""
        self.close()

    def _send_weights(self) -> dict[str, float]:
        """Write the live weights that changed, and return the changes of all other weights."""
        wanted = self.weights.array
        there = np.zeros(len(wanted))
        there[: len(self._there)] = self._there
        self._there = there
        scored = self._names.names() if self._names is not None else set()
        delta, live = {}, {}
        # Differences that are only rounding are not sent.
        for feature in np.flatnonzero(np.abs(wanted - there) > _ROUNDING * np.abs(wanted)).tolist():
            name = self.weights.name(feature)
            change = float(wanted[feature] - there[feature])
            there[feature] += change  # as cdec itself rounds it
            if name in scored:
                live[name] = self._live_values[name] = self._live_values.get(name, 0.0) + change
            else:
                delta[name] = change
        if live and self._live is not None:
            self._live.update(live)
        return delta

    def _factory(self) -> Callable[[], CdecProcess]:
        if self._live is not None:
            raise InputError("a CdecProcess with live weights cannot be copied: the cdec.ini names one file")
        return partial(self._again, weights=self.weights)

    def _ask(self, line: str, segment: Segment) -> list[str]:
        """Send a line of input to cdec and read the lines of the k-best list that cdec returns."""
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None and stdout is not None
        if stdin.closed:
            raise InputError("the CdecProcess is closed, it cannot translate", path=segment.where)
        try:
            stdin.write(line.encode("utf-8", "surrogateescape"))
            stdin.flush()
        except BrokenPipeError:
            raise self._ended(segment) from None
        first = self._line(segment)
        if not first:
            raise ParseFailed(f"no derivation covers sentence {segment.number}", path=segment.where)
        if not is_whole(first):
            message = f"expected the length of a k-best list from cdec, got {first[:80]!r}"
            raise InputError(message, path=segment.where)
        return [self._line(segment) for _ in range(int(first))]

    def _line(self, segment: Segment) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise self._ended(segment)
        return line.decode("utf-8", "surrogateescape").rstrip("\n")

    def _ended(self, segment: Segment) -> InputError:
        status = self._process.wait()
        self._listener.join()
        last = "".join(self._complaints).rstrip(BLANK)
        message = f"cdec ended at sentence {segment.number} with status {status}; its last output:\n{last}"
        return InputError(message, path=segment.where)


def _listen(stream: IO[bytes], complaints: deque[str]) -> None:
    """Read cdec's standard error, so that the pipe never fills, and keep the last lines."""
    for line in stream:
        complaints.append(line.decode("utf-8", "replace"))


def _end(
    owner: int,
    process: subprocess.Popen[bytes],
    listener: threading.Thread,
    folder: tempfile.TemporaryDirectory[str],
) -> None:
    """End cdec, in the process that started it."""
    if os.getpid() != owner:
        return
    assert process.stdin is not None
    with contextlib.suppress(BrokenPipeError):
        process.stdin.close()
    process.wait()
    listener.join()
    for stream in (process.stdout, process.stderr):
        assert stream is not None
        stream.close()
    folder.cleanup()


def _initial_weights(
    config: Path, initial: Weights | str | os.PathLike[str] | Mapping[str, float] | None
) -> Weights:
    if isinstance(initial, Weights):
        return initial
    if isinstance(initial, Mapping):
        return Weights(initial)
    weights = Weights()
    if initial is not None:
        weights.read(initial)
        return weights
    if (path := weights_of(config)) is not None:
        weights.read(path)
    return weights


def weights_of(config: Path) -> Path | None:
    """Return the file of weights that a cdec.ini names, which may have options that only cdec knows.

    Raises
    ------
    InputError
        The cdec.ini cannot be read.
    """
    try:
        lines = config.read_text("utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"cannot be read: {reason}", path=config) from None
    for line in lines:
        name, _, value = line.split("#", 1)[0].partition("=")
        if name.strip(BLANK) == "weights":
            return config.parent / value.strip(BLANK)
    return None


def _write_weights(path: Path, weights: Mapping[str, float]) -> None:
    # Tabs: otherwise cdec splits the line at the last equals sign. A comment: cdec refuses an empty file.
    lines = ["# weights", *(f"{name}\t{value!r}" for name, value in weights.items())]
    path.write_bytes(("\n".join(lines) + "\n").encode("utf-8", "surrogateescape"))
