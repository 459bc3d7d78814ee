"""The HTTP API of sessions, their corrections and documents."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from threading import Event
from typing import Annotated

from fastapi import APIRouter, Body, Depends, Query, Response
from fastapi import Path as InPath
from fastapi.responses import PlainTextResponse
from fastapi.sse import EventSourceResponse

from hopefear.decoder import Unwanted
from hopefear.text.documents import FORMATS

from . import models
from .attachments import attachment
from .dispatcher import Dispatcher
from .guard import DRAWING_POLICY
from .session_service import SessionService

_FORMATS = f"{', '.join(FORMATS.known())}; by default what the name tells."

SessionId = Annotated[str, InPath(pattern="^[0-9a-f]{12}$", description="The id of the session.")]
DocumentNumber = Annotated[int, InPath(ge=1, le=10**6, description="The number of the document.")]
Index = Annotated[int, InPath(ge=0, le=10**9, description="The index of the sentence, from 0.")]
Position = Annotated[int, Query(ge=0, le=10**6)]
Wanted = Annotated[str, Query(max_length=200)]
Most = Annotated[int, Query(ge=1, le=100)]
FileName = Annotated[str, Query(max_length=300)]
Content = Annotated[bytes, Body(media_type="application/octet-stream")]
CorrectionNumber = Annotated[int, InPath(ge=1, le=10**12, description="The number of the correction.")]


@dataclass(frozen=True)
class DocumentPath:
    """The document that a path names."""

    session: SessionId
    document: DocumentNumber


@dataclass(frozen=True)
class SentencePath(DocumentPath):
    """The sentence that a path names."""

    index: Index


OfDocument = Annotated[DocumentPath, Depends()]
OfSentence = Annotated[SentencePath, Depends()]


def of_sessions(dispatcher: Dispatcher) -> APIRouter:
    """Return the paths of sessions as a whole."""
    routes, store = APIRouter(prefix="/api/sessions", tags=["sessions"]), dispatcher.store

    async def watching(session: SessionId) -> AsyncIterator[None]:
        """Be one of the watchers until the answer has ended; refuse a session that is not there."""
        async with dispatcher.watchers.counted():
            await dispatcher.ask(session, lambda service: None, idle=True)
            yield

    @routes.get("")
    async def list_sessions() -> list[models.SessionInfo]:
        """List the sessions, those that are damaged with their problem."""
        return await dispatcher.decoder.ask(store.sessions)

    @routes.post("", status_code=201)
    async def make_a_session(new: models.NewSession) -> models.SessionInfo:
        """Make a session."""
        return await dispatcher.decoder.ask(lambda: store.create(new.name).about)

    @routes.get("/{session}")
    async def what_was_learned(session: SessionId) -> models.SessionState:
        """Return the state of a session: scores, weights, corrections, documents."""
        return await dispatcher.ask(session, SessionService.state)

    @routes.get("/{session}/report")
    async def report_of_the_work(session: SessionId) -> models.SessionReport:
        """Report the work, compared with that of the untouched system."""
        return await asyncio.to_thread(await dispatcher.change(session, SessionService.report))

    @routes.patch("/{session}")
    async def rename_a_session(session: SessionId, new: models.NewName) -> models.SessionInfo:
        """Rename a session."""
        about = await dispatcher.decoder.ask(lambda: store.rename(session, new.name))
        dispatcher.changed(session)
        return about

    @routes.delete("/{session}", status_code=204)
    async def delete_a_session(session: SessionId) -> None:
        """Delete a session and everything it has learned."""
        await dispatcher.decoder.ask(lambda: store.remove(session))
        dispatcher.changed(session)

    @routes.get(
        "/{session}/events",
        response_class=EventSourceResponse,
        responses={404: {"description": "There is no such session."}},
        dependencies=[Depends(watching)],  # refused before an answer begins
    )
    async def watch(session: SessionId) -> AsyncIterator[models.SessionState]:
        """Send the state now and after each change, as server-sent events."""
        async for state in dispatcher.watchers.states(session):
            yield state

    @routes.get("/{session}/weights", response_class=PlainTextResponse)
    async def present_weights(session: SessionId) -> str:
        """Return the weights in cdec's format."""
        return await dispatcher.ask(session, SessionService.weights)

    @routes.get("/{session}/memory.tmx", response_class=Response)
    async def translation_memory(session: SessionId) -> Response:
        """Return all corrections as TMX 1.4."""
        content = await dispatcher.ask(session, SessionService.memory)
        return attachment(content, "memory.tmx", "application/x-tmx+xml")

    @routes.post("/{session}/memories", status_code=201)
    async def add_a_memory(session: SessionId, name: FileName, content: Content = b"") -> models.MemoryInfo:
        """Add a translation memory, TMX, gettext, XLIFF or TSV, in place of one of the same name."""
        read = await dispatcher.ask(session, lambda service: service.knowledge.reading_memory(name, content))
        added = await asyncio.to_thread(read)
        return await dispatcher.change(session, lambda service: service.knowledge.add_memory(added))

    @routes.delete("/{session}/memories", status_code=204)
    async def remove_a_memory(session: SessionId, name: FileName) -> None:
        """Remove a translation memory."""
        await dispatcher.change(session, lambda service: service.knowledge.remove_memory(name))

    @routes.post("/{session}/glossary", status_code=201)
    async def add_a_glossary(session: SessionId, name: FileName, content: Content = b"") -> models.AddedTerms:
        """Add the terms of a glossary, TSV or TBX, to that of the session."""
        return await dispatcher.change(session, lambda service: service.knowledge.add_glossary(name, content))

    @routes.get("/{session}/terms")
    async def find_terms(session: SessionId, find: Wanted = "", most: Most = 30) -> list[tuple[str, str]]:
        """List the latest terms of the session with a text in them."""
        return await dispatcher.ask(session, lambda service: service.knowledge.terms(find, most))

    @routes.get("/{session}/concordance")
    async def concordance(
        session: SessionId, find: Annotated[str, Query(min_length=1, max_length=200)], most: Most = 30
    ) -> list[models.ConcordanceLine]:
        """List sentences that have a text, with their translations.

        They are of documents, corrections, memories, and the parallel text of the system.
        """
        search = await dispatcher.ask(session, lambda service: service.knowledge.concordance(find, most))
        return await asyncio.to_thread(search)

    @routes.post("/{session}/translate")
    async def translate(session: SessionId, text: models.Source) -> models.Translations:
        """Translate a text that is in no document."""
        return await dispatcher.ask(session, lambda service: service.translate(text.source, text.nbest))

    return routes


def of_corrections(dispatcher: Dispatcher) -> APIRouter:
    """Return the paths of what a session learns."""
    routes = APIRouter(prefix="/api/sessions/{session}", tags=["corrections"])

    @routes.post("/corrections", status_code=201)
    async def learn_a_pair(session: SessionId, pair: models.NewPair) -> models.Accepted:
        """Learn from a text that is in no document and its translation."""
        return await dispatcher.change(session, lambda service: service.learning.teach(pair))

    @routes.get("/corrections")
    async def find_corrections(
        session: SessionId, find: Wanted = "", most: Most = 30
    ) -> list[models.LearnedCorrection]:
        """List the latest corrections with a text in them or in their new rules."""
        return await dispatcher.ask(session, lambda service: service.learning.latest(find, most))

    @routes.get("/corrections/{number}")
    async def one_correction(session: SessionId, number: CorrectionNumber) -> models.LearnedCorrection:
        """Return a correction with its links and its rules."""
        return await dispatcher.ask(session, lambda service: service.learning.correction(number))

    @routes.delete("/corrections/{number}", status_code=204)
    async def withdraw(session: SessionId, number: CorrectionNumber) -> None:
        """Withdraw the rules, n-grams and weight changes of a correction; the document stays as it is."""
        await dispatcher.change(session, lambda service: service.learning.withdraw(number))

    @routes.put("/rules", status_code=204)
    async def withdraw_a_rule(session: SessionId, change: models.RuleChange) -> None:
        """Withdraw a learned rule and all rules that contain it, or use it again."""
        await dispatcher.change(session, lambda service: service.learning.set_rule(change))

    @routes.put("/terms", status_code=204)
    async def give_a_term(session: SessionId, change: models.TermChange) -> None:
        """Add a term to the glossary of the session, or remove it."""
        await dispatcher.change(session, lambda service: service.learning.set_term(change))

    return routes


def of_documents(dispatcher: Dispatcher) -> APIRouter:
    """Return the paths of the documents of a session."""
    routes = APIRouter(prefix="/api/sessions/{session}/documents", tags=["documents"])
    system = dispatcher.store.system

    @routes.post("", status_code=201)
    async def add_a_document(
        session: SessionId,
        content: Content = b"",
        name: FileName = "document.txt",
        format: Annotated[str | None, Query(description=_FORMATS)] = None,
        check: Annotated[bool, Query(description="Refuse a document of other languages, with 412.")] = False,
    ) -> models.DocumentInfo:
        """Add a document: text, CSV, XLIFF, gettext, TMX, Markdown, HTML, subtitles, OpenDocument."""
        document = await asyncio.to_thread(partial(system.document, name, content, format, check=check))
        return await dispatcher.change(session, lambda service: service.documents.add(document).info())

    @routes.get("/{document}", response_model=models.DocumentText)
    async def one_document(at: OfDocument) -> Response:
        """Return the sentences of a document, each with its state."""
        # As bytes: there may be 100,000 sentences.
        text = await dispatcher.ask(at.session, lambda service: service.documents.text(at.document))
        return Response(text, media_type="application/json")

    @routes.get("/{document}/changes")
    async def what_has_changed(
        at: OfDocument, after: Annotated[int, Query(ge=0, le=10**12)]
    ) -> models.Changes:
        """List the sentences that changed after a number of events of the session, the latest first."""
        return await dispatcher.ask(at.session, lambda service: service.documents.changes(at.document, after))

    @routes.patch("/{document}")
    async def rename_a_document(at: OfDocument, new: models.NewName) -> models.DocumentInfo:
        """Rename a document."""
        return await dispatcher.change(at.session, lambda service: service.rename(at.document, new.name))

    @routes.delete("/{document}", status_code=204)
    async def delete_a_document(at: OfDocument) -> None:
        """Delete a document; its corrections stay in use until they are withdrawn."""
        await dispatcher.change(at.session, lambda service: service.remove(at.document))

    @routes.get("/{document}/complaints")
    async def check(at: OfDocument) -> list[models.Faulty]:
        """List corrections that lost, duplicated or invented tags, placeholders or code."""
        return await dispatcher.ask(at.session, lambda service: service.learning.complaints(at.document))

    @routes.get("/{document}/export", response_class=Response)
    async def export(at: OfDocument) -> Response:
        """Return the document in its own format, with the translations."""
        export = await dispatcher.ask(
            at.session, lambda service: service.documents.exporting(at.document, system.languages)
        )
        name, kind, content = await asyncio.to_thread(export)
        return attachment(content, name, kind)

    routes.include_router(_of_sentences(dispatcher))
    return routes


def _of_sentences(dispatcher: Dispatcher) -> APIRouter:
    routes = APIRouter(prefix="/{document}/sentences/{index}")

    @routes.get("")
    async def translate_a_sentence(at: OfSentence) -> models.ShownSentence:
        """Translate a sentence: its phrases, or the problem why it has no translation."""
        read = await dispatcher.ask(at.session, lambda service: service.documents.reading(at.document))
        await asyncio.to_thread(read)
        shown = await dispatcher.ask(
            at.session, lambda service: service.translations.show(at.document, at.index)
        )
        dispatcher.work_off(at.session)
        return shown

    @routes.put("")
    async def correct_a_sentence(at: OfSentence, correction: models.NewCorrection) -> models.Accepted:
        """Accept a correction, which is on the disk before the answer. 409 if another one came first."""
        return await dispatcher.change(
            at.session, lambda service: service.learning.correct(at.document, at.index, correction)
        )

    @routes.delete("")
    async def reopen_a_sentence(
        at: OfSentence, revision: Annotated[int, Query(description="The revision that was seen.")]
    ) -> models.SentenceInfo:
        """Withdraw the correction of a sentence and open it again. 409 if another one came first."""
        return await dispatcher.change(
            at.session, lambda service: service.learning.reopen(at.document, at.index, revision)
        )

    @routes.post("/skim")
    async def skim(at: OfSentence) -> models.Skimmed:
        """Translate a sentence that nobody opens, when nobody waits for anything else."""
        text = await dispatcher.ask(
            at.session, lambda service: service.translations.skim(at.document, at.index), idle=True
        )
        dispatcher.work_off(at.session)
        return models.Skimmed(text=text)

    @routes.put("/draft")
    async def keep_a_draft(at: OfSentence, draft: models.Draft) -> models.SentenceInfo:
        """Save a draft of a translation. 409 if a correction came first."""
        return await dispatcher.ask(
            at.session, lambda service: service.translations.draft(at.document, at.index, draft)
        )

    @routes.get("/untouched")
    async def untouched(at: OfSentence) -> models.Untouched:
        """Return the translation of the untouched system."""
        return await dispatcher.ask(
            at.session, lambda service: service.translations.compare(at.document, at.index), idle=True
        )

    @routes.get("/reasons")
    async def reasons(at: OfSentence, begin: Position, end: Position) -> list[models.ChangeReason]:
        """Explain why the target words [begin, end) differ from the untouched system's."""
        return await dispatcher.ask(
            at.session, lambda service: service.suggestions.reasons(at.document, at.index, (begin, end))
        )

    @routes.get("/alternatives")
    async def alternatives(
        at: OfSentence, begin: Position, end: Position, most: Annotated[int, Query(ge=1, le=100)] = 8
    ) -> list[models.PhraseAlternative]:
        """List other translations of the source words [begin, end), the best first."""
        span = begin, end
        return await dispatcher.ask(
            at.session, lambda service: service.suggestions.alternatives(at.document, at.index, span, most)
        )

    @routes.get("/matches")
    async def matches(at: OfSentence) -> models.Matches:
        """List matches of the translation memory and the glossaries for a sentence."""
        return await dispatcher.ask(
            at.session, lambda service: service.suggestions.matches(at.document, at.index)
        )

    @routes.post("/completion")
    async def complete(at: OfSentence, typed: models.Typed) -> models.Completion:
        """Complete the beginning of a translation without changing it."""
        while True:
            unwanted = Event()
            call = partial(_complete, at=at, typed=typed, unwanted=unwanted)
            with suppress(Unwanted):  # what was computed so far stays
                return await dispatcher.ask(at.session, call, give_way=unwanted.set)

    @routes.get("/derivation.svg", response_class=Response)
    async def derivation(at: OfSentence) -> Response:
        """Draw the derivation over the source."""
        drawn = await dispatcher.ask(
            at.session, lambda service: service.translations.drawing(at.document, at.index)
        )
        policy = {"content-security-policy": DRAWING_POLICY}
        return Response(drawn, media_type="image/svg+xml", headers=policy)

    return routes


def _complete(
    service: SessionService, at: SentencePath, typed: models.Typed, unwanted: Event
) -> models.Completion:
    return service.translations.complete(at.document, at.index, typed, unwanted.is_set)
