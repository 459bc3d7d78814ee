"""A session of live learning: weights, rules and an n-gram model learn from each correction."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice

from hopefear.base import InputError, ParseFailed
from hopefear.base.cache import BoundedCache
from hopefear.base.state import State, fact, load, restoring, save
from hopefear.base.texts import split_words
from hopefear.decoder import (
    Consensus,
    DecoderInContext,
    Hypergraph,
    Segment,
    Translation,
    Translator,
    Weights,
)
from hopefear.grammars.grammar_files import sentence
from hopefear.grammars.symmetrisation import Link
from hopefear.grammars.written_text import with_fixed_links, with_made_up
from hopefear.metrics import Ter, TooLong
from hopefear.plugins.sentence_grammar import RuleText
from hopefear.tuners.contract import OnlineLearner, TuningError, UpdateRecord

from .adapting_decoder import AdaptingDecoder
from .aligner import LONGEST
from .corrections import Correction, Forget, RuleSides
from .events import Corrected, Event, RuleWithdrawn, Shown, TermAdded, TermsAdded, sides
from .expert_search import ExpertAnswer, ExpertSearch, Words, words_of
from .experts import PRIOR
from .parts import SessionParts
from .session_weights import WeightChange

_Key = tuple[Words, int | None]

_COST = Ter()  # its first statistic is the number of edits
_REMEMBERED = 1000  # sentences whose translations by all experts are known until they are corrected


@dataclass(frozen=True, slots=True)
class CorrectionChange:
    """What a correction has changed.

    Attributes
    ----------
    correction : Correction
        The correction with its links; no links if its rules were not learned.
    update : UpdateRecord or None
        The change of the weights; None if there was none.
    error : InputError or None
        Why the weights, or the rules, have not changed.
    """

    correction: Correction
    update: UpdateRecord | None
    error: InputError | None


@dataclass
class _SavedSession:
    """What is saved of a session beside its events and the state of its tuner."""

    events: int = fact(0, least=0, init=True)
    adapts: str = fact("", init=True)
    changes: list[WeightChange] = fact([], init=True)


class LiveSession:
    """A translator's session: translate a sentence, take its correction, and translate the next one better.

    Learning must not cost work. So several experts translate each sentence, from one parse, and the session
    shows the one whose translations would have cost the fewest edits so far; see `hopefear.live.experts`.

    Whatever happens in a session is an `Event`. The `parts` of the session follow from the events, and so
    does what other readers make of them.

    Sessions share a decoder, which they do not change: the grammar, the models and the parallel text are in
    memory once. Sessions of one decoder may be used in turn, or each by a thread of its own.

    Parameters
    ----------
    tuner : OnlineLearner
        Learns the weights; a session needs a tuner of its own.
    weights : Weights, optional
        What the session begins with, such as the weights of another session of the decoder; by default the
        weights that the decoder had when it was made.
    forget : Forget, optional
        Which corrections are forgotten; by default none.
    expert : str, optional
        Show this expert always, whatever its translations cost.
    consensus : Consensus, optional
        How a translation is chosen from a forest; by default the best by the model. Learning does not change.
    clock : callable
        Returns the time of a correction, in seconds since the epoch.

    Attributes
    ----------
    weights : Weights
        The learned weights.
    parts : SessionParts
        What the session has beside the decoder.
    active : ActiveCorrections
        The corrections, withdrawn rules and terms that are active.
    memory : TranslationMemory
        What was translated before: the corrections, if rules grow, and what files of memories have.
    text : SessionText or None
        The text that the rules come from; None if no rules grow.
    events : int
        How many events there were.
    log : callable or None
        Called with each event before it has any effect; None if no log is kept.
    readers : list of callable
        Called with each event, after it had its effect on the session.
    """

    def __init__(
        self,
        decoder: AdaptingDecoder,
        tuner: OnlineLearner,
        *,
        weights: Weights | None = None,
        forget: Forget | None = None,
        expert: str | None = None,
        consensus: Consensus | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        if expert is not None and expert not in PRIOR:
            raise ValueError(f"expert must be one of {', '.join(PRIOR)}, got {expert!r}")
        self.decoder, self.tuner = decoder, tuner
        self._forget, self._clock = forget or Forget(), clock
        self.parts = SessionParts.of(decoder, weights)
        self.active, self.memory, self.text = self.parts.active, self.parts.memory, self.parts.text
        self.weights, self.events = self.parts.weights.learned, 0
        self._search = ExpertSearch(decoder, self.parts, always=expert, consensus=consensus)
        self.log: Callable[[Event], object] | None = None
        self.readers: list[Callable[[Event], object]] = []
        self._answer: tuple[_Key, ExpertAnswer] | None = None  # with what is learned now
        # Who was shown, and what all said.
        self._said_of = BoundedCache[_Key, tuple[str, dict[str, str]]](_REMEMBERED)

    def translate(self, segment: Segment, document: int | None = None) -> Hypergraph:
        """Translate a segment, of a document, with what has been learned: what `answer` shows."""
        return self.answer(segment, document).shown

    def answer(self, segment: Segment, document: int | None = None) -> ExpertAnswer:
        """Translate a segment with each expert.

        Parameters
        ----------
        document : int, optional
            The number of its document: what was corrected in it comes before what was corrected elsewhere.

        Raises
        ------
        InputError, ParseFailed
            As in `Decoder.translate`.
        """
        segment = self.decoder.segment(segment)
        key = words_of(segment), document
        if self._answer is None or self._answer[0] != key:
            answer = self._search.answer(segment, document)
            self._answer = key, answer
            self._said_of[key] = answer.expert, answer.texts
        return self._answer[1]

    def skim(self, segment: Segment, document: int | None = None) -> str:
        """Return what `answer` would show, as it is written, and leave the latest answer as it is."""
        return self._search.answer(self.decoder.segment(segment), document).shown.written()

    def terms(self, segment: Segment) -> dict[tuple[int, int], list[str]]:
        """Return where a sentence has terms, and their translations: of this session, then of files.

        A term in another inflection counts where no term stands.
        """
        tokens, translations = self.decoder.segment(segment).tokens or (), dict[tuple[int, int], list[str]]()
        glossaries = [each for each in (self.parts.glossary, self.decoder.glossary) if each is not None]
        for glossary in glossaries:
            for span, targets in glossary.translations(tokens):
                translations[span] = list(dict.fromkeys([*translations.get(span, ()), *targets]))
        taken = [*translations]
        for glossary in glossaries:
            for (begin, end), targets in glossary.inflected(tokens):
                if all(end <= first or last <= begin for first, last in taken):
                    others = translations.get((begin, end), [])
                    translations[begin, end] = list(dict.fromkeys([*others, *targets]))
        return dict(sorted(translations.items()))

    def parse(self, segment: Segment) -> Hypergraph:
        """Return the forest of a segment without n-gram models; errors as those of `translate`."""
        return self.decoder.parse(segment, context=self.parts.context())

    def prepare(self, segment: Segment) -> None:
        """Find what the system's text has for a sentence while a correction before it is still awaited.

        The sentence's translation is the same, but it comes sooner. Several threads may
        prepare sentences, also while the decoder translates.
        """
        segment = self.decoder.segment(segment)
        if self.decoder.text is not None and segment.tokens is not None:
            self.decoder.text.extractor.grammar(sentence(segment))

    def foresee(self, segment: Segment) -> None:
        """Translate a sentence with the untouched system while a correction before it is still awaited.

        No correction changes this translation, so `answer` need not search for it.
        """
        self._search.foresee(self.decoder.segment(segment))

    def correct(self, segment: Segment, shown: Shown | None = None) -> CorrectionChange:
        """Accept a correction and learn from it: the weights, then rules and the n-gram model.

        Parameters
        ----------
        segment : Segment
            A sentence; its first reference is the correction. The other references only count for the
            weights. With a decoder of text as written, all are as they are written.
        shown : Shown, optional
            What was corrected.

        Raises
        ------
        InputError
            The segment is a lattice or has no reference.
        OSError
            The correction cannot be written to the log; it is not accepted.
        """
        return self.learn(self.accept(segment, shown))

    def accept(self, segment: Segment, shown: Shown | None = None) -> Corrected:
        """Write a correction to the log: it outlives the process from now on. `learn` is to follow.

        Parameters and errors are those of `correct`.
        """
        segment = self.decoder.segment(segment)
        written = segment.written
        if written and written.made_up and written.made_up[0]:
            first = " ".join(with_made_up(split_words(segment.references[0]), written.made_up[0]))
            segment = segment.with_references((first, *segment.references[1:]))
        source, target = sides(segment)
        document = None if shown is None or shown.place is None else shown.place[0]
        expert, texts = self._said_of.pop((words_of(segment), document), (None, {}))
        if expert is not None:
            shown = replace(shown or Shown(texts[expert]), expert=expert)
        if shown is not None and shown.replaces is not None:
            texts = {}  # what an expert has learned from this very sentence is no reason to trust it
        as_written = (written.text, written.references[0]) if written and written.references else None
        links: list[Link] = []
        if self.text is not None and max(len(source), len(target)) <= LONGEST:
            links = self.text.align(source, target)
            if written and as_written:
                links = with_fixed_links(links, written.links[0], written.contents, written.made_up[0])
        number, at = self.active.accepted + 1, float(self._clock())
        old = self._forget.forgotten(self.active.corrections.values(), number, at)
        if segment.line or segment.text or written:  # the log keeps what is learned from
            segment = replace(segment, line="", text="", written=None)
        forgets = tuple(correction.number for correction in old)
        event = Corrected(
            number, at, segment, tuple(links), shown, forgets, as_written, _costs(texts, target)
        )
        self._note(event)
        return event

    def learn(self, event: Corrected) -> CorrectionChange:
        """Learn from a correction that was accepted.

        A failed update of the weights is no reason not to learn the rest.
        """
        weights = self.parts.weights
        if event.shown is not None and event.shown.replaces is not None:
            weights.take_back(event.shown.replaces)
            self._answer = None  # searched with the weights before, as no session that is read again does
        update, error = self._learn_weights(event.segment, event.document)
        if update is not None:
            weights.note_update(event.number, getattr(self.tuner, "touched", None))
        weights.forget_update(event.number)
        self._apply(event)
        correction = self.active.corrections[event.number]
        longest = max(len(correction.source), len(correction.target))
        if self.text is not None and error is None and longest > LONGEST:
            message = f"no rules are learned from a sentence of more than {LONGEST} words"
            error = InputError(message, path=event.segment.where)
        return CorrectionChange(correction, update, error)

    def take(self, event: Event) -> None:
        """Let an event happen that is no correction, such as `Withdrawn`.

        Raises
        ------
        KeyError
            There is no such correction, rule or term in force; or the glossary has the term already.
        InputError
            A term has too many words.
        OSError
            The event cannot be written to the log; it has not happened.
        """
        self.active.check(event)
        if isinstance(event, RuleWithdrawn) and not self.gives(event.rule):
            raise KeyError(event.rule)
        if isinstance(event, TermAdded | TermsAdded):
            self.parts.glossary.check(event.terms)
        self._note(event)
        self._apply(event)

    def gives(self, rule: RuleSides) -> bool:
        """Tell whether corrections give a rule, which is not withdrawn."""
        learned = () if self.text is None else self.text.corrected_rules(rule.example())
        return any(rule == RuleSides.of(learned_rule) for learned_rule in learned)

    def learned_rules(self, segment: Segment) -> list[RuleText]:
        """List the rules of a sentence that corrections of this session gave."""
        tokens = self.decoder.segment(segment).tokens
        return [] if self.text is None or tokens is None else list(self.text.corrected_rules(tokens))

    def moved_weights(self, most: int) -> list[tuple[str, float, float]]:
        """List the features whose weights moved most since the session began: name, weight then and now."""
        return self.parts.weights.moved(most)

    def get_state(self) -> State:
        """Return what `resume` needs beside the events: ``facts`` that JSON can hold and ``arrays``."""
        learned = self.tuner.live_state(self._translator())
        session = save(_SavedSession(self.events, self._adapts(), self.parts.weights.changes()))["facts"]
        return {"facts": {"session": session, "tuner": learned["facts"]}, "arrays": learned["arrays"]}

    def resume(self, state: State, events: Iterable[tuple[str, Event]]) -> int:
        """Let a new session go on from a state of one over the same system with a tuner of the same settings.

        Parameters
        ----------
        state : dict
            From `get_state`.
        events : iterable of (str, Event)
            All events of the session, each with its file and line. From those after the state, the session
            learns once more.

        Returns
        -------
        int
            How many corrections the session has learned from once more.

        Raises
        ------
        InputError
            The state is of another system or tuner, or it is damaged; or an event does not follow on those
            before it.
        """
        history, saved = iter(events), _SavedSession()
        with restoring("a session"):
            learned = state["facts"]["tuner"]
            load(saved, {"facts": state["facts"]["session"], "arrays": {}}, what="a session")
            past = islice(history, saved.events)
        if saved.adapts != self._adapts():
            raise InputError(f"expected a session that adapts {self._adapts()}, got {saved.adapts}")
        self.tuner.resume(self._translator(), {"facts": learned, "arrays": state["arrays"]})
        self.parts.weights.go_on_from(saved.changes)
        for where, event in past:
            with _at(where):
                self.parts.recall(event)
                self._tell(event)
        if self.events != saved.events:
            raise InputError(f"expected the {saved.events} events of the session, got {self.events}")
        self.parts.reset()
        before = self.active.accepted
        for where, event in history:
            with _at(where):
                self.active.check(event)
                self.learn(event) if isinstance(event, Corrected) else self._apply(event)
        return self.active.accepted - before

    def _adapts(self) -> str:
        """Say what learns beside the weights, and over how large a text."""
        rules = [] if self.decoder.text is None else [f"rules of {self.decoder.text.begin} sentence pairs"]
        joint = self.parts.joint
        models = ["an n-gram model"] if self.parts.model is not None else []
        models += ["a joint model" if len(joint) == 1 else "joint models"] if joint else []
        return " and ".join([*rules, *models]) or "weights"

    def _translator(self, document: int | None = None) -> Translator:
        """Return the decoder in the context of the session."""
        return DecoderInContext(self.decoder, self.parts.context(document))

    def _learn_weights(
        self, segment: Segment, document: int | None
    ) -> tuple[UpdateRecord | None, InputError | None]:
        try:
            words, latest = words_of(segment), self._answer
            # The log has no text, from which the words were made.
            if latest is not None and (words[0], document) == (latest[0][0][0], latest[0][1]):
                forest = latest[1].learning
            else:
                forest = self._search.answer(segment, document).learning
            forest.reweight(self.weights)
            update = learn_weights(self.tuner, self._translator(document), forest, segment)
            self.parts.weights.keep_bounds()
            return update, None
        except ParseFailed:
            return None, None  # nothing to learn weights from
        except InputError as error:
            return None, error

    def _note(self, event: Event) -> None:
        if self.log is not None:
            self.log(event)

    def _tell(self, event: Event) -> None:
        self.events += 1
        for read in self.readers:
            read(event)

    def _apply(self, event: Event) -> None:
        """Let an event have its effect on the parts, and tell the readers."""
        if not event.derived:
            self._answer = None
        self.parts.apply(event)
        self._tell(event)


def _costs(texts: Mapping[str, str], target: Sequence[str]) -> dict[str, float]:
    """Return the edits from what each expert said to a correction; empty if that is too long to count."""
    try:
        edits = {text: float(_COST.stats(text, [target])[0]) for text in {*texts.values()}}
    except TooLong:
        return {}
    return {name: edits[text] for name, text in texts.items()}


@contextmanager
def _at(where: str) -> Iterator[None]:
    """Let errors about an event name its line."""
    try:
        yield
    except (LookupError, ValueError) as error:
        message = f"the event does not follow on those before it: {error}"
        raise InputError(message, path=where) from error


def learn_weights(
    tuner: OnlineLearner, decoder: Translator, forest: Translation, segment: Segment
) -> UpdateRecord:
    """Learn the weights from a translation and its references."""
    try:
        update: UpdateRecord = tuner.partial_fit(decoder, forest, segment)
    except InputError:
        raise
    except (ValueError, TuningError) as error:
        message = f"nothing is learned: {type(tuner).__name__}: {error}"
        raise InputError(message, path=segment.where) from error
    return update
