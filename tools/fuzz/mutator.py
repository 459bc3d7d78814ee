"""Damages the content of a file, by a seeded draw."""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable, Sequence
from random import Random

NUMBERS = b"""nan inf -inf -1 0 -0 -0.0 1.5 1e999 1e308 -1e308 1.7976931348623157e308 1e300 -1e300 1e101 -1e99
5e-324 -1e-320 -2.2250738585072014e-308 2147483648 4294967296 9223372036854775808 18446744073709551615
0x10 1_0 true null""".split()
NUMBERS += [b"", "١٢".encode(), b"9" * 400, b"9" * 5000]
"""Replacements of a number."""

TOKENS = rb"""||| [X,1] [X] [1] [X,2147483648] = a= # \ " ' ( ) () [ ] {} <s> </s> <unk>
<seg> </seg> .. --help - %s""".split()
TOKENS += [b"", b"x" * 3000, b"a " * 500, b"(" * 3000, b"[" * 3000]
TOKENS += [text.encode() for text in ("\u200b", "\u2028", "\u00a0", "e\u0301", "\U0001f600")]
"""Replacements of a token."""

LONE_SURROGATE, OVERLONG = b"\xed\xa0\x80", b"\xc0\x80"
BYTES = [LONE_SURROGATE, OVERLONG, b"\xef\xbb\xbf", b"\xfe\xff", b"\r\n", b"\xc2\x85", b"\x1b[2J"]
BYTES += [bytes([code]) for code in b"\0\xff\r\n\x0b\x0c\x1c\t "]
"""Bytes that are put between two others."""

INTEGERS = (0, 1, 2, 2**16, 2**31, 2**32 - 1, 2**40, 2**63, 2**64 - 1)
"""Replacements of four or eight bytes."""

ENCODINGS: dict[bytes, bytes] = {
    b"\n": b"\r\n",
    b"\r\n": b"\r",
    b" ": "\u00a0".encode(),
    b"e": b"\0",
}

NUMBER = re.compile(rb"(?<![\w.])[-+]?\d+(\.\d+)?([eE][-+]?\d+)?")
TOKEN = re.compile(rb"[^\s\"',:;{}()=|/<>\[\]]+|\|\|\||[^\s\w]")
SEPARATOR = re.compile(rb"\|\|\||[\s\"',:;{}()=/<>\[\]]")


class Mutator:
    """Damages content once or more often; rarely, it gives other content instead, or a splice of both."""

    def __init__(self, draw: Random) -> None:
        self.draw = draw
        self._changes: dict[Callable[[bytes], bytes], int] = {
            self.flip: 3,
            self.overwrite: 2,
            self.overwrite_integer: 3,
            self.cut: 4,
            self.repeat: 2,
            self.move: 2,
            self.insert: 4,
            self.replace_token: 10,
            self.swap_tokens: 3,
            self.replace_number: 6,
            self.replace_numbers: 2,
            self.replace_separator: 4,
            self.change_lines: 3,
            self.encode: 1,
            self.compress: 1,
        }

    def __call__(self, content: bytes, others: Sequence[bytes] = ()) -> bytes:
        rare = self.draw.random()
        if rare < 0.01:
            return self.draw.choice((b"", b"\n", b"\n" * 50, b" \t \n"))
        if rare < 0.02 and others:
            return self.draw.choice(others)
        if rare < 0.06 and others:
            return self.splice(content, self.draw.choice(others))
        for _ in range(self.draw.choice((1, 1, 1, 2, 3, 8))):
            (change,) = self.draw.choices([*self._changes], [*self._changes.values()])
            content = change(content)
        return content[:200_000]

    def _offset(self, content: bytes) -> int:
        """Draw an offset, often one in the header of the file."""
        return self.draw.randrange((len(content) if self.draw.random() < 0.8 else min(200, len(content))) + 1)

    def _stretch(self, content: bytes) -> tuple[int, int]:
        begin = self._offset(content)
        return begin, min(len(content), begin + self.draw.choice((1, 1, 2, 4, 8, 30, 200, 5000)))

    def _replace(self, pattern: re.Pattern[bytes], content: bytes, new: Callable[[bytes], bytes]) -> bytes:
        matches = [*pattern.finditer(content)]
        if not matches:
            return content
        match = self.draw.choice(matches)
        return content[: match.start()] + new(match.group()) + content[match.end() :]

    def flip(self, content: bytes) -> bytes:
        """Flip a bit."""
        if not content:
            return content
        at = self.draw.randrange(len(content))
        return content[:at] + bytes([content[at] ^ 1 << self.draw.randrange(8)]) + content[at + 1 :]

    def overwrite(self, content: bytes) -> bytes:
        begin, end = self._stretch(content)
        return content[:begin] + self.draw.randbytes(end - begin) + content[end:]

    def overwrite_integer(self, content: bytes) -> bytes:
        size = self.draw.choice((4, 8))
        at = self._offset(content) // size * size
        number = self.draw.choice((*INTEGERS, len(content))) % (1 << 8 * size)
        return content[:at] + number.to_bytes(size, "little") + content[at + size :]

    def cut(self, content: bytes) -> bytes:
        """Cut a stretch, or the end."""
        begin, end = self._stretch(content)
        return content[:begin] + (content[end:] if self.draw.random() < 0.6 else b"")

    def repeat(self, content: bytes) -> bytes:
        begin, end = self._stretch(content)
        return content[:end] + self.draw.choice((1, 1, 1, 5, 100)) * content[begin:end] + content[end:]

    def move(self, content: bytes) -> bytes:
        begin, end = self._stretch(content)
        rest = content[:begin] + content[end:]
        at = self._offset(rest)
        return rest[:at] + content[begin:end] + rest[at:]

    def insert(self, content: bytes) -> bytes:
        at = self._offset(content)
        return content[:at] + self.draw.choice((*BYTES, *TOKENS)) + content[at:]

    def replace_token(self, content: bytes) -> bytes:
        """Replace a token by another one, or put something odd beside it."""
        odd = self.draw.choice((*BYTES, *TOKENS, *TOKEN.findall(content)))
        forms: tuple[Callable[[bytes], bytes], ...] = (
            lambda token: odd,
            lambda token: token + odd,
            lambda token: odd + token,
            lambda token: token + b" " + token,
        )
        return self._replace(TOKEN, content, self.draw.choice(forms))

    def swap_tokens(self, content: bytes) -> bytes:
        matches = [*TOKEN.finditer(content)]
        if len(matches) < 2:
            return content
        first, second = sorted(self.draw.sample(matches, 2), key=lambda match: match.start())
        between = content[first.end() : second.start()]
        return content[: first.start()] + second.group() + between + first.group() + content[second.end() :]

    def replace_number(self, content: bytes) -> bytes:
        return self._replace(NUMBER, content, lambda number: self.draw.choice(NUMBERS))

    def replace_numbers(self, content: bytes) -> bytes:
        """Put extremes in place of many numbers, so that sums and products of them go wrong."""
        share, extremes = self.draw.choice((0.1, 0.5, 1.0)), self.draw.choices(NUMBERS, k=2)
        return NUMBER.sub(
            lambda match: self.draw.choice(extremes) if self.draw.random() < share else match.group(), content
        )

    def replace_separator(self, content: bytes) -> bytes:
        return self._replace(
            SEPARATOR, content, lambda mark: self.draw.choice((b"", b" ", b"\t", 2 * mark, b"\n"))
        )

    def change_lines(self, content: bytes) -> bytes:
        """Leave a line out, double it, put an empty one before it, or shuffle all lines."""
        lines = content.splitlines(keepends=True)
        if not lines:
            return content
        if self.draw.random() < 0.3:
            self.draw.shuffle(lines)
        else:
            at = self.draw.randrange(len(lines))
            lines[at : at + 1] = self.draw.choice(([], [lines[at]] * 2, [b"\n", lines[at]]))
        return b"".join(lines)

    def encode(self, content: bytes) -> bytes:
        """Write the text in another encoding, or with other ends of lines and other spaces."""
        name = self.draw.choice(("utf-16", "utf-32-le", "latin-1", "utf-8-sig", *ENCODINGS))
        if isinstance(name, bytes):
            return content.replace(name, ENCODINGS[name])
        return content.decode("utf-8", "replace").encode(name, "replace")

    def compress(self, content: bytes) -> bytes:
        """Compress the content with gzip; often, damage the archive."""
        archive = gzip.compress(content, mtime=0)
        forms = (archive, self.cut(archive), self.flip(archive), archive + archive, archive + content)
        return self.draw.choice((*forms, gzip.compress(archive, mtime=0)))

    def splice(self, content: bytes, other: bytes) -> bytes:
        """Go on with other content in the middle, often at the ends of lines."""
        ends = [*map(self.draw.randrange, (len(content) + 1, len(other) + 1))]
        if self.draw.random() < 0.7:
            ends = [text.rfind(b"\n", 0, end) + 1 for text, end in zip((content, other), ends, strict=True)]
        return content[: ends[0]] + other[ends[1] :]
