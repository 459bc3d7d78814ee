from __future__ import annotations

from typing import Any

import pytest

from hopefear.plugins import InputError, Segment


@pytest.mark.parametrize("field", ["tokens", "tags", "classes", "references"])
def test_texts_are_unicode(field: str) -> None:
    """A byte that is not UTF-8 is a lone surrogate, which no file could have."""
    given: dict[str, Any] = {"where": "dev:3", "tokens": "la casa", field: ["la", "casa\udcff"]}
    with pytest.raises(
        InputError, match=rf"^dev:3: {field} must be valid Unicode text, got half of .* 'casa.udcff'"
    ):
        Segment(**given)


def test_names_of_grammars_may_have_any_bytes() -> None:
    assert Segment("la casa", grammars=["g\udcff"]).grammars == ("g\udcff",)


def test_people_count_sentences_from_1() -> None:
    assert Segment.from_input("la casa", index=4).number == 5
    assert [Segment("la casa", id=id).number for id in (0, 1)] == [1, 2]
    assert Segment.from_input('<seg id="4">la casa</seg>', index=4).number == 4
    assert Segment.from_input('<seg id="7">la casa</seg>', index=4).number == 7
    assert Segment.from_input('<seg id="a">la casa</seg>', index=4).number == "a"
