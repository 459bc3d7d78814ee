"""What clients are told they did wrong, and what the server cannot do."""

from __future__ import annotations

from fastapi.responses import JSONResponse

from hopefear.base import InputError


class Conflict(Exception):
    """Somebody else corrected the sentence in the meantime."""


class Doubted(Exception):
    """A translation or a document may be wrong, and whoever sent it wanted to hear that first."""


class NotFound(LookupError):
    """There is no such session, document, sentence or correction."""


class Busy(Exception):
    """Too many requests are waiting."""


Refusal = InputError | NotFound | Conflict | Doubted | Busy | OSError
REFUSALS = (InputError, NotFound, Conflict, Doubted, Busy, OSError)


def refusal(error: Refusal) -> tuple[int, str]:
    """Return the status of HTTP for an error, and what is said of it."""
    match error:
        case InputError():
            return 422, str(error)
        case NotFound():
            return 404, f"there is no such {error}"
        case Conflict():
            return 409, f"somebody else corrected this sentence: {error}"
        case Doubted():
            return 412, str(error)
        case Busy():
            return 503, "too many requests are waiting"
        case _:
            return 507, f"nothing was accepted: it cannot be written: {error.strerror}"


def answer(status: int, text: str, name: str = "detail") -> JSONResponse:
    """Return the answer to a request that is refused; the text is in the field of this name."""
    safe = text.encode(errors="backslashreplace").decode()
    return JSONResponse({name: safe}, status, {"retry-after": "1"} if status in (429, 503) else None)
