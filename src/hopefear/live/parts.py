"""All parts of one session, in the order in which they apply its events."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields

from hopefear.decoder import Context, Weights

from .active_corrections import ActiveCorrections
from .adapting_decoder import AdaptingDecoder
from .corrections_model import POST_EDIT_MODEL, CorrectionsModel
from .events import Event
from .experts import Experts
from .joint_model_cache import JointModelCache
from .memory import KeepsTerms, TranslationMemory
from .part import SessionPart
from .session_glossary import SessionGlossary
from .session_text import SessionText
from .session_weights import SessionWeights
from .written_form import WrittenForm


@dataclass(frozen=True)
class SessionParts:
    """What one session has, and no other session."""

    active: ActiveCorrections
    experts: Experts
    weights: SessionWeights
    memory: TranslationMemory
    glossary: SessionGlossary
    text: SessionText | None
    model: CorrectionsModel | None
    joint: tuple[JointModelCache, ...]
    written_form: WrittenForm | None

    @classmethod
    def of(cls, decoder: AdaptingDecoder, weights: Weights | None) -> SessionParts:
        """Make the parts of a new session, which begins with the decoder's weights or with others."""
        active, text, system = ActiveCorrections(), decoder.text, decoder.text_system
        glossary = SessionGlossary(system, active)
        glossaries: list[KeepsTerms] = [glossary]
        if decoder.glossary is not None:
            glossaries.append(decoder.glossary)
        experts = decoder.expert_weights if weights is None else decoder.expert_weights_of(weights)
        model = None
        if decoder.grows_model:
            feature = decoder.weights.id(POST_EDIT_MODEL)
            model = CorrectionsModel(decoder.background, decoder.ngram_model, feature, active)
        return cls(
            active=active,
            experts=Experts(),
            weights=SessionWeights(experts),
            memory=TranslationMemory(decoder.memory, active, grows=text is not None, glossaries=glossaries),
            glossary=glossary,
            text=None if text is None else SessionText(text, active),
            model=model,
            joint=tuple(
                JointModelCache(joint, name, decoder.weights.id(name), active)
                for name, joint in decoder.joint_models.items()
            ),
            written_form=None if system is None else WrittenForm(system, active),
        )

    def __iter__(self) -> Iterator[SessionPart]:
        for field in fields(self):
            value = getattr(self, field.name)
            for part in value if isinstance(value, tuple) else (value,):
                if isinstance(part, SessionPart):
                    yield part

    def apply(self, event: Event) -> None:
        """Let all parts take in an event."""
        effect = self.active.apply(event)
        for part in self:
            part.apply(effect)

    def recall(self, event: Event) -> None:
        """Take in an event from before the saved state; `reset` is to follow."""
        effect = self.active.apply(event)
        for part in self:
            part.recall(effect)

    def reset(self) -> None:
        """Make anew what follows from what is active now."""
        for part in self:
            part.reset()

    def context(self, document: int | None = None) -> Context:
        """Return the context of translations in a document: the learned weights, rules and scorers."""
        context = Context(self.weights.learned)
        for part in self:
            context = part.add_to(context, document)
        return context

    def untouched(self, text: SessionText | None) -> Context:
        """Return a context with nothing of corrections and memories, but with the session's terms."""
        context = self.glossary.add_to(Context(self.weights.learned), None)
        return context if text is None else text.add_to(context, None)
