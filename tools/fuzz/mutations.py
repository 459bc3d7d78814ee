"""Damage to the content of files, by a seeded draw."""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable, Sequence
from random import Random

NUMBERS = (
    b"nan",
    b"inf",
    b"-inf",
    b"-1",
    b"0",
    b"-0",
    b"1e999",
    b"1e308",
    b"-1e308",
    b"1.7976931348623157e308",
    b"1e300",
    b"-1e300",
    b"1e101",
    b"-1e99",
    b"5e-324",
    b"-1e-320",
    b"-2.2250738585072014e-308",
    b"-0.0",
    b"9223372036854775808",
    b"18446744073709551615",
    b"4294967296",
    b"2147483648",
    b"9" * 400,
    b"9" * 5000,
    b"0x10",
    b"1_0",
    "١٢".encode(),
    b"1.5",
    b"",
    b"true",
    b"null",
)
"""What stands in place of a number."""

TOKENS = (
    b"",
    b"|||",
    b"[X,1]",
    b"[X]",
    b"[1]",
    b"[X,2147483648]",
    b"=",
    b"a=",
    b"#",
    b"\\",
    b'"',
    b"'",
    b"(",
    b")",
    b"()",
    b"[",
    b"]",
    b"{}",
    b"<s>",
    b"</s>",
    b"<unk>",
    b"<seg>",
    b"</seg>",
    b"..",
    b"--help",
    b"-",
    b"%s",
    b"x" * 3000,
    b"a " * 500,
    b"(" * 3000,
    b"[" * 3000,
    "\u200b".encode(),
    "\u2028".encode(),
    "\u00a0".encode(),
    "e\u0301".encode(),
    "\U0001f600".encode(),
)
"""What stands in place of a token."""

BYTES = (
    b"\0",
    b"\xff",
    b"\xed\xa0\x80",  # a lone surrogate
    b"\xc0\x80",
    b"\xef\xbb\xbf",
    b"\xfe\xff",
    b"\r",
    b"\r\n",
    b"\n",
    b"\x0b",
    b"\x0c",
    b"\x1c",
    b"\xc2\x85",
    b"\x1b[2J",
    b"\t",
    b" ",
)
"""What is put between two bytes."""

WORDS = (0, 1, 2, 2**16, 2**31, 2**32 - 1, 2**40, 2**63, 2**64 - 1)
"""What stands in place of eight bytes."""

_NUMBER = re.compile(rb"(?<![\w.])[-+]?\d+(\.\d+)?([eE][-+]?\d+)?")
_TOKEN = re.compile(rb"[^\s\"',:;{}()=|/<>\[\]]+|\|\|\||[^\s\w]")
_SEPARATOR = re.compile(rb"\|\|\||[\s\"',:;{}()=/<>\[\]]")

Mutation = Callable[[bytes, Random], bytes]


def _place(content: bytes, draw: Random) -> int:
    """Draw a place; the beginning of a file has its header."""
    return draw.randrange((len(content) if draw.random() < 0.8 else min(200, len(content))) + 1)


def _part(content: bytes, draw: Random) -> tuple[int, int]:
    begin = _place(content, draw)
    return begin, min(len(content), begin + draw.choice((1, 1, 2, 4, 8, 30, 200, 5000)))


def _replace(pattern: re.Pattern[bytes], content: bytes, draw: Random, by: Callable[[bytes], bytes]) -> bytes:
    found = [*pattern.finditer(content)]
    if not found:
        return content
    match = draw.choice(found)
    return content[: match.start()] + by(match.group()) + content[match.end() :]


def bit_flipped(content: bytes, draw: Random) -> bytes:
    if not content:
        return content
    at = draw.randrange(len(content))
    return content[:at] + bytes([content[at] ^ 1 << draw.randrange(8)]) + content[at + 1 :]


def bytes_replaced(content: bytes, draw: Random) -> bytes:
    begin, end = _part(content, draw)
    return content[:begin] + draw.randbytes(end - begin) + content[end:]


def word_replaced(content: bytes, draw: Random) -> bytes:
    size = draw.choice((4, 8))
    at = _place(content, draw) // size * size
    number = draw.choice((*WORDS, len(content))) % (1 << 8 * size)
    return content[:at] + number.to_bytes(size, "little") + content[at + size :]


def end_cut(content: bytes, draw: Random) -> bytes:
    return content[: draw.choice((_place(content, draw), max(0, len(content) - draw.randrange(9))))]


def part_cut(content: bytes, draw: Random) -> bytes:
    begin, end = _part(content, draw)
    return content[:begin] + content[end:]


def part_doubled(content: bytes, draw: Random) -> bytes:
    begin, end = _part(content, draw)
    times = draw.choice((1, 1, 1, 5, 100))
    return content[:end] + times * content[begin:end] + content[end:]


def part_moved(content: bytes, draw: Random) -> bytes:
    begin, end = _part(content, draw)
    rest = content[:begin] + content[end:]
    at = _place(rest, draw)
    return rest[:at] + content[begin:end] + rest[at:]


def bytes_inserted(content: bytes, draw: Random) -> bytes:
    at = _place(content, draw)
    return content[:at] + draw.choice((*BYTES, *TOKENS)) + content[at:]


def token_replaced(content: bytes, draw: Random) -> bytes:
    others = [*_TOKEN.findall(content), *TOKENS]
    return _replace(_TOKEN, content, draw, lambda token: draw.choice(others))


def token_changed(content: bytes, draw: Random) -> bytes:
    odd = draw.choice((*BYTES, *TOKENS))
    forms: tuple[Callable[[bytes], bytes], ...] = (
        lambda token: b"",
        lambda token: token + odd,
        lambda token: odd + token,
        lambda token: token + b" " + token,
    )
    return _replace(_TOKEN, content, draw, draw.choice(forms))


def tokens_swapped(content: bytes, draw: Random) -> bytes:
    found = [*_TOKEN.finditer(content)]
    if len(found) < 2:
        return content
    first, second = sorted(draw.sample(found, 2), key=lambda match: match.start())
    between = content[first.end() : second.start()]
    return content[: first.start()] + second.group() + between + first.group() + content[second.end() :]


def number_replaced(content: bytes, draw: Random) -> bytes:
    return _replace(_NUMBER, content, draw, lambda number: draw.choice(NUMBERS))


def numbers_replaced(content: bytes, draw: Random) -> bytes:
    """Put extremes in place of many numbers, so that sums and products of them go wrong."""
    share, some = draw.choice((0.1, 0.5, 1.0)), draw.choices(NUMBERS, k=draw.choice((1, 2)))
    return _NUMBER.sub(lambda match: draw.choice(some) if draw.random() < share else match.group(), content)


def separator_replaced(content: bytes, draw: Random) -> bytes:
    return _replace(_SEPARATOR, content, draw, lambda mark: draw.choice((b"", b" ", b"\t", 2 * mark, b"\n")))


def line_changed(content: bytes, draw: Random) -> bytes:
    lines = content.splitlines(keepends=True)
    if not lines:
        return content
    at = draw.randrange(len(lines))
    lines[at : at + 1] = draw.choice(([], [lines[at]] * 2, [b"\n", lines[at]], [lines[at].rstrip(b"\r\n")]))
    return b"".join(lines)


def lines_shuffled(content: bytes, draw: Random) -> bytes:
    lines = content.splitlines(keepends=True)
    draw.shuffle(lines)
    return b"".join(lines)


def encoding_changed(content: bytes, draw: Random) -> bytes:
    def text() -> str:
        return content.decode("utf-8", "replace")

    forms: tuple[Callable[[], bytes], ...] = (
        lambda: text().encode("utf-16"),
        lambda: text().encode("utf-32-le"),
        lambda: text().encode("latin-1", "replace"),
        lambda: b"\xef\xbb\xbf" + content,
        lambda: content.replace(b"\n", b"\r\n"),
        lambda: content.replace(b"\n", b"\r"),
        lambda: content.replace(b" ", "\u00a0".encode()),
        lambda: content.replace(b" ", b"\0"),
    )
    return draw.choice(forms)()


def packed(content: bytes, draw: Random) -> bytes:
    whole = gzip.compress(content, mtime=0)
    forms: tuple[Callable[[], bytes], ...] = (
        lambda: whole,
        lambda: whole[: draw.randrange(len(whole))],
        lambda: bit_flipped(whole, draw),
        lambda: whole + whole,
        lambda: whole + content,
        lambda: gzip.compress(whole),
    )
    return draw.choice(forms)()


def emptied(content: bytes, draw: Random) -> bytes:
    return draw.choice((b"", b"\n", b"\n" * 50, b" \t \n"))


MUTATIONS: dict[Mutation, int] = {
    bit_flipped: 3,
    bytes_replaced: 2,
    word_replaced: 3,
    end_cut: 2,
    part_cut: 3,
    part_doubled: 2,
    part_moved: 2,
    bytes_inserted: 4,
    token_replaced: 5,
    token_changed: 5,
    tokens_swapped: 3,
    number_replaced: 6,
    numbers_replaced: 2,
    separator_replaced: 4,
    line_changed: 2,
    lines_shuffled: 1,
    encoding_changed: 1,
    packed: 1,
    emptied: 0,
}
"""How often each is drawn, to the others."""


def spliced(content: bytes, other: bytes, draw: Random) -> bytes:
    """Go on with another content in the middle of one, often at the ends of lines."""
    ends = [*map(draw.randrange, (len(content) + 1, len(other) + 1))]
    if draw.random() < 0.7:
        ends = [part.rfind(b"\n", 0, end) + 1 for part, end in zip((content, other), ends, strict=True)]
    return content[: ends[0]] + other[ends[1] :]


def mutated(content: bytes, draw: Random, others: Sequence[bytes] = ()) -> bytes:
    """Damage a content once or more often; rarely, give another content instead, or a splice of both."""
    rare = draw.random()
    if 0.02 < rare < 0.06 and others:
        return spliced(content, draw.choice(others), draw)
    if rare < 0.01 and others:
        return draw.choice(others)
    if rare < 0.02:
        return emptied(content, draw)
    mutations, shares = [*MUTATIONS], [*MUTATIONS.values()]
    for _ in range(draw.choice((1, 1, 1, 2, 3, 8))):
        content = draw.choices(mutations, shares)[0](content, draw)
    return content[:200_000]
