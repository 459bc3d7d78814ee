"""Words are split in one way by every command, and files are read as the tools of the field write them."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
from collections.abc import Callable
from html import unescape
from pathlib import Path

import pytest
from support import world
from support.white_space import OF_WORDS, PRINTABLE
from support.world import World

import hopefear.pycdec as cdec

SETTINGS = ("-c", "cdec.ini", "-w", "weights")
INI = "feature_function=KLanguageModel lm.arpa"


def rules(words: list[str]) -> str:
    """The rule of a word is the best; a reader that splits the word takes another for it."""
    return "".join(
        f"[X] ||| s{i} ||| {target} ||| F={value}\n"
        for i, word in enumerate(words)
        for target, value in ((f"{word} q", 2), ("x y q", 1), ("q", 1), ("n", 0))
    )


@pytest.mark.parametrize("form", ["x{}y", "{}", "{0}x{0}"])
def test_a_word_with_white_space_is_one_word_everywhere(tmp_path, run, form):
    words = [form.format(character) for character in OF_WORDS]
    source = " ".join(f"s{i}" for i in range(len(words)))
    text = " ".join(f"{word} q" for word in words)
    World(rules(words), weights={"F": 1}, files={"in": f"{source}\n"}).write(tmp_path)
    assert run("decode", *SETTINGS, text=f"{source}\n").stdout == f"{text}\n"
    assert run("decode", *SETTINGS, text=f"{source} ||| {text}\n").stdout == f"{text}\n"
    found = json.loads(run("decode", *SETTINGS, "--json", text=f"{source}\n").stdout)
    assert len(found["words"]) == len(found["confidence"]) == 2 * len(words)
    best, *_ = run("decode", *SETTINGS, "-k", "3", text=f"{source}\n").stdout.split("\n")
    assert best.startswith(f"0 ||| {text} ||| F={2 * len(words)} ")
    (tmp_path / "list").write_text(f"{best}\n", "utf-8", newline="\n")
    assert run("combine", "list").stdout == f"{text}\n"
    run("explain", *SETTINGS, "-i", "in", "-r", text, "--html", "page.html")
    forest = cdec.Decoder(formalism="scfg").translate(source, grammar=rules(words))
    forest.reweight(cdec.SparseVector({"F": 1.0}))
    assert forest.viterbi() == text
    assert forest.intersect(forest.viterbi())
    assert dict(forest.viterbi_features())["F"] == 2 * len(words)


def test_tuning_and_its_reports_keep_words_with_white_space(tmp_path, run):
    words = [f"x{character}y" for character in PRINTABLE[:3]]
    grammar = "".join(f"[X] ||| s{i} ||| {word} q ||| F=1\n" for i, word in enumerate(words))
    grammar += "".join(f"[X] ||| s{i} ||| n ||| G=1\n" for i in range(3))
    sources = [f"s{i} s{(i + 1) % 3}" for i in range(3)]
    targets = [f"{word} q {words[(i + 1) % 3]} q" for i, word in enumerate(words)]
    files = {
        name: "".join(f"{line}\n" for line in lines) for name, lines in (("in", sources), ("e", targets))
    }
    World(grammar, weights={"G": 1}, files=files).write(tmp_path)
    for name in ("run", "other"):
        run("tune", *SETTINGS, "-s", "in", "-r", "e", "--passes", 2, "-o", name, draw=True)
    learned = run("decode", "-c", "cdec.ini", "-w", tmp_path / "run" / "weights.final", text=files["in"])
    assert learned.stdout == files["e"]
    won = json.loads((tmp_path / "run" / "change.json").read_text("utf-8"))["won"]
    assert {word for ngram, *_ in won for word in ngram.split(" ")} == {*words, "q"}
    page = unescape((tmp_path / "run" / "report.html").read_text("utf-8"))
    assert all(word in page for word in words)
    run("report", "run", "other", "-o", "page.html")
    shown = cdec.Decoder(formalism="scfg").translate("s0 s1", grammar=grammar).forest
    assert f"{words[0]} q {words[1]} q" in unescape(shown._repr_html_())


@pytest.mark.parametrize("content", [b"", b"# only a comment\n\n", gzip.compress(b"", mtime=0), b" \n"])
def test_weights_of_nothing_are_refused(toy, run, content):
    (toy / "empty").write_bytes(content)
    done = run("decode", "-c", "cdec.ini", "-w", "empty", text="la\n", status=2)
    assert "empty: expected weights, got an empty file or one of comments alone" in done.stderr


@pytest.mark.parametrize(
    ("option", "expected"),
    [("glossary", "expected terms, got an empty file")],
)
def test_other_empty_files_are_refused(toy, run, option, expected):
    (toy / "empty.tsv").write_bytes(b"")
    with (toy / "cdec.ini").open("a") as ini:
        ini.write(f"# hopefear: {option}=empty.tsv\n")
    assert f"empty.tsv: {expected}" in run("decode", *SETTINGS, text="la\n", status=2).stderr


@pytest.mark.parametrize("command", [("combine",), ("rescore", "-w", "weights")])
@pytest.mark.parametrize("content", [b"", lzma.compress(b""), bz2.compress(b""), gzip.compress(b"", mtime=0)])
def test_empty_lists_are_refused(toy, run, command, content):
    (toy / "list").write_bytes(content)
    assert "list: expected k-best lists, got an empty file" in run(*command, "list", status=2).stderr


def test_no_sentences_are_no_accident(toy, run):
    assert run("decode", *SETTINGS, text="").stdout == ""


@pytest.fixture(name="model")
def model_folder(tmp_path: Path) -> Path:
    grammar = "[X] ||| la ||| the ||| F=1\n[X] ||| casa ||| house ||| F=1\n"
    weights = {"LanguageModel": 1, "F": 0, "Glue": 0}
    World(grammar, [INI], weights, files={"lm.arpa": world.ARPA}).write(tmp_path)
    return tmp_path


@pytest.mark.parametrize("form", ["ngram {}=\t{}", "ngram  {}=         {}", "ngram {}={} "])
def test_counts_as_irstlm_writes_them(model, run, form):
    plain = run("decode", *SETTINGS, "-k", "1", text="la casa\n").stdout
    text = world.ARPA
    for order, count in ((1, 7), (2, 4), (3, 2)):
        text = text.replace(f"ngram {order}={count}", form.format(order, count))
    (model / "lm.arpa").write_text(text)
    assert run("decode", *SETTINGS, "-k", "1", text="la casa\n").stdout == plain
    assert "LanguageModel=-" in plain


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("-0.9\thouse", "0.2\thouse", "lm.arpa:11: expected a log probability of at most 0, got 0.2"),
        ("ngram 2=4", "ngram 2=5", "lm.arpa:3: expected the number of 2-grams that follow, 4, got 5"),
        ("ngram 1=7", "ngram 1=9", "lm.arpa:2: expected the number of 1-grams that follow, 7, got 9"),
    ],
)
def test_a_wrong_model_is_named_with_its_line(model, run, old, new, expected):
    (model / "lm.arpa").write_text(world.ARPA.replace(old, new))
    assert expected in run("decode", *SETTINGS, text="la casa\n", status=2).stderr


def test_rounding_of_a_model_passes_with_a_message(model, run):
    (model / "lm.arpa").write_text(world.ARPA.replace("-0.3\t<s> the", "0.0000004\t<s> the"))
    done = run("decode", *SETTINGS, text="la casa\n")
    assert done.stdout == "the house\n"
    assert "1 log probabilities are above 0 by rounding" in done.stderr


@pytest.mark.parametrize(
    ("features", "score"),
    [("F=1;G=2", 3), ("F=1 H=1;G=2", 3), ("F=+1", 1), ("G=+2e0;", 2), (";F=1;;G=.5", 1.5)],
)
def test_features_as_cdec_separates_them(tmp_path, run, features, score):
    World(f"[X] ||| a ||| b ||| {features}\n", weights={"F": 1, "G": 1}).write(tmp_path)
    assert run("decode", *SETTINGS, "-k", "1", text="a\n").stdout.split(" ||| ")[-1] == f"{score}\n"


def test_a_word_in_brackets_is_a_word_of_a_target_side(tmp_path, run):
    grammar = "[X] ||| a ||| [laughter] ||| F=1\n[X] ||| [X,1] b ||| [2024] [1] [a,b] ||| F=1\n"
    World(grammar, ["extract_rules=rules", "add_pass_through_rules=true"], {"F": 1}).write(tmp_path)
    done = run("decode", *SETTINGS, text="a b [REPORT]\n")
    assert done.stdout == "[2024] [laughter] [a,b] [REPORT]\n"
    assert "no grammar can hold the rule [X] ||| [REPORT] ||| [REPORT]" in done.stderr
    written = (tmp_path / "rules" / "0").read_text("utf-8")
    assert "[laughter]" in written and "[REPORT]" not in written
    (tmp_path / "grammar").write_text(written, "utf-8")
    assert run("decode", *SETTINGS, text="a b\n").stdout == "[2024] [laughter] [a,b]\n"


def test_an_option_that_changes_no_translation_is_named(tmp_path, run):
    World("[X] ||| a ||| b ||| F=1\n", ["quiet=true"], {"F": 1}).write(tmp_path)
    done = run("decode", *SETTINGS, text="a\n")
    assert done.stdout == "b\n"
    assert "quiet changes no translation, and is left out" in done.stderr


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_packed_files_are_read_by_their_first_bytes(model, run, pack: Callable[[bytes], bytes]):
    plain = run("decode", *SETTINGS, "-k", "1", text="la casa\n").stdout
    for name in ("cdec.ini", "grammar", "weights", "lm.arpa"):
        (model / name).write_bytes(pack((model / name).read_bytes()))
    (model / "in").write_bytes(pack(b"la casa\n"))
    assert run("decode", *SETTINGS, "-k", "1", "-i", "in").stdout == plain
    content = (model / "grammar").read_bytes()
    (model / "grammar").write_bytes(content[: len(content) // 2])
    assert "grammar:1: " in run("decode", *SETTINGS, text="la\n", status=2).stderr


@pytest.mark.parametrize("white", ["\u00a0", "\u3000", "\u2028", "\x85", "\x0b"])
def test_other_white_space_separates_nothing_in_files(tmp_path, run, white):
    """A category, a name of a feature and an id may hold it; a number, a key and a mark may not."""
    grammar = f"[S] ||| [X{white}Y,1] ||| [1] ||| F{white}G=1\n[X{white}Y] ||| a ||| b ||| F=1\n"
    World(grammar, weights={f"F{white}G": 2, "F": 1}).write(tmp_path)
    line = f'<seg id="a{white}b">a</seg>\n'
    found = run("decode", *SETTINGS, "-k", "1", text=line).stdout.split(" ||| ")
    assert (found[0], found[1], float(found[3])) == (f"a{white}b", "b", 3.0)
    for name, content, expected in (
        ("weights", f"F 1{white}\n", "weights:1: expected 'Name value'"),
        ("weights", f"F{white}1\n", "weights:1: expected 'Name value'"),
        ("grammar", f"[X] ||| a ||| b ||| F=1{white}\n", "grammar:1: expected name=number"),
        ("grammar", f"[X] ||| a ||| b ||| F=1 ||| 0-0{white}\n", "grammar:1: expected alignment points"),
        ("grammar", f"[X]{white}||| a ||| b ||| F=1\n", "grammar:1: expected a left-hand side"),
        ("cdec.ini", f"formalism=scfg\n{white}quiet=true\n", "cdec.ini:2: unknown option"),
    ):
        kept = (tmp_path / name).read_bytes()
        (tmp_path / name).write_text(content, "utf-8", newline="\n")
        assert expected in run("decode", *SETTINGS, text="a\n", status=2).stderr
        (tmp_path / name).write_bytes(kept)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda text: text.replace("\n", "\r\n"), None),
        (lambda text: f"\n# written by a tool\n\n{text}", None),
        (lambda text: text.replace("ngram 1=7", "ngram 1=007"), None),
        (lambda text: text.removesuffix("\n"), None),
        (lambda text: text.replace("\\data\\", "\\data\\ "), "lm.arpa:1: expected an n-gram model"),
        (lambda text: text.replace("ngram 1=7", "ngram 1=+7"), "lm.arpa:2: expected 'ngram 1=' and a number"),
        (lambda text: text.replace("ngram 2=4\n", ""), "lm.arpa:3: expected 'ngram 2=' and a number"),
        (lambda text: text.replace("\thouse\t", "\u00a0house\t"), "lm.arpa:11: expected a language model"),
    ],
)
def test_heads_of_models(model, run, change, expected):
    plain = run("decode", *SETTINGS, "-k", "1", text="la casa\n").stdout
    (model / "lm.arpa").write_text(change(world.ARPA), "utf-8", newline="\n")
    done = run("decode", *SETTINGS, "-k", "1", text="la casa\n", status=2 if expected else 0)
    assert expected in done.stderr if expected else done.stdout == plain


def test_an_unreadable_lattice_is_named_plainly(toy, run):
    done = run("decode", *SETTINGS, text="((('la',float('nan'),1),),)\n", status=2)
    assert "expected a lattice in Python literal format: malformed node or string" in done.stderr
    assert "<ast" not in done.stderr
