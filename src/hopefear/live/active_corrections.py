"""What is active of a session's corrections, rules, terms and memories."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .corrections import Correction, RuleSides
from .events import (
    Corrected,
    Event,
    MemoryAdded,
    MemoryRemoved,
    RuleRestored,
    RuleWithdrawn,
    TermAdded,
    TermRemoved,
    TermsAdded,
    Withdrawn,
)


@dataclass(frozen=True, slots=True)
class Effect:
    """An event, with the corrections that are active by it, and those that are active no more."""

    event: Event
    new: Sequence[Correction] = ()
    gone: Sequence[Correction] = ()


class ActiveCorrections:
    """The corrections, withdrawn rules, terms and memories (by name: the number of pairs) that are active."""

    def __init__(self) -> None:
        self.corrections: dict[int, Correction] = {}
        self.accepted = 0
        self.withdrawn: dict[RuleSides, int] = {}
        self.terms: dict[tuple[str, str], None] = {}
        self.memories: dict[str, int] = {}

    def check(self, event: Event) -> None:
        """Refuse an event that cannot follow on those before it."""
        match event:
            case Corrected() if event.number != self.accepted + 1:
                raise ValueError(f"expected correction {self.accepted + 1}, got {event.number}")
            case Withdrawn():
                self.corrections[event.number]
            case RuleWithdrawn() if event.rule in self.withdrawn:
                raise KeyError(event.rule)
            case RuleRestored():
                self.withdrawn[event.rule]
            case TermAdded() | TermsAdded() if known := self.terms.keys() & event.terms:
                raise KeyError(min(known))
            case TermRemoved():
                self.terms[event.term]
            case MemoryAdded() if event.name in self.memories:
                raise KeyError(event.name)
            case MemoryRemoved():
                self.memories[event.name]

    def apply(self, event: Event) -> Effect:
        """Take in an event; return it with the corrections that come and go. Errors are those of `check`."""
        self.check(event)
        match event:
            case Corrected():
                return self._add(event)
            case Withdrawn():
                return Effect(event, gone=[self.corrections.pop(event.number)])
            case RuleWithdrawn():
                self.withdrawn[event.rule] = self.accepted
            case RuleRestored():
                del self.withdrawn[event.rule]
            case TermRemoved():
                del self.terms[event.term]
            case TermAdded() | TermsAdded():
                self.terms.update(dict.fromkeys(event.terms))
            case MemoryAdded():
                self.memories[event.name] = len(event.entries)
            case MemoryRemoved():
                del self.memories[event.name]
        return Effect(event)

    def _add(self, event: Corrected) -> Effect:
        self.accepted = event.number
        new = self.corrections[event.number] = event.correction()
        for rule in self.withdrawn:
            if rule.may_be_of(new):
                self.withdrawn[rule] = new.number
        gone = [self.corrections.pop(number) for number in event.forgets]
        if gone:
            oldest = next(iter(self.corrections))
            self.withdrawn = {rule: at for rule, at in self.withdrawn.items() if at >= oldest}
        if event.shown is not None and event.shown.replaces in self.corrections:
            gone.append(self.corrections.pop(event.shown.replaces))
        return Effect(event, [new], gone)
