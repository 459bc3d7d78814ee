"""The translations of a sentence by the experts of a session, and the choice of the one that is shown."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import NamedTuple

from hopefear.base import InputError, ParseFailed
from hopefear.base.cache import BoundedCache
from hopefear.base.texts import split_words
from hopefear.decoder import Consensus, Hypergraph, Segment

from .adapting_decoder import AdaptingDecoder
from .expert_weights import NEVER
from .experts import ADAPTED, CERTAIN, LEARNED, UNTOUCHED
from .parts import SessionParts
from .unknown_words import unknown_words, words_with_rules

Words = tuple[object, ...]

_FORESEEN = 4  # sentences ahead whose untouched translation is kept


@dataclass(frozen=True, slots=True)
class ExpertAnswer:
    """The translations of a sentence by the experts of a session."""

    expert: str  # that is shown
    forest: Hypergraph  # what this expert searched
    shown: Hypergraph  # whose best derivation is shown
    learning: Hypergraph  # from which the weights learn
    texts: dict[str, str]  # by expert
    untouched: str | None  # as it is written; None if the untouched system was not asked


class _Untouched(NamedTuple):
    """The translations of a sentence by the untouched system."""

    forest: Hypergraph
    chosen: Hypergraph
    words: str
    text: str


def words_of(segment: Segment) -> Words:
    """Return the words of a segment, all that is known of them, and its text."""
    words = (segment.tokens, segment.lattice, segment.tree, segment.tags, segment.dependencies)
    text = "" if segment.written is None else segment.written.text
    return (*words, segment.classes, segment.grammars), text


class ExpertSearch:
    """Translates with the experts of a session."""

    def __init__(
        self,
        decoder: AdaptingDecoder,
        parts: SessionParts,
        *,
        always: str | None,
        consensus: Consensus | None,
    ) -> None:
        self._decoder, self._parts = decoder, parts
        self._always, self._consensus = always, consensus
        self._foreseen = BoundedCache[Words, _Untouched](_FORESEEN)

    def answer(self, segment: Segment, document: int | None) -> ExpertAnswer:
        """Search with the weights of the experts.

        `UNTOUCHED` has a forest of its own, which `foresee` may have made. The others share one: of `ADAPTED`
        and `LEARNED` the one that is trusted more searches, and the other one says what is best there.
        `CERTAIN` searches, too, if it has rules that are not the system's.
        """
        searching, weights = self._searching(), self._parts.weights
        same = None
        if segment.tokens is not None and self._always != UNTOUCHED:
            same = self._parts.memory.same(segment.tokens, document, segment.written)
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
                translated = self._foreseen.pop(self._foreseen_as(segment), None) or self._untouched(segment)
            except ParseFailed:
                if searching == UNTOUCHED:
                    raise
                texts[UNTOUCHED] = ""
            else:
                forests[UNTOUCHED], chosen[UNTOUCHED], texts[UNTOUCHED], untouched = translated
                is_certain = is_certain and self._may_be_certain(segment, document, translated.forest)
        if searching not in forests:
            with self._decoder.parsed(segment, context=self._parts.context(document)) as search:
                say(searching, search(weights.of(searching)))
                if CERTAIN not in forests and is_certain:
                    say(CERTAIN, search(weights.of(CERTAIN)))
        learning, shown = forests[searching], self._always
        if self._always is None:
            if CERTAIN not in forests:
                for each in (forests, chosen):
                    each[CERTAIN] = each[UNTOUCHED]
                texts[CERTAIN] = texts[UNTOUCHED]
            for expert in (ADAPTED, LEARNED):
                if expert not in forests:
                    with learning.reweighted(weights.of(expert)) as forest:
                        say(expert, forest)
            words = {name: len(split_words(text)) for name, text in texts.items()}
            # Somebody has said how this very sentence is translated.
            shown = CERTAIN if same is not None else self._parts.experts.best_for(words)
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
        if (form := self._parts.written_form) is not None and self._always != UNTOUCHED:
            translations = {} if same is None else same.translations
            forest, says = (each.written_by(form.text, translations) for each in (forest, says))
        return ExpertAnswer(shown, forest, says, learning, texts, untouched)

    def foresee(self, segment: Segment) -> None:
        """Translate a sentence with the untouched system, which `answer` then need not do."""
        key = self._foreseen_as(segment)
        if key not in self._foreseen:
            with suppress(InputError, ParseFailed):  # who asks for the answer is told
                self._foreseen[key] = self._untouched(segment)

    def _foreseen_as(self, segment: Segment) -> Words:
        """Return what the untouched translation of a segment follows from."""
        return *words_of(segment), *self._parts.active.terms

    def _untouched(self, segment: Segment) -> _Untouched:
        """Translate with nothing of corrections and memories."""
        context = self._parts.untouched(self._decoder.system_text)
        with self._decoder.parsed(segment, context=context) as search:
            forest = search(self._parts.weights.of(UNTOUCHED))
        chosen = self._chosen(UNTOUCHED, forest)
        best = chosen.best()
        return _Untouched(forest, chosen, chosen.text(best), chosen.written(best))

    def _may_be_certain(self, segment: Segment, document: int | None, untouched: Hypergraph) -> bool:
        """Tell whether a memory has rules for a sentence, or corrections may know its unknown words."""
        tokens, text = segment.tokens, self._parts.text
        if tokens is None or self._parts.memory.rules(tokens, document, segment.written):
            return True
        if text is None:
            return False
        learned = {position for position in unknown_words(untouched) if tokens[position] in text.words}
        return bool(learned) and not learned <= words_with_rules(untouched)

    def _chosen(self, expert: str, forest: Hypergraph) -> Hypergraph:
        """Return a forest whose best derivation is that of `_shown`, which costs more without a consensus."""
        return forest if self._consensus is None else self._shown(expert, forest)

    def _shown(self, expert: str, forest: Hypergraph) -> Hypergraph:
        """Return the forest whose best derivation an expert shows."""
        if expert == CERTAIN:
            forest = replace(forest)
            forest.prune(beam_alpha=-NEVER / 2)
        return forest if self._consensus is None else forest.consensus(self._consensus)

    def _searching(self) -> str:
        """Return the expert whose weights search the forest of what corrections add."""
        if self._always is not None:
            return self._always
        if not self._parts.active.accepted:
            return CERTAIN if self._parts.memory.files else UNTOUCHED
        trust = self._parts.experts.trust
        return max((ADAPTED, LEARNED), key=trust.__getitem__)
