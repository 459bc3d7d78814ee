"""``hopefear serve``: the translator's page and its HTTP API."""

from __future__ import annotations

import re
import secrets
import socket
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from hopefear.base import InputError
from hopefear.base.texts import BLANK
from hopefear.decoder import Config, read_config
from hopefear.decoder.lengths import MAX_WORDS

from ..command import command, only, option
from ..errors import warn
from ..names import NamedKind
from ..options import (
    ChosenConsensus,
    GivenWeights,
    Knowledge,
    LiveLearning,
    Selection,
    TextForm,
    adapting_kind,
    check_weights,
)

if TYPE_CHECKING:
    from hopefear.live.server import SessionStore
    from hopefear.tuners.contract import OnlineLearner

LOOPBACK, PORT = "127.0.0.1", 8642
NOTHING = "none"
"""The value of ``--adapt`` that lets weights alone learn."""

_SHORTEST = 16  # characters of a token
_LANGUAGE = "[A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8})*"


@dataclass(frozen=True, kw_only=True)
class Corrections(LiveLearning):
    """The options of learning from corrections."""

    learn: str | None = option(
        "Learn from corrections with this tuner; see hopefear list learners.",
        default=None,
        shown="the cdec.ini's online_tuner, else mira",
        completion=NamedKind.learners,
    )
    adapt: str | None = option(
        "Let corrections also teach rules, an n-gram model (lm), or both: rules,lm.",
        metavar="rules|lm|none",
        default="rules,lm",
    )

    def adapts(self, config: Config) -> list[str]:
        """Return what learns beside the weights."""
        return [] if self.adapt == NOTHING else super().adapts(config) or []


@dataclass(frozen=True, kw_only=True)
class Listening:
    """The options of who may ask the server, and where."""

    host: str = option(
        "Listen on this address; all but the loopback's need a token.", metavar="ADDRESS", default=LOOPBACK
    )
    port: int = option("Listen on this port; 0 is any that is free.", default=PORT, min=0, max=65535)
    token_file: Path | None = option(
        "Ask for the token that this file has.",
        default=None,
        shown="a new token if --host is not the loopback, else none",
    )
    rate: float = option("The most requests of a client in a second.", default=50, min=1)

    def token(self) -> str | None:
        """Return the token of the file or, if one is needed, a new one."""
        from hopefear.live.server import is_loopback

        path = self.token_file
        if path is None:
            return None if is_loopback(self.host) else secrets.token_urlsafe(32)
        try:
            token = path.read_text("ascii").strip(BLANK)
        except UnicodeDecodeError:
            raise InputError("expected a token of ASCII characters", path=path) from None
        if len(token) < _SHORTEST or not token.isprintable() or " " in token:
            message = f"expected a token of at least {_SHORTEST} characters without blanks"
            raise InputError(message, path=path)
        return token


@command
def serve(
    *,
    config: Path | None = option("The cdec.ini.", "-c", default=None, shown="that of the included book"),
    weights: GivenWeights,
    selection: Annotated[Selection, only("feature")],
    form: TextForm,
    learning: Corrections,
    knowledge: Knowledge,
    consensus: ChosenConsensus,
    state: Path = option("Folder of the sessions.", metavar="FOLDER", default=Path("hopefear-sessions")),
    listening: Listening,
    languages: str | None = option(
        "Language codes of source and target for exported files, such as es:en.",
        metavar="LANGUAGE",
        default=None,
        shown="those of the system's text, else und:und",
    ),
    max_words: int = option(
        "The most words of a sentence and of a correction.", default=200, min=1, max=1000
    ),
) -> None:
    """Correct translations on a page, and watch the next ones come right.

    The page and its HTTP API are served until Ctrl-C. A translator pastes or uploads a document (a text, CSV,
    XLIFF), corrects one translation after the other, and takes the document back. The weights, rules and an
    n-gram model learn from each correction. What was accepted is on the disk: a server that is started again
    goes on where it was.

    The server listens on the loopback only. With another --host, clients must know a token, which is printed
    once. /api/openapi.json describes the API. Tools that can use a LibreTranslate server can use this one. It
    needs pip install "hopefear[live]".

    For example:

      hopefear serve

      hopefear serve -c cdec.ini -w weights --state sessions

      hopefear serve -c cdec.ini -w weights --memory old.tmx --glossary terms.tsv

      hopefear serve -c cdec.ini -w weights --host 0.0.0.0 --token-file token
    """
    from hopefear.grammars.sample import book_path
    from hopefear.live import AdaptingDecoder

    try:
        import fastapi  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError as error:
        raise InputError(f'{error.name} is not installed: pip install "hopefear[live]"') from None
    from hopefear.live.server import (
        Access,
        Application,
        ServerLimits,
        SessionStore,
        TranslationSystem,
        private_files,
    )
    from hopefear.live.server import serve as run

    is_book = config is None
    pair = _languages(languages)
    token = listening.token()
    if config is None:
        config = book_path() / "written.ini"
        weights = GivenWeights(weights=weights.weights or str(book_path() / "weights"))
    settings = read_config(config)
    knowledge.add_terms(settings)
    known = form.system(settings)
    if pair is None:
        pair = ("und", "und") if known is None else known.languages
    weights.check(settings)
    if settings.online_tuner is None:
        learning = replace(learning, learn=learning.learn or "mira")
    adapted = learning.adapts(settings)
    forget, expert = learning.limits(), learning.shown()

    def make_tuner() -> OnlineLearner:
        tuner = learning.tuner(settings)
        assert tuner is not None
        return tuner

    make_tuner()  # a wrong setting is refused now, not with the first session
    method = consensus.method(settings)
    start = weights.file(settings)
    decoder = selection.decoder(
        settings, start, max_words=MAX_WORDS, kind=adapting_kind(adapted, knowledge.memory)
    )
    assert isinstance(decoder, AdaptingDecoder)
    decoder.sends_deltas = False
    check_weights(decoder, start)
    system = TranslationSystem(
        decoder,
        make_tuner,
        expert=expert,
        forget=forget,
        consensus=method,
        limits=ServerLimits(words=max_words),
        languages=pair,
    )
    access = Access(
        hosts=tuple({listening.host.lower(), socket.gethostname().lower()}),
        any_address=token is not None,
        token=token,
        rate=listening.rate,
        burst=4 * listening.rate,
    )
    name = "the included book" if is_book else config.resolve().parent.name
    made = token if listening.token_file is None else None

    def tell(host: str, port: int) -> None:
        shown = f"[{host}]" if ":" in host else host
        secret = f"#token={made}" if made else ""
        print(f"ready: http://{shown}:{port}/{secret}", flush=True)
        if token is not None:
            warn("the connection is not encrypted: put a server with TLS in front of it in a network")

    with private_files(), closing(SessionStore(system, state)) as store:
        text = book_path() / ("book.es" if form.tokens else "book.es.written")
        _begin(store, text if is_book else None)
        app = Application(store, access, system=name, warn=warn)
        run(app, host=listening.host, port=listening.port, on_ready=tell)


def _begin(store: SessionStore, text: Path | None) -> None:
    """Make the first session, with a text as its document if there is one."""
    from hopefear.live.server import Received

    known = store.sessions()
    for one in known:
        if one.problem is not None:
            warn(f"a session that cannot be opened: {one.problem}")
    if known:
        return
    work = store.create("First session")
    if text is not None:
        work.documents.add(Received.read("esther.txt", text.read_bytes()))


def _languages(given: str | None) -> tuple[str, str] | None:
    if given is None:
        return None
    match = re.fullmatch(f"({_LANGUAGE}):({_LANGUAGE})", given)
    if match is None:
        raise InputError(f"--languages: expected two codes, such as es:en, got {given!r}")
    return match[1], match[2]
