"""Pieces that are not translated, and marks around words."""

import pytest

from hopefear.base import InputError
from hopefear.text import Profile, read_kinds
from hopefear.text.profile import BUILT_IN, opening_and_closing


def pieces(profile, line):
    return [(piece.kind, line[piece.begin : piece.end]) for piece in Profile.named(profile).pieces(line)]


@pytest.mark.parametrize(
    ("profile", "line", "found"),
    [
        ("plain", "See https://example.org/a_(b).", [("url", "https://example.org/a_(b")]),
        ("plain", "Mail me@example.org, use 3.5 GHz.", [("email", "me@example.org"), ("measure", "3.5 GHz")]),
        ("plain", "In 1999, 42 and ``x``.", []),
        (
            "rst",
            "Use ``a b``, :func:`len` and `a link <https://e.org>`_ or *size*.",
            [
                ("literal", "``a b``"),
                ("role", ":func:`len`"),
                ("mark", "`"),
                ("mark", " <https://e.org>`_"),
                ("emphasis", "*size*"),
            ],
        ),
        (
            "rst",
            "The |version| of [#note]_ is 2 * 3 * 4.",
            [("substitution", "|version|"), ("substitution", "[#note]_")],
        ),
        ("html", "a<br/>b &amp; c", [("tag", "<br/>"), ("entity", "&amp;")]),
        ("html", 'if a < b then <a href="x">c</a>', [("mark", '<a href="x">'), ("mark", "</a>")]),
        ("markdown", "a `code` and [text](url)", [("literal", "`code`"), ("mark", "["), ("mark", "](url)")]),
        (
            "printf",
            "%s of %(name)s: {count} at 100%",
            [("format", "%s"), ("format", "%(name)s"), ("format", "{count}")],
        ),
        (
            "xliff",
            '<x id="1"/> and <g id="2">a</g>',
            [("tag", '<x id="1"/>'), ("mark", '<g id="2">'), ("mark", "</g>")],
        ),
        ("none", "``a`` https://example.org", []),
    ],
)
def test_pieces_of_profiles(profile, line, found):
    assert pieces(profile, line) == found


def test_marks_are_matched_from_the_inside():
    assert opening_and_closing(["<b>", "<i>", "</i>", "</b>"]) == [(1, 2), (0, 3)]
    assert opening_and_closing(["<b>", "</i>", "</b>"]) == [(0, 2)]
    assert opening_and_closing(["**", "[", "](u)", "**"]) == [(1, 2), (0, 3)]
    assert opening_and_closing(["</b>", "<b>"]) == []


def test_a_file_adds_kinds_that_count_before_those_of_the_profile(tmp_path):
    file = tmp_path / "kinds"
    file.write_text("# issues\nissue = #\\d+\nbold paired = __\n")
    profile = Profile.named("plain", read_kinds(file))
    found = [(piece.kind, piece.paired) for piece in profile.pieces("__see__ #12 at https://e.org")]
    assert found == [("bold", True), ("bold", True), ("issue", False), ("url", False)]


@pytest.mark.parametrize("line", ["issue", "Issue = x", "issue = (", "issue = x*"])
def test_a_wrong_kind_is_refused_by_file_and_line(tmp_path, line):
    file = tmp_path / "kinds"
    file.write_text(f"a = b\n{line}\n")
    with pytest.raises(InputError, match="kinds:2: expected"):
        read_kinds(file)


def test_an_unknown_profile_is_refused_with_the_near_ones():
    with pytest.raises(InputError, match="rts: unknown profile, near: rst"):
        Profile.named("rts")


@pytest.mark.parametrize("profile", BUILT_IN)
def test_long_lines_without_partners_take_no_quadratic_time(profile):
    for line in (
        "<a>" * 20_000,
        "</a>" * 20_000,
        "<a>b</a>" * 5_000,
        "`" * 20_000,
        "<a " * 20_000,
        "*a " * 20_000,
        "[" * 20_000,
        "{" * 20_000,
        "%" * 20_001,
    ):
        assert isinstance(Profile.named(profile).pieces(line), list)
