"""The interface of LibreTranslate, which tools of translators call: they get translations that learn.

The tools work in the oldest session that is called `SESSION`, or in the oldest one if none is.
"""

from __future__ import annotations

import asyncio
import re
import secrets
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Literal, TypeVar

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, Field, ValidationError

from hopefear.base import InputError
from hopefear.base.cache import BoundedCache
from hopefear.base.texts import BLANK
from hopefear.text.documents import FORMATS, LONGEST, Document, Unit
from hopefear.text.language_names import language_name
from hopefear.text.languages import base_of
from hopefear.text.profile import BUILT_IN

from .attachments import attachment
from .bodies import File, fields
from .dispatcher import Dispatcher
from .documents import export_name
from .errors import NotFound
from .models import NewPair
from .received import Received
from .session_service import SessionService
from .session_store import SessionStore
from .system import TranslationSystem

SESSION = "Tools"
"""The name of a session that only the tools use, if somebody makes one."""

KEYED = frozenset({"/translate", "/translate_file", "/detect", "/suggest"})
"""The paths where forms are taken, and the server's token as ``api_key``."""

_DOWNLOAD = "/download_file/"

OPEN = ("/languages", "/frontend/settings", "/health", _DOWNLOAD)
"""How the paths begin that need no token: languages, and files under names that nobody can guess."""


_UNKNOWN = "und"
_MOST_TEXTS, _MOST_ALTERNATIVES = 1_000, 20
_DETECTED = 10  # sentences of a text that tell its language
_KEPT = 64_000_000  # bytes of translated files

_OF_WEBLATE = r"\[X\d+X\]"
"""What Weblate puts for a piece that is not to be translated, such as a tag."""

_PLACEHOLDER = re.compile("|".join([_OF_WEBLATE, BUILT_IN["printf"]["format"], BUILT_IN["html"]["entity"]]))
"""What texts of programs have beside words and tags."""

_BEFORE_WORD, _BEHIND_WORD = re.compile(rf"({_OF_WEBLATE})(?=\w)"), re.compile(rf"(?<=\w)({_OF_WEBLATE})")

_TRIAL = {"q": ["test"], "source": "en", "target": "de"}
"""What Weblate wants translated before it takes any server into its settings."""

_TAG = re.compile(r"</?[A-Za-z][^<>]*>")

Body = TypeVar("Body", bound=BaseModel)


def error_field(path: str) -> str:
    """Return the name of the field that holds the error of a request for a path."""
    return "error" if path in KEYED or path.startswith(OPEN) else "detail"


class _Languages(BaseModel):
    source: str = Field(max_length=50)
    target: str = Field(max_length=50)


class Texts(_Languages):
    """Texts to translate."""

    q: str | list[str]
    format: Literal["text", "html"] = "text"
    alternatives: int = Field(default=0, ge=0, le=_MOST_ALTERNATIVES)

    @property
    def texts(self) -> list[str]:
        """The texts, also if there is one."""
        return [self.q] if isinstance(self.q, str) else self.q

    @property
    def is_trial(self) -> bool:
        """Whether a tool only looks whether anything is answered."""
        return self.model_dump(include={*_TRIAL}) == _TRIAL


class Detection(BaseModel):
    """A text whose language is asked for."""

    q: str


class Suggestion(_Languages):
    """A text and its translation as it should be."""

    q: str
    s: str


class Upload(_Languages):
    """A file to translate."""

    file: File


async def _read(request: Request, model: type[Body]) -> Body:
    """Read a request; what is empty is as if it were not there."""
    query: bytes = request.scope["query_string"]
    values = fields(request.headers.get("content-type", ""), await request.body(), query)
    try:
        return model.model_validate({k: v for k, v in values.items() if v not in (None, "", [])})
    except ValidationError as error:
        wrong = error.errors()[0]
        name = ".".join(map(str, wrong["loc"]))
        is_missing = wrong["type"] == "missing"
        what = f"missing {name} parameter" if is_missing else f"{name}: {wrong['msg']}"
        raise InputError(f"Invalid request: {what}") from None


class _Tools:
    """What the tools ask of the session that is theirs."""

    def __init__(self, dispatcher: Dispatcher) -> None:
        self._dispatcher, self._system = dispatcher, dispatcher.store.system

    async def session(self) -> str:
        """Return the id of the session."""
        return await self._dispatcher.decoder.ask(lambda: _session(self._dispatcher.store))

    def check(self, asked: _Languages) -> None:
        """Refuse languages that the system does not translate."""
        source, target = self._system.languages
        automatic = asked.source == "auto"
        if (automatic or _is(asked.source, source)) and _is(asked.target, target):
            return
        raise InputError(
            f"{asked.source} to {asked.target} is not supported: this server translates {source} to {target}"
        )

    async def translations(
        self,
        session: str,
        document: Received,
        most: int,
        request: Request,
        *,
        sentences: int | None = None,
    ) -> tuple[list[dict[int, str]], float]:
        """Translate the sentences of a document: in the best way, and in the next best ones.

        A sentence that cannot be translated stays as it is, and so does one of which the document has a
        translation. Others who ask get their turn between the sentences. The second result says how many
        percent of the words the system translates. With `sentences`, only the first so many are translated.
        """
        ways, translated = dict[int, list[str]](), {index for index, *_ in document.targets}
        words = unknown = 0
        unit_of = await asyncio.to_thread(document.units)
        for index, source in enumerate(document.sentences[:sentences]):
            if index in translated:
                continue
            if await request.is_disconnected():
                break
            says = partial(SessionService.says, source=source, unit=_kept(unit_of(index)), size=most)
            said = await self._dispatcher.ask(session, says)
            ways[index] = [_close(source, text) for text in said.texts] or [source]
            words, unknown = words + said.words, unknown + said.unknown
        ranks = [{i: way[min(rank, len(way) - 1)] for i, way in ways.items()} for rank in range(most)]
        return ranks, 100.0 * (words - unknown) / words if words else 0.0

    async def text(
        self, session: str, text: str, asked: Texts, request: Request
    ) -> tuple[list[str], dict[str, Any]]:
        """Return the best translation of a text with different ones after it, and the language found."""
        document = await asyncio.to_thread(_document, text, asked.format, self._system)
        if document is None:
            return [text], self._detected(0.0)
        ways, percent = await self.translations(session, document, 1 + asked.alternatives, request)
        language = self._system.languages[1]

        def written() -> list[str]:
            return [document.translated(targets, language)[0].decode("utf-8-sig") for targets in ways]

        return list(dict.fromkeys(await asyncio.to_thread(written))), self._detected(percent)

    async def detected(self, session: str, text: str, request: Request) -> dict[str, Any]:
        """Return the source language, and how many percent of a text's first words the system translates."""
        document = await asyncio.to_thread(_document, text, "text", self._system)
        if document is None:
            return self._detected(0.0)
        _, percent = await self.translations(session, document, 1, request, sentences=_DETECTED)
        return self._detected(percent)

    def _detected(self, percent: float) -> dict[str, Any]:
        return {"confidence": round(percent, 1), "language": self._system.languages[0]}

    async def learn(self, suggestion: Suggestion) -> None:
        """Learn a correction: sentence by sentence if both sides have as many."""
        pairs = await asyncio.to_thread(_pairs, suggestion.q, suggestion.s, self._system)
        await self._dispatcher.change(
            await self.session(), lambda service: service.learning.teach_each(pairs)
        )

    async def file(self, file: File, request: Request) -> tuple[bytes, str, str]:
        """Translate a file; return its content, its name and its media type."""
        document = await asyncio.to_thread(self._system.document, file.name, file.content)
        (targets,), _ = await self.translations(await self.session(), document, 1, request)
        languages = self._system.languages
        content, media_type = await asyncio.to_thread(document.translated, targets, languages[1])
        return content, export_name(document.name, languages), media_type


def router(dispatcher: Dispatcher, *, needs_key: bool) -> APIRouter:
    """Return the paths of the interface over the sessions of a server."""
    routes = APIRouter(tags=["tools"])
    tools, system = _Tools(dispatcher), dispatcher.store.system
    # Translated files, each with its name and media type, under names that nobody can guess.
    finished = BoundedCache[str, tuple[bytes, str, str]](_KEPT, size=lambda file: len(file[0]))
    source, target = ({"code": code, "name": language_name(code)} for code in system.languages)

    @routes.get("/languages")
    async def languages() -> list[dict[str, Any]]:
        """List the source language with its target, and the target language."""
        return [{**source, "targets": [target["code"]]}, {**target, "targets": []}]

    @routes.get("/health")
    async def health() -> dict[str, str]:
        """Tell that the server is there."""
        return {"status": "ok"}

    @routes.get("/frontend/settings")
    async def settings() -> dict[str, Any]:
        """Return limits, endings of files, and whether a key is needed."""
        return {
            "charLimit": LONGEST,
            "frontendTimeout": 500,
            "apiKeys": needs_key,
            "keyRequired": needs_key,
            "suggestions": True,
            "filesTranslation": True,
            "supportedFilesFormat": [f".{ending}" for ending in FORMATS.known()],
            "language": {"source": source, "target": target},
        }

    @routes.post("/translate", openapi_extra=_body(Texts))
    async def translate(request: Request) -> dict[str, Any]:
        """Translate a text, or each text of a list, with what was learned."""
        asked = await _read(request, Texts)
        if asked.is_trial:
            return {"translatedText": asked.q}
        tools.check(asked)
        if len(asked.texts) > _MOST_TEXTS:
            raise InputError(f"expected at most {_MOST_TEXTS} texts, got {len(asked.texts)}")
        session = await tools.session()
        answers = [await tools.text(session, each, asked, request) for each in asked.texts]
        lists: dict[str, list[Any]] = {"translatedText": [best for (best, *_), _ in answers]}
        if asked.alternatives:
            lists["alternatives"] = [others for (_, *others), _ in answers]
        if asked.source == "auto":
            lists["detectedLanguage"] = [language for _, language in answers]
        return lists if isinstance(asked.q, list) else {name: value for name, (value,) in lists.items()}

    @routes.post("/detect", openapi_extra=_body(Detection))
    async def detect(request: Request) -> list[dict[str, Any]]:
        """Return the source language, and how many percent of the words the system translates."""
        asked = await _read(request, Detection)
        return [await tools.detected(await tools.session(), asked.q, request)]

    @routes.post("/suggest", openapi_extra=_body(Suggestion))
    async def suggest(request: Request) -> dict[str, bool]:
        """Learn a correction: it is on the disk before the answer."""
        suggestion = await _read(request, Suggestion)
        tools.check(suggestion)
        await tools.learn(suggestion)
        return {"success": True}

    @routes.post("/translate_file", openapi_extra=_body(Upload))
    async def translate_a_file(request: Request) -> dict[str, str]:
        """Translate a file of one of the formats of documents; the answer tells where it is."""
        upload = await _read(request, Upload)
        tools.check(upload)
        key = secrets.token_urlsafe(24)
        finished[key] = await tools.file(upload.file, request)
        return {"translatedFileUrl": f"{request.base_url}{_DOWNLOAD[1:]}{key}"}

    @routes.get(_DOWNLOAD + "{key}", response_class=Response)
    async def download(key: str) -> Response:
        """Return a translated file; the latest ones are kept until the server ends."""
        if key not in finished:
            raise NotFound("file")
        return attachment(*finished[key])

    return routes


def _body(model: type[BaseModel]) -> dict[str, Any]:
    """Describe a body, which is read from JSON and from forms."""
    schema = {"schema": model.model_json_schema()}
    kinds = ["multipart/form-data"]
    if model is not Upload:
        kinds += ["application/json", "application/x-www-form-urlencoded"]
    return {"requestBody": {"required": True, "content": dict.fromkeys(kinds, schema)}}


def _session(store: SessionStore) -> str:
    """Return the session of the tools; it is made if there is none that can be opened."""
    sessions = [about for about in store.sessions() if about.problem is None]
    named = [about for about in sessions if about.name == SESSION]
    return (named or sessions)[0].id if sessions else store.create(SESSION).about.id


def _is(asked: str, offered: str) -> bool:
    return offered == _UNKNOWN or base_of(asked) == base_of(offered)


def _document(text: str, format: str, system: TranslationSystem) -> Received | None:
    """Return a text as a document; None if it has no words."""
    content = text.encode("utf-8-sig")  # the mark says that it is UTF-8, whatever a page says of itself
    if not any(unit.plain.strip(BLANK) for unit in Document.read("text", content, format).units):
        return None
    return system.document("text", content, format)


def _kept(unit: Unit) -> Unit:
    """Let a plain text keep what tools put into it for tags and placeholders."""
    return replace(unit, profile="xliff", placeholders=_PLACEHOLDER) if unit.profile == "plain" else unit


def _close(source: str, text: str) -> str:
    """Let what stands for a tag be as close to a word as it is in the source."""
    for piece in _BEFORE_WORD.findall(source):
        text = re.sub(rf"{re.escape(piece)}\s+(?=\w)", piece, text)
    for piece in _BEHIND_WORD.findall(source):
        text = re.sub(rf"(?<=\w)\s+{re.escape(piece)}", piece, text)
    return text


def _pairs(source: str, target: str, system: TranslationSystem) -> Sequence[NewPair]:
    """Return the sentences of a text with those of its translation, or the whole if they are not as many."""
    texts = [_TAG.sub("", text) for text in (source, target)]
    sides = [_document(text, "text", system) for text in texts]
    sentences = [() if side is None else side.sentences for side in sides]
    if len(sentences[0]) != len(sentences[1]) or not sentences[0]:
        sentences = [(text,) for text in texts]
    return [NewPair(source=source, target=target) for source, target in zip(*sentences, strict=True)]
