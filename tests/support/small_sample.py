"""A part of the shipped sample: short sentences, what they need of its models, and a small search."""

from __future__ import annotations

import gzip
import tempfile
from collections import defaultdict
from collections.abc import Mapping
from functools import cache
from pathlib import Path

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
    _cut_grammar(sample / "grammar.gz", folder / "grammar.gz", sources, targets)
    _cut_model(sample / "lm.arpa.gz", folder / "lm.arpa.gz", targets)
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


def _cut_grammar(grammar: Path, cut: Path, sources: Mapping[str, set[int]], targets: Users) -> None:
    """Keep the rules whose source words a sentence has, and note who can use their target words."""
    kept = []
    for rule in _lines(grammar):
        _, source, target, _ = rule.split(" ||| ", 3)
        if users := _together(source, sources):
            kept.append(rule)
            for word in target.split():
                targets[word] |= users
    _write(cut, kept)


def _cut_model(model: Path, cut: Path, targets: Mapping[str, set[int]]) -> None:
    """Keep the n-grams whose words a sentence can use."""
    orders: list[list[str]] = []
    for line in _lines(model):
        if line.endswith("-grams:\n"):
            orders.append([])
        elif orders and "\t" in line and _together(line.split("\t")[1], targets):
            orders[-1].append(line)
    head = ["\\data\\\n", *(f"ngram {n}={len(ngrams)}\n" for n, ngrams in enumerate(orders, 1))]
    body = [line for n, ngrams in enumerate(orders, 1) for line in ("\n", f"\\{n}-grams:\n", *ngrams)]
    _write(cut, [*head, *body, "\n", "\\end\\\n"])


def _together(words: str, users: Mapping[str, set[int]]) -> set[int]:
    return set.intersection(*(users.get(word, set()) for word in words.split()))


def _lines(path: Path) -> list[str]:
    return gzip.decompress(path.read_bytes()).decode().splitlines(keepends=True)


def _write(path: Path, lines: list[str]) -> None:
    path.write_bytes(gzip.compress("".join(lines).encode(), 1))
