"""Odd tables: words in capital letters are translated into another cell, and nothing else changes."""

from __future__ import annotations

import csv
import io
import re

import pytest

from hopefear.text.documents import Document
from tests.support.changed_words import proven

TABLES = {
    ",": {
        "without a header": "ONE,\nTWO,\n",
        "a comma in quotation marks": '"ONE, TWO",""\n"THREE",""\n',
        "quotation marks in quotation marks": '"ONE ""TWO"", THREE",\n',
        "lines in quotation marks": '"ONE\nTWO",\n"THREE\r\nFOUR",\n',
        "a header": "id,source,note\n1,ONE,a;b;c;d\n2,TWO,\n",
        "a header with a column of targets": 'source,target,note\nONE,,"a, b"\nTWO,,\n',
        "headers in other letters": "Target,Source\n,ONE\n",
        "lines without text": "ONE,\n\n  \nTWO,\n",
        "a row without text": "source,target\nONE,\n,\nTWO,\n",
        "no line end": "ONE,\nTWO,",
        "one column": "ONE\nTWO\n",
        "quotation marks inside a cell": 'source,target\nA 5" DISK,\n',
        "text behind quotation marks": 'source,target\n"ONE" TWO,\n',
        "other columns with quotation marks": 'id,source,target\n"1",ONE,\n"a, ""b""",TWO,\n',
        "blanks around cells": "source,target\n ONE , \n",
        "a mark of the byte order": "\ufeffsource,target\nONE,\n",
    },
    ";": {
        "semicolons": "ONE;\nTWO;\n",
        "more commas than semicolons": "source;note;target\nONE, TWO, THREE, FOUR;;\n",
        "commas in quotation marks": '"ONE, TWO, THREE";""\n"FOUR";""\n',
        "a separator that the file names": "sep=;\nsource;target\nONE, TWO;\n",
        "that with carriage returns": "SEP=;\r\nsource;note\r\nONE;a,b,c\r\n".replace("SEP", "sep"),
    },
    "\t": {
        "tabulators": "source\tnote\nONE, TWO; THREE\ta,b\n",
        "tabulators that the file names": "sep=\t\nONE\t\n",
    },
    "|": {"another separator that the file names": "sep=|\nsource|target\nONE|\n"},
}
CASES = [(separator, name) for separator, tables in TABLES.items() for name in tables]


@pytest.mark.parametrize(("separator", "name"), CASES)
def test_only_words_change(separator: str, name: str) -> None:
    content = TABLES[separator][name]
    written = proven("a.csv", content.encode()).decode()
    sides = [
        [row for row in csv.reader(io.StringIO(text, newline=""), delimiter=separator) if row]
        for text in (content.removeprefix("\ufeff"), written.removeprefix("\ufeff"))
    ]
    assert len(sides[0]) == len(sides[1])
    for old, new in zip(*sides, strict=True):
        source = next((cell for cell in old if re.search("[A-Z]{3}", cell)), "")
        extra = [*new]
        if source:
            extra.remove(re.sub(r"[^\W\d_]+", r"\g<0>X", source))
        assert [cell for cell in old if cell.strip()] == [
            cell for cell in extra if cell.strip() and cell != "target"
        ] or "target" in old


@pytest.mark.parametrize(
    ("written", "line", "reason"),
    [
        ("source;target\nONE;UNO\nTWO\n", 3, r"expected the cells \['TWO', ''\], got \['TWO'\]"),
        ("source;target\nUNO;UNO\nTWO;\n", 2, r"expected the cells \['ONE'\], got \['UNO'\]"),
        ("source;target\nONE;UNO\n", None, "expected 3 rows, got 2"),
        ("source;target\nONE;UNO;DOS\nTWO;\n", 2, "expected the cells"),
    ],
)
def test_what_else_differs_is_named(written: str, line: int | None, reason: str) -> None:
    document = Document.read("a.csv", b"source;target\nONE;\nTWO;\n")
    (difference,) = document.differences(written.encode())
    assert difference.line == line
    assert re.match(reason, difference.reason)


@pytest.mark.parametrize("table", ["ONE,\n", "source\tnote\nONE\ta\n", "source;target\nONE;old\n"])
@pytest.mark.parametrize("begin", ["=", "+", "-", "@", "\t", "\r"])
def test_a_translation_is_no_formula_of_a_spreadsheet(table: str, begin: str) -> None:
    formula = f"{begin}cmd|' /C calc'!A0"
    document = Document.read("a.csv", table.encode())
    translated = document.translated({0: formula})
    separator = next(sign for sign in ",;\t" if sign in table)
    cells = [
        cell
        for row in csv.reader(io.StringIO(translated.decode(), newline=""), delimiter=separator)
        for cell in row
    ]
    assert f"'{formula}" in cells and formula not in cells
    assert document.differences(translated) == []


@pytest.mark.parametrize("target", ["-5", "+3,5", "-12.5%", "a=b", "'a"])
def test_numbers_and_other_words_are_no_formulas(target: str) -> None:
    translated = Document.read("a.tsv", b"ONE\t\n").translated({0: target})
    assert translated.decode() == f"ONE\t{target}\n"


@pytest.mark.parametrize("target", ["=a", "'=a", "''=a", "'-5", "'", "'@"])
def test_an_apostrophe_of_the_file_is_none_of_the_translation(target: str) -> None:
    translated = Document.read("a.csv", b"ONE,\n").translated({0: target})
    (unit,) = Document.read("a.csv", translated).units
    assert unit.target == target


def test_a_translation_begins_as_its_source() -> None:
    assert Document.read("a.csv", b"@name ONE,\n").translated({0: "@name X"}) == b"@name ONE,@name X\n"
