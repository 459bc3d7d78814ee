from __future__ import annotations

import gzip
from concurrent.futures import Future

import pytest
from support.world import World

from hopefear.base import InputError
from hopefear.decoder import Segment, parse_line
from hopefear.feature_extractors import StructuralDistortion
from hopefear.grammars.bitext import Bitext
from hopefear.grammars.extractor import CHIANG_FEATURES, GrammarExtractor
from hopefear.grammars.grammar_files import seg_lines, write_filtered_grammar, write_sentence_grammars
from hopefear.parallel import Threads, WorkerDied

TEXT = ("--source", "f", "--target", "e", "--alignment", "a")


@pytest.fixture
def aligned(tmp_path):
    (tmp_path / "f").write_text("das haus\nein haus\ndas alte haus\n")
    (tmp_path / "e").write_text("the house\na house\nthe old house\n")
    (tmp_path / "a").write_text("0-0 1-1\n0-0 1-1\n0-0 1-1 2-2\n")
    (tmp_path / "in").write_text("das haus\n<seg id='x'>ein haus</seg> ||| a house\n\n")
    return tmp_path


@pytest.fixture
def extractor(aligned):
    return GrammarExtractor(Bitext.read(aligned / "f", aligned / "e", aligned / "a"))


def packed_lines(path):
    return gzip.decompress(path.read_bytes()).decode().splitlines()


def test_one_grammar_with_each_rule_once(aligned, extractor, run):
    done = run("extract", *TEXT, "--input", "in", "--output", "g.gz", "--threads", 2)
    lines = packed_lines(aligned / "g.gz")
    assert done.stdout == ""
    assert done.stderr == f"g.gz: {len(lines)} rules for 3 sentences\n"
    grammars = [extractor.grammar(line.split()).text().splitlines() for line in ("das haus", "ein haus")]
    assert len(lines) == len(set(lines))
    assert set(lines) == {line for grammar in grammars for line in grammar}
    assert len(lines) < sum(map(len, grammars))


def test_a_carriage_return_within_a_line_separates_words(aligned, run):
    (aligned / "e").write_bytes(b"the\rhouse\na\rhouse\nthe old house\n")
    run("extract", *TEXT, "-i", "in", "-o", "g")
    extractor = GrammarExtractor(Bitext.read(aligned / "f", aligned / "e", aligned / "a"))
    grammars = [extractor.grammar(words).text() for words in (["das", "haus"], ["ein", "haus"])]
    expected = {line for grammar in grammars for line in grammar.split("\n")}
    written = (aligned / "g").read_bytes().decode().split("\n")
    assert set(written) == expected and any("a house" in line for line in written)


def test_decoding_with_it(aligned, run):
    run("extract", *TEXT, "-i", "in", "-o", "grammar")
    World("", weights={"EgivenFCoherent": -1, "MaxLexEgivenF": -1}).write(aligned)
    done = run("decode", "-c", "cdec.ini", "-w", "weights", text="das haus\nein haus\n")
    assert done.stdout == "the house\na house\n"


def test_a_grammar_a_sentence(aligned, extractor, run):
    done = run("extract", *TEXT, "--input", "in", "--output-folder", "grammars")
    segments = [parse_line(line) for line in done.stdout.splitlines()]
    paths = [aligned / "grammars" / f"grammar.{i}.gz" for i in range(3)]
    assert [segment.grammars for segment in segments] == [(str(path),) for path in paths]
    assert [segment.id for segment in segments] == [0, "x", 2]
    assert segments[1].references == ("a house",)
    for segment, path in zip(segments, paths, strict=True):
        assert packed_lines(path) == extractor.grammar(segment.tokens).text().splitlines()
    (aligned / "cdec.ini").write_text("formalism=scfg\n")
    (aligned / "weights").write_text("MaxLexEgivenF -1\n")
    plain = "".join(line.partition(" ||| ")[0] + "\n" for line in done.stdout.splitlines())
    assert run("decode", "-c", "cdec.ini", "-w", "weights", text=plain).stdout == "the house\na house\n\n"


def test_leaving_one_out(aligned, extractor, run):
    run("extract", *TEXT, "-i", "f", "--output-folder", "grammars", "--leave-one-out")
    for i, line in enumerate((aligned / "f").read_text().splitlines()):
        grammar = extractor.grammar(line.split(), exclude=[i])
        assert packed_lines(aligned / "grammars" / f"grammar.{i}.gz") == grammar.text().splitlines()
    assert not any(" alte " in line for line in packed_lines(aligned / "grammars" / "grammar.2.gz"))


def test_settings(aligned, run):
    limits = ["--max-symbols", 4, "--max-nonterminals", 1, "--max-span", 3, "--min-gap", 2, "--samples", 1]
    names = [f"--feature={name}" for name in CHIANG_FEATURES]
    run("extract", *TEXT, "-i", "f", "-o", "g", "--loose", "--top", 1, *limits, *names)
    extractor = GrammarExtractor(
        Bitext.read(aligned / "f", aligned / "e", aligned / "a"),
        max_symbols=4,
        max_nonterminals=1,
        max_span=3,
        min_gap=2,
        samples=1,
        tight=False,
        top=1,
        features=CHIANG_FEATURES,
    )
    lines = (aligned / "f").read_text().splitlines()
    expected = {rule for line in lines for rule in extractor.grammar(line.split()).text().splitlines()}
    assert set((aligned / "g").read_text().splitlines()) == expected


def test_links_the_other_way_round(aligned, run):
    (aligned / "a").write_text("0-1\n0-0 1-1\n0-1 2-2\n")
    run("extract", *TEXT, "-i", "in", "-o", "there")
    (aligned / "a").write_text("1-0\n0-0 1-1\n1-0 2-2\n")
    run("extract", *TEXT, "-i", "in", "-o", "back", "--reverse")
    assert (aligned / "there").read_text() == (aligned / "back").read_text()


def test_the_distortion_table_of_the_same_text(tmp_path, run):
    orders = range(14), range(13, -1, -1)
    links = "".join(" ".join(f"{i}-{j}" for i, j in enumerate(order)) + "\n" for order in orders)
    (tmp_path / "a").write_text(links)
    for side in "fe":
        (tmp_path / side).write_text("a b c d e f g h i j k l m n\n" * 2)
    run("extract", *TEXT, "-i", "f", "-o", "g", "--distortion-table", "table")
    run("distortion-table", "f", "e", "a", "-o", "the-same")
    assert (tmp_path / "table").read_text() == (tmp_path / "the-same").read_text()
    StructuralDistortion(granularity="coarse", table=tmp_path / "table").prepare()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-i", "in"], "expected --output or --output-folder"),
        (["-i", "in", "-o", "g", "--output-folder", "h"], "expected --output or --output-folder"),
        (["-i", "f", "-o", "g", "--leave-one-out"], "expected --output-folder"),
        (
            ["-i", "long", "--output-folder", "h", "--leave-one-out"],
            "long:4: expected a sentence of the parallel text",
        ),
        (
            ["-i", "other", "--output-folder", "h", "--leave-one-out"],
            "other:2: expected sentence 2 of the parallel text, which is to be left out; got another",
        ),
        (["-i", "none", "-o", "g"], "none: cannot be read"),
        (["-i", "in", "-o", "g", "--top", 1 << 40], "top must be from 1"),
        (["-i", "endless", "-o", "g"], "endless:1: expected at most 65535 words, got 65536"),
        (["-i", "lattice", "-o", "g"], "lattice:1: expected a sentence, got a lattice"),
        (["-i", "in", "-o", "g", "--feature", "Count"], "unknown feature 'Count', known are"),
        (["-i", "in", "-o", "none/g"], "none/g: No such file or directory"),
        (["-i", "in", "-o", "."], ".: "),
        (["-i", "in", "-o", "g", "--source", "in"], "a:3: expected links between 0 and 3 words, got 0-0"),
    ],
)
def test_bad_input_writes_no_grammar(aligned, run, arguments, message):
    (aligned / "long").write_text((aligned / "f").read_text() + "das haus\n")
    (aligned / "other").write_text("das haus\n" * 2)
    (aligned / "endless").write_text("a " * 65_536 + "\n")
    (aligned / "lattice").write_text("((('das',0,1),),)\n")
    done = run("extract", *TEXT, *arguments, status=2)
    assert message in done.stderr
    assert not list(aligned.glob("g*"))


def test_what_stood_there_stays_where_extraction_fails(aligned, run):
    (aligned / "g").write_text("old")
    (aligned / "a").write_text("0-0\n0-9\n\n")
    done = run("extract", *TEXT, "-i", "in", "-o", "g", status=2)
    assert "a:2: expected links between 2 and 2 words, got 0-9" in done.stderr
    assert (aligned / "g").read_text() == "old"


class Deadly(Threads):
    """Workers die of the segment with the id x."""

    def submit(self, task, item):
        if item.id != "x":
            return super().submit(task, item)
        future = Future()
        future.set_exception(WorkerDied("a worker died", times=2))
        return future


def test_a_sentence_that_workers_die_of_is_named_and_ends_it(aligned, extractor):
    """Nobody would notice that rules are missing."""
    lines = (aligned / "in").read_text().splitlines()
    segments = [parse_line(line, index=i, where=f"in:{i + 1}") for i, line in enumerate(lines)]
    (aligned / "g").write_text("old")
    died = "in:2: sentence x: workers died 2 times while working on it"
    with Deadly(1) as executor:
        with pytest.raises(InputError, match=died):
            write_filtered_grammar(extractor, segments, aligned / "g", executor=executor)
        done = write_sentence_grammars(extractor, segments, aligned / "grammars", executor=executor)
        first = next(done)
        with pytest.raises(InputError, match=died):
            next(done)
    assert (aligned / "g").read_text() == "old" and not list(aligned.glob("g.*"))
    assert first.id == 0 and packed_lines(aligned / "grammars" / "grammar.0.gz")
    assert not (aligned / "grammars" / "grammar.1.gz").exists()


def test_segment_lines_keep_what_the_tag_says():
    segment = parse_line('<seg id="3" parse="(S (A &quot;b&quot;))">b &amp; c</seg> ||| x ||| y')
    (line,) = seg_lines([segment])
    again = parse_line(line)
    assert isinstance(again, Segment)
    assert (again.tokens, again.tree, again.references, again.id) == (
        segment.tokens,
        segment.tree,
        segment.references,
        3,
    )


def test_a_long_input_sentence_has_no_rules_and_is_counted(aligned, run):
    (aligned / "in").write_text("das haus\n" + "ein haus " * 10_000 + "\n")
    done = run("extract", *TEXT, "-i", "in", "-o", "g")
    message = "left out 1 sentence that has more than 1000 words (the limit of --max-words)"
    assert done.stderr.startswith(f"hopefear: {message}\n")
    assert "das" in (aligned / "g").read_text() and "ein" not in (aligned / "g").read_text()
    (aligned / "in").write_text("das haus\ndas alte haus\n")
    done = run("extract", *TEXT, "-i", "in", "--output-folder", "grammars", "--max-words", 2)
    assert "left out 1 sentence" in done.stderr and len(done.stdout.splitlines()) == 2
    assert packed_lines(aligned / "grammars" / "grammar.0.gz")
    assert packed_lines(aligned / "grammars" / "grammar.1.gz") == []
