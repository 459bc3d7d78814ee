"""Catalogues of Qt, ``.ts``."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import ClassVar

from hopefear.base import InputError

from .contract import Difference, Format, State, Unit
from .placeholders import placeholders_of
from .plurals import plural_forms
from .proofs import resources as proof
from .splices import LineNumbers, Splices
from .xml import Element, XmlText, content_of, text_of, with_attribute, without_attribute

_NOTHING: frozenset[str] = frozenset()


class Qt(Format):
    """The messages of a catalogue of Qt; each plural form is a unit. Messages of old sources are left out."""

    media_type: ClassVar[str] = "application/x-linguist"
    is_draft_until_confirmed: ClassVar[bool] = True

    def __init__(self, content: bytes, language: str | None = None) -> None:
        self._xml = XmlText(content, "a catalogue of Qt")
        root = self._xml.root
        if root.name != "TS":
            raise InputError(f"expected a catalogue of Qt, got <{root.name}>; a program is no document")
        self.languages = (root.attributes.get("sourcelanguage", ""), root.attributes.get("language", ""))
        if not (language or self.languages[1]):
            raise InputError("expected the target language, as language in <TS> or by --language")
        lines, self.units = LineNumbers(self._xml.text), []
        self._places: list[tuple[Element, int]] = []
        for message in (one for one in root.walk() if one.name == "message"):
            source, target = message.find("source"), message.find("translation")
            kind = "unfinished" if target is None else target.attributes.get("type", "")
            if source is None or not source.string().strip() or kind in ("vanished", "obsolete"):
                continue
            text, codes = text_of(self._xml, source, _NOTHING)
            targets = [target]
            if message.attributes.get("numerus") == "yes":
                forms = [] if target is None else [one for one in target if one.name == "numerusform"]
                targets = [*forms] or [None] * plural_forms(language or self.languages[1])[0]
            notes = "\n".join(one.string() for one in message if one.name in ("comment", "extracomment"))
            for form, one in enumerate(targets):
                old = "" if one is None else text_of(self._xml, one, _NOTHING)[0]
                state = State.NEW if not old.strip() else State.DRAFT if kind else State.DONE
                self._places.append((message, form))
                self.units.append(
                    Unit(
                        text,
                        old or None,
                        state,
                        codes,
                        profile="printf",
                        line=lines.at(message.begin),
                        notes=notes,
                        status=kind,
                        lines=True,
                        placeholders=placeholders_of(["qt-format"]),
                    )
                )

    @classmethod
    def differences(
        cls, original: bytes, written: bytes, *, language: str | None = None, named: Collection[Unit] = ()
    ) -> list[Difference]:
        """Compare two catalogues by another reading."""
        return proof.qt(original, written)

    def translated(self, targets: Mapping[int, str], drafts: Collection[int], language: str | None) -> bytes:
        """Return the document with translations."""
        splices, xml = Splices(self._xml.text), self._xml
        forms, unfinished = dict[int, list[str]](), set[int]()
        changed = {id(self._places[index][0]): self._places[index][0] for index in targets}
        for index, (message, _) in enumerate(self._places):
            unit, target = self.units[index], targets.get(index)
            text = target if target is not None else unit.target or ""
            forms.setdefault(id(message), []).append(content_of(unit, text, splices))
            if index in drafts or not text or (target is None and unit.state is State.DRAFT):
                unfinished.add(id(message))
        for key, message in changed.items():
            old, texts = message.find("translation"), forms[key]
            if message.attributes.get("numerus") == "yes":
                texts = [f"<numerusform>{text}</numerusform>" for text in texts]
            tag = "<translation>" if old is None else without_attribute(xml.start_tag(old), "type")
            tag = f"{tag[:-2].rstrip()}>" if tag.endswith("/>") else tag
            tag = with_attribute(tag, "type", "unfinished") if key in unfinished else tag
            new = f"{tag}{''.join(texts)}</translation>"
            if old is not None:
                splices.replace(old.begin, old.end, new)
            elif (source := message.find("source")) is not None:
                splices.replace(source.end, source.end, new)
        if language and "language" not in xml.root.attributes:
            tag = with_attribute(xml.start_tag(xml.root), "language", language.replace("-", "_"))
            splices.replace(xml.root.begin, xml.root.inner, tag)
        return xml.encoded(splices.whole())
