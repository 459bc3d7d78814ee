"""``hopefear serve``: the translator's page and its HTTP API."""

from __future__ import annotations

import re
import secrets
import socket
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import refusing, warn
from ..options import ForgetOption, Setting, WeightsOption
from .decode import adapting_kind, check_adapting, chosen_learner
from .listing import FeatureOption, Kind, completing

if TYPE_CHECKING:
    from hopefear.live.server import Workplace
    from hopefear.tuners.contract import OnlineLearner

LOOPBACK, PORT = "127.0.0.1", 8642
NOTHING = "none"
"""The value of ``--adapt`` that lets weights alone learn."""

_SHORTEST = 16  # characters of a token
_LANGUAGE = "[A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8})*"


@refusing
def serve(
    config: Annotated[
        Path | None,
        typer.Option("--config", "-c", help="The cdec.ini.", show_default="that of the included sample"),
    ] = None,
    weights: WeightsOption = None,
    feature: FeatureOption = None,
    learn: Annotated[
        str | None,
        typer.Option(
            "--learn",
            help="Learn from corrections with this tuner; see hopefear list learners.",
            show_default="the cdec.ini's online_tuner, else mira",
            autocompletion=completing(Kind.learners),
        ),
    ] = None,
    setting: Setting = None,
    adapt: Annotated[
        str,
        typer.Option(
            "--adapt",
            metavar="rules|lm|none",
            help="Let corrections also teach rules, an n-gram model (lm), or both: rules,lm.",
        ),
    ] = "rules,lm",
    forget: ForgetOption = None,
    state: Annotated[Path, typer.Option("--state", metavar="FOLDER", help="Folder of the sessions.")] = Path(
        "hopefear-sessions"
    ),
    host: Annotated[
        str,
        typer.Option(
            "--host", metavar="ADDRESS", help="Listen on this address; all but the loopback's need a token."
        ),
    ] = LOOPBACK,
    port: Annotated[
        int, typer.Option("--port", min=0, max=65535, help="Listen on this port; 0 is any that is free.")
    ] = PORT,
    token_file: Annotated[
        Path | None,
        typer.Option(
            "--token-file",
            help="Ask for the token that this file has.",
            show_default="a new token if --host is not the loopback, else none",
        ),
    ] = None,
    languages: Annotated[
        str | None,
        typer.Option(
            metavar="LANGUAGE",
            help="Language codes of source and target for exported files, such as es:en.",
            show_default="those of the sample, else und:und",
        ),
    ] = None,
    max_words: Annotated[
        int, typer.Option(min=1, max=1000, help="The most words of a sentence and of a correction.")
    ] = 200,
    rate: Annotated[float, typer.Option(min=1, help="The most requests of a client in a second.")] = 50,
) -> None:
    """Correct translations on a page, and watch the next ones come right.

    The page and its HTTP API are served until Ctrl-C. A translator pastes or uploads a document (a text, CSV,
    XLIFF), corrects one translation after the other, and takes the document back. The weights, rules and an
    n-gram model learn from each correction. What was accepted is on the disk: a server that is started again
    goes on where it was.

    The server listens on the loopback only. With another --host, clients must know a token, which is printed
    once. /api/openapi.json describes the API. It needs pip install "hopefear[live]".

    For example:

      hopefear serve

      hopefear serve -c cdec.ini -w weights --state sessions

      hopefear serve -c cdec.ini -w weights --host 0.0.0.0 --token-file token
    """
    from hopefear.base import InputError
    from hopefear.decoder import read_config
    from hopefear.decoder.lengths import MAX_WORDS
    from hopefear.grammars.sample import sample_path
    from hopefear.live import AdaptingDecoder, Forget

    try:
        import fastapi  # noqa: F401
        import lxml  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError as error:
        raise InputError(f'{error.name} is not installed: pip install "hopefear[live]"') from None
    from hopefear.live.server import Access, Limits, Workplace, is_loopback, make_app
    from hopefear.live.server import serve as run

    from ..options.selection import selected_decoder
    from ..options.weights import check_given, check_weights, weights_file

    pair = _languages(languages, is_sample=config is None)
    token = _token(token_file, is_needed=not is_loopback(host))
    is_sample = config is None
    if is_sample:
        config, weights = sample_path() / "cdec.ini", weights or str(sample_path() / "weights.init")
    assert config is not None
    settings = read_config(config)
    check_given(weights, settings)
    learner = learn if learn is not None or settings.online_tuner is not None else "mira"
    if adapt == NOTHING:
        adapts: list[str] | None = []
    else:
        adapts = check_adapting(adapt, forget=forget, resume=False, learn=learner, settings=settings)
    if forget is not None:
        try:
            limits = Forget.parse(forget)
        except InputError as error:
            raise InputError(f"--forget: {error}") from None
    else:
        limits = Forget()

    def make_tuner() -> OnlineLearner:
        tuner = chosen_learner(settings, learner, setting or ())
        assert tuner is not None
        return tuner

    make_tuner()  # a wrong setting is refused now, not with the first session
    decoder = selected_decoder(
        settings,
        weights,
        feature or (),
        allow=None,
        deny=None,
        hash_bits=None,
        freeze=None,
        max_words=MAX_WORDS,
        kind=adapting_kind(adapts or []),
    )
    assert isinstance(decoder, AdaptingDecoder)
    decoder.sends_deltas = False
    check_weights(decoder, weights_file(weights, settings))
    place = Workplace(
        decoder,
        make_tuner,
        state,
        forget=limits,
        limits=Limits(words=max_words),
        languages=pair,
    )
    _begin(place, is_sample=is_sample)
    access = Access(
        hosts=tuple({host.lower(), socket.gethostname().lower()}),
        any_address=token is not None,
        token=token,
        rate=rate,
        burst=4 * rate,
    )
    name = "the Spanish-English sample" if is_sample else config.resolve().parent.name
    app, site = make_app(place, access, system=name, warn=warn)
    made = token if token_file is None else None

    def tell(host: str, port: int) -> None:
        shown = f"[{host}]" if ":" in host else host
        secret = f"#token={made}" if made else ""
        print(f"ready: http://{shown}:{port}/{secret}", flush=True)
        if token is not None:
            warn("the connection is not encrypted: put a server with TLS in front of it in a network")

    run(app, site, host=host, port=port, on_ready=tell)


def _begin(place: Workplace, *, is_sample: bool) -> None:
    """Make the first session; in that of the sample there is a document already."""
    from hopefear.grammars.sample import sample_path
    from hopefear.live.server import Document

    if place.sessions():
        return
    work = place.create("First session")
    if is_sample:
        text = sample_path() / "test.es"
        work.add(Document.read("sample.txt", text.read_bytes()))


def _token(path: Path | None, *, is_needed: bool) -> str | None:
    from hopefear.base import InputError

    if path is None:
        return secrets.token_urlsafe(32) if is_needed else None
    try:
        token = path.read_text("ascii").strip()
    except UnicodeDecodeError:
        raise InputError("expected a token of ASCII characters", path=path) from None
    if len(token) < _SHORTEST or not token.isprintable() or " " in token:
        message = f"expected a token of at least {_SHORTEST} characters without blanks"
        raise InputError(message, path=path)
    return token


def _languages(given: str | None, *, is_sample: bool) -> tuple[str, str]:
    from hopefear.base import InputError

    text = given or ("es:en" if is_sample else "und:und")
    match = re.fullmatch(f"({_LANGUAGE}):({_LANGUAGE})", text)
    if match is None:
        raise InputError(f"--languages: expected two codes, such as es:en, got {text!r}")
    return match[1], match[2]
