"""The report of tuning runs."""

from __future__ import annotations

import gzip
import json
import random
import re
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from support.sessions import WEIGHTS, write_written_system
from support.world import SPANS

from hopefear.base import InputError
from hopefear.decoder import Decoder, Segment, Weights
from hopefear.metrics import Chrf
from hopefear.reports import TuningRun, read_sentences, sentence_records, write_report, write_sentences
from hopefear.reports.sentences import LEARNABLE


def run_folder(folder: Path, score: float = 30.0) -> Path:
    """Make the folder of a run of two passes."""
    folder.mkdir()
    event = {"event": "pass", "metric": "BLEU"}
    passes = [event | {"pass_number": n, "score": score + n, "length_ratio": 0.9 + n / 10} for n in (1, 2)]
    (folder / "log.jsonl").write_text("".join(json.dumps(event) + "\n" for event in passes))
    for name, weights in {"start": {"a": 1.0}, "pass1": {"a": 2.0}, "pass2": {"a": 1.5, "b": -3.0}}.items():
        Weights(weights).write(folder / f"weights.{name}")
    Weights({"a": 1.75, "b": -3.0}).write(folder / "weights.final")
    return folder


def test_weights_and_ratios_pass_by_pass(tmp_path: Path) -> None:
    run = TuningRun.read(run_folder(tmp_path / "run"))
    assert run.points == ["start", "pass 1", "pass 2", "end"]
    assert run.paths["a"].tolist() == [1.0, 2.0, 1.5, 1.75]
    assert run.paths["b"].tolist() == [0.0, 0.0, -3.0, -3.0]
    assert run.most_moved(5) == ["b", "a"]
    assert run.log.length_ratios() == [(1, 1.0), (2, 1.1)]


def test_the_time_is_that_of_all_commands_that_worked_on_a_run(tmp_path: Path) -> None:
    folder = run_folder(tmp_path / "run")
    tuner = {"name": "Mira", "settings": {"C": 0.5}}
    sessions = [{"tuner": tuner, "wall_seconds": seconds} for seconds in (3600.0, 2.5)]
    (folder / "run.json").write_text(json.dumps({"sessions": sessions}))
    assert TuningRun.read(folder).settings == {"tuner": "Mira", "C": "0.5", "time": "3,602.5 s"}


def test_sentences_before_and_after(tmp_path: Path) -> None:
    decoder = SPANS.decoder(tmp_path)
    learned = decoder.weights.array.copy()
    before = -learned
    count = Mock()
    records = list(sentence_records(decoder, SPANS.corpus, before, Chrf(), count))
    assert count.update.call_count == len(SPANS.corpus)
    assert decoder.weights.array[: len(learned)].tolist() == learned.tolist()
    assert not decoder.weights.array[len(learned) :].any()
    for number, (segment, record) in enumerate(zip(SPANS.corpus, records, strict=True)):
        assert record["after"] == decoder.translate(segment).viterbi()
        for side in ("before", "after"):
            score = Chrf().score(Chrf().stats(record[side], segment.references))
            assert record[f"{side}_score"] == pytest.approx(score)
        assert record["derivation"]["text"] == record["after"]
        assert ({"hope", "fear"} <= record.keys()) == (number < LEARNABLE)
    decoder.weights.replace(before)
    assert [record["before"] for record in records] == [
        decoder.translate(one).viterbi() for one in SPANS.corpus
    ]
    write_sentences(tmp_path, records)
    assert read_sentences(tmp_path) == json.loads(json.dumps(records))


def test_sentences_as_written(tmp_path: Path) -> None:
    decoder = Decoder(write_written_system(tmp_path), weights=WEIGHTS)
    line = "La casa es ``a b``. ||| The house is ``a b``."
    segment = decoder.segment(Segment.from_input(line))
    (record,) = sentence_records(decoder, [segment], decoder.weights.array, Chrf(), Mock())
    assert record["written"] and record["source"] == "La casa es ``a b``."
    assert record["references"] == ["The house is ``a b``."]
    for side in ("before", "after", "hope", "fear"):
        assert record[side].endswith(" ``a b``.") and record[side][0].isupper()
    assert record["derivation"]["text"] == record["after"]
    words = decoder.translate(segment).viterbi()
    assert record["after_score"] == pytest.approx(Chrf().score(Chrf().stats(words, segment.references)))
    write_sentences(tmp_path, [record])
    assert read_sentences(tmp_path) == json.loads(json.dumps([record]))


def test_a_page_stands_alone_and_keeps_its_limit(tmp_path: Path) -> None:
    folder = run_folder(tmp_path / "run")
    decoder = SPANS.decoder(tmp_path)
    (first, *_) = sentence_records(decoder, SPANS.corpus, decoder.weights.array, None, Mock())
    letters = random.Random(1)
    rows: list[dict[str, Any]] = []
    for number in range(120):
        derivation = first["derivation"] | {"text": letters.randbytes(30_000).hex()}
        rows.append(first | {"id": number, "derivation": derivation})
    write_sentences(folder, rows)
    page = write_report(folder).read_text("utf-8")
    assert len(page.encode()) < 3_000_000
    assert not re.search(r'(src|href)="https?://', page)
    assert "Weights that moved most" in page
    assert "Length ratio" in page


def test_damaged_files_are_refused(tmp_path: Path) -> None:
    folder = run_folder(tmp_path / "run")
    whole = gzip.compress(b'{"id": 1}\n' * 9)
    for content in (b"no gzip", gzip.compress(b"{}\n"), gzip.compress(b"[\n"), whole[:-9]):
        (folder / "sentences.jsonl.gz").write_bytes(content)
        with pytest.raises(InputError, match=r"sentences\.jsonl\.gz:1: expected the sentences of a run"):
            write_report(folder)
    (folder / "weights.final").unlink()
    with pytest.raises(InputError, match="expected the folder of a finished run"):
        write_report(folder)
