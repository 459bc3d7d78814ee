"""Systems of Moses and Joshua as systems of cdec: the best score of each translation, by brute force."""

from __future__ import annotations

import gzip
import math
import random
import re
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from support.brute_force import Ngrams, random_ngrams
from support.foreign_chart import ForeignRule, best_scores

from hopefear.base import InputError
from hopefear.decoder import Decoder, read_config
from hopefear.grammars.conversion import convert

SAMPLES = Path(__file__).parent / "samples"
MOSES = (SAMPLES / "moses.ini").read_text("utf-8")
JOSHUA = (SAMPLES / "joshua.config").read_text("utf-8")
JOSHUA_OLD = (SAMPLES / "joshua_before_6.config").read_text("utf-8")
JOSHUA_WEIGHTS = (SAMPLES / "joshua.weights").read_text("utf-8")

LN10 = math.log(10)
MODEL = random_ngrams(random.Random(5), ["the", "house", "green", "is"])

HIERO = [  # source, target, links, scores, sparse features; nonterminals are X
    ("la", "the", "0-0", (0.5, 0.25), ""),
    ("la", "her", "0-0", (0.25, 0.0), "Swap 2"),
    ("casa", "house", "0-0", (0.9, 0.3), ""),
    ("casa [X]", "[X] house", "0-1 1-0", (0.2, 0.7), "Swap 1 Long -1.5"),
    ("[X] es [X]", "[X] is [X]", "0-0 1-1 2-2", (0.4, 0.1), ""),
    ("[X] [X]", "[X] [X]", "0-1 1-0", (0.01, 0.6), ""),
    ("verde", "green", "0-0", (0.8, 0.8), ""),
    ("la casa verde", "the green house", "0-0 1-2 2-1", (0.1, 1.0), ""),
]
SENTENCES = ["la casa verde", "casa verde", "la silla es verde", "es", "la casa es verde"]


def log(probability: float) -> float:
    return max(-100.0, math.log(probability)) if probability else -100.0


def moses_side(text: str, lhs: str, source: bool) -> str:
    labelled = re.sub(r"\[(\w+)\]", r"[X][\1]", text)
    return f"{labelled} [{'X' if source else lhs}]"


def parsed(source: str, target: str, links: str) -> tuple[tuple, tuple]:
    """The sides of a foreign rule: nonterminals of the target side by the links."""
    symbols = [(m[1],) if (m := re.fullmatch(r"\[(\w+)\]", word)) else word for word in source.split()]
    places = [i for i, symbol in enumerate(symbols) if isinstance(symbol, tuple)]
    pairs = dict(tuple(map(int, link.split("-")))[::-1] for link in links.split())
    out = [
        places.index(pairs[j]) + 1 if word.startswith("[") else word for j, word in enumerate(target.split())
    ]
    return tuple(symbols), tuple(out)


def words_in(target: Sequence[object]) -> int:
    return sum(isinstance(symbol, str) for symbol in target)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "lm.arpa").write_text(MODEL.arpa())
    (tmp_path / "sparse").write_text("TranslationModel0_Swap 0.5\nTranslationModel0_Long -0.25\n")
    lines = [
        f"{moses_side(f, 'X', True)} ||| {moses_side(e, 'X', False)} ||| {p[0]} {p[1]} ||| {a} ||| ||| {s}\n"
        for f, e, a, p, s in HIERO
    ]
    (tmp_path / "rule-table.gz").write_bytes(gzip.compress("".join(sorted(lines)).encode()))
    (tmp_path / "glue-grammar").write_text(
        "<s> [X] ||| <s> [S] ||| 1 |||  ||| 0\n"
        "[X][S] </s> [X] ||| [X][S] </s> [S] ||| 1 ||| 0-0 ||| 0\n"
        "[X][S] [X][X] [X] ||| [X][S] [X][X] [S] ||| 2.718 ||| 0-0 1-1 ||| 0\n"
    )
    (tmp_path / "moses.ini").write_text(MOSES)
    return tmp_path


def model_score(weight: float, model: Ngrams = MODEL) -> Callable[[tuple[str, ...]], float]:
    return lambda target: weight * model.sentence(target[1:-1])


def moses_rules(span: int | None, words: Sequence[str]) -> list[ForeignRule]:
    sparse = {"Swap": 0.5, "Long": -0.25}
    rules = []
    for source, target, links, scores, named in HIERO:
        f, e = parsed(source, target, links)
        score = 0.2 * log(scores[0]) + 0.6 * log(scores[1]) + 0.7 * words_in(e) + 0.3
        items = named.split()
        score += sum(sparse[n] * float(v) for n, v in zip(items[::2], items[1::2], strict=True))
        rules.append(ForeignRule("X", f, e, score, span))
    for f, e, score in (
        (("<s>",), ("<s>",), 1), ((("S",), "</s>"), (1, "</s>"), 1), ((("S",), ("X",)), (1, 2), 2.718),
    ):  # fmt: skip
        rules.append(ForeignRule("S", f, e, 0.9 * math.log(score) + 0.7 * words_in(e) + 0.3))
    known = {rule.source[0] for rule in rules if len(rule.source) == 1}
    for word in {*words} - known:
        rules.append(ForeignRule("X", (word,), (word,), 0.5 * -100 + 0.7 + 0.3, span))
    return rules


def check(decoder: Decoder, sentence: str, expected: dict[str, float], known: set[str] = frozenset()) -> None:
    """Compare the best scores of all translations; words with rules are passed through here, too."""
    forest = decoder.translate(sentence)
    found: dict[str, float] = {}
    weights = dict(decoder.weights)
    for text, features in zip(forest.kbest(20_000), forest.kbest_features(20_000), strict=True):
        if not known & set(text.split()):
            score = math.fsum(value * weights.get(name, 0.0) for name, value in features.items())
            found[text] = max(found.get(text, -math.inf), score)
    assert found == pytest.approx(expected, abs=1e-3)


@pytest.mark.parametrize("sentence", SENTENCES)
def test_moses_scores_are_equal(folder: Path, sentence: str) -> None:
    assert convert(folder / "moses.ini", folder / "out") == []
    decoder = Decoder(read_config(folder / "out" / "cdec.ini"))
    expected = best_scores(moses_rules(3, sentence.split()), sentence.split(), ["S"], model_score(0.4 * LN10))
    check(decoder, sentence, expected, {"la", "casa", "verde"})


SYNTAX = [  # source, target, left-hand side, links, score
    ("la [NN]", "the [NN]", "NP", "0-0 1-1", 0.5),
    ("[NN] [JJ]", "[JJ] [NN]", "NN", "0-1 1-0", 0.25),
    ("casa", "house", "NN", "0-0", 0.75),
    ("verde", "green", "JJ", "0-0", 0.5),
    ("verde", "green", "NN", "0-0", 0.125),
]
SYNTAX_GLUE = [
    ("<s>", "<s>", "Q", "0-0", 1.0),
    ("<s> [NP] </s>", "<s> [NP] </s>", "Q", "0-0 1-1 2-2", 0.5),
    ("[Q] [NN]", "[Q] [NN]", "Q", "0-0 1-1", 0.25),
    ("[Q] [JJ]", "[Q] [JJ]", "Q", "0-0 1-1", 0.125),
    ("[Q] </s>", "[Q] </s>", "Q", "0-0 1-1", 1.0),
    ("<s> [NN]", "<s> [NN]", "R", "0-0 1-1", 0.9),
    ("[R] </s>", "[R] </s>", "TOP", "0-0 1-1", 0.8),
]


@pytest.mark.parametrize("sentence", ["la casa verde", "casa verde casa", "silla", "la silla verde", "verde"])
def test_moses_with_labels(tmp_path: Path, sentence: str) -> None:
    (tmp_path / "lm.arpa").write_text(MODEL.arpa())
    (tmp_path / "unknown").write_text("NN 0.7\nJJ 0.1\n")
    ini = MOSES.replace("\n3\n1000", "\n10\n1000").replace("num-features=2", "num-features=1")
    ini = ini.replace("0.2 0.6", "0.2").replace("[weight-file]\nsparse\n", "[unknown-lhs]\nunknown\n")
    (tmp_path / "moses.ini").write_text(ini)
    unknown = [word for word in sentence.split() if word not in ("la", "casa", "verde")]
    rules = [
        ForeignRule(label, (word,), (word,), 0.5 * math.log(share) + 0.7 + 0.3)
        for word in unknown
        for label, share in (("NN", 0.7), ("JJ", 0.1))
    ]
    for path, table, weight in (("rule-table", SYNTAX, 0.2), ("glue-grammar", SYNTAX_GLUE, 0.9)):
        lines = []
        for source, target, lhs, links, score in table:
            sides = f"{moses_side(source, lhs, True)} ||| {moses_side(target, lhs, False)}"
            lines.append(f"{sides} ||| {score} ||| {links} ||| 3 2 1\n")
            f, e = parsed(source, target, links)
            rules.append(ForeignRule(lhs, f, e, weight * math.log(score) + 0.7 * words_in(e) + 0.3))
        (tmp_path / path).write_text("".join(lines))
    assert convert(tmp_path / "moses.ini", tmp_path / "out") == []
    decoder = Decoder(read_config(tmp_path / "out" / "cdec.ini"))
    expected = best_scores(rules, sentence.split(), ["Q", "TOP"], model_score(0.4 * LN10))
    check(decoder, sentence, expected, {"la", "casa", "verde"})


THRAX = [  # left-hand side, source, target, features, their score with the weights above
    ("X", "la", "the", "1.5 2", -1.5 * -0.5 - 2 * 0.25),
    ("X", "la", "her", "0.5 -1 Named=2", -0.5 * -0.5 + 0.25 + 2 * 0.75),
    ("X", "casa", "house", "tm_pt_0=1.5 Other=3", 1.5 * -0.5),
    ("X", "verde", "green", "0 0", 0.0),
    ("X", "[X,1] verde", "green [X,1]", "0.25 0.5", -0.25 * -0.5 - 0.5 * 0.25),
    ("X", "[X,1] es [X,2]", "[X,2] is [X,1]", "1 1", 0.5 - 0.25),
    ("X", "la casa", "the house", "2", -2 * -0.5),
]


def joshua_rules(words: Sequence[str], unknown: dict[str, float]) -> list[ForeignRule]:
    per_word = 1.5 / LN10
    rules = [
        ForeignRule("GOAL", ("<s>",), ("<s>",), per_word),
        ForeignRule("GOAL", (("GOAL",), ("X",)), (1, 2), 0.6, from_start=True),
        ForeignRule("GOAL", (("GOAL",), "</s>"), (1, "</s>"), per_word, from_start=True),
    ]
    for lhs, source, target, _, score in THRAX:
        f = tuple(("X",) if word.startswith("[") else word for word in source.split())
        e = tuple(int(word[3]) if word.startswith("[") else word for word in target.split())
        arity = len(e) - words_in(e)
        score += 0.2 - 0.3 * (arity > 0) + per_word * words_in(e)
        rules.append(ForeignRule(lhs, f, e, score, 3))
    for word in set(words):
        for label, value in unknown.items():
            rules.append(ForeignRule(label, (word,), (word,), 0.01 * value + per_word, 20))
    return rules


def joshua_folder(folder: Path, config: str) -> Path:
    (folder / "lm.arpa").write_text(MODEL.arpa())
    lines = [f"[{lhs}] ||| {f} ||| {e} ||| {features}" for lhs, f, e, features, _ in THRAX]
    lines[-1] += " ||| 0-0 1-1"
    (folder / "grammar.gz").write_bytes(gzip.compress("\n".join(lines).encode()))
    (folder / "glue").write_text(
        "[GOAL] ||| <s> ||| <s> ||| 0\n"
        "[GOAL] ||| [GOAL,1] [X,2] ||| [GOAL,1] [X,2] ||| -1\n"
        "[GOAL] ||| [GOAL,1] </s> ||| [GOAL,1] </s> ||| 0\n"
    )
    (folder / "weights").write_text(JOSHUA_WEIGHTS)
    (folder / "joshua.config").write_text(config.format(order=MODEL.order))
    return folder / "joshua.config"


def joshua_model(oov: float) -> Callable[[tuple[str, ...]], float]:
    def score(target: tuple[str, ...]) -> float:
        unknown = sum((word,) not in MODEL.table for word in target)
        return 0.4 * MODEL.sentence(target[1:-1]) + oov * unknown

    return score


@pytest.mark.parametrize("sentence", ["la casa verde", "silla", "la silla es verde"])
@pytest.mark.parametrize(("config", "oov"), [(JOSHUA, -0.6), (JOSHUA_OLD, 0.0)])
def test_joshua_scores_are_equal(tmp_path: Path, config: str, oov: float, sentence: str) -> None:
    path = joshua_folder(tmp_path, config)
    (notice,) = convert(path, tmp_path / "out")
    assert re.fullmatch(
        r".*joshua\.config:\d+: (top-n = 300|use_unique_nbest = true) is not carried over", notice
    )
    decoder = Decoder(read_config(tmp_path / "out" / "cdec.ini"))
    rules = joshua_rules(sentence.split(), {"X": -100.0})
    check(decoder, sentence, best_scores(rules, sentence.split(), ["GOAL"], joshua_model(oov)))


def test_a_model_in_a_folder_whose_name_a_configuration_cannot_hold(tmp_path: Path) -> None:
    (folder := tmp_path / "lm #1").mkdir()
    with pytest.raises(InputError, match=r"lm #1/lm\.arpa: expected a path without '#'"):
        convert(joshua_folder(folder, JOSHUA), tmp_path / "out")


def test_joshua_without_glue_and_with_a_list_for_unknown_words(tmp_path: Path) -> None:
    config = JOSHUA.replace("tm = hiero -owner glue -maxspan -1 -path glue\n", "")
    path = joshua_folder(tmp_path, config + "oov-list = X 0.25 Y 0.5\n")
    (tmp_path / "grammar.gz").write_bytes(
        gzip.compress(
            gzip.decompress((tmp_path / "grammar.gz").read_bytes())
            + b"\n[X] ||| [Y,1] [X,2] ||| [Y,1] [X,2] ||| 1 0\n"
        )
    )
    assert len(convert(path, tmp_path / "out")) == 1
    decoder = Decoder(read_config(tmp_path / "out" / "cdec.ini"))
    words = ["la", "silla", "mesa"]
    rules = joshua_rules(words, {"X": math.log(0.25), "Y": math.log(0.5)})
    rules.append(ForeignRule("X", (("Y",), ("X",)), (1, 2), 0.5 + 0.2 - 0.3, 3))
    check(decoder, " ".join(words), best_scores(rules, words, ["GOAL"], joshua_model(-0.6)))


def test_joshua_with_two_grammars_of_one_owner(tmp_path: Path) -> None:
    second = "tm = thrax -owner pt -maxspan 2 -path short.gz\n"
    path = joshua_folder(tmp_path, JOSHUA.replace("tm = hiero", f"{second}tm = hiero"))
    (tmp_path / "short.gz").write_bytes(gzip.compress(b"[X] ||| es ||| are ||| 1 0\n"))
    assert any(
        "tm_pt: the span limit of 2 words is not carried" in each for each in convert(path, tmp_path / "out")
    )
    assert "\nscfg_max_span_limit=3\n" in (tmp_path / "out" / "cdec.ini").read_text()


def test_a_file_that_is_no_arpa_file_has_no_order(folder: Path) -> None:
    (folder / "moses.ini").write_text(MOSES.replace("KENLM", "SRILM"))
    (folder / "lm.arpa").write_text("ngram models\n")
    with pytest.raises(InputError, match="expected an ARPA file for SRILM"):
        convert(folder / "moses.ini", folder / "out")


def test_moses_before_version_1(folder: Path) -> None:
    """The old sections give the same system as the new ones, without the features that they lack."""
    begin = MOSES.partition("[feature]")[0]
    new = MOSES.replace("PhrasePenalty\n", "").replace("PhrasePenalty0= 0.3\n", "")
    (folder / "moses.ini").write_text(new)
    convert(folder / "moses.ini", folder / "new")
    old = (
        "[ttable-file]\n6 0 0 2 rule-table\n6 0 0 1 glue-grammar\n[ttable-limit]\n20\n0\n"
        "[lmodel-file]\n8 0 3 lm.arpa\n[weight-t]\n0.2\n0.6\n0.9\n[weight-l]\n0.4\n[weight-w]\n-0.7\n"
        "[weight-u]\n0.5\n[weight-file]\nsparse\n"
    )
    (folder / "moses.ini").write_text(begin + old)
    assert convert(folder / "moses.ini", folder / "old") == []
    names = sorted(path.name for path in (folder / "new").iterdir())
    assert names == ["cdec.ini", "glue.gz", "grammar.0.gz", "weights"]
    for name in names:
        lines = [sorted((folder / form / name).read_bytes().splitlines()) for form in ("old", "new")]
        assert lines[0] == lines[1], name


def test_what_is_not_carried_over_is_named(folder: Path) -> None:
    ini = folder / "moses.ini"
    table = (folder / "rule-table.gz").read_bytes()
    many = "".join(f"la [X] ||| the{i} [X] ||| 0.5 0.5 ||| 0-0\n" for i in range(21))
    (folder / "rule-table.gz").write_bytes(gzip.compress(many.encode() + gzip.decompress(table)))
    ini.write_text(
        MOSES.replace("KENLM", "SRILM").replace("[feature]\n", "[feature]\nDistortion\nRuleScope\n")
        + "[verbose]\n1\n[weight]\nRuleScope0= 0\n[inputtype]\n3\n"
    )
    notices = [notice.removeprefix(f"{ini}:") for notice in convert(ini, folder / "out")]
    assert [re.sub(r"^\d+: ", "", notice) for notice in notices] == [
        "[verbose] 1 is not carried over",
        "[inputtype] 3: only plain sentences are read, no trees",
        "Distortion is not carried over: it is 0 for sentences in a chart",
        "RuleScope is not carried over: its weights are 0",
        "SRILM scores unknown words in its own way; here as KENLM does",
        "table-limit=20 is not carried over: all rules of each source side are kept",
    ]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("[search-algorithm]\n3", "[search-algorithm]\n0", "moses.ini:16: expected a chart system"),
        ("PhraseDictionaryMemory name=TranslationModel0", "PhraseDictionaryOnDisk name=TranslationModel0",
         "moses.ini:26: expected a rule table as text, PhraseDictionaryMemory, got PhraseDictionaryOnDisk"),
        ("WordPenalty\n", "WordPenalty\nTargetBigramFeature\n",
         "moses.ini:24: feature TargetBigramFeature changes scores and cannot be carried over"),
        ("input-factor=0", "input-factor=0,1", "moses.ini:26: expected input-factor=0, got '0,1'"),
        ("0.2 0.6", "0.2", "moses.ini:34: expected 2 weights of TranslationModel0, got 1"),
        ("0.2 0.6", "0.2 x", "moses.ini:34: expected a number, got 'x'"),
        ("LM0= 0.4\n", "", "moses.ini:28: expected LM0= in [weight]"),
        ("LM0= 0.4", "LM0= 0.4\nOther0= 3", "moses.ini:37: expected weights of features of [feature], got"),
        ("path=rule-table", "path=nothing", "moses.ini:26: expected a file, got 'nothing', which does not"),
        ("path=rule-table", "rule-table", "moses.ini:26: expected key=value, got 'rule-table'"),
        ("[feature]", "[drop-unknown]\n[feature]", "moses.ini:22: expected [drop-unknown] false or 0"),
        ("[feature]", "[new-thing]\n1\n[feature]", "moses.ini:22: [new-thing] is not carried over"),
        ("[weight-file]\nsparse", "[weight-file]\nmoses.ini", "moses.ini:1: expected a feature and its"),
        ("UnknownWordPenalty\n", "", "moses.ini: expected UnknownWordPenalty in [feature]"),
        ("# a system", "what", "moses.ini:1: expected a section such as [feature], got 'what'"),
    ],
)  # fmt: skip
def test_wrong_moses_ini(folder: Path, old: str, new: str, message: str) -> None:
    assert old in MOSES
    text = MOSES.replace(old, new)
    if "UnknownWordPenalty\n" not in text:
        text = text.replace("UnknownWordPenalty0= 0.5\n", "")
    (folder / "moses.ini").write_text(text)
    with pytest.raises(InputError, match=re.escape(message)):
        convert(folder / "moses.ini", folder / "out")
    assert not (folder / "out" / "cdec.ini").exists()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("la [X] ||| the [X]", "expected source [X] ||| target [X] ||| scores ||| links"),
        ("la [X] ||| the [X] ||| 0.5", "expected 2 scores, got 1"),
        ("la [X] ||| the [X] ||| 0.5 -1", "expected a score of at least 0, got -1.0"),
        ("la ||| the [X] ||| 0.5 1", "expected symbols and a left-hand side such as [X], got 'la '"),
        ("la [X] ||| [X] ||| 0.5 1", "expected symbols and a left-hand side such as [X]"),
        ("[X][X] [X] ||| [X][X] [X] ||| 1 1 ||| ", "expected a link of nonterminal [X][X] to one of the t"),
        ("la [X] ||| [X][X] [X] ||| 1 1 ||| 0-0", "expected a link of nonterminal [X][X] to one of the s"),
        ("[NP][X] [X] ||| [NP][X] [X] ||| 1 1 ||| 0-0", "expected [X] as the source label, got [NP][X]"),
        ("la [NP] ||| the [X] ||| 1 1", "expected [X] on the source side, got [NP]"),
        ("la [X] ||| the [X] ||| 1 1 ||| 0-3", "0-3"),
        ("la [X] ||| the [X] ||| 1 1 ||| ||| ||| a", "expected names and values of sparse features"),
        ("<s> la [X] ||| the [X] ||| 1 1 ||| ", "expected <s> at the same end of the source and of"),
    ],
)  # fmt: skip
def test_wrong_rule_table(folder: Path, line: str, message: str) -> None:
    good = "es [X] ||| is [X] ||| 1 1 ||| 0-0\n"
    (folder / "rule-table").write_text(good + line + "\n")
    with pytest.raises(InputError, match="rule-table:2: .*" + re.escape(message)):
        convert(folder / "moses.ini", folder / "out")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("-lm_type kenlm", "-lm_type bloom", ":4: expected -lm_type kenlm or berkeleylm, got 'bloom'"),
        ("-lm_file lm.arpa", "", ":4: expected LanguageModel with -lm_file"),
        ("-oov_feature", "-class_map map", ":4: an n-gram model over classes, -class_map, cannot"),
        ("-lm_order {order}", "-lm_order 1", ":4: expected -lm_order"),
        ("-path grammar.gz", "-path .", ":2: expected a grammar in text form, got the packed grammar"),
        ("tm = thrax", "tm = moses", ":2: expected a grammar of type thrax, hiero or samt, got 'moses'"),
        ("-maxspan 3", "", ":2: expected -maxspan in tm = TYPE -owner NAME -maxspan N -path FILE"),
        ("OOVPenalty", "Cheese", ":6: expected a feature function of Joshua, got 'Cheese'"),
        ("OOVPenalty", "TargetBigram\nTargetBigram_a_b 1",
         ":6: feature function TargetBigram changes scores and cannot be carried over"),
        ("mark-oovs = false", "fuzzy-matching = true", ":11: option fuzzy-matching changes translations"),
        ("mark-oovs = false", "search = stack", ":11: expected search = cky"),
        ("mark-oovs = false", "cheese = true", ":11: expected an option of Joshua, got 'cheese'"),
        ("lm_0 0.4", "lm 0 0.4", ":15: expected option = value, or the name and the weight of a feature"),
        ("lm_0 0.4", "lm_0 x", ":15: expected a number, got 'x'"),
        ("Pop_Limit = 3000", "pop-limit = x", ":12: expected a whole number, got 'x'"),
    ],
)  # fmt: skip
def test_wrong_joshua_config(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert old in JOSHUA
    path = joshua_folder(tmp_path, JOSHUA.replace(old, new, 1))
    with pytest.raises(InputError, match=re.escape(f"{path}{message}")):
        convert(path, tmp_path / "out")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("[X] ||| la", "expected [LHS] ||| source ||| target ||| features"),
        ("X ||| la ||| the ||| 1", "expected [LHS] ||| source ||| target ||| features"),
        ("[X] ||| [X,2] ||| [X,1] ||| 1", "expected nonterminal 1, got '[X,2]'"),
        ("[X] ||| [X,1] ||| [X,2] ||| 1", "expected each of 1 nonterminals once in the target"),
        ("[X] ||| la ||| the ||| one", "expected a number, got 'one'"),
        ("[X] ||| la ||| the ||| 1 ||| 0-4", "0-4"),
    ],
)
def test_wrong_joshua_grammar(tmp_path: Path, line: str, message: str) -> None:
    path = joshua_folder(tmp_path, JOSHUA)
    (tmp_path / "grammar.gz").write_text(f"[X] ||| es ||| is ||| 1\n{line}\n")
    with pytest.raises(InputError, match=r"grammar\.gz:2: .*" + re.escape(message)):
        convert(path, tmp_path / "out")


def test_commas_in_categories(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    (folder / "rule-table").write_text(", [X] ||| , [$,] ||| 0.5 0.5 ||| 0-0\n")
    (folder / "glue-grammar").write_text(
        "<s> [X] ||| <s> [S] ||| 1 |||\n"
        "[X][S] [X][$,] [X] ||| [X][S] [X][$,] [S] ||| 1 ||| 0-0 1-1\n"
        "[X][S] </s> [X] ||| [X][S] </s> [S] ||| 1 ||| 0-0\n"
    )
    convert(folder / "moses.ini", folder / "out")
    forest = Decoder(read_config(folder / "out" / "cdec.ini")).translate(", ,")
    assert forest.trees(forest.best())[1] == "(S_whole (S (S ($， ,)) ($， ,)))"
    other = tmp_path_factory.mktemp("joshua")
    path = joshua_folder(other, JOSHUA)
    (other / "grammar.gz").write_text("[X] ||| [,,1] la ||| the [,,1] ||| 1\n[,] ||| , ||| ; ||| 1\n")
    convert(path, other / "out")
    assert Decoder(read_config(other / "out" / "cdec.ini")).translate(", la").viterbi() == "the ;"
    (folder / "rule-table").write_text(", [X] ||| , [$，] ||| 0.5 0.5 ||| 0-0\n")
    with pytest.raises(InputError, match="rule-table:1: a category must have no bracket and no '，'"):
        convert(folder / "moses.ini", folder / "out")
