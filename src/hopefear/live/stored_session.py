"""A session whose state is in a file: nothing that was accepted is lost when its process is killed."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from types import TracebackType
from typing import Any, ClassVar

from hopefear.base import InputError
from hopefear.base.files import append_whole, cut_to_lines, locked
from hopefear.base.lines import read_lines
from hopefear.base.state import from_json
from hopefear.base.stored import parse_json
from hopefear.decoder import Hypergraph, Segment
from hopefear.tuners.contract.checkpoint import read_checkpoint, resuming, write_checkpoint

from .corrections import RuleSides
from .session import Change, LiveSession, sides

JOURNAL = ".journal"
"""What the name of the journal ends in, after the name of the state's file."""

_DIGITS = 16  # of the checksum of a line
_ANNOTATIONS = ("id", "index", "references", "tree", "tags", "dependencies", "classes", "grammars", "where")


class StoredSession:
    """A session, the file of its state, and the journal of what was accepted since the state was saved.

    A correction is written to the journal when it is accepted, before anybody is told so, and then learned.
    A session that was ended in any way goes on from the state, and learns what is in the journal once more:
    it is then as if it had never been ended. One process at a time uses the files.

    Parameters
    ----------
    session : LiveSession
        A new session.
    path : Path
        The file of the state. The journal is beside it.
    resume : bool
        Whether to go on from the files. A new session refuses files that exist.
    on_replay : callable, optional
        Called with each correction of the journal, after it was learned once more.

    Attributes
    ----------
    session : LiveSession
    replayed : int
        Corrections of the journal that were learned once more.

    Raises
    ------
    InputError
        The files exist, or, to resume, are missing or damaged, or of another system or tuner; or another
        process uses them.
    OSError
        The files cannot be written.
    """

    def __init__(
        self,
        session: LiveSession,
        path: Path,
        *,
        resume: bool = False,
        on_replay: Callable[[Segment, Change], None] | None = None,
    ) -> None:
        self.session, self._path = session, path
        self._journal = path.with_name(path.name + JOURNAL)
        self._open = ExitStack()
        taken = InputError("another session uses this file", path=path)
        if not resume and path.exists():
            raise InputError("expected a new file, got one that exists: resume it, or remove it", path=path)
        if resume and not path.exists():
            raise InputError("expected a session to resume, but there is no such file", path=path)
        self._lock = self._open.enter_context(locked(self._journal, taken))
        self.replayed = 0
        try:
            if resume:
                with resuming(path):
                    session.set_state(read_checkpoint(path))
                self._replay(on_replay)
            self.save()
        except BaseException:
            self._open.close()
            raise

    def __enter__(self) -> StoredSession:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open.close()

    def accept(self, segment: Segment) -> float:
        """Write a correction to the journal; it outlives the process from now on. `learn` is to follow.

        Returns
        -------
        float
            The time of the correction, for `learn`.

        Raises
        ------
        InputError
            The segment is a lattice or has no reference.
        OSError
            The correction cannot be written; it is not accepted.
        """
        sides(segment)
        at = self.session.now()
        saved = {name: getattr(segment, name) for name in _ANNOTATIONS}
        saved["attributes"] = dict(segment.attributes)
        self._note(
            {"number": self.session.accepted + 1, "time": float(at), "tokens": segment.tokens, **saved}
        )
        return at

    def learn(self, segment: Segment, forest: Hypergraph | None, at: float) -> Change:
        """Learn from a correction that was accepted; see `LiveSession.correct`."""
        return self.session.correct(segment, forest, at=at)

    def withdraw(self, number: int) -> None:
        """Forget the rules and n-grams of a correction; see `LiveSession.withdraw`.

        Raises
        ------
        KeyError
            There is no such correction.
        OSError
            It cannot be written that the correction is withdrawn; it stays.
        """
        self.session.corrections[number]
        self._note({"withdraw": number})
        self.session.withdraw(number)

    def withdraw_rule(self, rule: RuleSides) -> None:
        """Use a rule of corrections no more; see `LiveSession.withdraw_rule`.

        Raises
        ------
        KeyError
            No correction gave the rule, or it is withdrawn.
        OSError
            It cannot be written that the rule is withdrawn; it stays.
        """
        if not self.session.gives(rule):
            raise KeyError(rule)
        self._note_rule("withdraw_rule", rule)
        self.session.withdraw_rule(rule)

    def allow_rule(self, rule: RuleSides) -> None:
        """Use a withdrawn rule again; errors as those of `withdraw_rule`."""
        self.session.withdrawn[rule]
        self._note_rule("allow_rule", rule)
        self.session.allow_rule(rule)

    def save(self) -> None:
        """Save the state; the journal begins anew.

        Raises
        ------
        TuningError, OSError
            The state cannot be saved; the files stay as they are.
        """
        write_checkpoint(self._path, self.session.get_state())
        self._lock.truncate(0)

    def _note_rule(self, kind: str, rule: RuleSides) -> None:
        self._note({kind: rule.texts(), "after": self.session.accepted})

    def _note(self, event: dict[str, Any]) -> None:
        text = json.dumps(event, ensure_ascii=False, allow_nan=False).encode()
        append_whole(self._journal, b"%s %s\n" % (_checksum(text), text), sync=True)

    def _replay(self, on_replay: Callable[[Segment, Change], None] | None) -> None:
        cut_to_lines(self._journal)
        for where, event in self._events():
            if isinstance(event, _Withdrawn):
                # What the state does not have was withdrawn before it was saved.
                if event.number in self.session.corrections:
                    self.session.withdraw(event.number)
            elif isinstance(event, _Ruled):
                # What came before a correction of the state is in the state.
                if event.after == self.session.accepted:
                    event.replay(self.session)
            elif event.number > self.session.accepted:
                if event.number != self.session.accepted + 1:
                    message = f"expected correction {self.session.accepted + 1}, got {event.number}"
                    raise InputError(message, path=where)
                change = self.session.correct(event.segment, at=event.time)
                self.replayed += 1
                if on_replay is not None:
                    on_replay(event.segment, change)

    def _events(self) -> Iterator[tuple[str, _Accepted | _Withdrawn | _Ruled]]:
        for where, line in read_lines(self._journal):
            checksum, _, text = line.rstrip("\n").partition(" ")
            try:
                if _checksum(text.encode()) != checksum.encode():
                    raise ValueError("the checksum")
                event = parse_json(text)
                kind = next((kind for kind in (_Withdrawn, _Ruled) if kind.NAMES & event.keys()), _Accepted)
                yield where, kind.load(event)
            except (InputError, ValueError, TypeError, KeyError, AttributeError) as error:
                message = f"expected a line of a session's journal; missing or wrong: {error}"
                raise InputError(message, path=where) from None


@dataclass(frozen=True)
class _Withdrawn:
    """A correction was withdrawn."""

    NAMES: ClassVar = {"withdraw"}
    number: int

    @classmethod
    def load(cls, event: Mapping[str, Any]) -> _Withdrawn:
        return cls(from_json(int, event["withdraw"], "withdraw", least=0))


@dataclass(frozen=True)
class _Ruled:
    """A rule was withdrawn, or allowed again, after so many corrections."""

    NAMES: ClassVar = {"withdraw_rule", "allow_rule"}
    name: str
    rule: RuleSides
    after: int

    @classmethod
    def load(cls, event: Mapping[str, Any]) -> _Ruled:
        (name,) = cls.NAMES & event.keys()
        source, target = event[name]
        return cls(name, RuleSides.parse(source, target), from_json(int, event["after"], "after", least=0))

    def replay(self, session: LiveSession) -> None:
        with suppress(KeyError):  # the state may have it already
            getattr(session, self.name)(self.rule)


@dataclass(frozen=True)
class _Accepted:
    """A correction was accepted."""

    number: int
    time: float
    segment: Segment

    @classmethod
    def load(cls, event: Mapping[str, Any]) -> _Accepted:
        number, index = (from_json(int, event[name], name, least=0) for name in ("number", "index"))
        fields = {name: _plain(event[name]) for name in (*_ANNOTATIONS, "attributes")}
        texts = [fields["id"], fields["where"], fields["tree"] or "", *fields["attributes"].values()]
        if not all(isinstance(text, str) for text in texts[1:]) or type(fields["id"]) not in (int, str):
            raise ValueError("a text")
        if not all(type(head) is int for head in fields["dependencies"] or ()):
            raise ValueError("the dependencies")
        if not isinstance(event["time"], float) or not math.isfinite(event["time"]):
            raise ValueError("the time")
        segment = Segment(tuple(event["tokens"]), **{**fields, "index": index})
        sides(segment)
        return cls(number, event["time"], segment)


def _checksum(text: bytes) -> bytes:
    return sha256(text).hexdigest()[:_DIGITS].encode()


def _plain(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
