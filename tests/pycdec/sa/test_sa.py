"""pycdec's grammar extractor, as cdec's README and scripts use it."""

from __future__ import annotations

import gzip
import math
import re
import subprocess
import sys
from pathlib import Path

import pytest
from support import command
from support.brute_force_extraction import Limits, brute_force

import hopefear.pycdec as cdec
from hopefear.base import InputError, PluginError
from hopefear.pycdec.sa import definitions
from hopefear.pycdec.sa.command import run as run_command
from hopefear.pycdec.sa.compile import main as compile_text
from hopefear.pycdec.sa.extract import main as extract_main

SOURCE = ["la casa verde", "la casa es grande", "una casa", "la mesa verde es de la casa"]
TARGET = ["the green house", "the house is big", "a house", "the green table is of the house"]
LINKS = ["0-0 1-2 2-1", "0-0 1-1 2-2 3-3", "0-0 1-1", "0-0 1-2 2-1 3-3 4-4 5-5 6-6"]


def points(line: str) -> tuple[tuple[int, int], ...]:
    return tuple((int(i), int(j)) for i, j in (link.split("-") for link in line.split()))


CORPUS = [
    (tuple(f.split()), tuple(e.split()), points(a)) for f, e, a in zip(SOURCE, TARGET, LINKS, strict=True)
]


def extract(*arguments: str, text: str = "") -> subprocess.CompletedProcess[str]:
    """Run the command of that name in this process."""
    done = command.call(list(arguments), text.encode(), Path(), lambda _: run_command(extract_main))
    return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())


def texts_in(folder: Path) -> Path:
    for name, lines in (("f", SOURCE), ("e", TARGET), ("a", LINKS)):
        (folder / name).write_text("\n".join(lines) + "\n")
    (folder / "b").write_text("".join(f"{f} ||| {e}\n" for f, e in zip(SOURCE, TARGET, strict=True)))
    return folder


@pytest.fixture
def files(tmp_path: Path) -> Path:
    return texts_in(tmp_path)


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> str:
    files = texts_in(tmp_path_factory.mktemp("compiled"))
    compile_text(["-b", f"{files}/b", "-a", f"{files}/a", "-o", f"{files}/sa", "-c", f"{files}/ini"])
    return str(files / "ini")


@pytest.fixture
def own_definitions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(definitions, "features", [])
    monkeypatch.setattr(definitions, "annotators", {})
    monkeypatch.setattr(definitions, "configurations", [])


def counted(rules) -> dict[tuple[str, str], tuple[dict[str, float], tuple[tuple[int, int], ...]]]:
    return {(str(r.f), str(r.e)): (dict(r.scores), tuple(r.alignments())) for r in rules}


def expected_rules(corpus, sentence: str) -> dict[tuple[str, str], tuple[dict[str, float], object]]:
    def side(symbols) -> str:
        numbers = [s if isinstance(s, str) else f"[X,{s if isinstance(s, int) else s[1]}]" for s in symbols]
        return " ".join(numbers)

    rules = brute_force(corpus, tuple(sentence.split()), Limits())
    return {(side(f), side(e)): value for (f, e), value in rules.items()}


def test_grammar_has_the_rules_and_features_of_brute_force(config: str) -> None:
    extractor = cdec.sa.GrammarExtractor(config)
    got = counted(extractor.grammar("la casa verde es una mesa"))
    expected = expected_rules(CORPUS, "la casa verde es una mesa")
    assert got.keys() == expected.keys()
    for rule, (features, alignment) in got.items():
        wanted = {name: expected[rule][0][name] for name in features}
        assert features == pytest.approx(wanted, abs=1e-9), rule
        assert alignment == expected[rule][1]


def test_extract_writes_grammars_that_the_decoder_reads(config: str, tmp_path: Path) -> None:
    run = extract("-c", config, "-g", f"{tmp_path}/g", "-z", "-j", "2", text="la casa ||| the house\nuna\n")
    assert run.returncode == 0, run.stderr
    first, second = run.stdout.splitlines()
    assert first == f'<seg grammar="{tmp_path}/g/grammar.0.gz" id="0">la casa</seg> ||| the house'
    assert second == f'<seg grammar="{tmp_path}/g/grammar.1.gz" id="1">una</seg>'
    rules = gzip.decompress((tmp_path / "g" / "grammar.0.gz").read_bytes()).decode().splitlines()
    assert rules == [str(rule) for rule in cdec.sa.GrammarExtractor(config).grammar("la casa")]
    decoder = cdec.Decoder(formalism="scfg")
    decoder.weights["EgivenFCoherent"] = -1
    assert decoder.translate(first.partition(" |||")[0]).viterbi() == "the house"


def test_numbers_are_written_as_in_cdec(config: str) -> None:
    (rule,) = (rule for rule in cdec.sa.GrammarExtractor(config).grammar("una") if rule.arity() == 0)
    assert re.fullmatch(
        r"\[X\] \|\|\| una \|\|\| a \|\|\| EgivenFCoherent=0\.0 SampleCountF=0\.30102999566\d "
        r"CountEF=0\.30102999566\d MaxLexFgivenE=0\.0 MaxLexEgivenF=0\.0 IsSingletonF=1\.0 "
        r"IsSingletonFE=1\.0 \|\|\| 0-0",
        str(rule),
    )


def test_compile_of_two_files_keeps_other_values_of_the_configuration(files: Path) -> None:
    (files / "ini").write_text("# mine\nmine = 'kept'\nmax_len = 3\n")
    texts = ["-f", f"{files}/f", "-e", f"{files}/e", "-a", f"{files}/a", "-o", f"{files}/sa"]
    compile_text([*texts, "-c", f"{files}/ini", "-l", "4", "--loose"])
    lines = (files / "ini").read_text().splitlines()
    assert {"mine = 'kept'", "max_len = 4", "tight_phrases = False"} <= set(lines)
    (files / "ini").unlink()
    program = [sys.executable, "-m", "hopefear.pycdec.sa.compile"]
    options = ["-b", f"{files}/b", "-a", f"{files}/a", "-o", f"{files}/sa", "--online"]
    shown = subprocess.run([*program, *options], capture_output=True, text=True, check=True)
    assert f"e_file = '{files}/sa/e.bin'" in shown.stdout.splitlines()
    assert cdec.sa.online.Bilex(files / "sa" / "bilex.gz").fe["verde", "green"] == 2


def test_features_annotators_and_configurations(config: str, own_definitions: None) -> None:
    seen = []

    @cdec.sa.configure
    def remember(values) -> None:
        seen.append(values["max_len"])

    @cdec.sa.annotator
    def length(words) -> int:
        return len(words)

    @cdec.sa.feature
    def Contextual(ctx) -> float:
        words = cdec.sa.decode_sentence(ctx.test_sentence)
        begin, end = ctx.input_span
        assert [words[i] for i in ctx.input_match] == [
            span[0] for span, is_words in ctx.fphrase.iterspans() if is_words
        ]
        assert ctx.f_text.get_sentence(0) == ["la", "casa", "verde", "END_OF_LINE"]
        return ctx.meta["length"] * 1000 + begin * 100 + end * 10 + ctx.paircount / ctx.fcount

    @cdec.sa.feature
    def Samples(ctx) -> float:
        return ctx.fsample_count

    rules = counted(cdec.sa.GrammarExtractor(config).grammar("una casa la casa"))
    assert seen == [5]
    assert rules["casa", "house"][0]["Contextual"] == 6000 + 200 + 30 + 1
    assert rules["casa", "house"][0]["Samples"] == 4  # in four places of the text
    assert rules["la casa [X,1]", "the house [X,1]"][0]["Contextual"] == 6000 + 300 + 50 + 1 / 2
    assert rules["la casa", "the house"][0]["Contextual"] == 6000 + 300 + 50 + 1
    assert list(rules["casa", "house"][0])[-2:] == ["Contextual", "Samples"]

    @cdec.sa.feature
    def Wrong(ctx) -> float:
        raise LookupError("no such word")

    with pytest.raises(PluginError, match="Wrong: LookupError: no such word"):
        list(cdec.sa.GrammarExtractor(config).grammar("casa"))


def test_a_match_may_be_as_long_as_a_phrase(tmp_path: Path, own_definitions: None) -> None:
    words = [f"w{i}" for i in range(20)]
    sentence = " ".join(words)
    (tmp_path / "b").write_text(f"{sentence} ||| {sentence}\n")
    (tmp_path / "a").write_text(" ".join(f"{i}-{i}" for i in range(20)) + "\n")
    files = [f"-b={tmp_path}/b", f"-a={tmp_path}/a", f"-o={tmp_path}/sa", f"-c={tmp_path}/ini"]
    compile_text([*files, "--maxsize=20"])

    @cdec.sa.feature
    def Covered(ctx) -> float:
        begin, end = ctx.input_span
        return end - begin

    rules = counted(cdec.sa.GrammarExtractor(str(tmp_path / "ini")).grammar(sentence))
    assert rules["w0 [X,1] w19", "w0 [X,1] w19"][0]["Covered"] == 20


def test_features_of_a_file(config: str, tmp_path: Path, own_definitions: None) -> None:
    (tmp_path / "mine.py").write_text(
        "import hopefear.pycdec.sa\n\n\n@hopefear.pycdec.sa.feature\ndef Two(ctx):\n    return 2\n"
    )
    run = extract("-c", config, "-g", f"{tmp_path}/g", "-f", f"{tmp_path}/mine.py", text="la casa\n")
    assert run.returncode == 0, run.stderr
    assert all(" Two=2.0 |||" in line for line in (tmp_path / "g" / "grammar.0").read_text().splitlines())
    (tmp_path / "mine.py").write_text("oh = dear\n")
    run = extract("-c", config, "-g", f"{tmp_path}/g", "-f", f"{tmp_path}/mine.py", text="la casa\n")
    assert run.returncode == 2
    assert "mine.py: NameError: name 'dear' is not defined" in run.stderr
    assert "Traceback" not in run.stderr


def test_contexts_learn_and_are_dropped(config: str) -> None:
    extractor = cdec.sa.GrammarExtractor(config, online=True)
    new = ("la silla verde", "the green chair", "0-0 1-2 2-1")
    other = ("una silla", "a seat", "0-0 1-1")
    before = counted(extractor.grammar("una silla verde", "one"))
    assert ("silla", "chair") not in before
    extractor.add_instance(*new, "one")
    extractor.add_instance(*other, "two")
    for context, pair in (("one", new), ("two", other)):
        f, e, a = pair
        corpus = [*CORPUS, (tuple(f.split()), tuple(e.split()), points(a))]
        expected = expected_rules(corpus, "una silla verde")
        got, supported = counted(extractor.grammar("una silla verde", context)), {}
        assert got.keys() == expected.keys()
        for rule, (features, _) in got.items():
            supported[rule] = features.pop("IsSupportedOnline")
            assert features == pytest.approx({n: expected[rule][0][n] for n in features}, abs=1e-9), rule
        assert all(supported[rule] for rule in got if rule not in before)
        assert supported["una", "a"] == (context == "two")
        assert supported["verde", "green"] == (context == "one")
    assert counted(extractor.grammar("una silla verde", "three")) == before
    extractor.drop_ctx("one")
    assert counted(extractor.grammar("una silla verde", "one")) == before
    assert ("silla", "seat") in counted(extractor.grammar("una silla verde", "two"))
    extractor.drop_ctx("two")
    assert counted(extractor.grammar("una silla verde", "two")) == before
    assert len(extractor.extractor.bitext) == len(CORPUS)
    with pytest.raises(InputError, match="online=True"):
        cdec.sa.GrammarExtractor(config).add_instance(*new)


def test_stream(config: str, tmp_path: Path) -> None:
    grammar = tmp_path / "grammar"
    lines = [
        "c ||| la silla ||| the chair ||| 0-0 1-1",
        f"c ||| silla ||| {grammar}",
        "c ||| drop",
        "c ||| la silla ||| the chair ||| 0-7",
        "what",
    ]
    run = extract("-c", config, "-t", "-o", text="".join(f"{line}\n" for line in lines))
    assert run.returncode == 0, run.stderr
    learned, written, dropped, wrong, unknown = run.stdout.splitlines()
    assert (learned, written, dropped) == ("learn c", str(grammar), "drop c")
    assert wrong.startswith("Error: ") and wrong.endswith(f"Skipping line: {lines[3]}")
    assert unknown.startswith("Error: expected context ||| sentence")
    assert "[X] ||| silla ||| chair ||| " in grammar.read_text()


def test_online_extraction_learns_line_by_line(config: str, tmp_path: Path) -> None:
    line = "una silla ||| a seat ||| 0-0 1-1 ||| more"
    run = extract("-c", config, "-g", f"{tmp_path}/g", "-o", text=f"{line}\n{line}\n")
    assert run.returncode == 0, run.stderr
    assert run.stdout.splitlines()[1].endswith('id="1">una silla</seg> ||| more')
    first, second = ((tmp_path / "g" / f"grammar.{i}").read_text() for i in range(2))
    assert "||| seat |||" not in first and "||| seat |||" in second
    run = extract("-c", config, "-g", f"{tmp_path}/g", "-o", text="una silla\n")
    assert run.returncode == 2
    assert run.stderr.endswith(
        "standard input:1: expected sentence ||| reference ||| alignment, got 'una silla'\n"
    )


def test_a_text_has_sentences_and_words(files: Path) -> None:
    text = cdec.sa.DataArray(from_text=f"{files}/b", side="target")
    assert text.get_sentence(2) == ["a", "house", "END_OF_LINE"]
    place = text.sent_index[2] + 1
    assert (text[place], text.get_sentence_id(place)) == ("house", 2)
    assert text.get_sentence_bounds(place) == (place - 1, place + 2)
    text.write_binary(files / "copy")
    assert cdec.sa.DataArray(from_binary=files / "copy").data == text.data


def test_links_and_lexical_scores(files: Path) -> None:
    text = cdec.sa.DataArray(from_text=f"{files}/b", side="target")
    source = cdec.sa.SuffixArray(from_text=files / "f")
    assert len(source.darray) == sum(len(line.split()) + 1 for line in SOURCE) + 1
    links = cdec.sa.Alignment(from_text=files / "a")
    assert links.alignment(0) == [(0, 0), (1, 2), (2, 1)]
    assert links.get_sent_links(2) == [0, 0, 1, 1]
    lexical = cdec.sa.BiLex(from_data=True, alignment=links, earray=text, fsarray=source)
    assert lexical.get_score("la", "the", 0) == 1
    assert lexical.get_score("la", "house", 0) is None
    assert lexical.get_score("de", "of", 1) == 1
    assert (lexical.contains_f_word("la"), lexical.contains_e_word("la")) == (True, False)
    lexical.write_text(files / "lex")
    assert cdec.sa.BiLex(from_text=files / "lex").get_score("verde", "green", 1) == 1


def test_link_counts_of_unlinked_words() -> None:
    counts = cdec.sa.online.Bilex()
    counts.update(["a", "b"], ["x"], [(0, 0)])
    more = cdec.sa.online.Bilex()
    more.update(["a"], ["y"], [])
    assert counts.get_score("b", "NULL", 0) == 1
    assert cdec.sa.online.get_score_multilex("a", "x", 0, [counts, more]) == 1 / 2
    assert more.p_fe("NULL", "y") == 1
    with pytest.raises(InputError, match="expected links of sentences of 1 and 1 words, got 1-0"):
        more.update(["a"], ["y"], [(1, 0)])


def test_phrases() -> None:
    phrase = cdec.sa.Phrase(["[X,2]", "a", "b", "[X,1]", "c"])
    assert list(phrase.iterspans()) == [
        (["[X,2]"], False), (["a", "b"], True), (["[X,1]"], False), (["c"], True),
    ]  # fmt: skip
    assert [phrase.getchunk(k) for k in range(3)] == [[], ["a", "b"], ["c"]]
    assert phrase.strhandle() == "[X,1] a b [X,2] c"
    assert (phrase.words, phrase.arity(), phrase.getvar(1)) == (["a", "b", "c"], 2, "[X,1]")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("b", "la casa\n", "b:1: expected source ||| target, got 'la casa'"),
        ("a", "0-9\n0-0\n\n\n", "a:1: "),
        ("a", "0-0\n", "a:"),
    ],
)
def test_wrong_parallel_text(files: Path, name: str, content: str, message: str) -> None:
    (files / name).write_text(content)
    with pytest.raises(InputError) as error:
        compile_text(["-b", f"{files}/b", "-a", f"{files}/a", "-o", f"{files}/sa", "-c", f"{files}/ini"])
    assert message in str(error.value)
    assert not (files / "ini").exists()


def test_wrong_configuration(files: Path) -> None:
    with pytest.raises(OSError, match="cannot read the configuration"):
        cdec.sa.GrammarExtractor(str(files / "none"))
    (files / "ini").write_text("max_len = many\n")
    with pytest.raises(InputError, match=r"ini:1: expected name = value"):
        cdec.sa.GrammarExtractor(str(files / "ini"))
    with pytest.raises(InputError, match="expected f_sa_file"):
        cdec.sa.GrammarExtractor({})
    (files / "f.bin").write_bytes(b"\x05\0\0\0")
    with pytest.raises(InputError, match="compile the text again"):
        cdec.sa.SuffixArray(from_binary=files / "f.bin")
    run = extract("-c", f"{files}/none", "-g", f"{files}/g")
    assert run.returncode == 2
    assert run.stderr.splitlines()[-1].endswith("none: cannot read the configuration")


def test_cdecs_features_of_a_context(config: str, own_definitions: None) -> None:
    """The functions give what the extractor itself computes; the others by their definition."""
    with open(config) as file:
        lexical = re.search(r"lex_file = '(.*)'", file.read())[1]
    table = cdec.sa.BiLex(from_binary=lexical)
    functions = cdec.sa.features
    own = [
        functions.EgivenFCoherent, functions.SampleCountF, functions.CountEF, functions.IsSingletonF,
        functions.IsSingletonFE, functions.MaxLexFgivenE(table), functions.MaxLexEgivenF(table),
    ]  # fmt: skip
    contexts = []

    @cdec.sa.feature
    def Seen(ctx) -> float:
        contexts.append(ctx)
        return 0

    rules = list(cdec.sa.GrammarExtractor(config).grammar("la casa verde es una mesa"))
    assert len(rules) == len(contexts) > 20
    for rule, context in zip(rules, contexts, strict=True):
        expected = dict(rule.scores)
        for function in own:
            assert function(context) == pytest.approx(expected[function.__name__]), (str(rule), function)
        share = context.paircount / context.fcount
        assert functions.EgivenF(context) == pytest.approx(-math.log10(share))
        assert functions.CoherenceProb(context) == pytest.approx(
            functions.EgivenFCoherent(context) - functions.EgivenF(context)
        )
        assert functions.IsNotSingletonF(context) != functions.IsSingletonF(context)
        assert functions.IsNotSingletonFE(context) != functions.IsSingletonFE(context)
        assert functions.IsFEGreaterThanZero(context)
