"""What the sessions of a server share: the decoder, the untouched system, and what clients can ask for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from hopefear.base import InputError, ParseFailed
from hopefear.base.texts import split_words
from hopefear.decoder import Segment
from hopefear.text.documents import check_text
from hopefear.tuners.contract import OnlineLearner

from ..adapting_decoder import AdaptingDecoder
from ..corrections import Forget
from ..session import LiveSession


@dataclass(frozen=True)
class Limits:
    """What clients can ask for.

    Attributes
    ----------
    words : int
        Words of a sentence or of a correction.
    sentences : int
        Sentences of a document.
    documents : int
        Documents of a session.
    sessions : int
        Sessions of the workplace.
    """

    words: int = 200
    sentences: int = 20_000
    documents: int = 100
    sessions: int = 200


class System:
    """The translation system of all sessions.

    Parameters
    ----------
    decoder : AdaptingDecoder
        The decoder of all sessions.
    make_tuner : callable
        Makes the tuner of a session.
    forget : Forget, optional
        As for `LiveSession`.
    limits : Limits, optional
        What clients can ask for.
    languages : (str, str)
        Codes of source and target language, for exported files.

    Attributes
    ----------
    untouched : LiveSession
        A session that nothing is learned in.
    """

    def __init__(
        self,
        decoder: AdaptingDecoder,
        make_tuner: Callable[[], OnlineLearner],
        *,
        forget: Forget | None = None,
        limits: Limits | None = None,
        languages: tuple[str, str] = ("und", "und"),
    ) -> None:
        self.decoder, self._make_tuner, self._forget = decoder, make_tuner, forget
        self.limits, self.languages = limits or Limits(), languages
        self.untouched = self.new_session()

    def new_session(self) -> LiveSession:
        """Make a session with a tuner of its own."""
        return LiveSession(self.decoder, self._make_tuner(), forget=self._forget)

    def segment(self, source: str, target: str | None = None, *, id: str = "") -> Segment:
        """Make a segment from texts of a client; it is only words, whatever the text looks like.

        Raises
        ------
        InputError
            A text is empty, too long, or has control characters.
        """
        sides = [source] if target is None else [source, target]
        words = [split_words(check_text(text)) for text in sides]
        for text, name in zip(words, ("source", "translation"), strict=False):
            if not 1 <= len(text) <= self.limits.words:
                raise InputError(f"expected a {name} of 1 to {self.limits.words} words, got {len(text)}")
        return Segment(words[0], id=id, references=tuple(" ".join(text) for text in words[1:]))

    def says(self, source: str) -> str:
        """Return the translation by the untouched system."""
        return best(self.untouched, self.segment(source))

    def known_rules(self, segment: Segment) -> set[tuple[str, str]]:
        """Return the rules without nonterminals that the untouched system has for a sentence."""
        try:
            forest = self.untouched.parse(segment)
        except ParseFailed:
            return set()
        leaves = np.diff(forest.edges.tail_indptr) == 0
        rules = map(forest.native.rule, np.unique(forest.native.edge_local_rule[leaves]).tolist())
        return {(" ".join(source), " ".join(target)) for _, source, target, *_ in rules}


def best(session: LiveSession, segment: Segment) -> str:
    """Return the best translation of a segment by a session; empty if there is none."""
    try:
        return session.translate(segment).viterbi()
    except ParseFailed:
        return ""
