"""What the body of a request of a tool holds: JSON, or a form, which may have a file."""

from __future__ import annotations

from dataclasses import dataclass
from email.message import Message
from email.parser import HeaderParser
from typing import Any
from urllib.parse import parse_qsl

from pydantic_core import from_json

from hopefear.base import InputError
from hopefear.base.texts import BLANK

FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")
"""The types of bodies that a form of a page can send, too."""

_MOST_FIELDS, _LONGEST_HEAD = 50, 8_000


@dataclass(frozen=True)
class File:
    """A file in a form."""

    name: str
    content: bytes


def fields(kind: str, body: bytes) -> dict[str, Any]:
    """Return the fields of a body; of a form's fields with the same name, the first one."""
    about = Message()
    about["content-type"] = kind
    form = about.get_content_type()
    if form == FORMS[0]:
        return _urlencoded(body)
    if form == FORMS[1]:
        boundary = about.get_boundary("")
        if not boundary:
            raise InputError("expected a form with a boundary")
        return _multipart(body, boundary.encode("utf-8", "surrogateescape"))
    try:
        values = from_json(body, allow_inf_nan=False)
    except ValueError as error:
        raise InputError(f"expected JSON: {error}") from None
    if not isinstance(values, dict):
        raise InputError("expected a JSON object")
    return values


def _urlencoded(body: bytes) -> dict[str, Any]:
    try:
        pairs = parse_qsl(body.decode(), keep_blank_values=True, errors="strict", max_num_fields=_MOST_FIELDS)
    except ValueError as error:
        raise InputError(f"expected a form in UTF-8: {error}") from None
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
