"""Names of languages."""

from __future__ import annotations

import pytest

from hopefear.text.language_names import language_name


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("es", "Spanish"),
        ("DE", "German"),
        ("pt-BR", "Brazilian Portuguese"),
        ("pt_AO", "Portuguese (AO)"),
        ("zh-Hant-HK", "Traditional Chinese (HK)"),
        ("ceb", "Cebuano"),
        ("und", "Unknown language"),
        ("qaa", "qaa"),
    ],
)
def test_names(code: str, name: str) -> None:
    assert language_name(code) == name
