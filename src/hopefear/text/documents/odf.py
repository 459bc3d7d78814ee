"""OpenDocument: texts (``.odt``), sheets (``.ods``) and presentations (``.odp``)."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import ClassVar

from hopefear.base import InputError
from hopefear.base.texts import split_words

from .contract import Difference, Format, Unit
from .proofs import package as proof
from .splices import Splices
from .xml import Element, XmlText, content_of, text_of

_LARGEST = 256 << 20  # bytes of all members, unpacked
_LARGEST_TEXT = 64 << 20  # bytes of content.xml
_MOST_MEMBERS = 20_000
_TEXT = "urn:oasis:names:tc:opendocument:xmlns:text:1.0"
_OPAQUE = frozenset(
    split_words(
        "note annotation annotation-end tab line-break s bookmark bookmark-start bookmark-end reference-mark "
        "reference-mark-start reference-mark-end soft-page-break frame custom-shape line rect page-number "
        "page-count date time sequence bookmark-ref note-ref reference-ref change change-start change-end "
        "alphabetical-index-mark toc-mark user-index-mark"
    )
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
            if package.getinfo("content.xml").file_size > _LARGEST_TEXT:
                raise InputError(
                    f"expected an OpenDocument file with at most {_LARGEST_TEXT >> 20} MB of text"
                )
            found = package.read("content.xml")
        self._xml = XmlText(found, "an OpenDocument file")
        self.units: list[Unit] = []
        self._places: list[Element] = []
        self._read(self._xml.root)

    @classmethod
    def differences(
        cls, original: bytes, written: bytes, *, language: str | None = None, named: Collection[Unit] = ()
    ) -> list[Difference]:
        """Compare two packages by another reading."""
        return proof.differences(
            original, written, "content.xml".__eq__, lambda node: node.name in ("text:p", "text:h"), named
        )

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
            place = self._places[index]
            # Made late: a note in a paragraph has paragraphs of its own.
            late = partial(content_of, self.units[index], target, splices)
            splices.replace(place.inner, place.inner_end, late)
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
