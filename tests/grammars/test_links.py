"""Alignment files mean the same wherever they are read."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hopefear.base import InputError
from hopefear.grammars.alignment import parse_links, read_alignment
from hopefear.grammars.bitext import Bitext, check_files
from hopefear.grammars.distortion_table import count_distortion
from hopefear.grammars.symmetrisation import Link

GOOD = [f"{i}-{j}" for i in range(3) for j in range(2)]
POSITIONS = ["", "0", "1", "00", "+1", "-1", "1.", "\u0661", "9" * 30, "65536"]
pieces = st.one_of(
    st.sampled_from(GOOD),
    st.sampled_from([" ", " ", "\t", "\v", "\f", "\r", "\u00a0", "\u2028", "\x1c", "\ufeff", "|", ","]),
    st.builds("{}{}{}".format, st.sampled_from(POSITIONS), st.sampled_from("-:"), st.sampled_from(POSITIONS)),
)
alignments = st.lists(pieces, max_size=6).map("".join)


def wanted(line: str) -> list[Link] | str:
    """By the definition: the links, or what the first thing that is none is."""
    links = []
    for word in line.removeprefix("\ufeff").rstrip("\r").replace("\t", " ").replace("\r", " ").split(" "):
        first, dash, second = word.partition("-")
        if not word:
            continue
        digits = all(part and set(part) <= set("0123456789") for part in (first, second))
        if not (dash and digits and max(int(first), int(second)) < 2**63):
            return f"expected links such as 0-0 1-2, got '{word.encode()[:80].decode(errors='ignore')}'"
        links.append((int(first), int(second)))
    return links


def outcome(read: Callable[[], object]) -> object:
    try:
        return read()
    except InputError as error:
        return str(error)


@settings(deadline=None, max_examples=300)
@given(alignments)
@example("0-0 \t 2-1\t")
@example("0-0\r")
@example("0-0 +1-1")
@example("0--1")
@example("0-0 3-0")
@example("0-" + "9" * 100)
@example("0" + "\u00a0" * 50)
def test_all_who_read_links_agree(tmp_path_factory: pytest.TempPathFactory, line: str) -> None:
    folder = tmp_path_factory.getbasetemp()
    files = folder / "f", folder / "e", folder / "links"
    for path, text in zip(files, ("a b c", "x y", line), strict=True):
        path.write_bytes(text.encode() + b"\n")
    links = wanted(line)
    outside = [link for link in links if link[0] >= 3 or link[1] >= 2] if isinstance(links, list) else []
    if isinstance(links, str):
        assert outcome(lambda: list(read_alignment(files[2]))) == f"{files[2]}:1: {links}"
    else:
        assert list(read_alignment(files[2])) == [links]
    said = outcome(lambda: check_files(*files))
    assert outcome(lambda: Bitext.read(*files)) == said or not isinstance(said, str)
    counted = outcome(lambda: count_distortion(*files))  # one sentence is too few
    assert counted == said or (not isinstance(said, str) and ": take more sentences" in str(counted))
    if outside:
        assert "expected links between 3 and 2 words, got " in str(said)
    elif isinstance(links, list):
        assert said == 1
    else:
        # A link that points nowhere may stand before what is none.
        assert str(said) == f"{files[2]}:1: {links}" or "between 3 and 2 words" in str(said)


def test_links_the_other_way_round_are_named_as_they_stand(tmp_path: Path) -> None:
    files = tmp_path / "f", tmp_path / "e", tmp_path / "links"
    for path, text in zip(files, ("a b c", "x y", "1-2 2-0"), strict=True):
        path.write_text(text + "\n")
    for entry in Bitext.read, check_files, count_distortion:
        assert (
            outcome(partial(entry, *files, reverse=True))
            == f"{files[2]}:1: expected links between 2 and 3 words, got 2-0"
        )


def test_a_line_of_links() -> None:
    assert parse_links("0-1\t10-2", words=(11, 3)) == [(0, 1), (10, 2)]
    with pytest.raises(InputError, match=r"^x:3: expected links between 10 and 3 words, got 10-2$"):
        parse_links("0-1 10-2", words=(10, 3), where="x:3")
