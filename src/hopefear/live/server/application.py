"""The application of `hopefear serve`: the page, the HTTP API with its OpenAPI description, and the guard."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import version
from json import JSONDecodeError
from typing import Any

from fastapi import APIRouter, FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException

from . import libretranslate, models, routes
from .bodies import not_json
from .dispatcher import Dispatcher
from .errors import REFUSALS, answer, refusal
from .guard import COOKIE, PAGE, Access, Guard, Receive, Scope, Send, cookie_of, same
from .session_store import SessionStore


class Application:
    """An ASGI application over the sessions of a store, which it closes at its end."""

    def __init__(
        self,
        store: SessionStore,
        access: Access | None = None,
        *,
        system: str = "",
        warn: Callable[[str], None] = lambda message: None,
    ) -> None:
        access, self._dispatcher = access or Access(), Dispatcher(store, warn)
        app = FastAPI(
            title="hopefear serve",
            version=version("hopefear"),
            description="Translate, correct, and translate the next sentence with what was learned.",
            lifespan=self._dispatcher.running,
            docs_url=None,
            redoc_url=None,
            openapi_url="/api/openapi.json",
        )
        _add_errors(app)
        app.include_router(_of_system(store, access, system, app.version))
        app.include_router(routes.of_sessions(self._dispatcher))
        app.include_router(routes.of_corrections(self._dispatcher))
        app.include_router(routes.of_documents(self._dispatcher))
        app.include_router(libretranslate.router(self._dispatcher, needs_key=access.token is not None))
        app.mount("/", StaticFiles(directory=PAGE, html=True))
        self._guard = Guard(
            app,
            access,
            keyed=libretranslate.KEYED,
            open=libretranslate.OPEN,
            error_field=libretranslate.error_field,
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request that passes the guard."""
        await self._guard(scope, receive, send)

    def stop(self) -> None:
        """Disconnect the watchers, who would keep a server from ending."""
        self._dispatcher.watchers.stop()


def _add_errors(app: FastAPI) -> None:
    def answered(request: Request, status: int, text: str) -> JSONResponse:
        field = libretranslate.error_field(request.url.path)
        return answer(400 if field == "error" and status == 422 else status, text, field)

    @app.exception_handler(RequestValidationError)
    async def invalid(request: Request, error: RequestValidationError) -> JSONResponse:
        # Without what was given, which JSON may not be able to hold.
        wrong = [_complaint(each, error.body) for each in error.errors()[:5]]
        return answered(request, 422, "; ".join(wrong))

    @app.exception_handler(HTTPException)
    async def unserved(request: Request, error: HTTPException) -> JSONResponse:
        response = answered(request, error.status_code, error.detail)
        response.headers.update(error.headers or {})
        return response

    async def refused(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, REFUSALS)
        return answered(request, *refusal(error))

    for kind in REFUSALS:
        app.add_exception_handler(kind, refused)


def _complaint(wrong: dict[str, Any], body: Any) -> str:
    """Say what is wrong with a field, or where the body stops being JSON."""
    if wrong["type"] == "json_invalid" and isinstance(body, str):
        return not_json(JSONDecodeError(wrong["msg"], body, wrong["loc"][-1]))
    if wrong["type"] == "string_too_long":
        most = wrong["ctx"]["max_length"]
        return f"the {wrong['loc'][-1]} has {len(wrong['input']):,} characters, more than {most:,}"
    return f"{'.'.join(map(str, wrong['loc']))}: {wrong['msg']}"


def _of_system(store: SessionStore, access: Access, name: str, release: str) -> APIRouter:
    routes, shared = APIRouter(prefix="/api", tags=["system"]), store.system

    @routes.get("/system")
    async def about_the_system() -> models.SystemInfo:
        """Return version, tuner, what adapts, languages, and the maximum length of a sentence."""
        adapts = [*(["rules"] if shared.decoder.text is not None else [])]
        adapts += ["lm"] if shared.decoder.grows_model else []
        return models.SystemInfo(
            version=release,
            system=name,
            tuner=type(shared.untouched.tuner).__name__,
            adapts=adapts,
            languages=shared.languages,
            written=shared.written,
            words=shared.limits.words,
        )

    @routes.post("/login", status_code=204)
    async def give_the_token(login: models.Token, request: Request) -> Response:
        """Exchange the token for a cookie, for the page."""
        if access.token is None:
            return Response(status_code=204)
        if not same(login.token, access.token):
            return JSONResponse({"detail": "expected the token of this server"}, 401)
        response = Response(status_code=204)
        secure = request.url.scheme == "https"
        value = cookie_of(access.token)
        response.set_cookie(COOKIE, value, httponly=True, samesite="strict", secure=secure)
        return response

    return routes
