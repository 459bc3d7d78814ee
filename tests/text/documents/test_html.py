"""Odd pages: words in capital letters are translated, and nothing else changes."""

from __future__ import annotations

import re

import pytest

from hopefear.text.documents import Document
from tests.support.changed_words import proven

PAGES = {
    "Angular": '<p *ngIf="a > b" [href]="c" (click)="d($event)">ONE <a [href]="e" (click)="f()">TWO</a></p>',
    "Vue": '<p @click="a" :key="b" v-if="c">ONE <b @click.prevent="d" #e>TWO</b> {{ f }}</p>'.replace(
        " {{ f }}", ""
    ),
    "inline elements with such attributes": '<p>ONE <span *ngIf="a" [class.b]="c">TWO</span> THREE</p>',
    "attributes without values and marks": "<p>ONE <a href=b?c=d download>TWO</a> <input disabled></p>",
    "attributes over lines": '<p>ONE <a\n  href="b"\n  class="c">TWO</a></p>',
    "texts of attributes": '<img alt="ONE"><p title="TWO">THREE</p><input type="submit" value="FOUR">',
    "elements that are not closed": "<ul><li>ONE<li>TWO <b>THREE</b></ul><p>FOUR<p>FIVE",
    "closing tags without opening": "<p>ONE</b> TWO</p></div>",
    "scripts and styles": "<script>if (a < b) { c('<p>') }</script><style>p > a { b: c }</style><p>ONE</p>",
    "preformatted text": "<pre>a <b>b</b>\n\nc</pre><p>ONE <code>d</code> TWO</p><textarea>e</textarea>",
    "comments": "<!-- a > b --><p>ONE <!-- <b> --> TWO</p><!-- c",
    "conditional comments": "<!--[if IE]><p>a</p><![endif]--><p>ONE</p>",
    "declarations": '<!DOCTYPE html><?xml version="1.0"?><html><body>ONE</body></html>',
    "entities": "<p>ONE &amp; TWO &lt; THREE &#65; &copy;</p>".replace("&#65;", "&#49;"),
    "text in no element": "ONE <b>TWO</b>",
    "tables": "<table><tr><th>ONE<td>1<td>TWO</table>",
    "no translation": '<p translate="no">one</p><p>ONE <b translate="no">two</b> THREE</p>',
    "small signs": "<p>1 < 2 and ONE > TWO</p>".replace("and", "AND"),
    "letters of both cases": "<P>ONE <B>TWO</B><BR>THREE</P>",
    "a language": '<html lang="es"><p>ONE</p></html>',
}


@pytest.mark.parametrize("name", PAGES)
def test_only_words_change(name: str) -> None:
    content = PAGES[name]
    written = proven("a.html", content.encode()).decode()
    changed = re.findall("[A-Z]{2,}X", written)
    words = re.findall(r"(?<![<!/\[A-Z])(?!IE|BR)[A-Z]{2,}(?![A-Z])", content)
    assert sorted(changed) == sorted(f"{word}X" for word in words)
    tags = (
        re.findall(r"<[a-z!/][^<>]*", re.sub(r"([A-Z]{2,})X", r"\1", text)) for text in (content, written)
    )
    assert next(tags) == next(tags)


@pytest.mark.parametrize(
    ("old", "new", "line", "reason"),
    [
        ("<li>TWO", "TWO", 2, r"expected <li>, got </ul>"),
        ("</ul>", "", 3, "expected </ul>, got <p class='a'>"),
        ("class='a'", "class='b'", 4, "expected <p class='a'>, got <p class='b'>"),
        ("href='c'", "href='d'", 4, "<a href='c'> is lost; <a href='d'> is new"),
        ("</a>", "", 4, "</a> is lost"),
        ("<!-- e -->", "", 4, "<!-- e --> is lost"),
        ("f = 1", "f = 2", 5, "f = 1 is lost; f = 2 is new"),
    ],
)
def test_what_else_differs_is_named(old: str, new: str, line: int, reason: str) -> None:
    content = (
        "<ul><li>ONE\n<li>TWO\n</ul>\n"
        "<p class='a'>ONE <a href='c'>TWO</a><!-- e --></p>\n<script>f = 1</script>"
    )
    (difference,) = Document.read("a.html", content.encode()).differences(content.replace(old, new).encode())
    assert (difference.line, difference.reason) == (line, reason)
