"""The sample model: what is in it, and that it is what its script cuts from the full model."""

from __future__ import annotations

import gzip
import random
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest
from cut_sample import cut_sample

from hopefear.decoder import Decoder
from hopefear.grammars.sample import sample_path
from hopefear.text import TextSystem

pytestmark = pytest.mark.long(40)
SAMPLE = sample_path()
PARTS = ("dev", "test")
SIDES = ("es", "en.0", "en.1", "es.trees", "es.written", "en.written")
CORPUS = [f"{part}.{side}" for part in PARTS for side in SIDES]
MODEL = ["cdec.ini", "written.ini", "weights.init", "grammar.gz", "lm.arpa.gz", "text.json.gz"]

Arpa = dict[tuple[str, ...], tuple[float, float]]


def lines(path: Path) -> list[str]:
    content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    return content.decode().removesuffix("\n").split("\n")


def rules(folder: Path) -> Iterator[tuple[str, str, str]]:
    """Yield each rule's source, target and whole line."""
    for line in lines(folder / "grammar.gz"):
        _, source, target, *_ = line.split(" ||| ")
        yield source, target, line


def arpa(path: Path) -> tuple[list[int], Arpa]:
    """Read an ARPA file: the header's counts, and log probability and backoff of each n-gram."""
    counts, ngrams = [], {}
    for line in lines(path):
        if line.startswith("ngram "):
            counts.append(int(line.split("=")[1]))
        elif "\t" in line:
            probability, words, *backoff = line.split("\t")
            ngrams[tuple(words.split())] = (float(probability), float(backoff[0]) if backoff else 0.0)
    return counts, ngrams


def log10_probability(ngrams: Arpa, ngram: tuple[str, ...]) -> float:
    """Return the backoff model's log probability of the last word after the others."""
    if ngram in ngrams:
        return ngrams[ngram][0]
    return ngrams.get(ngram[:-1], (0.0, 0.0))[1] + log10_probability(ngrams, ngram[1:])


@pytest.fixture(scope="module")
def full(shared: Path) -> Path:
    return shared / "data" / "bible-es-en"


def test_the_files_are_there_and_at_most_5_mb() -> None:
    sizes = {path.name: path.stat().st_size for path in SAMPLE.iterdir()}
    assert sorted(sizes) == sorted([*CORPUS, *MODEL, "README.md"])
    assert sum(sizes.values()) <= 5_000_000


def test_the_licence_is_stated() -> None:
    assert "public domain" in (SAMPLE / "README.md").read_text("utf-8").lower()


@pytest.mark.parametrize("part", PARTS)
def test_the_parts_are_parallel(part: str) -> None:
    for side in SIDES:
        text = lines(SAMPLE / f"{part}.{side}")
        assert len(text) == 200
        assert all(line.split() for line in text)


@pytest.mark.parametrize("part", PARTS)
def test_the_leaves_of_the_trees_are_the_tokens_of_the_sentences(part: str) -> None:
    brackets = {"-LRB-": "(", "-RRB-": ")"}
    for sentence, tree in zip(lines(SAMPLE / f"{part}.es"), lines(SAMPLE / f"{part}.es.trees"), strict=True):
        assert tree.count("(") == tree.count(")")
        leaves = re.sub(r"\(\S+|\)", " ", tree).split()
        assert [brackets.get(leaf, leaf) for leaf in leaves] == sentence.split()


@pytest.mark.parametrize("part", PARTS)
def test_the_tokens_of_the_written_sentences_are_those_of_the_sentences(part: str) -> None:
    text = TextSystem.load(SAMPLE / "text.json.gz")
    for sentence, written in zip(
        lines(SAMPLE / f"{part}.es"), lines(SAMPLE / f"{part}.es.written"), strict=True
    ):
        assert " ".join(text.reads(written)[0]) == sentence


@pytest.mark.parametrize("part", PARTS)
def test_the_tokens_of_nearly_all_written_references_are_those_of_the_first_ones(part: str) -> None:
    text = TextSystem.load(SAMPLE / "text.json.gz")
    columns = (lines(SAMPLE / f"{part}.{side}") for side in ("es.written", "en.written", "en.0"))
    others = [
        reference
        for source, written, reference in zip(*columns, strict=True)
        if " ".join(text.read_target(written, text.reads(source)[1]).tokens) != reference
    ]
    assert len(others) <= 2  # a missing space of the edition, and dashes


def test_written_text_is_translated_to_written_text() -> None:
    decoder = Decoder(SAMPLE / "written.ini", weights=SAMPLE / "weights.init")
    tokens = Decoder(SAMPLE / "cdec.ini", weights=SAMPLE / "weights.init")
    forest = decoder.translate("Y dijo Dios: Sea la luz.")
    assert forest.viterbi() == tokens.translate("y dijo dios : sea la luz .").viterbi()
    assert '"' in forest.viterbi()  # a quotation that the source does not mark, and that never ends
    assert forest.written() == "God said, Let the light."
    assert decoder.translate("en la casa de Jacob.").written() == "in the house of Jacob."


def test_the_second_ini_is_the_first_one_with_a_comment_of_cdec() -> None:
    assert lines(SAMPLE / "written.ini") == [*lines(SAMPLE / "cdec.ini"), "# hopefear: text=text.json.gz"]


def test_every_path_in_the_ini_is_a_file_of_the_folder() -> None:
    options = [line.split("=", 1) for line in lines(SAMPLE / "cdec.ini")]
    paths = [value for name, value in options if name == "grammar"]
    paths += [value.split()[1] for _, value in options if value.startswith("KLanguageModel")]
    assert sorted(paths) == ["grammar.gz", "lm.arpa.gz"]
    assert all((SAMPLE / path).is_file() for path in paths)


@pytest.mark.parametrize("name", ["grammar.gz", "lm.arpa.gz", "text.json.gz"])
def test_compressed_files_hold_no_time_and_no_name(name: str) -> None:
    header = (SAMPLE / name).read_bytes()[:8]
    assert header[:3] == b"\x1f\x8b\x08"
    assert header[3:] == bytes(5)  # no flags, time 0


def test_a_source_side_has_at_most_four_translations_and_two_with_gaps() -> None:
    options: defaultdict[str, list[str]] = defaultdict(list)
    for source, target, _ in rules(SAMPLE):
        options[source].append(target)
    for source, targets in options.items():
        assert len(targets) == len(set(targets)) <= (2 if "[X,1]" in source.split() else 4)


def test_rules_match_a_sentence() -> None:
    sentences = [f" {line} " for part in PARTS for line in lines(SAMPLE / f"{part}.es")]
    sources = sorted({source for source, _, _ in rules(SAMPLE)})
    for source in random.Random(0).sample(sources, 500):
        gaps = (r"\S+(?: \S+)*?" if re.fullmatch(r"\[X,\d\]", x) else re.escape(x) for x in source.split())
        pattern = re.compile(f" {' '.join(gaps)} ")
        assert any(map(pattern.search, sentences)), source


def test_the_language_model_is_whole() -> None:
    counts, ngrams = arpa(SAMPLE / "lm.arpa.gz")
    found = [0] * 4
    for ngram in ngrams:
        found[len(ngram) - 1] += 1
        assert len(ngram) == 1 or (ngram[:-1] in ngrams and ngram[1:] in ngrams)
    assert counts == found
    assert {("<s>",), ("</s>",), ("<unk>",)} <= ngrams.keys()


def test_what_the_full_grammar_translates_is_still_translated(full: Path) -> None:
    words = {word for part in PARTS for line in lines(SAMPLE / f"{part}.es") for word in line.split()}
    kept = {source for source, _, _ in rules(SAMPLE)}
    translated = words & {source for source, _, _ in rules(full)}
    assert len(translated) > 1000
    assert translated <= kept


def test_references_score_as_with_the_full_language_model(full: Path) -> None:
    models = [arpa(folder / "lm.arpa.gz")[1] for folder in (SAMPLE, full)]
    for name in CORPUS:
        if name.endswith((".en.0", ".en.1")):
            for line in lines(SAMPLE / name):
                words = ["<s>", *line.split(), "</s>"]
                for end in range(2, len(words) + 1):
                    ngram = tuple(words[max(0, end - 4) : end])
                    cut, whole = (
                        log10_probability(ngrams, tuple(w if (w,) in ngrams else "<unk>" for w in ngram))
                        for ngrams in models
                    )
                    assert cut == whole, ngram


@pytest.mark.slow
def test_the_sample_is_what_is_cut_from_the_full_model(full: Path, tmp_path: Path) -> None:
    cut_sample(full, tmp_path / "cut")
    assert sorted(path.name for path in (tmp_path / "cut").iterdir()) == sorted([*CORPUS, *MODEL])
    for name in (*CORPUS, *MODEL):
        assert lines(tmp_path / "cut" / name) == lines(SAMPLE / name), name
