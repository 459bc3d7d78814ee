"""The sessions of translators over one decoder: documents, translations, corrections."""

from __future__ import annotations

import base64
import json
import os
import re
import secrets
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from hopefear.base import InputError, ParseFailed
from hopefear.base.files import alone_in, append_whole, cut_to_lines, written_whole
from hopefear.base.lines import read_lines
from hopefear.base.stored import parse_json
from hopefear.base.texts import split_words
from hopefear.decoder import Hypergraph, Segment
from hopefear.decoder.views import Alternative, alternatives, derivation_svg, derivation_tree
from hopefear.tuners.contract import OnlineLearner

from ..adapting_decoder import AdaptingDecoder
from ..corrections import Forget, RuleSides
from ..session import Change, LiveSession
from ..stored_session import StoredSession
from .documents import Document, check_text, tmx
from .measures import SIZE, Progress, statistics
from .translations import nbest, phrases, unknown_words

LOCK = "serve.lock"
_STATE, _ABOUT, _LOG = "state", "about.json", "log.jsonl"
_DOCUMENT = "document-{}.json"
_ID = re.compile("[0-9a-f]{12}")
_SAVE_EVERY, _SAVE_SHARE = 25, 1 / 40
"""The state is saved after so many corrections, or after this share of those it has, if that is more."""

_UNSETTLED = 8  # corrections that may wait to be measured
_SHOWN_RULES, _SHOWN_WEIGHTS, _SHOWN_CORRECTIONS = 6, 12, 30
_LONGEST_RULE = 4  # source words of a rule that is shown


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


class Conflict(Exception):
    """Somebody else corrected the sentence in the meantime."""


class NotFound(Exception):
    """There is no such session, document, sentence or correction."""


@dataclass(slots=True)
class Sentence:
    """A sentence of a document.

    Attributes
    ----------
    source : str
        The words.
    target : str or None
        The correction; None before there is one.
    revision : int
        How often it was corrected.
    number : int or None
        The number of the latest correction in the session.
    shown, untouched : str or None
        The latest translation, and that of the untouched system, until the sentence is corrected.
    """

    source: str
    target: str | None = None
    revision: int = 0
    number: int | None = None
    shown: str | None = None
    untouched: str | None = None


@dataclass(slots=True)
class OpenDocument:
    """A document of a session."""

    number: int
    name: str
    format: str
    path: Path
    sentences: list[Sentence]

    def record(self) -> dict[str, Any]:
        """Give what is known of the document, without its sentences."""
        corrected = sum(one.target is not None for one in self.sentences)
        size = len(self.sentences)
        return {
            "number": self.number,
            "name": self.name,
            "format": self.format,
            "sentences": size,
            "corrected": corrected,
        }

    def load(self) -> Document:
        """Read the document as it came."""
        saved = parse_json(self.path.read_text("utf-8"))
        content = base64.b64decode(saved["content"])
        return Document(saved["name"], saved["format"], content, tuple(saved["sentences"]))


@dataclass(slots=True)
class Unsettled:
    """A correction that is learned, but not yet measured and logged."""

    number: int
    time: float
    source: str
    target: str
    shown: str
    untouched: str | None
    document: int | None
    index: int | None
    rules: list[tuple[str, str]] = field(default_factory=list)
    statistics: list[float] = field(default_factory=list)


class Workplace:
    """Sessions over one decoder, in a folder that one process at a time uses.

    No method is safe to call from several threads at once: the decoder works for one session at a time.

    Parameters
    ----------
    decoder : AdaptingDecoder
        The decoder of all sessions.
    make_tuner : callable
        Makes the tuner of a session.
    folder : Path
        The folder, created if it is missing.
    forget : Forget, optional
        As for `LiveSession`.
    limits : Limits
        What clients can ask for.
    languages : (str, str)
        Codes of source and target language, for exported files.

    Raises
    ------
    InputError
        Another process uses the folder.
    OSError
        The folder cannot be written.
    """

    def __init__(
        self,
        decoder: AdaptingDecoder,
        make_tuner: Callable[[], OnlineLearner],
        folder: Path,
        *,
        forget: Forget | None = None,
        limits: Limits | None = None,
        languages: tuple[str, str] = ("und", "und"),
    ) -> None:
        self.decoder, self.make_tuner = decoder, make_tuner
        self.forget, self.limits, self.languages = forget, limits or Limits(), languages
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self._works: dict[str, Work] = {}
        self._closing = ExitStack()
        self._closing.enter_context(alone_in(folder, LOCK, "server"))
        self.untouched = LiveSession(decoder, make_tuner())

    def close(self) -> None:
        """Save all sessions and let other processes use the folder."""
        for work in self._works.values():
            self._closing.callback(work.close)
        self._closing.close()

    def sessions(self) -> list[dict[str, Any]]:
        """List the sessions, the oldest first."""
        found = []
        for path in self.folder.iterdir():
            if _ID.fullmatch(path.name) and (path / _ABOUT).is_file():
                found.append({"id": path.name, **parse_json((path / _ABOUT).read_text("utf-8"))})
        return sorted(found, key=lambda one: (one["created"], one["id"]))

    def create(self, name: str) -> Work:
        """Make a new session."""
        if len(self.sessions()) >= self.limits.sessions:
            raise InputError(f"expected at most {self.limits.sessions} sessions: remove one first")
        name = check_text(" ".join(name.split())[:100], where="the name") or "Session"
        folder = self.folder / secrets.token_hex(6)
        folder.mkdir()
        about = {"name": name, "created": time.time()}
        with written_whole(folder / _ABOUT) as path:
            path.write_text(json.dumps(about), "utf-8")
        return self.open(folder.name)

    def open(self, name: str) -> Work:
        """Give a session; it is read from its files if this process has not used it yet.

        Raises
        ------
        NotFound
            There is no such session.
        InputError
            Its files are damaged, or of another system or tuner.
        """
        if name not in self._works:
            folder = self.folder / name
            if not _ID.fullmatch(name) or not (folder / _ABOUT).is_file():
                raise NotFound("session")
            self._works[name] = Work(self, folder)
        return self._works[name]

    def remove(self, name: str) -> None:
        """Delete a session with all its files."""
        if not _ID.fullmatch(name) or not (self.folder / name / _ABOUT).is_file():
            raise NotFound("session")
        if name in self._works:
            self._works.pop(name).close()
        shutil.rmtree(self.folder / name)

    def known_rules(self, segment: Segment) -> set[tuple[str, str]]:
        """Give the rules without nonterminals that the untouched system has for a sentence."""
        try:
            forest = self.untouched.parse(segment)
        except ParseFailed:
            return set()
        leaves = np.diff(forest.edges.tail_indptr) == 0
        rules = map(forest.native.rule, np.unique(forest.native.edge_local_rule[leaves]).tolist())
        return {(" ".join(source), " ".join(target)) for _, source, target, *_ in rules}


class Work:
    """One session: its documents, and what it has learned."""

    def __init__(self, place: Workplace, folder: Path) -> None:
        self._place, self._folder = place, folder
        self.about = {"id": folder.name, **parse_json((folder / _ABOUT).read_text("utf-8"))}
        self.documents: dict[int, OpenDocument] = {}
        self._progress = Progress()
        self._rules: dict[int, str] = {}  # new by a correction; lines of two sides take the least memory
        self._unsettled: list[Unsettled] = []
        self._logged = 0  # number of the latest correction in the log
        self._unsaved = 0
        self._forest: tuple[tuple[int, int, int], Segment, Hypergraph] | None = None
        self._ahead: tuple[int, int] | None = None  # the sentence behind the one that was shown last
        self._read_documents()
        if (folder / _LOG).exists():
            cut_to_lines(folder / _LOG)
            for record in self._read_log():
                self._count(record)
        state = folder / _STATE
        self.session = LiveSession(place.decoder, place.make_tuner(), forget=place.forget)
        self.stored = StoredSession(self.session, state, resume=state.exists(), on_replay=self._replayed)

    def close(self) -> None:
        """Save the state and close the files."""
        with self.stored:
            self._save()

    # documents

    def add(self, document: Document) -> OpenDocument:
        """Add a document."""
        limits = self._place.limits
        if len(self.documents) >= limits.documents:
            raise InputError(f"expected at most {limits.documents} documents in a session")
        if len(document.sentences) > limits.sentences:
            message = f"expected at most {limits.sentences} sentences, got {len(document.sentences)}"
            raise InputError(message, path=document.name)
        number = max(self.documents, default=0) + 1
        path = self._folder / _DOCUMENT.format(number)
        saved = {
            "name": document.name,
            "format": document.format,
            "content": base64.b64encode(document.content).decode(),
            "sentences": document.sentences,
        }
        with written_whole(path) as temporary:
            temporary.write_text(json.dumps(saved), "utf-8")
        self.documents[number] = _opened(number, path, saved)
        return self.documents[number]

    def document(self, number: int) -> OpenDocument:
        """Give a document."""
        if number not in self.documents:
            raise NotFound("document")
        return self.documents[number]

    def sentence(self, number: int, index: int) -> Sentence:
        """Give a sentence of a document; sentences are numbered from 0."""
        sentences = self.document(number).sentences
        if not 0 <= index < len(sentences):
            raise NotFound("sentence")
        return sentences[index]

    def export(self, number: int) -> tuple[Document, bytes]:
        """Give a document as it came, and with its translations."""
        opened = self.document(number)
        document = opened.load()
        targets = {i: one.target for i, one in enumerate(opened.sentences) if one.target is not None}
        return document, document.translated(targets, language=self._place.languages[1])

    def memory(self) -> bytes:
        """Give the corrections of all documents, and the others that are not forgotten, as TMX."""
        pairs = [
            (one.source, one.target)
            for document in self.documents.values()
            for one in document.sentences
            if one.target is not None
        ]
        known = set(pairs)
        others = ((" ".join(c.source), " ".join(c.target)) for c in self.session.corrections.values())
        pairs += [pair for pair in dict.fromkeys(others) if pair not in known]
        return tmx(pairs, self._place.languages)

    # translating and correcting

    def show(self, number: int, index: int) -> dict[str, Any]:
        """Translate a sentence of a document, and give what a page shows."""
        sentence = self.sentence(number, index)
        self._ahead = number, index + 1
        record: dict[str, Any] = {
            "document": number,
            "index": index,
            "source": split_words(sentence.source),
            "target": sentence.target,
            "revision": sentence.revision,
            "number": sentence.number,
            "untouched": sentence.untouched,
        }
        try:
            forest = self._translated(number, index)
        except ParseFailed as error:
            sentence.shown = ""
            return {**record, "text": "", "phrases": [], "unknown": [], "problem": str(error)}
        tree = derivation_tree(forest)
        sentence.shown = tree.text
        parts = [asdict(one) for one in phrases(tree)]
        return {
            **record,
            "text": tree.text,
            "phrases": parts,
            "unknown": unknown_words(tree),
            "problem": None,
        }

    def compare(self, number: int, index: int) -> str:
        """Give what the untouched system says of a sentence."""
        sentence = self.sentence(number, index)
        if sentence.untouched is None:
            sentence.untouched = self._untouched(sentence.source)
        return sentence.untouched

    def alternatives(self, number: int, index: int, span: tuple[int, int], most: int) -> list[Alternative]:
        """List other translations of source words of a sentence."""
        try:
            return alternatives(self._translated(number, index), span, most)
        except ParseFailed:
            return []

    def drawing(self, number: int, index: int) -> str:
        """Draw the derivation of a sentence as SVG."""
        return derivation_svg(derivation_tree(self._translated(number, index)))

    def translate(self, source: str, size: int) -> dict[str, Any]:
        """Translate a text that is in no document: n-best list, alignment, features."""
        segment = self._segment(source)
        try:
            forest = self.session.translate(segment)
        except ParseFailed as error:
            return {"nbest": [], "unknown": [], "problem": str(error)}
        unknown = unknown_words(derivation_tree(forest))
        return {"nbest": nbest(forest, segment, size), "unknown": unknown, "problem": None}

    def correct(self, number: int, index: int, target: str, revision: int) -> str | None:
        """Accept the correction of a sentence of a document and learn from it.

        Parameters
        ----------
        revision : int
            The revision of the sentence that the translator has seen.

        Returns
        -------
        str or None
            What could not be learned.

        Raises
        ------
        Conflict
            The sentence was corrected since.
        InputError
            The correction is empty, too long, or holds control characters.
        OSError
            The correction cannot be written; it is not accepted.
        """
        sentence = self.sentence(number, index)
        if revision != sentence.revision:
            raise Conflict(f"expected revision {sentence.revision} of the sentence, got {revision}")
        place = f"{number}.{index}"
        segment = self._segment(sentence.source, target, id=place)
        if sentence.shown is None:
            self.show(number, index)
        forest = self._kept(number, index)
        old = sentence.number
        change = self._learn(segment, forest, sentence)
        if old in self.session.corrections:
            self.stored.withdraw(old)
        return None if change.error is None else str(change.error)

    def teach(self, source: str, target: str) -> tuple[int, str | None]:
        """Learn from a pair that is in no document; give the number of the correction and what went wrong."""
        segment = self._segment(source, target)
        shown = Sentence(source, shown=self._best(self.session, segment))
        change = self._learn(segment, None, shown)
        return change.correction.number, None if change.error is None else str(change.error)

    def withdraw(self, number: int) -> None:
        """Forget the rules and n-grams of a correction; the document keeps its text."""
        if number not in self.session.corrections:
            raise NotFound("correction")
        self.stored.withdraw(number)
        self._forest = None

    def set_rule(self, source: str, target: str, *, withdrawn: bool) -> None:
        """Withdraw a rule that corrections gave, or use it again; nothing happens if it is so already."""
        for text in (source, target):
            check_text(text)
        rule = RuleSides.parse(source, target)
        is_withdrawn = rule in self.session.withdrawn
        fits = len(rule.source) <= self._place.limits.words
        if not is_withdrawn and not (fits and self.session.gives(rule)):
            raise NotFound("rule of a correction")
        if is_withdrawn != withdrawn:
            (self.stored.withdraw_rule if withdrawn else self.stored.allow_rule)(rule)
            self._forest = None

    def _learn(self, segment: Segment, forest: Hypergraph | None, sentence: Sentence) -> Change:
        facts = {"shown": sentence.shown or "", "source": sentence.source}
        if sentence.untouched is not None:
            facts["untouched"] = sentence.untouched
        segment = Segment(segment.tokens, id=segment.id, references=segment.references, attributes=facts)
        at = self.stored.accept(segment)
        change = self.stored.learn(segment, forest, at)
        self._accepted(segment, change)
        return change

    def _accepted(self, segment: Segment, change: Change) -> None:
        """Note a correction that was accepted, now or before the process was started again."""
        facts, correction = segment.attributes, change.correction
        document, index = _place(segment.id)
        record = Unsettled(
            correction.number,
            correction.time,
            facts["source"],
            " ".join(correction.target),
            facts["shown"],
            facts.get("untouched"),
            document,
            index,
        )
        self._set_target(record)
        self._unsettled.append(record)

    def _replayed(self, segment: Segment, change: Change) -> None:
        if change.correction.number > self._logged:
            self._accepted(segment, change)
            self._log_all()  # the journal is emptied next

    def _set_target(self, record: Unsettled) -> None:
        if record.document is None or record.index is None:
            return
        sentence = self.sentence(record.document, record.index)
        sentence.target, sentence.number = record.target, record.number
        sentence.revision += 1
        sentence.shown = sentence.untouched = None

    def _segment(self, source: str, target: str | None = None, *, id: str = "") -> Segment:
        """Make a segment from texts of a client; it is only words, whatever the text looks like."""
        sides = [source] if target is None else [source, target]
        words = [split_words(check_text(text)) for text in sides]
        for text, name in zip(words, ("source", "translation"), strict=False):
            if not 1 <= len(text) <= self._place.limits.words:
                most = self._place.limits.words
                raise InputError(f"expected a {name} of 1 to {most} words, got {len(text)}")
        return Segment(words[0], id=id, references=tuple(" ".join(text) for text in words[1:]))

    def _translated(self, number: int, index: int) -> Hypergraph:
        kept = self._kept(number, index)
        if kept is not None:
            return kept
        segment = self._segment(self.sentence(number, index).source)
        forest = self.session.translate(segment)
        self._forest = self._key(number, index), segment, forest
        return forest

    def _kept(self, number: int, index: int) -> Hypergraph | None:
        """Give the forest of a sentence, if it is the latest one and nothing was learned since."""
        if self._forest is None or self._forest[0] != self._key(number, index):
            return None
        return self._forest[2]

    def _key(self, number: int, index: int) -> tuple[int, int, int]:
        return number, index, self.session.accepted

    def _untouched(self, source: str) -> str:
        return self._best(self._place.untouched, self._segment(source))

    def _best(self, session: LiveSession, segment: Segment) -> str:
        try:
            return session.translate(segment).viterbi()
        except ParseFailed:
            return ""

    # what was learned

    @property
    def is_behind(self) -> bool:
        """Whether corrections should be settled before more are accepted."""
        return len(self._unsettled) > _UNSETTLED

    def settle(self) -> bool:
        """Do one thing that nobody waits for; tell whether there was one.

        The sentence behind the one that is shown is prepared, a correction is measured and logged, or the
        state is saved.
        """
        if self._ahead is not None:
            self._prepare(*self._ahead)
            self._ahead = None
            return True
        if self._unsettled:
            record = self._unsettled[0]
            if record.untouched is None:
                record.untouched = self._untouched(record.source)
            record.statistics = statistics(record.shown, record.untouched, record.target)
            record.rules = self._new_rules(record)
            line = json.dumps(asdict(record), ensure_ascii=False)
            append_whole(self._folder / _LOG, f"{line}\n".encode())
            del self._unsettled[0]
            self._count(record)
            self._unsaved += 1
            return True
        if self._unsaved >= max(_SAVE_EVERY, _SAVE_SHARE * len(self.session.corrections)):
            self._save()
            return True
        return False

    def _prepare(self, number: int, index: int) -> None:
        with suppress(NotFound, InputError):  # it is the last one, or too long
            self.session.prepare(self._segment(self.sentence(number, index).source))

    def _save(self) -> None:
        """Save the state, which makes the journal empty: the log must be on the disk before."""
        self._log_all()
        self.stored.save()
        kept = self.session.corrections
        self._rules = {number: rules for number, rules in self._rules.items() if number in kept}
        self._unsaved = 0

    def _log_all(self) -> None:
        """Have the log of all corrections on the disk."""
        while self._unsettled:
            self.settle()
        if (self._folder / _LOG).exists():
            with open(self._folder / _LOG, "rb") as log:
                os.fsync(log.fileno())

    def _count(self, record: Unsettled) -> None:
        self._logged = record.number
        self._progress.add(record.statistics, record.time)
        if record.rules:
            self._rules[record.number] = "\n".join(map("\t".join, record.rules))

    def _new_rules(self, record: Unsettled) -> list[tuple[str, str]]:
        """List rules of a correction that the untouched system does not have, the shortest first."""
        correction = self.session.corrections.get(record.number)
        if correction is None:
            return []
        segment = Segment(correction.source)
        learned = []
        for rule in self.session.learned_rules(segment):
            words = [side for side in (rule.source, rule.target) if all(isinstance(one, str) for one in side)]
            if len(words) == 2 and len(rule.source) <= _LONGEST_RULE:
                source, target = (" ".join(map(str, side)) for side in words)
                if f" {source} " in f" {record.source} " and f" {target} " in f" {record.target} ":
                    learned.append((source, target))
        if not learned:
            return []
        known = self._place.known_rules(segment)
        new = [pair for pair in dict.fromkeys(learned) if pair not in known]
        return sorted(new, key=lambda pair: (len(pair[0].split()), len(pair[1].split())))[:_SHOWN_RULES]

    def state(self) -> dict[str, Any]:
        """Give what a page shows beside the document, as JSON can hold it."""
        corrections = self.session.corrections
        latest = list(corrections)[-_SHOWN_CORRECTIONS:][::-1]
        moved = self.session.moved_weights(_SHOWN_WEIGHTS)
        return {
            **self.about,
            "accepted": self.session.accepted,
            "kept": len(corrections),
            **self._progress.record(),
            "weights": [{"name": name, "before": then, "now": now} for name, then, now in moved],
            "corrections": [self.correction(number) for number in latest],
            "withdrawn": [rule.texts() for rule in self.session.withdrawn],
            "documents": [one.record() for one in self.documents.values()],
        }

    def correction(self, number: int) -> dict[str, Any]:
        """Give a correction with its links and the rules that are new by it."""
        if number not in self.session.corrections:
            raise NotFound("correction")
        found = self.session.corrections[number]
        lines = self._rules[number].split("\n") if number in self._rules else []
        return {
            "number": number,
            "source": " ".join(found.source),
            "target": " ".join(found.target),
            "links": found.links,
            "time": found.time,
            "rules": [line.split("\t") for line in lines],
        }

    def weights(self) -> str:
        """Give the present weights in cdec's format."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "weights"
            self.session.write_weights(path)
            return path.read_text("utf-8")

    # files

    def _read_documents(self) -> None:
        for path in self._folder.glob(_DOCUMENT.format("*")):
            number = int(path.stem.partition("-")[2])
            self.documents[number] = _opened(number, path, parse_json(path.read_text("utf-8")))
        self.documents = dict(sorted(self.documents.items()))

    def _read_log(self) -> Iterator[Unsettled]:
        for where, line in read_lines(self._folder / _LOG):
            try:
                saved = parse_json(line)
                saved["rules"] = [(source, target) for source, target in saved["rules"]]
                record = Unsettled(**saved)
                if len(record.statistics) != SIZE or record.number <= self._logged:
                    raise ValueError("the statistics or the number")
                self._set_target(record)
            except (ValueError, TypeError, KeyError, AttributeError, NotFound) as error:
                message = f"expected a correction; missing or wrong: {error}"
                raise InputError(message, path=where) from None
            yield record


def _opened(number: int, path: Path, saved: Mapping[str, Any]) -> OpenDocument:
    sentences = [Sentence(text) for text in saved["sentences"]]
    return OpenDocument(number, saved["name"], saved["format"], path, sentences)


def _place(id: int | str) -> tuple[int | None, int | None]:
    """Read the id of a segment: the number of the document and the index of the sentence."""
    document, _, index = str(id).partition(".")
    return (int(document), int(index)) if index else (None, None)
