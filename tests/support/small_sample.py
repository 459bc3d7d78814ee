"""A part of the shipped sample: short sentences, what they need of its models, and a small search."""

from __future__ import annotations

import gzip
import tempfile
from collections import defaultdict
from functools import cache
from pathlib import Path

from cut_sample import as_text, filter_arpa, read_lines

from hopefear.grammars.sample import sample_path

SENTENCES = {"dev": 30, "test": 20}
LONGEST = 14
TEXT = "# hopefear: text=text.json.gz\n"
_folder = tempfile.TemporaryDirectory(prefix="sample")  # it ends with the process

Users = defaultdict[str, set[int]]
"""The sentences that have, or can use, a word."""


@cache
def small_sample() -> Path:
    """Write the part, once a process, and give its folder: its files have the names of the sample's.

    The sentences have the translations and the scores that they have with the whole models.
    """
    sample, folder = sample_path(), Path(_folder.name)
    sources: Users = defaultdict(set)
    targets: Users = defaultdict(set)
    before = 0
    for name, count in SENTENCES.items():
        lines = (sample / f"{name}.es").read_text("utf-8").splitlines()
        chosen = [i for i, line in enumerate(lines) if len(line.split()) <= LONGEST][:count]
        assert len(chosen) == count
        for path in sample.glob(f"{name}.*"):
            lines = path.read_text("utf-8").splitlines(keepends=True)
            (folder / path.name).write_text("".join(lines[i] for i in chosen), "utf-8")
            for number, i in enumerate(chosen, before):
                for word in lines[i].split():
                    targets[word].add(number)
                    if path.suffix == ".es":
                        sources[word].add(number)
        before += count
    for word in ("[X,1]", "[X,2]"):
        sources[word] = set(range(before))
    for word in ("<s>", "</s>", "<unk>"):
        targets[word] = set(range(before))
    rules = []
    for rule in read_lines(sample / "grammar.gz"):
        _, source, target, _ = rule.split(" ||| ", 3)
        if users := set.intersection(*(sources[word] for word in source.split())):
            rules.append(rule)
            for word in target.split():
                targets[word] |= users
    for name, lines in (("grammar.gz", rules), ("lm.arpa.gz", filter_arpa(sample / "lm.arpa.gz", targets))):
        (folder / name).write_bytes(gzip.compress(as_text(lines), 1))
    ini = (sample / "cdec.ini").read_text("utf-8")
    assert "pop_limit=200" in ini
    (folder / "cdec.ini").write_text(ini.replace("pop_limit=200", "pop_limit=30"), "utf-8")
    (folder / "written.ini").write_text((folder / "cdec.ini").read_text("utf-8") + TEXT, "utf-8")
    for name in ("weights.init", "text.json.gz"):
        (folder / name).symlink_to(sample / name)
    return folder


def write_corpus(folder: Path) -> None:
    """Write the first 12 sentences of the part's dev set: es, en.0, en.1."""
    for side in ("es", "en.0", "en.1"):
        lines = (small_sample() / f"dev.{side}").read_text("utf-8").splitlines(keepends=True)[:12]
        (folder / side).write_text("".join(lines), "utf-8")
