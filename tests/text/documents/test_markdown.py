"""Odd Markdown: words in capital letters are translated, and nothing else changes."""

from __future__ import annotations

import re

import pytest
from markdown_it import MarkdownIt

from hopefear.text.documents import Document
from tests.support.changed_words import proven

DOCUMENTS = {
    "a comment with blank lines": "<!-- one\n\ntwo -->\n\nWORDS.\n",
    "a comment that is never closed": "WORDS\n\n<!-- one\n\ntwo\n",
    "a comment behind a paragraph": "WORDS\n<!-- one\n\ntwo -->\nMORE\n",
    "preformatted text behind a paragraph": "WORDS:\n<pre>\none\n\ntwo\n</pre>\nMORE\n",
    "a script with blank lines": "<script>\nvar a = 1;\n\nvar b = 2;\n</script>\n\nWORDS\n",
    "a style": "<style>\n\np { color: red }\n\n</style>\nWORDS\n",
    "a processing instruction": "<?php\n\necho 'a';\n\n?>\nWORDS\n",
    "character data": "<![CDATA[\n\na\n]]>\nWORDS\n",
    "a block of HTML until a blank line": "<div>\none\n\nWORDS\n\n</div>\n",
    "an element alone in its line": "<b>\none\n\nWORDS <b>MORE</b>\n",
    "a quotation behind a paragraph": "WORDS:\n> MORE\n\nEND\n",
    "a table behind a paragraph": "WORDS:\n| A | B |\n|---|---|\n| C | 1 |\n",
    "a table without outer pipes": "A | B\n--|--\nC | D\n",
    "a table with fewer and more cells": "| A | B |\n|:-:|---|\n| C |\n| D | E | not shown |\n",
    "a pipe in a cell": "| A | B |\n|---|---|\n| C \\| D | `\\|` E |\n",
    "a table in a quotation": "> | A | B |\n> |---|---|\n> | C | D |\n",
    "a table in an item": "- ONE\n\n  | A | B |\n  |---|---|\n  | C | D |\n",
    "a row that is no table": "A | B\n\nC\n",
    "indented code with a dash": "WORDS\n\n    - code\n    more code\n\nMORE\n",
    "code in an item": "- ONE\n\n      code\n\n  TWO\n",
    "code with tabulators": "WORDS\n\n\tcode\n\nMORE\n",
    "code in a fence": "```python\none\n\ntwo\n```\nWORDS\n",
    "a fence that is never closed": "WORDS\n\n~~~\none\n",
    "a fence of four inside an item": "1. ONE\n   ````\n   ```\n   ````\n2. TWO\n",
    "a fence in a quotation": "> ```\n> one\n> ```\n> WORDS\n",
    "a fence that the quotation ends": "> ```\n> one\n\nWORDS\n",
    "an item behind a paragraph": "WORDS:\n- ONE\n* TWO\n+ THREE\n",
    "a number that begins no list": "WORDS\n14. MORE\n",
    "items inside items": "- ONE\n  - TWO\n    1) THREE\n\n       FOUR\n- FIVE\n",
    "tasks": "- [ ] ONE\n- [x] TWO\n",
    "an empty item": "-\n\nWORDS\n",
    "a quotation with lazy lines": "> ONE\nTWO\n",
    "a quotation in a quotation": "> > ONE\n>\n> TWO\n",
    "a heading with closing marks": "## WORDS ##\n\n# A # B #\n",
    "headings with a line below": "ONE\n===\n\nTWO\n---\n",
    "a heading of two lines": "ONE\nTWO\n===\n",
    "no heading without a blank": "#WORDS\n",
    "a rule": "ONE\n\n* * *\n\nTWO\n",
    "front matter": "---\ntitle: one\n---\nWORDS\n",
    "front matter of TOML": "+++\ntitle = 'one'\n+++\nWORDS\n",
    "a rule that begins": "---\n\nWORDS\n",
    "a definition": '[a]: http://b.c "title"\n\nWORDS [WORD][a].\n',
    "a definition of three lines": "[a]:\n  http://b.c\n  'title'\n\nWORDS\n",
    "a label that is the text": "WORDS [luz], [la  luz][] AND [\\*].\n\n[luz]: a\n[la luz]: b\n[\\*]: c\n",
    "a label over two lines": "WORDS [la\nluz][].\n\n[la luz]: b\n",
    "a label without definition": "WORDS [WORD].\n",
    "a link with a title": 'WORDS [WORD](http://a.b/c "title").\n',
    "addresses in angles, with parentheses": "[ONE](<a b>) [TWO](a(b)c) [THREE](a\\)b)\n",
    "an image": "![WORD](luz.png) AND ![WORD][a]\n\n[a]: b.png\n",
    "an image in a link": "[![WORD](a.svg)](b.html)\n",
    "notes": "WORDS[^1] MORE[^note].\n\n[^1]: ONE.\n\n[^note]: TWO\n    THREE.\n\n    FOUR.\n",
    "a note of a word": "WORDS[^1]\n\n[^1]: ONE\n",
    "ids of headings": "# WORDS {#la-luz .wide}\n\nMORE\n{: .note}\n",
    "escapes": "WORDS \\*MORE\\* 1\\. AND \\[END\\]\n",
    "entities": "WORDS &amp; MORE&nbsp;END &#42;\n",
    "addresses": "WORDS <http://a.b/luz> <made:up> <mail@example.org> http://a.b\n",
    "code spans": "WORDS `one` ``two ` three`` MORE\n",
    "a code span over two lines": "WORDS `one\ntwo` MORE\n",
    "emphasis": "*ONE* **TWO** _THREE_ __FOUR__ ***FIVE*** ~~SIX~~ a*SEVEN*\n".replace("a*", "A*"),
    "tags": 'WORDS <a href="x" [b]="c > d" *e="f">MORE</a><br> <b>END</b>\n',
    "a tag over two lines": "WORDS <a\nhref='x'>MORE</a>\n",
    "a comment in a paragraph": "WORDS <!-- one\ntwo --> MORE\n",
    "tags alone": '<a name="one"></a>\n\nWORDS\n',
    "hard breaks": "ONE  \nTWO\\\nTHREE\n",
    "no hard break in code": "WORDS `one\\\ntwo` MORE\n",
    "templates": "WORDS {{ one.two }} {% three %} MORE\n",
    "a directive": "::: note\nWORDS\n:::\n",
    "a formula": "WORDS:\n\n$$\na = b\n$$\n\nMORE\n",
    "a formula that is not closed": "$$\n\nWORDS\n",
    "a mark of the byte order": "\ufeff# WORDS\n",
    "no line end": "WORDS",
    "nothing": "\n\n",
    "lone carriage returns": "# ONE\r\rTWO\r",
    "carriage returns": "# ONE\r\n\r\n> TWO\r\n> THREE\r\n\r\n| A |\r\n|---|\r\n| B |\r\n",
    "white space of Unicode": "\u00a0WORDS\u2003\n\u3000\nMORE\u2028END\n",
    "tabulators behind marks": "-\tONE\n\n\tTWO\n>\tTHREE\n",
    "deep quotations": "> " * 40 + "WORDS\n",
}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_only_words_change(name: str) -> None:
    content = DOCUMENTS[name]
    written = proven("a.md", content.encode()).decode()
    wanted = re.sub(r"(?<![A-Z])(?!CDATA)[A-Z]+", r"\g<0>X", content)
    assert re.split(r"[>\s]+", written) == re.split(r"[>\s]+", wanted)
    parser = MarkdownIt("commonmark").enable("table")
    kinds = [[(token.type, token.tag) for token in parser.parse(text)] for text in (content, written)]
    assert kinds[0] == kinds[1] or "[^" in content  # CommonMark has no notes


@pytest.mark.parametrize(
    ("source", "target", "written"),
    [
        ("A.\n", "# b", "\\# b\n"),
        ("A.\n", "- b", "\\- b\n"),
        ("A.\n", "1. b", "1\\. b\n"),
        ("A.\n", "> b", "\\> b\n"),
        ("A.\n", "---", "\\---\n"),
        ("A.\n", "[a]: b", "\\[a]: b\n"),
        ("A.\n", "~~~", "\\~~~\n"),
        ("- 1. a\n", "# b", "- 1. \\# b\n"),
        ("# 1. A\n", "2. b", "# 2. b\n"),
        ("A\nb\n", "c\n\nd", "c d\n"),
        ("| A |\n|---|\n", "b | c", "| b \\| c |\n|---|\n"),
    ],
)
def test_a_translation_begins_no_other_block(source: str, target: str, written: str) -> None:
    document = Document.read("a.md", source.encode())
    assert document.translated({0: target}).decode() == written
    assert document.differences(written.encode()) == []


@pytest.mark.parametrize(
    ("source", "written", "line", "reason"),
    [
        ("A\n\nb\n", "A\n\n- b\n", 3, "expected the block paragraph_open p, got bullet_list_open ul"),
        ("A\n\nb\n", "A\n", 3, "expected the block paragraph_open p, got definitions"),
        ("```\na\n```\n", "```\nb\n```\n", 1, "expected the block fence code, got fence code"),
        ("<div>\na\n", "<div>\nb\n", 1, "expected the block html_block, got html_block"),
        ("A `b`\n", "A `c`\n", 1, "'b' is lost; 'c' is new"),
        ("A\n\n[b](c)\n", "A\n\n[b] (c)\n", 3, "'link c' is lost"),
        ("![a](c)\n", "[a](c)\n", 1, "'image c' is lost; 'link c' is new"),
        ("A <i>b</i>\n", "A <i>b\n", 1, "'</i>' is lost"),
        ("A [b].\n\n[b]: c\n", "A [d].\n\n[b]: c\n", 1, "'link c' is lost"),
        (
            "A [b].\n\n[b]: c\n",
            "A [b].\n\n[b]: d\n",
            1,
            "expected the block definitions B c, got definitions B d",
        ),
    ],
)
def test_what_else_differs_is_named(source: str, written: str, line: int, reason: str) -> None:
    document = Document.read("a.md", source.encode())
    (difference,) = document.differences(written.encode())[:1]
    assert (difference.line, difference.reason) == (line, reason)
