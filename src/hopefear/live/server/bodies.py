"""What a request of a tool holds: its query, and its body of JSON or of a form, which may have a file."""

from __future__ import annotations

import json
from dataclasses import dataclass
from email.message import Message
from email.parser import HeaderParser
from typing import Any
from urllib.parse import parse_qsl

from pydantic_core import from_json

from hopefear.base import InputError
from hopefear.base.stored import parse_json
from hopefear.base.texts import BLANK, shortened

FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")
"""The types of bodies that a form of a page can send, too."""

_MOST_FIELDS, _LONGEST_HEAD = 50, 8_000


@dataclass(frozen=True)
class File:
    """A file in a form."""

    name: str
    content: bytes


def fields(kind: str, body: bytes, query: bytes) -> dict[str, Any]:
    """Return the fields of query and body, the body's before the query's, the first of those with a name."""
    return {**_urlencoded(query, "query"), **_fields_of_body(kind, body)}


def not_json(error: json.JSONDecodeError) -> str:
    """Say in plain words where a text stops being JSON."""
    rest = error.doc[error.pos : error.pos + 30].strip(BLANK)
    what = shortened(repr(rest), 24) if rest else "the end of the text"
    return f"expected JSON, got {what} at line {error.lineno}, column {error.colno}"


def _fields_of_body(kind: str, body: bytes) -> dict[str, Any]:
    if not body:
        return {}
    about = Message()
    about["content-type"] = kind
    form = about.get_content_type()
    if form == FORMS[0]:
        return _urlencoded(body, "form")
    if form == FORMS[1]:
        boundary = about.get_boundary("")
        if not boundary:
            raise InputError("expected a form with a boundary")
        return _multipart(body, boundary.encode("utf-8", "surrogateescape"))
    try:
        values = from_json(body, allow_inf_nan=False)
    except ValueError:
        raise InputError(_fault(body)) from None
    if not isinstance(values, dict):
        raise InputError("expected a JSON object")
    return values


def _fault(body: bytes) -> str:
    """Say in plain words why a body is not taken as JSON."""
    try:
        parse_json(body.decode(), finite=True)
    except json.JSONDecodeError as error:
        return not_json(error)
    except UnicodeDecodeError:
        return "expected JSON in UTF-8"
    except ValueError as error:
        return str(error)
    return "expected JSON, got half of a surrogate pair"


def _urlencoded(content: bytes, what: str) -> dict[str, Any]:
    try:
        pairs = parse_qsl(
            content.decode(), keep_blank_values=True, errors="strict", max_num_fields=_MOST_FIELDS
        )
    except ValueError:
        raise InputError(f"expected a {what} of at most {_MOST_FIELDS} fields, in UTF-8") from None
    return dict(reversed(pairs))


def _multipart(body: bytes, boundary: bytes) -> dict[str, Any]:
    parts = (b"\r\n" + body).split(b"\r\n--" + boundary, _MOST_FIELDS + 2)[1:]
    if not parts or not parts[-1].startswith(b"--"):
        raise InputError(f"expected a form of at most {_MOST_FIELDS} fields, which ends with its boundary")
    values = dict[str, Any]()
    for part in parts[:-1]:
        head, _, content = part.partition(b"\r\n\r\n")
        if len(head) > _LONGEST_HEAD:
            raise InputError("expected fields with short headers")
        try:
            about = HeaderParser().parsestr(head.decode().lstrip(BLANK))
            name, file = about.get_param("name", header="content-disposition"), about.get_filename()
            value = content.decode() if file is None else File(file, content)
        except UnicodeDecodeError:
            raise InputError("expected a form in UTF-8") from None
        if not isinstance(name, str):
            raise InputError("expected fields with names")
        values.setdefault(name, value)
    return values
