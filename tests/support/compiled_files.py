"""The sections in the file of a compiled grammar, for tests that damage them and keep the checksums right."""

from __future__ import annotations

import struct
import zlib

HEADER = struct.Struct("<16sIIQII")
SECTION = struct.Struct("<QQQ")
BLOCKS = 3
"""The section of the checksums of blocks of rules; with few rules there is one block."""
RULES = range(10, 19)
"""The sections of rules, which have no checksum of their own."""


def sections(content: bytes) -> list[bytes]:
    """Return the content of each section."""
    count = HEADER.unpack_from(content)[4]
    places = [SECTION.unpack_from(content, HEADER.size + n * SECTION.size) for n in range(count)]
    return [content[begin : begin + size] for begin, size, _ in places]


def whole(content: bytes, parts: list[bytes]) -> bytes:
    """Return the file again with other sections and the checksums that belong to them."""
    magic, version, order, _, count, rules = HEADER.unpack_from(content)
    parts = list(parts)
    if len(parts[BLOCKS]) == 4:
        parts[BLOCKS] = struct.pack("<I", _of_block(parts))
    end, table, body = HEADER.size + count * SECTION.size + 8, b"", b""
    start = end
    for number, part in enumerate(parts):
        padding = -end % 64
        body += bytes(padding) + part
        table += SECTION.pack(end + padding, len(part), 0 if number in RULES else zlib.crc32(part))
        end += padding + len(part)
    head = HEADER.pack(magic, version, order, end, count, rules) + table
    assert len(head) + 8 == start
    return head + struct.pack("<Q", zlib.crc32(head)) + body


def _of_block(parts: list[bytes]) -> int:
    """Return the checksum of the only block: rules, and what they have of the tables of all rules."""
    lhs, node, layout, *begins, targets, values, alignments = (parts[number] for number in RULES)
    total = zlib.crc32(lhs + node + layout)
    for begin, items, size in zip(begins, (targets, values, alignments), (4, 4, 2), strict=True):
        numbers = [*struct.iter_unpack("<I", begin[: len(begin) // 4 * 4])]
        extent = slice(size * numbers[0][0], size * numbers[-1][0]) if numbers else slice(0)
        total = zlib.crc32(begin + items[extent], total)
    return total
