"""Files that a browser saves and never shows."""

from __future__ import annotations

from urllib.parse import quote

from fastapi import Response


def attachment(content: bytes, name: str, media_type: str) -> Response:
    """Return a file to be saved, never shown; the name is encoded, whatever it is."""
    plain = "".join(c if c.isascii() and (c.isalnum() or c in "._-") else "_" for c in name)
    encoded = quote(name, safe="")
    headers = {"content-disposition": f"attachment; filename=\"{plain}\"; filename*=UTF-8''{encoded}"}
    return Response(content, media_type=media_type, headers=headers)
