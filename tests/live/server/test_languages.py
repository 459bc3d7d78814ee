"""Documents of other languages than the system's are told."""

from __future__ import annotations

import pytest

from hopefear.live.server.languages import language_doubt

SYSTEM = ("es", "en")


@pytest.mark.parametrize(
    ("named", "text", "languages", "doubt"),
    [
        (("", ""), "La casa.", SYSTEM, None),
        (("es-MX", "en_GB"), "La casa.", SYSTEM, None),
        (("", "fr"), "La casa.", SYSTEM, "the document names fr as its target language, the system has en"),
        (("de", "en"), "Haus.", SYSTEM, "the document names de as its source language, the system has es"),
        (("de", "fr"), "Haus.", (None, None), None),
        (("de", "fr"), "Зелёный", ("und", None), None),
        (("", ""), "Зелёный", ("und", None), None),
        (("", ""), "Зелёный дом, a", SYSTEM, "the document is in Cyrillic letters"),
        (("", ""), "今日は", ("ja", "en"), None),
        (("", ""), "12.", SYSTEM, None),
    ],
)
def test_what_a_document_names_and_its_letters(
    named: tuple[str, str], text: str, languages: tuple[str | None, str | None], doubt: str | None
) -> None:
    found = language_doubt(named, [text], languages)
    assert found is None if doubt is None else found is not None and found.startswith(doubt)
