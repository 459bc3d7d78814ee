"""A session of live learning: weights, rules and an n-gram model learn from each correction."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from copy import copy
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hopefear.base import InputError, ParseFailed
from hopefear.base.state import State, restoring
from hopefear.base.typed import from_json
from hopefear.decoder import Consensus, Hypergraph, Segment, Translation, Translator, Weights
from hopefear.grammars.grammar_files import sentence
from hopefear.grammars.symmetrisation import Link
from hopefear.grammars.written_text import with_fixed_links, with_made_up
from hopefear.metrics import Ter, TooLong
from hopefear.plugins.sentence_grammar import RuleText
from hopefear.tuners.contract import OnlineLearner, TuningError, UpdateRecord

from .adapting_decoder import NEVER, AdaptingDecoder
from .aligner import LONGEST
from .corrections import Correction, Forget, RuleSides
from .events import Corrected, Event, RuleWithdrawn, Shown, TermAdded, Withdrawn, sides
from .experts import ADAPTED, CERTAIN, LEARNED, PRIOR, UNTOUCHED, Experts
from .ledger import Ledger
from .memory import TranslationMemory
from .own_case import OwnCase
from .own_glossary import OwnGlossary
from .own_joint import OwnJoint
from .own_model import OwnModel
from .own_text import OwnText
from .unknown_words import unknown_words, words_with_rules

_Key = tuple[tuple[object, ...], str, int | None]

_MOVED = 1e-9  # the least change of a weight that is no rounding error
_COST = Ter()  # its first statistic is the number of edits
_UNDONE = 50  # the latest corrections whose changes of the weights can be taken back
_FORESEEN = 4  # sentences ahead whose untouched translation is kept
_REMEMBERED = 1000  # sentences whose translations by all experts are known until they are corrected


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
    """

    correction: Correction
    update: UpdateRecord | None
    error: InputError | None


@dataclass(frozen=True, slots=True)
class Answer:
    """The translations of a sentence by the experts of a session."""

    expert: str
    forest: Hypergraph
    shown: Hypergraph
    learning: Hypergraph
    texts: dict[str, str]
    untouched: str | None


class _Untouched(NamedTuple):
    """What the untouched system says of a sentence."""

    forest: Hypergraph
    chosen: Hypergraph
    words: str
    text: str


class LiveSession:
    """A translator's session: translate a sentence, take its correction, and translate the next one better.

    Learning must not cost work. So several experts translate each sentence, from one parse, and the session
    shows the one whose translations would have cost the fewest edits so far; see `hopefear.live.experts`.

    Whatever happens in a session is an `Event`. The weights, the rules, the n-gram model and the `ledger`
    follow from the events, and so does what other readers make of them.

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
    expert : str, optional
        Show this expert always, whatever its translations cost.
    consensus : Consensus, optional
        How a translation is chosen from a forest; by default the best by the model. Learning does not change.
    clock : callable
        Returns the time of a correction, in seconds since the epoch.

    Attributes
    ----------
    ledger : Ledger
        The corrections and withdrawn rules that are in force.
    experts : Experts
        How far each expert is trusted.
    events : int
        How many events there were.
    text : OwnText or None
        The text that the rules come from; None if no rules grow.
    model : OwnModel or None
        The n-gram model of the corrections; None if none grows.
    joint : list of OwnJoint
        The caches of the decoder's joint models.
    memory : TranslationMemory
        What was translated before: the corrections, if rules grow, and what files of memories have.
    glossary : OwnGlossary
        The terms that joined in the session.
    case : OwnCase or None
        The case of words that corrections teach; None if the system's tokens have their case.
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
        forget: Forget | None = None,
        expert: str | None = None,
        consensus: Consensus | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.decoder, self.tuner = decoder, tuner
        self._forget, self._clock, self._consensus = forget or Forget(), clock, consensus
        self.ledger, self.events = Ledger(), 0
        self.experts, self._always = Experts(), expert
        if expert is not None and expert not in PRIOR:
            raise ValueError(f"expert must be one of {', '.join(PRIOR)}, got {expert!r}")
        self.text = None if decoder.text is None else OwnText(decoder.text, self.ledger)
        self._system_text = None if decoder.text is None else OwnText(decoder.text, Ledger())
        self.model = None
        if decoder.grows_model:
            self.model = OwnModel(decoder.background, decoder.ngram_model, self.ledger)
        self.joint = [OwnJoint(model, self.ledger) for model in decoder.joint_models]
        self.memory = TranslationMemory(decoder.memory, self.ledger, grows=self.text is not None)
        self.glossary = OwnGlossary(decoder.text_system, self.ledger)
        text = decoder.text_system
        self.case = OwnCase(text, self.ledger) if text is not None and text.plain else None
        parts = (self.text, self.model, *self.joint, self.memory, self.glossary, self.case)
        self._grown = [part for part in parts if part is not None]
        self.log: Callable[[Event], object] | None = None
        self.readers: list[Callable[[Event], object]] = []
        self._weights: NDArray[np.float64] = decoder.adapted()
        self._changes: dict[int, dict[str, float]] = {}  # of the weights, by the numbers of corrections
        self._answer: tuple[_Key, Answer] | None = None  # with what is learned now
        self._foreseen: dict[object, _Untouched] = {}
        self._said_of: dict[_Key, tuple[str, dict[str, str]]] = {}  # who was shown, and what all said

    def translate(self, segment: Segment, document: int | None = None) -> Hypergraph:
        """Translate a segment, of a document, with what has been learned: what `answer` shows."""
        return self.answer(segment, document).shown

    def answer(self, segment: Segment, document: int | None = None) -> Answer:
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
        self._enter()  # also for an answer that is known: who reweights its forests has the session's weights
        segment = self.decoder.segment(segment)
        key = _key(segment, document)
        if self._answer is None or self._answer[0] != key:
            answer = self._answered(segment, document)
            self._answer = key, answer
            self._said_of.pop(key, None)
            self._said_of[key] = answer.expert, answer.texts
            while len(self._said_of) > _REMEMBERED:
                del self._said_of[next(iter(self._said_of))]
        return self._answer[1]

    def _answered(self, segment: Segment, document: int | None) -> Answer:
        """Search with the weights of the experts.

        `UNTOUCHED` has a forest of its own, which `foresee` may have made. The others share one: of `ADAPTED`
        and `LEARNED` the one that is trusted more searches, and the other one says what is best there.
        `CERTAIN` searches, too, if it has rules that are not the system's.
        """
        self._enter()
        self.memory.document = document
        searching = self._searching()
        forests, chosen, texts = dict[str, Hypergraph](), dict[str, Hypergraph](), dict[str, str]()

        def say(expert: str, forest: Hypergraph) -> None:
            is_refused = expert == CERTAIN and forest.viterbi_score() < NEVER / 2
            forests[expert] = forest
            chosen[expert] = forest if is_refused else self._chosen(expert, forest)
            texts[expert] = "" if is_refused else chosen[expert].viterbi()

        untouched = "" if self._always is None else None
        is_certain = self._always is None
        if self._always is None or searching == UNTOUCHED:
            try:
                known = self._foreseen.pop(self._apart(segment), None) or self._untouched(segment)
            except ParseFailed:
                if searching == UNTOUCHED:
                    raise
                texts[UNTOUCHED] = ""
            else:
                forests[UNTOUCHED], chosen[UNTOUCHED], texts[UNTOUCHED], untouched = known
                is_certain = is_certain and self._may_be_certain(segment, known.forest)
        if searching not in forests:
            with self.decoder.parsed(segment) as search:
                say(searching, search(self._vector(searching)))
                if CERTAIN not in forests and is_certain:
                    say(CERTAIN, search(self._vector(CERTAIN)))
        learning, shown = forests[searching], self._always
        if self._always is None:
            if CERTAIN not in forests:
                for each in (forests, chosen):
                    each[CERTAIN] = each[UNTOUCHED]
                texts[CERTAIN] = texts[UNTOUCHED]
            for expert in (ADAPTED, LEARNED):
                if expert not in forests:
                    with learning.reweighted(self._vector(expert)) as forest:
                        say(expert, forest)
            shown = self.experts.best_for({name: len(text.split()) for name, text in texts.items()})
        if shown is None or shown not in forests:
            shown = CERTAIN
        forest = forests[shown]
        if shown in (ADAPTED, LEARNED) and shown != searching:
            forest.reweight()
        says = chosen[shown]
        # The untouched forest has nothing that `CERTAIN` is never to have, so it is shown as it is, unless
        # the weights learn from it.
        if says is forest and (forest is learning or forest is not forests.get(UNTOUCHED)):
            says = self._shown(shown, forest)
        if self.case is not None and shown != UNTOUCHED:
            forest, says = forest.written_by(self.case.text), says.written_by(self.case.text)
        return Answer(shown, forest, says, learning, texts, untouched)

    def _untouched(self, segment: Segment) -> _Untouched:
        """Translate with nothing of corrections and memories."""
        self.decoder.attach(self._system_text, None, (self.glossary,))
        try:
            with self.decoder.parsed(segment) as search:
                forest = search(self._vector(UNTOUCHED))
        finally:
            self._attach()
        chosen = self._chosen(UNTOUCHED, forest)
        best = chosen.best()
        return _Untouched(forest, chosen, chosen.text(best), chosen.written(best))

    def _may_be_certain(self, segment: Segment, untouched: Hypergraph) -> bool:
        """Tell whether a memory has rules for a sentence, or corrections may know its unknown words."""
        tokens, text = segment.tokens, self.text
        if tokens is None or self.memory.rules(tokens):
            return True
        if text is None:
            return False
        learned = {place for place in unknown_words(untouched) if tokens[place] in text.words}
        return bool(learned) and not learned <= words_with_rules(untouched)

    def _chosen(self, expert: str, forest: Hypergraph) -> Hypergraph:
        """Return a forest whose best derivation is that of `_shown`, which costs more without a consensus."""
        return forest if self._consensus is None else self._shown(expert, forest)

    def _shown(self, expert: str, forest: Hypergraph) -> Hypergraph:
        """Return the forest whose best derivation an expert shows.

        What it is never to have, if there is anything else, would spoil the probabilities of the rest.
        """
        if expert == CERTAIN:
            forest = copy(forest)
            forest.prune(beam_alpha=-NEVER / 2)
        return forest if self._consensus is None else forest.consensus(self._consensus)

    def _searching(self) -> str:
        """Return the expert whose weights search the forest of what corrections add."""
        if self._always is not None:
            return self._always
        if not self.ledger.accepted:
            return UNTOUCHED if self.decoder.memory is None else CERTAIN
        trust = self.experts.trust
        return max((ADAPTED, LEARNED), key=trust.__getitem__)

    def _vector(self, expert: str) -> Weights:
        """Return the weights of an expert."""
        decoder = self.decoder
        if expert == LEARNED:
            return decoder.weights
        made = {CERTAIN: decoder.certain, UNTOUCHED: decoder.untouched, ADAPTED: decoder.adapted}
        return decoder.weights.sibling(made[expert]())

    def terms(self, segment: Segment) -> dict[tuple[int, int], list[str]]:
        """Return where a sentence has terms, and their translations: of this session, then of files."""
        tokens, found = self.decoder.segment(segment).tokens or (), dict[tuple[int, int], list[str]]()
        for glossary in (self.glossary, self.decoder.glossary):
            for place, targets in [] if glossary is None else glossary.translations(tokens):
                found[place] = list(dict.fromkeys([*found.get(place, ()), *targets]))
        return dict(sorted(found.items()))

    def parse(self, segment: Segment) -> Hypergraph:
        """Return the forest of a segment without n-gram models; errors as those of `translate`."""
        self._enter()
        return self.decoder.parse(segment)

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
        self._enter()
        segment = self.decoder.segment(segment)
        key = self._apart(segment)
        if key not in self._foreseen:
            with suppress(InputError, ParseFailed):  # who asks for the answer is told
                self._foreseen[key] = self._untouched(segment)
        while len(self._foreseen) > _FORESEEN:
            del self._foreseen[next(iter(self._foreseen))]

    def _apart(self, segment: Segment) -> object:
        """Return what the untouched translation of a segment follows from."""
        return *_key(segment, None), *self.ledger.terms

    def correct(self, segment: Segment, shown: Shown | None = None) -> Change:
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
            first = " ".join(with_made_up(segment.references[0].split(), written.made_up[0]))
            segment = segment.with_references((first, *segment.references[1:]))
        source, target = sides(segment)
        document = None if shown is None or shown.place is None else shown.place[0]
        expert, texts = self._said_of.pop(_key(segment, document), (None, {}))
        if expert is not None:
            shown = replace(shown or Shown(texts[expert]), expert=expert)
        if shown is not None and shown.replaces is not None:
            texts = {}  # what an expert has learned from this very sentence is no reason to trust it
        as_written = (written.text, written.references[0]) if written and written.references else None
        links: list[Link] = []
        if self.text is not None and max(len(source), len(target)) <= LONGEST:
            links = self.decoder.align(self.text, source, target)
            if written and as_written:
                links = with_fixed_links(links, written.links[0], written.contents, written.made_up[0])
        number, at = self.ledger.accepted + 1, float(self._clock())
        old = self._forget.forgotten(self.ledger.corrections.values(), number, at)
        if segment.line or segment.text or written:  # the log keeps what is learned from
            segment = replace(segment, line="", text="", written=None)
        forgets = tuple(one.number for one in old)
        event = Corrected(
            number, at, segment, tuple(links), shown, forgets, as_written, _costs(texts, target)
        )
        self._note(event)
        return event

    def learn(self, event: Corrected) -> Change:
        """Learn from a correction that was accepted.

        A failed update of the weights is no reason not to learn the rest.
        """
        self._enter()
        if event.shown is not None and event.shown.replaces is not None:
            self._take_back(event.shown.replaces)
        before = self.decoder.weights.array.copy()
        update, error = self._learn_weights(event.segment, event.document)
        if update is not None:
            now = self.decoder.weights.array
            change = now - np.pad(before, (0, len(now) - len(before)))
            self._changes[event.number] = self.decoder.weights.named(change)
        self._changes.pop(event.number - _UNDONE, None)
        self._read(event)
        correction = self.ledger.corrections[event.number]
        longest = max(len(correction.source), len(correction.target))
        if self.text is not None and error is None and longest > LONGEST:
            message = f"no rules are learned from a sentence of more than {LONGEST} words"
            error = InputError(message, path=event.segment.where)
        return Change(correction, update, error)

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
        self.ledger.check(event)
        if isinstance(event, RuleWithdrawn) and not self.gives(event.rule):
            raise KeyError(event.rule)
        if isinstance(event, TermAdded):
            self.glossary.check(event)
        self._note(event)
        self._happen(event)

    def _happen(self, event: Event) -> None:
        """Let an event that is no correction have its effect."""
        if isinstance(event, Withdrawn):
            self._enter()
            self._take_back(event.number)
        self._read(event)

    def _take_back(self, number: int) -> None:
        """Undo what a correction has changed of the weights, if it is one of the latest."""
        for name, value in self._changes.pop(number, {}).items():
            self.decoder.weights[name] -= value
        self.decoder.keep_bounds(self.decoder.weights.array)
        self._answer = None  # searched with the weights before, as no session that is read again does

    def gives(self, rule: RuleSides) -> bool:
        """Tell whether corrections give a rule, which is not withdrawn."""
        learned = () if self.text is None else self.text.corrected_rules(rule.example())
        return any(rule == RuleSides.of(one) for one in learned)

    def learned_rules(self, segment: Segment) -> list[RuleText]:
        """List the rules of a sentence that corrections of this session gave."""
        tokens = self.decoder.segment(segment).tokens
        return [] if self.text is None or tokens is None else list(self.text.corrected_rules(tokens))

    def moved_weights(self, most: int) -> list[tuple[str, float, float]]:
        """List the features whose weights moved most since the session began: name, weight then and now."""
        self._enter()
        now, then = self.decoder.weights.array, self.decoder.adapted()
        changes = np.abs(now - then)
        found = np.argsort(-changes, kind="stable")[:most]
        names = self.decoder.weights
        return [(names.name(int(i)), float(then[i]), float(now[i])) for i in found if changes[i] > _MOVED]

    def write_weights(self, path: Path) -> None:
        """Write the weights in cdec's format, as `Weights.write` does."""
        self._enter()
        self.decoder.weights.write(path)

    def get_state(self) -> State:
        """Return what `resume` needs beside the events: ``facts`` that JSON can hold and ``arrays``."""
        self._enter()
        learned = self.tuner.live_state(self.decoder)
        changes = [[number, change] for number, change in self._changes.items()]
        session = {"events": self.events, "adapts": self._adapts(), "changes": changes}
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
        self._enter()
        history = iter(events)
        with restoring("a session"):
            saved, learned = state["facts"]["session"], state["facts"]["tuner"]
            known = from_json(int, saved["events"], "events", least=0)
            past, adapts = islice(history, known), saved["adapts"]
            changes = dict(from_json(list[tuple[int, dict[str, float]]], saved["changes"], "changes"))
        if adapts != self._adapts():
            raise InputError(f"expected a session that adapts {self._adapts()}, got {adapts}")
        self.tuner.resume(self.decoder, {"facts": learned, "arrays": state["arrays"]})
        self._changes = changes
        for where, event in past:
            with _at(where):
                self.ledger.read(event)
                self._tell(event)
        if self.events != known:
            raise InputError(f"expected the {known} events of the session, got {self.events}")
        for part in self._grown:
            part.reset()
        self._attach()
        before = self.ledger.accepted
        for where, event in history:
            with _at(where):
                self.ledger.check(event)
                self.learn(event) if isinstance(event, Corrected) else self._happen(event)
        return self.ledger.accepted - before

    def _adapts(self) -> str:
        """Say what learns beside the weights, and over how large a text."""
        rules = [] if self.decoder.text is None else [f"rules of {self.decoder.text.begin} sentence pairs"]
        models = ["an n-gram model"] if self.model is not None else []
        models += ["a joint model" if len(self.joint) == 1 else "joint models"] if self.joint else []
        return " and ".join([*rules, *models]) or "weights"

    def _enter(self) -> None:
        """Let the decoder work for this session."""
        before = self.decoder.session
        if before is self:
            return
        if isinstance(before, LiveSession):
            before._weights = self.decoder.weights.array.copy()
        self.decoder.weights.replace(self._weights)
        self.decoder.session = self
        self._attach()

    def _attach(self) -> None:
        model = None if self.model is None else self.model.native
        caches = [part.native for part in self.joint]
        self.decoder.attach(self.text, model, (self.memory, self.glossary), caches)

    def _learn_weights(
        self, segment: Segment, document: int | None
    ) -> tuple[UpdateRecord | None, InputError | None]:
        try:
            words, _, place = _key(segment, document)
            if self._answer is not None and (words, place) == self._answer[0][::2]:
                forest = self._answer[1].learning
            else:
                forest = self._answered(segment, document).learning
            forest.reweight(self.decoder.weights)
            update = learn_weights(self.tuner, self.decoder, forest, segment)
            self.decoder.keep_bounds(self.decoder.weights.array)
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
        self.experts.read(event)
        for read in self.readers:
            read(event)

    def _read(self, event: Event) -> None:
        """Let an event have its effect on rules and the n-gram model, and tell the readers."""
        if not event.derived:
            self._answer = None
        new, gone = self.ledger.read(event)
        for part in self._grown:
            part.follow(new, gone)
        if self.decoder.session is self:
            self._attach()
        self._tell(event)


def _key(segment: Segment, document: int | None) -> _Key:
    """Return what a translation follows from: the words and what is known of them, text and document."""
    words = (segment.tokens, segment.lattice, segment.tree, segment.tags, segment.dependencies)
    text = "" if segment.written is None else segment.written.text
    return (*words, segment.classes, segment.grammars), text, document


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
