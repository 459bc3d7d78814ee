from __future__ import annotations

import fcntl
import os
import shutil
import signal
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest
from support.fake_parsers import write_fakes
from support.waiting import PATIENCE, wait_until
from support.world import configure

from hopefear.plugins import annotate, parse_tree
from hopefear.plugins.corpus import read_corpus
from hopefear.text import Language, Profile, TextSystem

ENGLISH = {
    "he lived a hard life .": "(S (NP he) (VP lived (NP (ADJP a hard) life)) .)",
    "i 'm sorry xyzzy .": "(S (NP i) (VP 'm (NP sorry xyzzy)) .)",
    "i'm sorry xyzzy .": "(S (NP i'm) (VP (NP sorry xyzzy)) .)",  # one token: where it begins
    "i can 't swim at all .": "(S (NP i) (VP can 't (VP swim (PP at (NP all)))) .)",
    "": "",
    "the dog 's bone isn 't $5.00 .": "(S (NP (NP the dog 's) bone) (VP isn 't (NP $5.00)) .)",
    "[ hello ] { you } ( there ) .": "(S [ (S (VP hello ] { (S (VP you)))) } -LRB- there -RRB- .)",
    "! hello there .": "(S ! (S (VP hello there)) .)",
    "crash here": "()",
    "of of of": "(S of of of)",
    # The parser's tree ends early.
    "there was evening and there was morning .": (
        "(S (NP there) (VP was (NP evening)) and there was morning .)"
    ),
    "a time . now .": "(S (NP a time) . (S now) .)",
    "no parse": "()",
    "other words": "()",
    "unclosed": "()",
    "word " * 300: "()",
    "crash again": "()",
    "of of of ": "(S of of of)",
}


@pytest.fixture
def fakes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put a link-parser first on the PATH, and spaCy and Stanza first among Python's modules."""
    folder = tmp_path / "fakes"
    folder.mkdir()
    write_fakes(folder)
    for name in ("PATH", "PYTHONPATH"):
        monkeypatch.setenv(name, os.pathsep.join(filter(None, [str(folder), os.environ.get(name)])))
    monkeypatch.syspath_prepend(folder)  # for commands in this process
    return folder


def write_lines(path: Path, lines: Iterable[str]) -> None:
    path.write_text("".join(f"{line}\n" for line in lines))


def rows(*texts: str) -> list[str]:
    """Write all columns but the last two, which are empty."""
    return [text.replace(" ", "\t") + "\t_\t_" for text in texts]


def test_trees_over_the_given_tokens(fakes, tmp_path, run):
    write_lines(tmp_path / "in", ENGLISH)
    done = run("annotate", "-i", "in", "--trees", "out")
    assert (tmp_path / "out").read_text() == "".join(f"{tree}\n" for tree in ENGLISH.values())
    assert "no tree for 6 of 18 sentences" in done.stderr
    assert not (tmp_path / "out.part").exists()


def test_dependencies_by_spacy(fakes, tmp_path, run):
    run("annotate", "--conllu", "out", "--spacy", "model", text='La casa\n\n<seg id="x">verde</seg>\n')
    blocks = (tmp_path / "out").read_text().split("\n\n")
    assert [block.split("\n") for block in blocks] == [
        ["# sent_id = 0", "# text = La casa", *rows("1 La la X _ _ 2 dep", "2 casa casa X _ _ 0 root")],
        ["# sent_id = 1", "# text ="],
        ["# sent_id = x", "# text = verde", *rows("1 verde verde X _ _ 0 root")],
        [""],
    ]


def test_a_long_sentence_is_left_out_and_counted(fakes, tmp_path, run):
    write_lines(tmp_path / "in", ["la casa", "la casa " * 600, "i 'm sorry xyzzy ."])
    done = run("annotate", "-i", "in", "--conllu", "out", "--spacy", "model", "--trees", "trees")
    message = "left out 1 sentence that has more than 1000 words (the limit of --max-words)"
    assert message in done.stderr
    blocks = (tmp_path / "out").read_text().split("\n\n")
    assert len(blocks) == 4 and "casa\tX" in blocks[0] and "xyzzy\tX" in blocks[2]
    assert blocks[1].splitlines()[2:] == rows(
        *(f"{number} {'la' if number % 2 else 'casa'} _ _ _ _ _ _" for number in range(1, 1201))
    )
    assert (tmp_path / "trees").read_text().splitlines()[1] == "()"
    segments = read_corpus(tmp_path / "in", [tmp_path / "in"])
    _, long, _ = annotate(segments, conllu=tmp_path / "out", trees=tmp_path / "trees")
    assert long.tags is None and len(long.tokens) == 1200


def test_dependencies_by_stanza(fakes, tmp_path, run):
    run("annotate", "--conllu", "out", "--stanza", "es", text="la casa\n" * 40)
    block = "# text = la casa\n1\tla\t_\tN\tn\tA=1\t0\troot\t_\t_\n2\tcasa\t_\tN\tn\tA=1\t1\tdep\t_\t_\n\n"
    assert (tmp_path / "out").read_text() == "".join(f"# sent_id = {i}\n{block}" for i in range(40))


FEATURE = """
from hopefear import EdgeFeatures, FeatureTable
from hopefear.plugins import parse_tree

class Annotated(EdgeFeatures):
    def fire(self, edges, segment):
        words = parse_tree(segment.tree).tokens
        rows = zip(segment.tags, segment.dependencies, segment.classes, words, strict=True)
        names = ["/".join(map(str, row)) for row in rows]
        spans = edges.span.tolist()
        return FeatureTable.from_pairs(
            len(edges), [(e, names[i], 1.0) for e, (i, j) in enumerate(spans) if j == i + 1]
        )
"""


@pytest.fixture
def annotated_toy(toy: Path) -> Path:
    (toy / "annotated.py").write_text(FEATURE)
    configure(toy, "feature_function=annotated:Annotated")
    (toy / "trees").write_text("()\n(S la casa)\n")
    (toy / "conllu").write_text("# empty\n\n1\tla\t_\tD\t_\t_\t2\t_\t_\t_\n2\tcasa\t_\tN\t_\t_\t0\t_\t_\t_\n")
    (toy / "tags").write_text("\nla/DT casa/NN\n")
    (toy / "classes").write_text("casa 7\n")
    return toy


DECODE = ("decode", "-c", "cdec.ini", "-w", "weights")
OPTIONS = ("--trees", "trees", "--conllu", "conllu", "--classes", "classes")


def test_plugins_see_annotations(annotated_toy, run):
    line = run(*DECODE, "-k", 1, *OPTIONS, text="\nla casa\n").stdout
    assert "D/2/<unknown>/la=" in line and "N/0/7/casa=" in line
    line = run(*DECODE, "-k", 1, *OPTIONS, "--tags", "tags", text="\nla casa\n").stdout
    assert "NN/0/7/casa=" in line


@pytest.fixture
def written_toy(annotated_toy: Path) -> Path:
    """Return the toy system as one that takes text as written."""
    TextSystem(Language("es"), Language("en"), Profile.named("html")).of_plain_tokens().save(
        annotated_toy / "text.json"
    )
    configure(annotated_toy, "# hopefear: text=text.json")
    return annotated_toy


def test_annotations_of_a_parser_s_own_words_meet_the_tokens(written_toy, run):
    (written_toy / "trees").write_text("(S La ca sa)\n")
    (written_toy / "tags").write_text("La/D c/X asa/N\n")
    (written_toy / "conllu").write_text(
        "".join(f"{line}\t_\t_\n" for line in ("1\tLa\t_\tD\t_\t_\t2\t_", "2\tcasa\t_\tN\t_\t_\t0\t_"))
    )
    line = run(*DECODE, "-k", 1, *OPTIONS, "--tags", "tags", text="La casa\n").stdout
    assert "D/2/<unknown>/la=" in line and "N/0/7/casa=" in line
    done = run(*DECODE, "--tags", "tags", *OPTIONS, text="La cosa\n", status=2)
    assert "trees:1: a tree: expected 'co', as in sentence 1, got 'ca' as word 2" in done.stderr
    line = run(*DECODE, "-k", 1, *OPTIONS, text='<seg parse="(S (NP La cas a))">La casa</seg>\n').stdout
    assert "D/2/<unknown>/la=" in line and "N/0/7/casa=" in line


def test_annotating_text_as_written(fakes, written_toy, run):
    (written_toy / "in").write_text("La <b>casa</b>\n")
    command = ("annotate", "-i", "in", "-c", "cdec.ini", "--conllu", "c", "--spacy", "model", "--trees", "t")
    run(*command, "--force")
    assert (written_toy / "c").read_text().splitlines()[2:4] == rows(
        "1 La la X _ _ 2 dep", "2 casa casa X _ _ 0 root"
    )
    (written_toy / "t").write_text("(S La casa)\n")
    options = ("--trees", "t", "--conllu", "c", "--classes", "classes")
    line = run(*DECODE, "-i", "in", "-k", 1, *options).stdout
    assert "X/2/<unknown>/La=" in line and "X/0/7/casa=" in line


def test_a_system_of_tokens_divides_no_text(fakes, toy, run):
    done = run("annotate", "-c", "cdec.ini", "--trees", "t", text="la casa\n", status=2)
    assert "cdec.ini: expected a system that was built with --languages" in done.stderr


def test_annotations_that_do_not_fit_end_decoding(annotated_toy, run):
    done = run(*DECODE, "--tags", "tags", *OPTIONS, text="\nel perro\n", status=2)
    assert "trees:2: a tree: expected 'el' as word 1, as in sentence 2, got 'la'" in done.stderr
    assert done.stdout == "\n"


def test_tuning_with_annotations(annotated_toy, run):
    write_lines(annotated_toy / "in", ["la casa"])
    write_lines(annotated_toy / "ref", ["the home"])
    files = {"trees": "(S la casa)\n", "tags": "la/DT casa/NN\n", "conllu": None}
    for name, text in files.items():
        lines = text or (annotated_toy / name).read_text().split("\n\n", 1)[1]
        (annotated_toy / name).write_text(lines)
    command = ["tune", "-c", "cdec.ini", "-w", "weights", "-s", "in", "-r", "ref", "--passes", 1, *OPTIONS]
    development = ["--dev-source", "in", "--dev-reference", "ref"]
    development += ["--dev-trees", "trees", "--dev-conllu", "conllu"]
    run(*command, *development, "-o", "run", "--dev-tags", "tags")
    assert (annotated_toy / "run" / "weights.final").exists()
    done = run(*command, "--dev-tags", "tags", "-o", "run2", status=2)
    assert "need --dev-source" in done.stderr


def test_a_stopped_job_goes_on(fakes, tmp_path, run, start):
    lines = ["of of of", "", "he lived a hard life .", "wait", "of of of"]
    write_lines(tmp_path / "in", lines)
    part, command = tmp_path / "out.part", ("annotate", "-i", "in", "--trees", "out")
    job = start(*command)
    # The parser tells the end of an answer by the echo of the next text.
    wait_until(lambda: part.exists() and part.read_text().count("\n") >= 2, "two answers", job)
    job.send_signal(signal.SIGINT)
    _, error = job.communicate(timeout=PATIENCE)
    assert job.returncode == 130 and "--resume" in error
    assert not (tmp_path / "out").exists()
    (tmp_path / "go").touch()
    assert "out.part: exists, left by a job that was stopped" in run(*command, status=2).stderr
    with part.open("a") as file:
        file.write("(S (NP torn")
    run(*command, "--resume")
    whole = (tmp_path / "out").read_text()
    assert whole == f"(S of of of)\n\n{ENGLISH[lines[2]]}\n()\n(S of of of)\n"
    part.write_text("(S of if of)\n")
    assert "out.part:1: a tree: expected 'of' as word 2" in run(*command, "--resume", status=2).stderr
    with part.open("a") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        assert "out.part: another job is writing this file" in run(*command, "--force", status=2).stderr
    run(*command, "--force")
    assert (tmp_path / "out").read_text() == whole
    part.symlink_to("victim")
    assert "out.part: Too many levels of symbolic links" in run(*command, "--force", status=2).stderr
    part.unlink()
    part.write_text("()\n" * 6)
    assert "out.part: expected 5 sentences, got 6" in run(*command, "--resume", status=2).stderr


def test_to_resume_what_is_whole_leaves_it(fakes, tmp_path, run):
    command = ("annotate", "--trees", "t", "--conllu", "c", "--spacy", "model", "--resume")
    (tmp_path / "t").write_text("(NP of (PP of of))\n")
    run(*command, text="of of of\n")
    assert (tmp_path / "t").read_text() == "(NP of (PP of of))\n"
    assert (tmp_path / "c").exists()
    done = run(*command, text="of of of\n" * 2, status=2)
    assert "t: expected 2 sentences, got 1" in done.stderr
    assert "t:1: a tree: expected 1 words" in run(*command, text="of\n", status=2).stderr


def test_resumed_conllu_is_that_of_one_run(fakes, tmp_path, run):
    write_lines(tmp_path / "in", ["la casa", "", "verde", "roja"])
    command = ("annotate", "-i", "in", "--conllu", "out", "--spacy", "model")
    run(*command)
    whole = (tmp_path / "out").read_text()
    for cut in (0, 20, len(whole) // 2, len(whole) - 3, len(whole)):
        (tmp_path / "out.part").write_text(whole[:cut])
        run(*command, "--resume")
        assert (tmp_path / "out").read_text() == whole


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ((), "expected --trees FILE or --conllu FILE"),
        (("--trees", "t", "--spacy", "m"), "--conllu needs one of --spacy MODEL and --stanza LANGUAGE"),
        (("--conllu", "c"), "--conllu needs one of"),
        (("--conllu", "c", "--spacy", "m", "--stanza", "es"), "--conllu needs one of"),
        (("--conllu", "c", "--trees", "c", "--spacy", "m"), "c: expected different files"),
        (("--trees", "t", "--resume", "--force"), "--resume or --force"),
        (("--trees", "t", "--dictionary", "xx"), "dictionary 'xx'"),
        (("--conllu", "c", "--spacy", "none"), "spaCy has no model 'none': install it"),
        (("--conllu", "c", "--spacy", "blank"), "no dependencies"),
        (("--conllu", "c", "--stanza", "xx"), "Stanza has no models for 'xx': install them"),
        (("--conllu", "c", "--spacy", "m", "--dictionary", "de"), "--dictionary needs --trees"),
        (("--conllu", "c", "--spacy", "m", "--timeout", "3"), "--timeout needs --trees"),
        (("--trees", "nowhere/t"), "nowhere/t.part: No such file"),
    ],
)
def test_wrong_calls(fakes, tmp_path, run, options, message):
    assert message in run("annotate", *options, text="la\n", status=2).stderr
    assert {path.name for path in tmp_path.iterdir()} == {"fakes"}


def test_a_lattice_is_refused(fakes, run):
    done = run("annotate", "--trees", "t", text="la\n((('la',0,1),),)\n", status=2)
    assert "standard input:2: expected a sentence, got a lattice" in done.stderr


@pytest.mark.skipif(shutil.which("link-parser") is None, reason="link-parser is not installed")
def test_trees_of_the_real_link_parser(shared, tmp_path, run):
    data = shared / "data" / "tanaka"
    run("annotate", "-i", data / "dev.en", "--trees", "out")
    own, others = (
        [parse_tree(line) for line in path.read_text("utf-8").splitlines()]
        for path in (tmp_path / "out", data / "en-ja" / "dev.trees")
    )
    assert [tree.tokens for tree in own] == [tree.tokens for tree in others]
    # The data's own trees come from the same parser, in another version and mapped by other means.
    same = sum(
        (Counter(a.constituents) & Counter(b.constituents)).total() for a, b in zip(own, others, strict=True)
    )
    assert same > 0.95 * max(sum(len(tree.constituents) for tree in trees) for trees in (own, others))


def test_a_real_pipeline_of_spacy(tmp_path, run):
    spacy = pytest.importorskip("spacy")
    from spacy.training import Example

    pipeline = spacy.blank("es")
    pipeline.add_pipe("parser", config={"min_action_freq": 1})
    examples = [
        Example.from_dict(
            spacy.tokens.Doc(pipeline.vocab, words=text.split()), {"heads": heads, "deps": relations.split()}
        )
        for text, heads, relations in (
            ("la casa verde", [1, 1, 1], "det ROOT amod"),
            ("la casa . la", [1, 1, 1, 3], "det ROOT punct ROOT"),
        )
    ]
    optimizer = pipeline.initialize(lambda: examples)
    for _ in range(40):
        pipeline.update(examples, sgd=optimizer)
    # On its own the parser finds two sentences in the second text, and so two roots.
    assert sum(token.head.i == token.i for token in pipeline("la casa . la")) == 2
    pipeline.to_disk(tmp_path / "model")
    write_lines(tmp_path / "in", ["la casa verde", "", "la casa . la"])
    run("annotate", "-i", "in", "--conllu", "out", "--spacy", tmp_path / "model")
    blocks = (tmp_path / "out").read_text().split("\n\n")
    forms = [[line.split("\t")[1] for line in block.split("\n")[2:]] for block in blocks[:3]]
    assert forms == [["la", "casa", "verde"], [], ["la", "casa", ".", "la"]]
    assert sum(line.split("\t")[6] == "0" for line in blocks[2].split("\n")[2:]) == 1
