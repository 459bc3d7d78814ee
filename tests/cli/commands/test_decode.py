from __future__ import annotations

import gzip
import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from support.world import configure

from hopefear.decoder import Decoder, Hypergraph, Weights

HOUSE = "0 ||| the house ||| Glue=1 WordPenalty=-0.868589 a=1 p=2 ||| -2\n"
HOME = "0 ||| the home ||| Glue=1 WordPenalty=-0.868589 b=1 p=3 ||| -3\n"
BUILDING = "0 ||| the building ||| WordPenalty=-0.868589 p=9 ||| -9\n"
TOY = ("-c", "cdec.ini", "-w", "weights")


def test_best_translations_a_line_a_sentence(toy, run):
    assert run("decode", *TOY, text="la casa\nla casa roja\n").stdout == "the house\nthe red house\n"


@pytest.mark.parametrize(("k", "lines"), [(1, HOUSE), (2, HOUSE + HOME), (9, HOUSE + HOME + BUILDING)])
def test_k_best_lines(toy, run, k, lines):
    assert run("decode", *TOY, "-k", k, text="la casa\n").stdout == lines


def test_unique_strings_only(toy, run):
    every = run("decode", *TOY, "-k", 50, text="la casa roja\n").stdout.splitlines()
    different = run("decode", *TOY, "-k", 50, "--unique", text="la casa roja\n").stdout.splitlines()
    texts = [line.split(" ||| ")[1] for line in different]
    assert len(set(texts)) == len(texts) < len(every)
    assert {line.split(" ||| ")[1] for line in every} == set(texts)


def test_threads_keep_the_order(toy, run):
    text = "".join(f"{'la ' * (i % 7 + 1)}casa\n" for i in range(60))
    one, two = (run("decode", *TOY, "--threads", n, text=text).stdout for n in (1, 2))
    assert one == two == text.replace("la", "the").replace("casa", "house")


def test_segments_and_lattices(toy, run):
    lines = "<seg id=\"7\">la casa</seg>\n((('la',1),('roja',1),),)\n"
    found = run("decode", *TOY, "-k", 1, text=lines).stdout.splitlines()
    assert found[0] == HOUSE.replace("0", "7", 1).rstrip()
    assert found[1].split(" ||| ")[:2] == ["1", "the"] or found[1].split(" ||| ")[:2] == ["1", "red"]


def test_a_sentence_without_translation_keeps_its_line(toy, run):
    done = run("decode", *TOY, text="la casa\nel perro\n\nla\n", status=1)
    assert done.stdout == "the house\n\n\nthe\n"
    assert "standard input:2" in done.stderr
    assert "standard input:3" not in done.stderr


def test_a_reference_forces_the_decoder(toy, run):
    done = run("decode", *TOY, text="la casa ||| the building\nla casa ||| the barn\n", status=1)
    assert done.stdout == "the building\n\n"
    assert "standard input:2" in done.stderr


def test_a_reference_lattice_forces_the_decoder(toy, run):
    lattice = "((('the',1),),(('home',1),('building',1),),)"
    assert run("decode", *TOY, text=f"la casa ||| {lattice}\n").stdout == "the home\n"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"<seg id=1>la</seg>", "standard input:2: expected <seg"),
        (b"((('la',0),),)", "standard input:2: expected a distance"),
        (b"\xff", "standard input:2: expected UTF-8"),
        (b"la ||| the ||| the", "standard input:2: expected one reference"),
        (b'<seg grammar="nowhere">la</seg>', "nowhere"),
    ],
)
@pytest.mark.parametrize("threads", [1, 2])
def test_bad_input_ends_with_file_and_line_after_what_came_before(toy, run, line, message, threads):
    done = run("decode", *TOY, "--threads", threads, text=b"la casa\n" + line + b"\nla\n", status=2)
    assert done.stdout == "the house\n"
    assert message in done.stderr


@pytest.mark.parametrize(
    ("options", "file", "content", "message"),
    [
        (["-c", "nowhere"], None, "", "nowhere: cannot be read"),
        (["-c", "bad.ini"], "bad.ini", "formalism=scfg\npop=3\n", "bad.ini:2: unknown option 'pop'"),
        (["-c", "bad.ini", "-w", "none"], "bad.ini", "formalism=scfg\ngrammar=no\n", "no: cannot"),
        (["-c", "bad.ini", "-w", "none"], "bad.ini", "formalism=scfg\nfeature_function=No\n", "bad.ini:2"),
        ([*TOY, "-w", "bad"], "bad", "p -1\nq x\n", "bad:2"),
        ([*TOY, "-i", "nowhere"], None, "", "nowhere: cannot be read"),
        ([*TOY, "-i", "bad.gz"], "bad.gz", b"\x1f\x8b no gz", "bad.gz:1: expected a whole gz file"),
        ([*TOY, "--feature", "No"], None, "", "No: unknown feature function"),
        ([*TOY, "--learn", "mire"], None, "", "mire: unknown tuner, near: Mira"),
        ([*TOY, "--learn", "mira", "--set", "C=x"], None, "", "C must be a finite number"),
        ([*TOY, "--learn", "mira", "--set", "D=1"], None, "", "unknown setting D"),
        ([*TOY, "--learn", "mira", "--threads", "2"], None, "", "--threads 1"),
        ([*TOY, "--save-weights", "w"], None, "", "--learn"),
        ([*TOY, "--save-every", "2"], None, "", "--save-every needs --save-weights"),
        ([*TOY, "--unique"], None, "", "--unique needs --k-best or a line k_best=..."),
    ],
)
def test_bad_set_ups_are_refused(toy, run, options, file, content, message):
    if file is not None:
        (toy / file).write_bytes(content if isinstance(content, bytes) else content.encode())
    done = run("decode", *options, text="la casa\n", status=2)
    assert message in done.stderr
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1


def test_what_the_ini_asks_for_is_done(toy, run):
    (toy / "in.txt").write_text("la casa\n")
    folders = ("forest_output=forests", "extract_rules=rules", "show_derivations=trees")
    configure(toy, "input=in.txt", "k_best=3", *folders)
    assert run("decode", *TOY).stdout == HOUSE + HOME + BUILDING
    assert run("decode", *TOY, "-k", 1).stdout == HOUSE  # options come first
    run("decode", *TOY)
    forest = Hypergraph.read(toy / "forests" / "0.json.gz", Weights())
    assert list(forest.kbest(9)) == ["the house", "the home", "the building"]
    trees = (toy / "trees" / "0").read_text().splitlines()
    assert trees[2] == "0 ||| -9 ||| (S (X la casa)) ||| (S (X the building))"
    rules = Counter((toy / "rules" / "0").read_text().splitlines())
    assert rules["[X] ||| la ||| the ||| p=1"] == 2
    assert rules["[X] ||| la casa ||| the building ||| p=9 ||| 0-0 1-1"] == 1


def test_an_id_that_leaves_the_folder_is_refused(toy, run):
    configure(toy, "extract_rules=rules")
    done = run("decode", *TOY, text='<seg id="../x">la</seg>\n', status=2)
    assert "expected an id that can be the name of a file" in done.stderr
    assert not (toy / "x").exists()


def test_an_object_for_each_line(toy, run):
    text = '<seg id="x">casa de la</seg>\n\nperro\n((\n'
    done = run("decode", *TOY, "--json", "-k", 2, "--on-error", "skip", text=text, status=1)
    first, *others = map(json.loads, done.stdout.splitlines())
    assert first["id"] == "x" and first["problem"] is None
    assert [first["text"][begin:end] for begin, end in first["words"]] == ["the", "'s", "house"]
    assert first["alignment"] == [[1, 1]]
    forest = Decoder(toy / "cdec.ini", weights=toy / "weights").translate("casa de la")
    assert first["confidence"] == pytest.approx(forest.word_confidence(), abs=1e-4)
    assert [one["text"] for one in first["nbest"]] == ["the 's house", "the 's home"]
    lines = run("decode", *TOY, "-k", 2, text="casa de la\n").stdout.splitlines()
    assert [f"{one['score']:.6g}" for one in first["nbest"]] == [line.split(" ||| ")[3] for line in lines]
    assert [one["id"] for one in others] == [1, 2, 3]
    assert [one["text"] for one in others] == ["", "", ""]
    assert others[0]["problem"] is None
    assert "no derivation covers" in others[1]["problem"]
    assert "standard input:4" in others[2]["problem"]


def test_gz_input(toy, run):
    with gzip.open(toy / "in.gz", "wt") as file:
        file.write("la casa\n")
    assert run("decode", *TOY, "-i", "in.gz").stdout == "the house\n"


def test_a_line_down_a_pipe_is_answered_at_once(toy, start):
    process = start("decode", *TOY)
    for line, answer in (("la casa", "the house"), ("la", "the")):
        process.stdin.write(line + "\n")
        process.stdin.flush()
        assert process.stdout.readline() == answer + "\n"


def test_a_feature_of_an_option(toy, run):
    line = run("decode", *TOY, "--feature", "RuleIndicators", "-k", 1, text="la\n").stdout
    assert "R:X:la:the=1" in line


def test_cdecs_lattice_k_best(shared, run):
    folder = shared / "golden" / "lattice"

    def entries(text: str) -> Counter[tuple[str, ...]]:
        found = Counter()
        for line in text.splitlines():
            number, words, features, score = line.split(" ||| ")
            found[(number, words, *sorted(features.split()), score)] += 1
        return found

    done = run("decode", "-c", folder / "cdec.ini", "-w", folder / "weights", "-i", folder / "input.txt")
    assert entries(done.stdout) == entries((folder / "kbest.txt").read_text())


def test_plain_decoding_loads_no_plotting_or_scoring(toy):
    code = (
        "import sys\nfrom hopefear.cli import app\n"
        "try:\n    app(['decode', '-c', 'cdec.ini', '-w', 'weights'])\n"
        "except SystemExit:\n    pass\n"
        "print([m for m in ('matplotlib', 'scipy', 'sacrebleu', 'tqdm') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], input="la\n", capture_output=True, text=True, cwd=toy)
    assert done.stdout == "the\n[]\n"


@pytest.mark.parametrize("command", ["decode", "tune", "score", "demo", "plugins"])
def test_help_has_examples(run, command):
    text = run(command, "--help").stdout
    assert re.search(rf"\n    hopefear {command}", text)


def test_the_sample_decodes(sample: Path, corpus: Path, run):
    options = ("-c", sample / "cdec.ini", "-w", sample / "weights.init", "-i", corpus / "es")
    lines = run("decode", *options).stdout.splitlines()
    assert len(lines) == 12
    assert all(lines)
