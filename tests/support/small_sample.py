"""A part of the shipped sample: short sentences, the rules whose words they have, and a small search."""

from __future__ import annotations

import gzip
import tempfile
from functools import cache
from pathlib import Path

from hopefear.grammars.sample import sample_path

SENTENCES = {"dev": 30, "test": 20}
LONGEST = 14
_folder = tempfile.TemporaryDirectory(prefix="sample")  # it ends with the process


@cache
def small_sample() -> Path:
    """Write the part, once a process, and give its folder: its files have the names of the sample's."""
    sample, folder = sample_path(), Path(_folder.name)
    words = set()
    for name, count in SENTENCES.items():
        sources = (sample / f"{name}.es").read_text("utf-8").splitlines()
        chosen = [i for i, source in enumerate(sources) if len(source.split()) <= LONGEST][:count]
        assert len(chosen) == count
        words.update(word for i in chosen for word in sources[i].split())
        for path in sample.glob(f"{name}.*"):
            lines = path.read_text("utf-8").splitlines(keepends=True)
            (folder / path.name).write_text("".join(lines[i] for i in chosen), "utf-8")
    words |= {"[X,1]", "[X,2]"}
    with (
        gzip.open(sample / "grammar.gz", "rt", encoding="utf-8") as rules,
        gzip.open(folder / "grammar.gz", "wt", 1, encoding="utf-8") as kept,
    ):
        kept.writelines(rule for rule in rules if words.issuperset(rule.split(" ||| ", 2)[1].split()))
    ini = (sample / "cdec.ini").read_text("utf-8")
    assert "pop_limit=200" in ini
    (folder / "cdec.ini").write_text(ini.replace("pop_limit=200", "pop_limit=30"), "utf-8")
    for name in ("lm.arpa.gz", "weights.init"):
        (folder / name).symlink_to(sample / name)
    return folder
