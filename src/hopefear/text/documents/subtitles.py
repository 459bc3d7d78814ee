"""Subtitles: SubRip and WebVTT."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import groupby, pairwise
from typing import ClassVar, NamedTuple

from hopefear.base import InputError

from .contract import Code, Difference, Format, Kind, Unit, check_number, fitting
from .splices import EncodedText, Splices

_LINE = re.compile(r"([^\r\n]*)(?:\r{0,2}\n|\r|\Z)")
_TIME = r"(?:\d+:)?\d{1,2}:\d{1,2}[.,]\d{1,3}"
_TIMES = re.compile(rf"[ \t]*{_TIME}[ \t]*-->[ \t]*{_TIME}")
_NUMBER = re.compile(r"[ \t]*\d+[ \t]*\Z")
_TAG = re.compile(rf"<(/?)([A-Za-z][^<>\s]*)[^<>]*>|<{_TIME}>|\{{\\[^{{}}]*\}}")
_SPEAKER = re.compile(r"\s*[-–—]")


class Subtitles(Format):
    """Cues: the lines of one are a unit, and its translation is broken into as many lines.

    Where the lines are said by several speakers, each begins with a dash and stands alone.
    """

    media_type: ClassVar[str] = "application/x-subrip"

    def __init__(self, content: bytes, language: str | None = None) -> None:
        self._encoded = EncodedText(content)
        text = self._text = self._encoded.text
        check_number(max(map(text.count, "\n\r")), "lines")
        end = re.search(r"\r{0,2}\n|\r", text)
        self._line_end = end[0] if end else "\n"
        self._places: list[tuple[int, int]] = []
        self.units: list[Unit] = []
        lines = [line for line in _LINE.finditer(text) if line[0]]
        times = [number for number, line in enumerate(lines) if _TIMES.match(line[1])]
        if not times:
            raise InputError("expected subtitles with times such as 00:00:01,000 --> 00:00:02,500")
        has_blank_lines = not text.startswith("WEBVTT")  # there a blank line ends a cue
        for begin, following in pairwise([*times, len(lines)]):
            if following < len(lines) and _NUMBER.match(lines[following - 1][1]) and following - 1 > begin:
                following -= 1
            for number, is_blank, cue in _runs(lines, begin + 1, following):
                if not is_blank:
                    self._add(cue, number + 1)
                elif not has_blank_lines:
                    break

    def _add(self, lines: Sequence[re.Match[str]], number: int) -> None:
        """Add the lines of a cue without a blank line among them."""
        spoken = [line[1] for line in lines]
        cue = "\n".join(spoken)
        if not _TAG.sub("", cue).strip():
            return
        begin, end = lines[0].start(1), lines[-1].end(1)
        codes = tuple(Code(tag[0], begin, begin, _kind(tag)) for tag in _TAG.finditer(cue))
        is_dialogue = len(spoken) > 1 and all(map(_SPEAKER.match, spoken))
        self.units.append(Unit(cue, codes=codes, profile="html", line=number, lines=is_dialogue))
        self._places.append((begin, end))

    def lacks(self, text: str) -> str:
        """Return the characters of a text that the encoding of the document lacks."""
        return self._encoded.lacks(text)

    def translated(self, targets: Mapping[int, str], drafts: Collection[int], language: str | None) -> bytes:
        """Return the document with translations."""
        splices = Splices(self._text)
        for index, target in targets.items():
            begin, end = self._places[index]
            unit = self.units[index]
            text = "".join(piece for piece, _ in fitting(unit, target))
            text = re.sub(r"\n\s*\n", "\n", text.strip())
            if "\n" not in text and not unit.lines:
                text = broken(text, unit.source.strip().count("\n") + 1)
            splices.replace(begin, end, text.replace("\n", self._line_end))
        return self._encoded.encoded(splices.whole())

    @classmethod
    def differences(
        cls, original: bytes, written: bytes, *, language: str | None = None, named: Collection[Unit] = ()
    ) -> list[Difference]:
        """Prove that the cues have the same times and tags, and that other lines are equal."""
        before, after = _cues(original), _cues(written)
        lines = {unit.line for unit in named}
        for old, new in zip(before, after, strict=False):
            if old.head != new.head:
                return [Difference(f"expected {' '.join(old.head)!r}, got {' '.join(new.head)!r}", old.line)]
        if len(before) != len(after):
            return [Difference(f"expected {len(before):,} cues, got {len(after):,}")]
        found = []
        for old, new in zip(before, after, strict=True):
            if old.has_text != new.has_text:
                found.append(Difference(f"the text of the cue {old.head[-1]!r} is lost or new", old.line))
            elif old.tags != new.tags and lines.isdisjoint(range(old.line, new.end + old.line - new.line)):
                found.append(Difference(f"expected the tags {old.tags}, got {new.tags}", old.line))
        return found


class _Cue(NamedTuple):
    """A cue as it is read for the proof: what stands before its text, which has tags."""

    head: tuple[str, ...]
    line: int
    end: int
    has_text: bool
    tags: list[str]


def _cues(content: bytes) -> list[_Cue]:
    """Divide subtitles at the lines of times; all that is no text of a cue is the head of the next one."""
    text = EncodedText(content).text.replace("\r\r\n", "\n").replace("\r\n", "\n").replace("\r", "\n")
    is_vtt, found, number = text.startswith("WEBVTT"), list[_Cue](), 0
    head, spoken, begun, in_text = list[str](), list[str](), 0, False

    def close(at: int) -> None:
        said = " ".join(spoken)
        tags = sorted(re.findall(r"<[^<>]*>|\{\\[^{}]*\}", said))
        found.append(_Cue(tuple(head), begun, at, bool(said.strip()), tags))

    for number, line in enumerate(text.split("\n"), 1):
        if "-->" in line:
            before = [spoken.pop()] if spoken and spoken[-1].strip().isdigit() else []
            close(number)
            head, spoken, begun, in_text = [*before, line.strip()], [], number, True
        elif in_text and (line.strip() or not is_vtt):
            spoken.append(line)
        elif line.strip():
            head.append(line)
        else:
            in_text = False
    close(number)
    return found


def _runs(
    lines: Sequence[re.Match[str]], begin: int, end: int
) -> Iterator[tuple[int, bool, list[re.Match[str]]]]:
    """Divide lines into blank ones and others; each part comes with the number of its first line."""
    for is_blank, part in groupby(range(begin, end), lambda number: not lines[number][1].strip()):
        numbers = list(part)
        yield numbers[0], is_blank, [lines[number] for number in numbers]


def _kind(tag: re.Match[str]) -> Kind:
    if tag[2] is None:
        return Kind.ALONE
    return Kind.CLOSE if tag[1] else Kind.OPEN


def broken(text: str, lines: int) -> str:
    """Break a text after blanks into lines that are about equally long."""
    out = []
    while lines > 1 and " " in text:
        middle = len(text) / lines
        places = [found.start() for found in re.finditer(r" (?![^<]*>)", text)]
        if not places:
            break
        at = min(places, key=lambda place: abs(place - middle))
        out.append(text[:at])
        text, lines = text[at + 1 :], lines - 1
    return "\n".join([*out, text])
