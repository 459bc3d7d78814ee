"""Documents that translators bring, and the same documents with their translations."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from pathlib import PurePath

from hopefear.base import ForeignCode, InputError, PluginError
from hopefear.base.catalogue import Catalogue

from .contract import Complaint, Difference, Format, Unit
from .marks import both_profiles, complaints_about


def _fault(found: type) -> str:
    return "" if issubclass(found, Format) else "must be a subclass of hopefear.text.documents.Format"


FORMATS: Catalogue[Format] = Catalogue("format of documents", "hopefear.documents", _fault)
"""The formats, by the endings of files, of hopefear and of installed packages."""

_LARGEST = 256 << 20  # bytes
_OTHERS = (
    (b"%PDF", "a PDF document"),
    (b"PK\3\4", "an archive, as xlsx and epub are"),
    (b"\xd0\xcf\x11\xe0", "an old Office document, as doc and xls are"),
    (b"\x1f\x8b", "compressed"),
    (b"\x89PNG", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
    (b"GIF8", "a picture"),
)
"""What files begin with that no format reads, for messages."""


@dataclass(frozen=True)
class Document:
    """A document to translate.

    Attributes
    ----------
    name : str
        The name of the file, without a folder.
    format : str
        The name of its format, one of ``FORMATS.known()``.
    content : bytes
        The document as it came.
    units : tuple of Unit
        What there is to translate.
    """

    name: str
    format: str
    content: bytes
    units: tuple[Unit, ...]
    _reader: Format = field(repr=False, compare=False)

    @classmethod
    def read(
        cls,
        name: str,
        content: bytes,
        format: str | None = None,
        *,
        language: str | None = None,
        languages: Collection[str | None] = (),
        profile: str | None = None,
        units: int | None = None,
    ) -> Document:
        """Read a document.

        Parameters
        ----------
        name : str
            The name of the file; its ending tells the format if `format` does not. Without an ending, or with
            the code of one of the languages as ending, it is a text.
        format : str, optional
            The name of a format.
        language : str, optional
            The code of the target language, for documents that can hold several.
        languages : collection of str, optional
            The codes of more languages whose texts have their code as ending: those of a system.
        profile : str, optional
            The kind of the texts, for units whose format does not tell it.
        units : int, optional
            The most units.

        Raises
        ------
        InputError
            The format is unknown, the document is not in the format, or has too many units.
        """
        base = PurePath(name.replace("\\", "/")).name or "document"
        if len(content) > _LARGEST:
            raise InputError(f"expected at most {_LARGEST >> 20} MB, got {len(content) >> 20}", path=name)
        if not content:
            raise InputError("expected a document, got an empty file", path=name)
        try:
            kind = _format_of(base, format, {language, *languages})
            made = FORMATS.find(kind)
            with ForeignCode(made, lambda what: PluginError(f"{kind}: {what}"), InputError):
                reader = made(content, language)
            if units is not None and len(reader.units) > units:
                raise InputError(f"expected at most {units} sentences, got more")
            for number, unit in enumerate(reader.units, 1):
                if not unit.source.isascii() and _SURROGATE.search(unit.source):
                    raise InputError(f"sentence {number}: expected valid Unicode text", line=unit.line)
        except InputError as error:
            if error.path is not None or isinstance(error, PluginError):
                raise
            other = [f"; the file is {kind}" for begin, kind in _OTHERS if content.startswith(begin)]
            raise InputError(f"{error}{''.join(other)}", path=name, line=error.line) from None
        if profile is not None:
            found = [replace(one, profile=both_profiles(one.profile, profile)) for one in reader.units]
            return cls(base, kind, content, tuple(found), reader)
        return cls(base, kind, content, tuple(reader.units), reader)

    @property
    def media_type(self) -> str:
        """The media type of the document."""
        return self._reader.media_type

    @property
    def languages(self) -> tuple[str, str]:
        """The codes of source and target language that the document names; empty where it names none."""
        return self._reader.languages

    def complaints(self, targets: Mapping[int, str]) -> list[Complaint]:
        """Say which translations need a person: one that lost or gained an inline code or a placeholder.

        Parameters
        ----------
        targets : mapping of int to str
            Translations, by the index of the unit.
        """
        found = []
        for index, target in sorted(targets.items()):
            unit = self.units[index]
            lacking = self._reader.lacks(target)
            wrong = [f"the document's encoding lacks {lacking[:20]}"] if lacking else []
            if wrong := wrong or complaints_about(unit, target):
                found.append(Complaint(index, "; ".join(wrong), unit.line))
        return found

    def translated(
        self,
        targets: Mapping[int, str],
        *,
        language: str | None = None,
        drafts: Collection[int] | None = None,
    ) -> bytes:
        """Return the document in its format with translations; nothing but them changes.

        A translation that the encoding of the document cannot hold is left out. Inline codes that do not nest
        are left out of their translation.

        Parameters
        ----------
        targets : mapping of int to str
            Translations, by the index of the unit; other units stay as they are.
        language : str, optional
            The code of the target language.
        drafts : collection of int, optional
            The units to mark as in need of a person, where the format can; if not given, those of
            `complaints`, or all where the format has nothing between a draft and a confirmed translation.
        """
        written = {index: text for index, text in targets.items() if not self._reader.lacks(text)}
        if not written:
            return self.content
        if drafts is None:
            all_are_drafts = self._reader.is_draft_until_confirmed
            drafts = set(written) if all_are_drafts else {one.unit for one in self.complaints(written)}
        return self._reader.translated(written, drafts, language)

    def differences(
        self, written: bytes, complaints: Collection[Complaint] = (), *, language: str | None = None
    ) -> list[Difference]:
        """Prove that a written document differs from this one in translations only, by another reading.

        Parameters
        ----------
        written : bytes
            What `translated` returned.
        complaints : collection of Complaint
            The units that are named as in need of a person.
        language : str, optional
            The code of the target language.
        """
        if written == self.content:
            return []
        named = [self.units[index] for index in sorted({one.unit for one in complaints})]
        return type(self._reader).differences(self.content, written, language=language, named=named)


_SURROGATE = re.compile("[\ud800-\udfff]")


def _format_of(name: str, format: str | None, languages: Collection[str | None]) -> str:
    """Return the name of the format of a file; an ending that is the code of a language names a text."""
    known = FORMATS.known()
    ending = PurePath(name).suffix[1:].lower()
    if format is not None:
        if format not in known:
            raise InputError(f"expected a format of {', '.join(known)}, got {format!r}")
        return format
    if ending in known:
        return ending
    codes = {code.lower().replace("_", "-") for code in languages if code}
    code = ending.replace("_", "-")
    if not ending or code in codes or code.partition("-")[0] in codes:
        return "text"
    use = "; a glossary is not a document: name it with --glossary" if ending == "tbx" else ""
    raise InputError(
        f"expected a file with one of the endings {', '.join(known)}, or a format; got .{ending}{use}"
    )
