"""The HTTP API of `hopefear serve`, its OpenAPI description, and the page."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from functools import partial
from importlib.metadata import version
from threading import Event
from typing import Annotated, TypeVar

from fastapi import Body, Depends, FastAPI, Query, Request, Response
from fastapi import Path as InPath
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, PlainTextResponse
from fastapi.sse import EventSourceResponse
from fastapi.staticfiles import StaticFiles

from hopefear.base import InputError
from hopefear.decoder import Unwanted
from hopefear.text.documents import FORMATS
from hopefear.tuners.contract import TuningError

from . import libretranslate, models
from .attachments import attachment
from .desk import Desk
from .errors import REFUSALS, Busy, NotFound, answer, refusal
from .guard import COOKIE, DRAWING_POLICY, PAGE, Access, Guard, cookie_of, same
from .place import Workplace
from .work import Work

Result = TypeVar("Result")

_FORMATS = f"{', '.join(FORMATS.known())}; by default what the name tells."

_WAITING, _WATCHERS = 64, 100

SessionId = Annotated[str, InPath(pattern="^[0-9a-f]{12}$", description="The id of the session.")]
DocumentNumber = Annotated[int, InPath(ge=1, le=10**6, description="The number of the document.")]
Index = Annotated[int, InPath(ge=0, le=10**9, description="The index of the sentence, from 0.")]
WordPlace = Annotated[int, Query(ge=0, le=10**6)]
CorrectionNumber = Annotated[int, InPath(ge=1, le=10**12, description="The number of the correction.")]


class _Change:
    """The next change of a session: whether it came, and the state before it, which all watchers share."""

    def __init__(self) -> None:
        self.came = asyncio.Event()
        self.before: asyncio.Future[models.State] | None = None


class Site:
    """A workplace behind the API: work is done one call after the other, and watchers are told of changes."""

    def __init__(self, place: Workplace, warn: Callable[[str], None]) -> None:
        self.place, self._warn = place, warn
        self.desk = Desk(_WAITING)
        self.closing = False
        self._changes: dict[str, _Change] = {}
        self._settling: dict[str, asyncio.Task[None]] = {}
        self._watchers = 0

    @asynccontextmanager
    async def open(self, app: FastAPI) -> AsyncIterator[None]:
        """Work while the application runs; then save and close the sessions."""
        task = asyncio.create_task(self.desk.run())
        try:
            yield
        finally:
            self.stop()
            for one in (task, *self._settling.values()):
                one.cancel()
                with suppress(asyncio.CancelledError):
                    await one
            self.desk.close()
            self.place.close()

    def stop(self) -> None:
        """Let the watchers go."""
        self.closing = True
        for change in self._changes.values():
            change.came.set()

    async def at(
        self,
        session: str,
        call: Callable[[Work], Result],
        *,
        idle: bool = False,
        give_way: Callable[[], object] | None = None,
    ) -> Result:
        """Do something for a session, as `Desk.ask` does it."""
        return await self.desk.ask(lambda: call(self.place.open(session)), idle=idle, give_way=give_way)

    async def change(self, session: str, call: Callable[[Work], Result]) -> Result:
        """Do something that changes a session."""
        found = await self.at(session, call)
        self.changed(session)
        return found

    def changed(self, session: str) -> None:
        """Tell the watchers of a session, and settle its corrections when nobody waits."""
        self._tell(session)
        self.settle(session)

    def settle(self, session: str) -> None:
        """Do for a session what nobody waits for, when nobody waits."""
        task = self._settling.get(session)
        if task is None or task.done():
            self._settling[session] = asyncio.create_task(self._settle(session))

    async def place_of_watcher(self, session: SessionId) -> AsyncIterator[None]:
        """Keep one of the places for watchers, until the answer has ended."""
        if self._watchers >= _WATCHERS:
            raise Busy
        self._watchers += 1
        try:
            await self.at(session, lambda work: None, idle=True)
            yield
        finally:
            self._watchers -= 1

    async def states(self, session: str) -> AsyncIterator[models.State]:
        """Iterate over the states of a session: now, and after each change."""
        while not self.closing:
            change = self._changes.setdefault(session, _Change())
            if change.before is None:
                change.before = asyncio.ensure_future(self.at(session, Work.state, idle=True))
                change.before.add_done_callback(lambda done: done.cancelled() or done.exception())
            try:
                state = await asyncio.shield(change.before)
            except NotFound:
                return  # it was removed
            yield state
            await change.came.wait()

    def _tell(self, session: str) -> None:
        change = self._changes.pop(session, None)
        if change is not None:
            change.came.set()

    async def _settle(self, session: str) -> None:
        try:
            while True:
                prepare = await self.at(session, Work.preparing, idle=True)
                if prepare is not None:  # it takes long, and keeps nobody from the desk
                    await asyncio.to_thread(prepare)
                elif await self.at(session, Work.settle, idle=True):
                    self._tell(session)
                else:
                    return
        except NotFound:
            pass
        except (InputError, TuningError, OSError, ValueError) as error:
            self._warn(f"session {session}: not yet saved: {error}")


def make_app(
    place: Workplace,
    access: Access | None = None,
    *,
    system: str = "",
    warn: Callable[[str], None] = lambda message: None,
) -> tuple[Guard, Site]:
    """Make the application that serves a workplace."""
    access, site = access or Access(), Site(place, warn)
    app = FastAPI(
        title="hopefear serve",
        version=version("hopefear"),
        description="Translate, correct, and translate the next sentence with what was learned.",
        lifespan=site.open,
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
    )
    _add_errors(app)
    _add_system(app, site, access, system)
    _add_sessions(app, site)
    _add_corrections(app, site)
    _add_documents(app, site)
    app.include_router(libretranslate.router(site, needs_key=access.token is not None))
    app.mount("/", StaticFiles(directory=PAGE, html=True))
    return Guard(app, access, keyed=libretranslate.KEYED, open=libretranslate.OPEN), site


def _add_errors(app: FastAPI) -> None:
    @app.exception_handler(RequestValidationError)
    async def invalid(request: Request, error: RequestValidationError) -> JSONResponse:
        # Without what was given, which JSON may not be able to hold.
        found = [f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors()[:5]]
        return answer(422, "; ".join(found))

    async def refused(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, REFUSALS)
        return answer(*refusal(error))

    for kind in REFUSALS:
        app.add_exception_handler(kind, refused)


def _add_system(app: FastAPI, site: Site, access: Access, system: str) -> None:
    shared = site.place.system

    @app.get("/api/system", tags=["system"])
    async def about_the_system() -> models.System:
        adapts = [*(["rules"] if shared.decoder.text is not None else [])]
        adapts += ["lm"] if shared.decoder.grows_model else []
        return models.System(
            version=app.version,
            system=system,
            tuner=type(shared.untouched.tuner).__name__,
            adapts=adapts,
            languages=shared.languages,
            written=shared.written,
            words=shared.limits.words,
        )

    @app.post("/api/login", tags=["system"], status_code=204)
    async def give_the_token(given: models.Token, request: Request) -> Response:
        """Exchange the token for a cookie, for the page."""
        if access.token is None:
            return Response(status_code=204)
        if not same(given.token, access.token):
            return JSONResponse({"detail": "expected the token of this server"}, 401)
        response = Response(status_code=204)
        secure = request.url.scheme == "https"
        value = cookie_of(access.token)
        response.set_cookie(COOKIE, value, httponly=True, samesite="strict", secure=secure)
        return response


def _add_sessions(app: FastAPI, site: Site) -> None:
    place = site.place

    @app.get("/api/sessions", tags=["sessions"])
    async def list_sessions() -> list[models.SessionInfo]:
        return await site.desk.ask(place.sessions)

    @app.post("/api/sessions", tags=["sessions"], status_code=201)
    async def make_a_session(given: models.NewSession) -> models.SessionInfo:
        return await site.desk.ask(lambda: place.create(given.name).about)

    @app.get("/api/sessions/{session}", tags=["sessions"])
    async def what_was_learned(session: SessionId) -> models.State:
        return await site.at(session, Work.state)

    @app.get("/api/sessions/{session}/report", tags=["sessions"])
    async def report_of_the_work(session: SessionId) -> models.Report:
        """Tell what was done, and what it would have been with the untouched system."""
        return await asyncio.to_thread(await site.change(session, Work.report))

    @app.patch("/api/sessions/{session}", tags=["sessions"])
    async def rename_a_session(session: SessionId, given: models.NewName) -> models.SessionInfo:
        about = await site.desk.ask(lambda: place.rename(session, given.name))
        site.changed(session)
        return about

    @app.delete("/api/sessions/{session}", tags=["sessions"], status_code=204)
    async def delete_a_session(session: SessionId) -> None:
        await site.desk.ask(lambda: place.remove(session))
        site.changed(session)

    @app.get(
        "/api/sessions/{session}/events",
        tags=["sessions"],
        response_class=EventSourceResponse,
        responses={404: {"description": "There is no such session."}},
        dependencies=[Depends(site.place_of_watcher)],  # refused before an answer begins
    )
    async def watch(session: SessionId) -> AsyncIterator[models.State]:
        """Send the state now and after each change, as server-sent events."""
        async for state in site.states(session):
            yield state

    @app.get("/api/sessions/{session}/weights", tags=["sessions"], response_class=PlainTextResponse)
    async def present_weights(session: SessionId) -> str:
        """Return the weights in cdec's format."""
        return await site.at(session, Work.weights)

    @app.get("/api/sessions/{session}/memory.tmx", tags=["sessions"], response_class=Response)
    async def translation_memory(session: SessionId) -> Response:
        """Return what was corrected, as TMX 1.4."""
        return attachment(await site.at(session, Work.memory), "memory.tmx", "application/x-tmx+xml")

    @app.post("/api/sessions/{session}/translate", tags=["sessions"])
    async def translate(session: SessionId, given: models.Source) -> models.Translations:
        """Translate a text that is in no document."""
        return await site.at(session, lambda work: work.translate(given.source, given.nbest))


def _add_corrections(app: FastAPI, site: Site) -> None:
    @app.post("/api/sessions/{session}/corrections", tags=["corrections"], status_code=201)
    async def learn_a_pair(session: SessionId, given: models.Pair) -> models.Accepted:
        """Learn from a text that is in no document and its translation."""
        return await site.change(session, lambda work: work.teach(given))

    @app.get("/api/sessions/{session}/corrections", tags=["corrections"])
    async def find_corrections(
        session: SessionId,
        find: Annotated[str, Query(max_length=200)] = "",
        most: Annotated[int, Query(ge=1, le=100)] = 30,
    ) -> list[models.Learned]:
        """List the latest corrections that have a text in them, or in a rule that is new by them."""
        return await site.at(session, lambda work: work.corrections(find, most))

    @app.get("/api/sessions/{session}/corrections/{number}", tags=["corrections"])
    async def one_correction(session: SessionId, number: CorrectionNumber) -> models.Learned:
        return await site.at(session, lambda work: work.correction(number))

    @app.delete("/api/sessions/{session}/corrections/{number}", tags=["corrections"], status_code=204)
    async def withdraw(session: SessionId, number: CorrectionNumber) -> None:
        """Withdraw rules, n-grams and the change of the weights by a correction; the document stays."""
        await site.change(session, lambda work: work.withdraw(number))

    @app.put("/api/sessions/{session}/rules", tags=["corrections"], status_code=204)
    async def withdraw_a_rule(session: SessionId, given: models.Rule) -> None:
        """Withdraw a rule that corrections gave, and those that hold it, or use it again."""
        await site.change(session, lambda work: work.set_rule(given))

    @app.put("/api/sessions/{session}/terms", tags=["corrections"], status_code=204)
    async def give_a_term(session: SessionId, given: models.Term) -> None:
        """Use a translation of a term from the next sentence on, or use it no more."""
        await site.change(session, lambda work: work.set_term(given))


def _add_documents(app: FastAPI, site: Site) -> None:
    documents = "/api/sessions/{session}/documents"
    sentence = documents + "/{document}/sentences/{index}"

    @app.post(documents, tags=["documents"], status_code=201)
    async def add_a_document(
        session: SessionId,
        content: Annotated[bytes, Body(media_type="application/octet-stream")] = b"",  # as of an empty file
        name: Annotated[str, Query(max_length=300)] = "document.txt",
        format: Annotated[str | None, Query(description=_FORMATS)] = None,
    ) -> models.DocumentInfo:
        """Add a document: text, CSV, XLIFF, gettext, TMX, Markdown, HTML, subtitles, OpenDocument."""
        document = await asyncio.to_thread(site.place.system.document, name, content, format)
        return await site.change(session, lambda work: work.documents.add(document).info())

    @app.get(documents + "/{document}", tags=["documents"], response_model=models.DocumentText)
    async def one_document(session: SessionId, document: DocumentNumber) -> Response:
        # As bytes: there may be 100,000 sentences.
        text = await site.at(session, lambda work: work.documents.text(document))
        return Response(text, media_type="application/json")

    @app.get(documents + "/{document}/changes", tags=["documents"])
    async def what_has_changed(
        session: SessionId, document: DocumentNumber, after: Annotated[int, Query(ge=0, le=10**12)]
    ) -> models.Changes:
        """List the sentences that have changed after so many events of the session, the latest first."""
        return await site.at(session, lambda work: work.documents.changes(document, after))

    @app.patch(documents + "/{document}", tags=["documents"])
    async def rename_a_document(
        session: SessionId, document: DocumentNumber, given: models.NewName
    ) -> models.DocumentInfo:
        return await site.change(session, lambda work: work.rename(document, given.name))

    @app.delete(documents + "/{document}", tags=["documents"], status_code=204)
    async def delete_a_document(session: SessionId, document: DocumentNumber) -> None:
        """Delete a document; what its corrections have taught stays until each of them is withdrawn."""
        await site.change(session, lambda work: work.remove(document))

    @app.get(documents + "/{document}/complaints", tags=["documents"])
    async def check(session: SessionId, document: DocumentNumber) -> list[models.Faulty]:
        """List the sentences whose corrections have lost, doubled or made up tags, placeholders or code."""
        return await site.at(session, lambda work: work.complaints(document))

    @app.get(documents + "/{document}/export", tags=["documents"], response_class=Response)
    async def export(session: SessionId, document: DocumentNumber) -> Response:
        """Return the document in its own format, with the translations."""
        languages = site.place.system.languages
        export = await site.at(session, lambda work: work.documents.exporting(document, languages))
        name, kind, content = await asyncio.to_thread(export)
        return attachment(content, name, kind)

    @app.get(sentence, tags=["documents"])
    async def translate_a_sentence(
        session: SessionId, document: DocumentNumber, index: Index
    ) -> models.Shown:
        read = await site.at(session, lambda work: work.documents.reading(document))
        if read is not None:
            await asyncio.to_thread(read)
        shown = await site.at(session, lambda work: work.show(document, index))
        site.settle(session)
        return shown

    @app.put(sentence, tags=["documents"])
    async def correct_a_sentence(
        session: SessionId, document: DocumentNumber, index: Index, given: models.Correction
    ) -> models.Accepted:
        """Accept a correction: it is on the disk before the answer. 409 if another came first."""
        return await site.change(session, lambda work: work.correct(document, index, given))

    @app.put(sentence + "/draft", tags=["documents"])
    async def keep_a_draft(
        session: SessionId, document: DocumentNumber, index: Index, given: models.Draft
    ) -> models.SentenceInfo:
        """Keep a translation that is not accepted yet. 409 if a correction came first."""
        return await site.at(session, lambda work: work.draft(document, index, given))

    @app.get(sentence + "/untouched", tags=["documents"])
    async def untouched(session: SessionId, document: DocumentNumber, index: Index) -> models.Untouched:
        """Return what the system says without anything learned."""
        return await site.at(session, lambda work: work.compare(document, index), idle=True)

    @app.get(sentence + "/reasons", tags=["documents"])
    async def reasons(
        session: SessionId, document: DocumentNumber, index: Index, begin: WordPlace, end: WordPlace
    ) -> list[models.Reason]:
        """Tell why the target words [begin, end) are not those of the untouched system."""
        return await site.at(session, lambda work: work.reasons(document, index, (begin, end)))

    @app.get(sentence + "/alternatives", tags=["documents"])
    async def alternatives(
        session: SessionId,
        document: DocumentNumber,
        index: Index,
        begin: WordPlace,
        end: WordPlace,
        most: Annotated[int, Query(ge=1, le=100)] = 8,
    ) -> list[models.Alternative]:
        """List other translations of the source words [begin, end), the best first."""
        return await site.at(session, lambda work: work.alternatives(document, index, (begin, end), most))

    @app.get(sentence + "/matches", tags=["documents"])
    async def matches(session: SessionId, document: DocumentNumber, index: Index) -> models.Matches:
        """List what the translation memory and the glossaries have for a sentence."""
        return await site.at(session, lambda work: work.matches(document, index))

    @app.post(sentence + "/completion", tags=["documents"])
    async def complete(
        session: SessionId, document: DocumentNumber, index: Index, given: models.Typed
    ) -> models.Completion:
        """Complete what was typed of the translation; it is changed in nothing."""
        while True:
            unwanted = Event()
            with suppress(Unwanted):  # what was computed so far stays
                call = partial(
                    Work.complete, number=document, index=index, typed=given, gives_way=unwanted.is_set
                )
                return await site.at(session, call, give_way=unwanted.set)

    @app.get(sentence + "/derivation.svg", tags=["documents"], response_class=Response)
    async def derivation(session: SessionId, document: DocumentNumber, index: Index) -> Response:
        """Draw the derivation over the source."""
        drawn = await site.at(session, lambda work: work.drawing(document, index))
        policy = {"content-security-policy": DRAWING_POLICY}
        return Response(drawn, media_type="image/svg+xml", headers=policy)
