"""OpenDocument: texts (``.odt``), sheets (``.ods``) and presentations (``.odp``)."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import ClassVar

from hopefear.base import InputError

from .contract import Format, Unit
from .splices import Splices
from .xml import Element, XmlText, content_of, text_of

_LARGEST = 256 << 20  # bytes of all members, unpacked
_MOST_MEMBERS = 20_000
_TEXT = "urn:oasis:names:tc:opendocument:xmlns:text:1.0"
_OPAQUE = frozenset(
    "note annotation annotation-end tab line-break s bookmark bookmark-start bookmark-end reference-mark "
    "reference-mark-start reference-mark-end soft-page-break frame custom-shape line rect page-number "
    "page-count date time sequence bookmark-ref note-ref reference-ref change change-start change-end "
    "alphabetical-index-mark toc-mark user-index-mark".split()
)
"""Elements inside a paragraph that are no text of it; notes and frames have paragraphs of their own."""

_KEPT = frozenset({"tracked-changes", "annotation"})


class OpenDocument(Format):
    """Paragraphs and headings of an OpenDocument file, with those of its notes, frames and cells.

    Only ``content.xml`` changes; every other file in the package keeps its bytes.
    """

    media_type: ClassVar[str] = "application/vnd.oasis.opendocument.text"

    def __init__(self, content: bytes, language: str | None = None) -> None:
        self._content = content
        with _reading(), zipfile.ZipFile(io.BytesIO(content)) as package:
            members = package.infolist()
            if len(members) > _MOST_MEMBERS or sum(one.file_size for one in members) > _LARGEST:
                raise InputError(f"expected an OpenDocument file of at most {_LARGEST >> 20} MB, unpacked")
            found = package.read("content.xml")
        self._xml = XmlText(found, "an OpenDocument file")
        self.units: list[Unit] = []
        self._places: list[Element] = []
        self._read(self._xml.root)

    def _read(self, root: Element) -> None:
        waiting = [root]
        while waiting:
            element = waiting.pop()
            if element.space == _TEXT and element.name in ("p", "h"):
                text, codes = text_of(self._xml, element, _OPAQUE)
                unit = Unit(text, codes=codes, profile="xliff", context=element.name)
                if unit.plain.strip() and not element.is_single:
                    self.units.append(unit)
                    self._places.append(element)
            waiting.extend(one for one in reversed(list(element)) if one.name not in _KEPT)

    def translated(self, targets: Mapping[int, str], drafts: Collection[int], language: str | None) -> bytes:
        """Return the document with translations."""
        splices = Splices(self._xml.text)
        for index, target in targets.items():
            place, codes = self._places[index], self.units[index].codes

            def content(text: str = target, codes=codes) -> str:  # type: ignore[no-untyped-def]
                return content_of(text, codes, splices)

            splices.replace(place.inner, place.inner_end, content)
        new = self._xml.encoded(splices.whole())
        out = io.BytesIO()
        with (
            _reading(),
            zipfile.ZipFile(io.BytesIO(self._content)) as package,
            zipfile.ZipFile(out, "w") as written,
        ):
            for member in package.infolist():
                data = new if member.filename == "content.xml" else package.read(member)
                written.writestr(member, data)
        return out.getvalue()


@contextmanager
def _reading() -> Iterator[None]:
    """Turn the errors of a damaged package into an `InputError`."""
    try:
        yield
    except KeyError:
        raise InputError("expected an OpenDocument file, got a package without content.xml") from None
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError, OSError) as error:
        raise InputError(f"expected an OpenDocument file: {error}") from None
