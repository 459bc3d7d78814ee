"""Odd subtitles: words in capital letters are translated, and nothing else changes."""

from __future__ import annotations

import re

import pytest

from hopefear.text.documents import Document
from tests.support.changed_words import proven

TIMES = "00:00:01,000 --> 00:00:02,000"
MORE_TIMES = "00:00:03,000 --> 00:00:04,500"
SUBRIP = {
    "two lines": f"1\n{TIMES}\nONE,\nTWO.\n",
    "no line end": f"1\n{TIMES}\nONE",
    "a blank line in a cue": f"1\n{TIMES}\nONE\n\nTWO\n\n2\n{MORE_TIMES}\nTHREE\n",
    "a missing blank line": f"1\n{TIMES}\nONE\n2\n{MORE_TIMES}\nTWO\n",
    "several blank lines": f"\n\n1\n{TIMES}\nONE\n\n\n2\n{MORE_TIMES}\nTWO\n\n\n",
    "an empty cue": f"1\n{TIMES}\n\n2\n{MORE_TIMES}\nTWO\n",
    "an empty cue without a blank line": f"1\n{TIMES}\n2\n{MORE_TIMES}\nTWO\n",
    "a cue of a number": f"1\n{TIMES}\n42\n\n2\n{MORE_TIMES}\nTWO\n",
    "no numbers": f"{TIMES}\nONE\n\n{MORE_TIMES}\nTWO\n",
    "a dialogue": f"1\n{TIMES}\n- ONE?\n- TWO.\n",
    "tags": f'1\n{TIMES}\n<i>ONE</i>\n<font color="red">TWO</font> {{\\an8}}THREE\n',
    "coordinates": f"1\n{TIMES}  X1:40 X2:600\nONE\n".replace("X", "x"),
    "points in times": "1\n0:00:01.5 --> 0:00:02.5\nONE\n",
    "blanks at the ends of lines": f"1 \n{TIMES} \n ONE \n \n2\n{MORE_TIMES}\nTWO\n",
    "a mark of the byte order": f"\ufeff1\n{TIMES}\nONE\n",
}
WEBVTT = {
    "a heading": "WEBVTT - one\nkind: captions\n\n00:01.000 --> 00:02.000\nWORDS\n",
    "settings": "WEBVTT\n\n00:01.000 --> 00:02.000 align:start position:0%\nONE\nTWO\n",
    "a note": "WEBVTT\n\nNOTE one\ntwo\n\n00:01.000 --> 00:02.000\nWORDS\n\nNOTE\nthree\n".replace(
        "NOTE", "note"
    ),
    "a style": "WEBVTT\n\nstyle\n::cue { color: red }\n\n00:01.000 --> 00:02.000\nWORDS\n",
    "names of cues": "WEBVTT\n\none - two\n00:01.000 --> 00:02.000\nONE\n\n3\n00:03.000 --> 00:04.000\nTWO\n",
    "times inside": "WEBVTT\n\n00:05.000 --> 00:06.000\nONE<00:00:05.200><c> TWO</c><00:05.4><c.a> ON</c>\n",
    "voices": "WEBVTT\n\n00:01.000 --> 00:02.000\n<v Ann Lee>ONE</v>\n<lang es>TWO</lang> <b>THREE</b>\n",
    "entities": "WEBVTT\n\n00:01.000 --> 00:02.000\nONE &amp; TWO &lt;THREE&gt;\n",
}
ENDS = ("\n", "\r\n", "\r\r\n", "\r")


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("name", [*SUBRIP, *WEBVTT])
def test_only_words_change(name: str, end: str) -> None:
    content = {**SUBRIP, **WEBVTT}[name].replace("\n", end)
    written = proven("a.vtt" if name in WEBVTT else "a.srt", content.encode()).decode()
    assert re.split(r"[ \n\r]+", written) == re.split(r"[ \n\r]+", with_changed(content))
    assert re.findall(r"[\r\n]+[\d:]+[.,]", written) == re.findall(r"[\r\n]+[\d:]+[.,]", content)


def with_changed(content: str) -> str:
    return re.sub(r"(?<!WEB)(?!WEBVTT)\b[A-Z]{2,}\b", r"\g<0>X", content)


@pytest.mark.parametrize(
    ("old", "new", "line", "reason"),
    [
        (
            "00:00:04,500",
            "00:00:04,600",
            6,
            "expected '2 00:00:03,000 --> 00:00:04,500', got '2 00:00:03,000 -->",
        ),
        ("ONE\n", "\n", 2, "the text of the cue .* is lost or new"),
        ("TWO</i>", "TWO", 6, "expected the tags .'</i>', '<i>'., got .'<i>'."),
        ("2\n", "", 6, "expected '2 00"),
        ("TWO", "TWO\n\n3\n00:00:05,000 --> 00:00:06,000\nTHREE", None, "expected 3 cues, got 4"),
    ],
)
def test_what_else_differs_is_named(old: str, new: str, line: int | None, reason: str) -> None:
    content = f"1\n{TIMES}\nONE\n\n2\n{MORE_TIMES}\n<i>TWO</i>\n"
    (difference,) = Document.read("a.srt", content.encode()).differences(content.replace(old, new).encode())
    assert difference.line == line
    assert re.match(reason, difference.reason)
