"""``now.json``, which says where a run stands."""

from __future__ import annotations

from pathlib import Path

from support.small_sample import small_sample
from support.world import SPANS

from hopefear import Decoder, Segment
from hopefear.tuners import Mira
from hopefear.tuners.contract import Now, NowFile, read_now


def test_a_run_says_where_it_stands(tmp_path: Path) -> None:
    decoder, mira = SPANS.decoder(tmp_path), Mira.paper(passes=2, C=1.0, batch_size=1)
    seen: list[Now] = []
    file = NowFile(tmp_path, mira, decoder.weights, len(SPANS.corpus))

    def on_sentence() -> None:
        file.tell()
        file.write()
        found = read_now(tmp_path)
        assert found is not None
        seen.append(found)

    mira.fit(decoder, SPANS.corpus, on_sentence=on_sentence)
    n = len(SPANS.corpus)
    assert [(one.passes, one.position) for one in seen] == [
        (number, place) for number in (0, 1) for place in range(1, n + 1)
    ]
    assert {(one.most, one.sentences, one.begun) for one in seen} == {(2, n, 0)}
    last = seen[-1]
    assert last.sentence is not None
    references = {" ".join(segment.tokens or ()): list(segment.references) for segment in SPANS.corpus}
    assert references[last.sentence.source] == last.sentence.references
    assert last.weights and set(last.weights) <= set(decoder.weights.nonzero())
    file.remove()
    assert read_now(tmp_path) is None


def test_the_sentence_is_told_as_written(tmp_path: Path) -> None:
    sample = small_sample()
    decoder, mira = Decoder(sample / "written.ini", weights=sample / "weights.init"), Mira.paper(passes=1)
    assert decoder.text_system is not None
    segment = decoder.text_system.prepare(
        Segment.from_input("Y dijo Dios: la luz. ||| And God said: the light.", index=4)
    )
    file = NowFile(tmp_path, mira, decoder.weights, 1, decoder.text_system)
    mira.fit(decoder, [segment], on_sentence=file.write)
    found = read_now(tmp_path)
    assert found is not None and found.sentence is not None
    sentence = found.sentence
    assert (sentence.id, sentence.source) == (5, "Y dijo Dios: la luz.")
    assert sentence.references == ["And God said: the light."]
    for text in (sentence.best, sentence.hope, sentence.fear):
        assert text[0].isupper() and " :" not in text and " ." not in text


def test_what_is_damaged_says_nothing(tmp_path: Path) -> None:
    for content in ("", "{", "{}", '{"time": "now"}'):
        (tmp_path / "now.json").write_text(content)
        assert read_now(tmp_path) is None
