"""OpenDocument: texts (``.odt``), sheets (``.ods``) and presentations (``.odp``)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import partial
from typing import ClassVar

from hopefear.base.texts import split_words

from .contract import Difference, Format, Unit
from .package import read_texts, with_texts
from .proofs import package as proof
from .splices import Splices
from .xml import Element, XmlText, content_of, text_of

_KIND, _MAIN = "an OpenDocument file", "content.xml"
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
        self._xml = XmlText(read_texts(content, _KIND, _MAIN, _MAIN.__eq__)[_MAIN], _KIND)
        self.units: list[Unit] = []
        self._places: list[Element] = []
        self._read(self._xml.root)

    @classmethod
    def differences(
        cls, original: bytes, written: bytes, *, language: str | None = None, named: Collection[Unit] = ()
    ) -> list[Difference]:
        """Compare two packages by another reading."""
        return proof.differences(
            original, written, _MAIN.__eq__, lambda node: node.name in ("text:p", "text:h"), named
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
        return with_texts(self._content, _KIND, {_MAIN: self._xml.encoded(splices.whole())})
