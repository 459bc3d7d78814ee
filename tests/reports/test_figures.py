"""Letters of pictures: fonts that have them, a warning where there is none."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pytest
from matplotlib.font_manager import FontProperties, findfont, fontManager
from matplotlib.ft2font import FT2Font
from PIL import Image

from hopefear.reports.figures import new_figure, save


def picture_of(text: str) -> Any:
    figure, (axes,) = new_figure(2, 2)
    axes.set_title(text)
    return figure


def letters_of(font: str) -> set[str]:
    return {chr(code) for code in FT2Font(font).get_charmap() if chr(code).isprintable()}


def stix() -> str:
    """Return the upright STIXGeneral: the order of the list of fonts is that of a folder."""
    return next(font.fname for font in fontManager.ttflist if font.fname.endswith("STIXGeneral.ttf"))


def unknown_letter() -> str:
    """Find a letter that no installed font has."""
    fonts = {font.fname for font in fontManager.ttflist if "LastResort" not in font.fname}
    known = set[str]().union(*map(letters_of, fonts))
    letters = map(chr, range(0x3041, 0x2FFFF))
    return next(letter for letter in letters if letter.isprintable() and letter not in known)


@pytest.fixture
def letter() -> str:
    """Return a letter that STIXGeneral has, a font that matplotlib brings, and the usual font lacks."""
    return max(letters_of(stix()) - letters_of(findfont(FontProperties())))


def test_a_letter_that_the_usual_font_lacks_is_drawn_in_another_font(tmp_path: Path, letter: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for name in (letter, "□"):
            save(picture_of(f"of {name}"), tmp_path / f"{name}.png")
    assert (tmp_path / f"{letter}.png").read_bytes() != (tmp_path / "□.png").read_bytes()


def test_a_letter_of_a_bold_font_only_is_drawn_in_another_family(tmp_path: Path, monkeypatch) -> None:
    dejavu = [font for font in fontManager.ttflist if font.name == "DejaVu Sans"]
    bold = next(font for font in dejavu if font.fname.endswith("DejaVuSans-Bold.ttf"))
    letters = letters_of(bold.fname) - letters_of(findfont(FontProperties()))
    letter = max(letters & letters_of(stix()))
    others = [font for font in fontManager.ttflist if font is not bold]
    monkeypatch.setattr(fontManager, "ttflist", [bold, *others])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for name in (letter, "□"):
            save(picture_of(f"of {name}"), tmp_path / f"{name}.png")
    assert (tmp_path / f"{letter}.png").read_bytes() != (tmp_path / "□.png").read_bytes()


def test_a_letter_of_no_font_is_a_box_and_a_warning_says_so(tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="no installed font has some letters of the pictures"):
        save(picture_of(f"of {unknown_letter()}"), tmp_path / "unknown.png")
    save(picture_of("of □"), tmp_path / "box.png")
    drawn = [Image.open(tmp_path / name).tobytes() for name in ("unknown.png", "box.png")]
    assert drawn[0] == drawn[1]
