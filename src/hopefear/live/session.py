"""A session of live learning: weights, rules and an n-gram model learn from each correction."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from sys import intern
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hopefear import _native
from hopefear.base import InputError, ParseFailed
from hopefear.base.texts import split_words
from hopefear.decoder import Hypergraph, Segment, Translation, Translator
from hopefear.grammars.grammar_files import sentence
from hopefear.plugins.sentence_grammar import RuleText
from hopefear.tuners.contract import OnlineLearner, TuningError, UpdateRecord
from hopefear.tuners.contract.checkpoint import State

from .adapting_decoder import AdaptingDecoder
from .aligner import LONGEST
from .corrections import Correction, Forget, OwnText, RuleSides, are_words

ORDER, DISCOUNT = 3, 0.9
"""Of the n-gram model of corrections."""

_SHORT = 100  # words of a sentence whose links are shared

_MOVED = 1e-9  # the least change of a weight that is no rounding error
_SAVED = tuple(field.name for field in fields(Correction))


@dataclass(frozen=True, slots=True)
class Change:
    """What a correction has changed.

    Attributes
    ----------
    correction : Correction
        The correction with its links; no links if its rules were not learned.
    update : UpdateRecord or None
        The change of the weights; None if there was none.
    error : InputError or None
        Why the weights, or the rules, have not changed.
    forgotten : tuple of int
        Numbers of the corrections that are forgotten now.
    """

    correction: Correction
    update: UpdateRecord | None
    error: InputError | None
    forgotten: tuple[int, ...]


class LiveSession:
    """A translator's session: translate a sentence, take its correction, and translate the next one better.

    Several sessions may use one decoder, from one thread at a time. Each has its own weights, rules and
    n-gram model; the grammar, the models and the parallel text are in memory once.

    Parameters
    ----------
    decoder : AdaptingDecoder
        Translates. A session begins with the weights that the decoder had when its first session was made.
    tuner : OnlineLearner
        Learns the weights; a session needs a tuner of its own.
    forget : Forget, optional
        Which corrections are forgotten; by default none.
    clock : callable
        Gives the time of a correction, in seconds since the epoch.

    Attributes
    ----------
    corrections : dict of int to Correction
        The corrections that have not been forgotten, by number.
    accepted : int
        The number of the latest correction.
    withdrawn : dict of RuleSides to int
        The rules that are withdrawn, each with the number of the latest correction that may have given it.
    """

    def __init__(
        self,
        decoder: AdaptingDecoder,
        tuner: OnlineLearner,
        *,
        forget: Forget | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.decoder, self.tuner = decoder, tuner
        self._forget, self._clock = forget or Forget(), clock
        self.corrections: dict[int, Correction] = {}
        self.accepted = 0
        self.withdrawn: dict[RuleSides, int] = {}
        self._text = None if decoder.text is None else OwnText(decoder.text)
        self._model = _new_model() if decoder.grows_model else None
        self._removed = 0  # sentences that the n-gram model has forgotten
        self._weights: NDArray[np.float64] = decoder.first_weights.copy()

    def now(self) -> float:
        """Give the time, in seconds since the epoch."""
        return self._clock()

    def translate(self, segment: Segment) -> Hypergraph:
        """Translate a segment with what has been learned; errors as those of `Decoder.translate`."""
        self._enter()
        return self.decoder.translate(segment)

    def parse(self, segment: Segment) -> Hypergraph:
        """Give the forest of a segment without n-gram models; errors as those of `translate`."""
        self._enter()
        return self.decoder.parse(segment)

    def prepare(self, segment: Segment) -> None:
        """Find what the system's text has for a sentence while a correction before it is still awaited.

        The sentence's translation is the same, but it comes sooner. Several threads may
        prepare sentences, also while the decoder translates.
        """
        if self.decoder.text is not None and segment.tokens is not None:
            self.decoder.text.extractor.grammar(sentence(segment))

    def correct(
        self, segment: Segment, forest: Hypergraph | None = None, *, at: float | None = None
    ) -> Change:
        """Learn from the first reference of a segment: the weights, then rules and the n-gram model.

        A failed update of the weights is no reason not to learn the rest.

        Parameters
        ----------
        segment : Segment
            A sentence; its first reference is the correction. The other references only count for the
            weights.
        forest : Hypergraph, optional
            The segment's translation by this session, after the latest correction; made if it is not given.
        at : float, optional
            The time of the correction, if it is not now.

        Raises
        ------
        InputError
            The segment is a lattice or has no reference.
        """
        source, target = sides(segment)
        self._enter()
        update, error = self._learn_weights(segment, forest)
        links: Sequence[tuple[int, int]] = ()
        if self._text is not None:
            if max(len(source), len(target)) <= LONGEST:
                links = self.decoder.align(self._text, source, target)
            elif error is None:
                message = f"no rules are learned from a sentence of more than {LONGEST} words"
                error = InputError(message, path=segment.where)
        when = self.now() if at is None else at
        self.accepted += 1
        source, target = _shared(source), _shared(target)
        correction = Correction(self.accepted, source, target, _shared_links(links), when)
        self._add(correction)
        forgotten = self._forget.forgotten(self.corrections.values(), correction)
        for old in forgotten:
            self._remove(old)
        if forgotten:
            oldest = next(iter(self.corrections))
            self._set_withdrawn({rule: at for rule, at in self.withdrawn.items() if at >= oldest})
        return Change(correction, update, error, tuple(old.number for old in forgotten))

    def withdraw(self, number: int) -> None:
        """Forget the rules and n-grams of a correction; the weights stay.

        Raises
        ------
        KeyError
            There is no such correction, or it has been forgotten.
        """
        self._remove(self.corrections[number])

    def withdraw_rule(self, rule: RuleSides) -> None:
        """Use a rule that corrections gave no more, nor rules that hold it; n-grams and weights stay.

        What the system has without corrections stays. Later corrections do not give the rule either, until
        `allow_rule` is called, or until all corrections up to the latest one that may have given the rule are
        forgotten.

        Raises
        ------
        KeyError
            No correction gave the rule, or it is withdrawn.
        """
        if not self.gives(rule):
            raise KeyError(rule)
        self._set_withdrawn({**self.withdrawn, rule: self.accepted})

    def allow_rule(self, rule: RuleSides) -> None:
        """Use a withdrawn rule again.

        Raises
        ------
        KeyError
            The rule is not withdrawn.
        """
        self.withdrawn[rule]
        self._set_withdrawn({one: at for one, at in self.withdrawn.items() if one != rule})

    def gives(self, rule: RuleSides) -> bool:
        """Tell whether corrections give a rule, which is not withdrawn."""
        learned = () if self._text is None else self._text.corrected_rules(rule.example())
        return any(rule == RuleSides.of(one) for one in learned)

    def learned_rules(self, segment: Segment) -> list[RuleText]:
        """List the rules of a sentence that corrections of this session gave."""
        tokens = segment.tokens
        return [] if self._text is None or tokens is None else list(self._text.corrected_rules(tokens))

    def moved_weights(self, most: int) -> list[tuple[str, float, float]]:
        """List the features whose weights moved most since the session began: name, weight then and now."""
        self._enter()
        now = self.decoder.weights.array
        then = np.zeros(len(now))
        then[: len(self.decoder.first_weights)] = self.decoder.first_weights
        changes = np.abs(now - then)
        found = np.argsort(-changes, kind="stable")[:most]
        names = self.decoder.weights
        return [(names.name(int(i)), float(then[i]), float(now[i])) for i in found if changes[i] > _MOVED]

    def write_weights(self, path: Path) -> None:
        """Write the weights in cdec's format, as `Weights.write` does."""
        self._enter()
        self.decoder.weights.write(path)

    def get_state(self) -> State:
        """Give what `set_state` restores: ``facts`` that JSON can hold and ``arrays``."""
        self._enter()
        learned = self.tuner.live_state(self.decoder)
        session = {
            "accepted": self.accepted,
            "adapts": self._adapts(),
            "corrections": [
                {name: getattr(correction, name) for name in _SAVED}
                for correction in self.corrections.values()
            ],
            "withdrawn": [[*rule.texts(), at] for rule, at in self.withdrawn.items()],
        }
        return {"facts": {"session": session, "tuner": learned["facts"]}, "arrays": learned["arrays"]}

    def set_state(self, state: State) -> None:
        """Go back to a state of a session over the same system with a tuner of the same settings.

        Raises
        ------
        InputError
            The state is of another system or tuner, or it is incomplete.
        """
        self._enter()
        try:
            session, learned = state["facts"]["session"], state["facts"]["tuner"]
            if session["adapts"] != self._adapts():
                message = f"expected a session that adapts {self._adapts()}, got {session['adapts']}"
                raise InputError(message)
            corrections = [_correction(saved) for saved in session["corrections"]]
            numbers = [correction.number for correction in corrections]
            accepted = session["accepted"]
            if type(accepted) is not int or numbers != sorted({*numbers}) or max([0, *numbers]) > accepted:
                raise ValueError("the numbers of the corrections")
            withdrawn = {}
            for source, target, at in session["withdrawn"]:
                if type(at) is not int or not 0 < at <= accepted or self._text is None:
                    raise ValueError("the rules that are withdrawn")
                withdrawn[RuleSides.parse(source, target)] = at
        except InputError:
            raise
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise InputError(f"expected the state of a session; missing or wrong: {error}") from None
        self.tuner.resume(self.decoder, {"facts": learned, "arrays": state["arrays"]})
        for old in list(self.corrections.values()):
            self._remove(old)
        self.accepted = accepted
        for correction in corrections:
            self._add(correction)
        self._set_withdrawn(withdrawn)

    def _adapts(self) -> str:
        """Say what learns beside the weights, and over how large a text."""
        rules = [] if self.decoder.text is None else [f"rules of {self.decoder.text.begin} sentence pairs"]
        return " and ".join([*rules, *(["an n-gram model"] if self._model is not None else [])]) or "weights"

    def _enter(self) -> None:
        """Let the decoder work for this session."""
        before = self.decoder.session
        if before is self:
            return
        if isinstance(before, LiveSession):
            before._weights = self.decoder.weights.array.copy()
        self.decoder.weights.replace(self._weights)
        self.decoder.session = self
        self.decoder.attach(self._text, self._model)

    def _learn_weights(
        self, segment: Segment, forest: Hypergraph | None
    ) -> tuple[UpdateRecord | None, InputError | None]:
        try:
            found = self.decoder.translate(segment) if forest is None else forest
            return learn_weights(self.tuner, self.decoder, found, segment), None
        except ParseFailed:
            return None, None  # nothing to learn weights from
        except InputError as error:
            return None, error

    def _add(self, correction: Correction) -> None:
        self.corrections[correction.number] = correction
        if self._text is not None and correction.links:
            self._text.add(correction)
        for rule in self.withdrawn:
            if rule.may_be_of(correction):
                self.withdrawn[rule] = correction.number
        if self._model is not None:
            words = list(correction.target)
            self._model.add(words, self.decoder.background([*words, "</s>"]))

    def _set_withdrawn(self, rules: dict[RuleSides, int]) -> None:
        if rules.keys() != self.withdrawn.keys() and self._text is not None:
            self._text.withdraw(rules)
        self.withdrawn = rules

    def _remove(self, correction: Correction) -> None:
        del self.corrections[correction.number]
        if self._text is not None and correction.links:
            self._text.remove(correction)
        if self._model is None:
            return
        self._removed += 1
        if self._removed <= len(self.corrections):
            self._model.remove(list(correction.target))
            return
        # The model's table keeps what it has forgotten: begin anew.
        self._model, self._removed = _new_model(), 0
        for kept in self.corrections.values():
            self._model.add(list(kept.target), self.decoder.background([*kept.target, "</s>"]))
        if self.decoder.session is self:
            self.decoder.attach(self._text, self._model)


def learn_weights(
    tuner: OnlineLearner, decoder: Translator, forest: Translation, segment: Segment
) -> UpdateRecord:
    """Learn the weights from a translation and its references.

    Raises
    ------
    InputError
        Nothing was learned; the message says why.
    """
    try:
        update: UpdateRecord = tuner.partial_fit(decoder, forest, segment)
    except InputError:
        raise
    except (ValueError, TuningError) as error:
        message = f"nothing is learned: {type(tuner).__name__}: {error}"
        raise InputError(message, path=segment.where) from error
    return update


def sides(segment: Segment) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Give the words of a sentence and of its correction, the first reference.

    Raises
    ------
    InputError
        The segment is a lattice or has no reference, or a text cannot hold one of the words.
    """
    if segment.tokens is None:
        raise InputError("expected a sentence, got a lattice", path=segment.where)
    if not segment.references:
        raise InputError("expected a reference", path=segment.where)
    source, target = segment.tokens, split_words(segment.references[0])
    if not are_words((*source, *target)):
        raise InputError("expected words in valid Unicode text, without blanks", path=segment.where)
    return source, target


def _shared(words: Iterable[str]) -> tuple[str, ...]:
    """Have each word in memory once, however many corrections have it."""
    return tuple(intern(str(word)) for word in words)


_LINKS: dict[tuple[int, int], tuple[int, int]] = {}


def _shared_links(links: Iterable[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Have each link in memory once, as words are; those of long sentences are few."""
    return tuple(_LINKS.setdefault(link, link) if max(link) < _SHORT else link for link in links)


def _new_model() -> _native.GrowingModel:
    return _native.GrowingModel(order=ORDER, discount=DISCOUNT, continuation=True)


def _correction(saved: Mapping[str, Any]) -> Correction:
    """Make a correction from what JSON kept of its fields."""
    number, when = saved["number"], saved["time"]
    source, target = (tuple(saved[side]) for side in ("source", "target"))
    links = tuple((int(f), int(e)) for f, e in saved["links"])
    words = are_words((*source, *target))
    if isinstance(when, float) and not np.isfinite(when):
        raise ValueError(f"the time of correction {number!r}")
    inside = all(0 <= f < len(source) and 0 <= e < len(target) for f, e in links)
    if type(number) is not int or number < 1 or not isinstance(when, (int, float)) or not words or not inside:
        raise ValueError(f"correction {number!r}")
    return Correction(number, _shared(source), _shared(target), _shared_links(links), float(when))
