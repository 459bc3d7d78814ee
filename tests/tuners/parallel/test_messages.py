"""Messages between the learners of parallel MIRA."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import pytest
from support.small_parallel_mira import CORPUS, small_decoder

from hopefear.tuners import Mira
from hopefear.tuners.parallel.messages import check_message, pack, unpack


@pytest.fixture(name="message")
def a_message(tmp_path: Path) -> bytes:
    decoder = small_decoder(tmp_path / "grammar")
    segment = CORPUS[0]
    return pack(Mira().hypotheses(decoder, decoder.translate(segment), segment), decoder.weights)


def test_a_message_is_taken(message: bytes, tmp_path: Path) -> None:
    check_message(message)
    other = small_decoder(tmp_path / "other")
    assert unpack(message, other.weights).segment == CORPUS[0].id


def test_damaged_messages_are_refused(message: bytes) -> None:
    content = zlib.decompress(message)
    hypotheses, fired, hopes, identity, names = struct.unpack_from("<5q", content)
    assert fired

    def with_head(*head: int) -> bytes:
        return zlib.compress(struct.pack("<5q", *head) + content[40:])

    def changed(at: int, number: bytes) -> bytes:
        return zlib.compress(content[:at] + number + content[at + len(number) :])

    counts = 40 + 8 * (hypotheses + fired)
    places = counts + 4 * hypotheses
    end = places + 4 * fired
    for damaged in (
        *(message[:-3], b"", zlib.compress(content[:20]), zlib.compress(content[:-1])),
        *(zlib.compress(content + b"x"), with_head(hypotheses, fired, hypotheses, identity, names)),
        *(with_head(-1, fired, hopes, identity, names), changed(40, struct.pack("<d", float("nan")))),
        *(changed(counts, struct.pack("<i", -1)), changed(counts, struct.pack("<i", 1 << 20))),
        *(changed(places, struct.pack("<i", -1)), changed(places, struct.pack("<i", 1 << 20))),
        *(changed(end, b"\xff"), changed(end + identity, b"\xff")),
    ):
        with pytest.raises(ValueError, match="expected a message of a learner, got"):
            check_message(damaged)
