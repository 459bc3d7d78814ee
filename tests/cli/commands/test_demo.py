from __future__ import annotations

import re

from support.small_sample import small_sample

from hopefear.reports import read_sentences


def test_the_demo_learns_tells_and_draws(run, tmp_path, monkeypatch):
    monkeypatch.setattr("hopefear.cli.commands.demo_run.sample_path", small_sample)
    done = run("demo", "--sentences", 30, "--passes", 1, "--output", "pictures")
    before = re.search(r"Test BLEU before: ([\d.]+) \[[\d.]+, [\d.]+\]", done.stdout)
    after = re.search(r"Test BLEU after 30 updates: ([\d.]+) \[[\d.]+, [\d.]+\]", done.stdout)
    assert 10 < float(before.group(1)) < 90
    assert 10 < float(after.group(1)) < 90
    assert "paired bootstrap p = " in done.stdout
    for row in ("source", "reference", "hope", "1-best", "fear"):
        texts = re.findall(rf"^(?={row} ).{{27}}(.+)", done.stdout, re.MULTILINE)
        assert any(text[0].isupper() for text in texts)
        assert not [text for text in texts if re.search(r" [.,;:]", text)]
    for name in ("bleu-per-update.png", "hope-and-fear.png", "corrections.png"):
        assert (tmp_path / "pictures" / name).read_bytes().startswith(b"\x89PNG")
    page = (tmp_path / "pictures" / "report.html").read_text("utf-8")
    assert "Tuning run pictures/mira" in page and 'id="sentence-data"' in page
    assert len(read_sentences(tmp_path / "pictures" / "mira")) == 30
    assert "Report: pictures/report.html\n" in done.stdout
    rows = [line.split() for line in done.stdout.splitlines() if re.fullmatch(r"[\d. ]+", line)]
    assert [int(row[0]) for row in rows] == [10, 20, 30]
    for _, hter, untouched_hter, _, _ in rows:
        assert float(hter) <= float(untouched_hter)
    _, hter, untouched_hter, ksmr, untouched_ksmr = map(float, rows[-1])
    assert hter < untouched_hter
    assert ksmr < untouched_ksmr
    assert done.stdout.splitlines()[-1].endswith(": hopefear serve")
    assert done.stderr == ""  # no progress bars down a pipe
