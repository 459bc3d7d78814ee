"""Pieces that are not translated, and marks around words."""

import re

import pytest

from hopefear.base import InputError
from hopefear.text import Profile, read_kinds
from hopefear.text.profile import BUILT_IN, opening_and_closing, pattern_of, what_it_is


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
            "The |version| of [#note]_ in `the end`_ is 2 * 3 * 4.",
            [("substitution", "|version|"), ("substitution", "[#note]_"), ("reference", "`the end`_")],
        ),
        ("html", "a<br/>b &amp; c", [("tag", "<br/>"), ("entity", "&amp;")]),
        ("html", 'if a < b then <a href="x">c</a>', [("mark", '<a href="x">'), ("mark", "</a>")]),
        ("markdown", "a `code` and [text](url)", [("literal", "`code`"), ("mark", "["), ("mark", "](url)")]),
        (
            "printf",
            "%s of %(name)s: {count:>4,} at 100%, https://e.org",
            [("format", "%s"), ("format", "%(name)s"), ("format", "{count:>4,}"), ("url", "https://e.org")],
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


def test_a_kind_can_have_another_form_in_translations(tmp_path):
    file = tmp_path / "kinds"
    file.write_text("date = (\\d+)-(\\d\\d)-(\\d\\d) -> \\3.\\2.\\1\narrow = a->b\n")
    profile = Profile.named("none", read_kinds(file))
    found = [(piece.kind, piece.form) for piece in profile.pieces("on 2026-11-25 a->b")]
    assert found == [("date", "25.11.2026"), ("arrow", "")]


@pytest.mark.parametrize(
    "line",
    [
        "issue",
        "Issue = x",
        "issue = (",
        f"issue = {'(' * 2000}x",
        "issue = x*",
        "issue = (x) -> \\2",
        "issue paired = x -> y",
        "a = c -> d",
    ],
)
def test_a_wrong_kind_is_refused_by_file_and_line(tmp_path, line):
    file = tmp_path / "kinds"
    file.write_text(f"a = b\n{line}\n")
    with pytest.raises(InputError, match="kinds:2: expected"):
        read_kinds(file)


def test_an_unknown_profile_is_refused_with_the_near_ones():
    with pytest.raises(InputError, match="rts: unknown profile, near: rst"):
        Profile.named("rts")


@pytest.mark.parametrize(
    ("profile", "line", "kept"),
    [
        ("rst", "See *this*, `a title <https://e.org>`_ and ``x``.", [" <https://e.org>`_", "``x``"]),
        ("markdown", "See **this**, [a title](https://e.org) and `x`.", ["](https://e.org)", "`x`"]),
        ("html", "See <b>this</b> &amp; 3 km", ["<b>", "</b>", "&amp;", "3 km"]),
    ],
)
def test_a_translation_must_keep_what_names_something_but_not_emphasis(profile, line, kept):
    assert [line[piece.begin : piece.end] for piece in Profile.named(profile).kept(line)] == kept


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (":ref:`the end <end>`", ":ref:`el fin <end>`"),
        ("`the end <end>`_", "`el fin <end>`__"),
        ('](https://e.org "the end")', '](https://e.org "el fin")'),
    ],
)
def test_a_title_of_a_piece_may_be_translated(one, other):
    assert what_it_is(one) == what_it_is(other) != what_it_is(one.replace("e", "x"))
    assert all(re.fullmatch(pattern_of(one), text.rstrip("_")) for text in (one, other))
    assert not re.search(pattern_of(one), one.replace("e", "x"))


def test_the_pattern_of_a_piece_is_of_all_its_forms():
    profile = Profile.named("rst", Profile((("decimal", r"(\d+)\.(\d+)"),), {"decimal": r"\1,\2"}))
    line = "1.25 of 1,500.5 MB in ``a.b``"
    found = [piece.pattern(line) for piece in profile.kept(line)]
    for pattern, forms, others in zip(
        found,
        (["1,25"], ["1.500,5 MB", "1,500.5 MB", "1500,5 MB"], ["``a.b``"]),
        (["1.25", "1,26"], ["1.500,6 MB", "1.500,5 GB"], ["``a,b``"]),
        strict=True,
    ):
        assert all(re.fullmatch(pattern, form) for form in forms)
        assert not any(re.search(pattern, other) for other in others)


HOSTILE = (
    *(
        "<a>",
        "</a>",
        "<a>b</a>",
        "`",
        "<a ",
        '<a x="',
        "<a x='\" ",
        "<!--",
        "<!-- <",
        "<ph>",
        "*a ",
        "**a",
        "[",
    ),
    *("[a](", '](a "', "{", "{ ", "%", "%0", "%(a", "``a` ", "` ``", ":a:", ":a:`", "|a", "&a", "`a <", "a@"),
    *("a.", "a@a.", "1,", "1", "http://.", "0", " ", "\u00a0", "_", "\\"),
)


@pytest.mark.parametrize("profile", BUILT_IN)
@pytest.mark.parametrize("before", ["", "<a "])
def test_long_lines_without_partners_take_no_quadratic_time(profile, before):
    for text in HOSTILE:
        line = before + text * (20_000 // len(text))
        for piece in Profile.named(profile).kept(line):
            assert len(what_it_is(line[piece.begin : piece.end])) <= len(line)
