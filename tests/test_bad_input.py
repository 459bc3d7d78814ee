"""Bad input: each case gives one error that says where it is and what was expected."""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from support.command import call
from support.world import ARPA

from hopefear import Decoder, InputError
from hopefear.plugins import annotate
from hopefear.plugins.corpus import read_corpus

GRAMMAR = """[X] ||| la ||| the ||| f=1
[X] ||| casa [X,1] ||| [1] house ||| f=0.5 ||| 0-1
[X] ||| verde ||| green ||| f=1
"""
INI = """formalism=scfg
grammar=grammar
scfg_max_span_limit=5
feature_function=WordPenalty
feature_function=KLanguageModel lm.arpa
"""
TREES = "(S (DT la) (NP (NN casa) (JJ verde)))\n"
GOOD = {
    "cdec.ini": INI,
    "grammar": GRAMMAR,
    "lm.arpa": ARPA,
    "weights": "f 0.5\nLanguageModel 1\n",
    "dev.trees": TREES,
    "classes": "the la -0.5\nhouse casa -1\n",
    "in": "la casa verde\n",
    "reference": "the green house\n",
}
SYNTAX = INI + "feature_function=SoftSyntax trees=dev.trees\n"
CLASSES = INI.replace("lm.arpa", "-m classes lm.arpa")


@dataclass(frozen=True)
class Case:
    """A good set-up but for one file, and where and how it is refused."""

    name: str
    file: str
    content: str | bytes | None  # None: there is no such file; "/": there is a folder of that name
    line: int | None
    expected: str
    ini: str | None = None  # another set-up that uses the file

    def write(self, folder: Path) -> None:
        files: dict[str, str | bytes | None] = {**GOOD, **({"cdec.ini": self.ini} if self.ini else {})}
        for name, content in {**files, self.file: self.content}.items():
            if content == "/":
                (folder / name).mkdir()
            elif content is not None:
                (folder / name).write_bytes(content.encode() if isinstance(content, str) else content)


def of_option(name: str, line: str, expected: str) -> Case:
    return Case(name, "cdec.ini", f"{INI}{line}\n", 6, expected)


def function(name: str, line: str, expected: str) -> Case:
    return of_option(name, f"feature_function={line}", expected)


def of_rule(name: str, line: str, expected: str) -> Case:
    return Case(name, "grammar", f"{GRAMMAR}{line}\n", 4, expected)


def of_model(name: str, old: str, new: str, line: int, expected: str) -> Case:
    assert old in ARPA
    return Case(name, "lm.arpa", ARPA.replace(old, new), line, expected)


def of_tree(name: str, content: str | bytes | None, line: int | None, expected: str) -> Case:
    return Case(name, "dev.trees", content, line, expected, SYNTAX)


def packed(text: str) -> bytes:
    return gzip.compress(text.encode(), mtime=0)


def seg(text: str, attributes: str = "") -> str:
    return f'<seg id="1"{attributes}>{text}</seg>\n'


def row(number: int | str, form: str, head: int | str) -> str:
    """Write a word in CoNLL-U."""
    return f"{number}\t{form}\t_\tX\t_\t_\t{head}\t_\t_\t_\n"


LONG = "".join(f"[X] ||| w{i * i * 7919 % 100003} ||| v{i} ||| f={i}\n" for i in range(20000))
DAMAGED = bytearray(packed(LONG))
DAMAGED[len(DAMAGED) // 2] ^= 0xFF

CASES = [
    # cdec.ini
    Case("no ini", "cdec.ini", None, None, "cannot be read: No such file"),
    Case("ini is a folder", "cdec.ini", "/", None, "cannot be read: Is a directory"),
    Case("no formalism", "cdec.ini", INI.replace("formalism=scfg\n", ""), None, "expected a line 'formalism"),
    Case(
        "other formalism", "cdec.ini", INI.replace("=scfg", "=fst"), 1, "expected scfg or rescore, got 'fst'"
    ),
    of_option("no equals sign", "goal S", "expected 'name = value', got 'goal S'"),
    of_option("unknown option", "gramar=grammar", "did you mean grammar"),
    of_option("unsupported option", "csplit_output_plf=true", "does not support"),
    of_option("option twice", "formalism=scfg", "twice"),
    of_option("span limit", "add_extra_pass_through_features=many", "expected a whole number"),
    of_option("pop limit 0", "cubepruning_pop_limit=0", "of at least 1, got '0'"),
    of_option("pop limit of pass 2", "cubepruning_pop_limit2=x", "expected a whole number"),
    of_option("flag", "add_pass_through_rules=maybe", "expected true or false, got 'maybe'"),
    of_option("beam", "beam_prune=-1", "expected a number of at least 0"),
    of_option("beam is no number", "beam_prune=nan", "expected a number of at least 0"),
    of_option("density", "density_prune=0.5", "expected a density of at least 1"),
    of_option("strategy", "intersection_strategy=fast", "expected cube_pruning or full"),
    of_option("category", "goal=[S]", "expected a category such as S"),
    of_option("no path", "scfg_extra_glue_grammar=", "expected a path, got nothing"),
    Case("ini not UTF-8", "cdec.ini", INI.encode() + b"goal=\xe9\n", 6, "expected UTF-8"),
    Case("zero byte in ini", "cdec.ini", INI + "goal=S\0\n", 6, "zero byte"),
    # feature functions and their arguments
    function("unknown function", "SoftSyntx", "near: SoftSyntax"),
    function("arguments of a native one", "WordPenalty 1", "takes no arguments"),
    function("model without path", "KLanguageModel -x", "path of a model"),
    function("model with two paths", "KLanguageModel a b", "expected [-x]"),
    function("model flag without value", "KLanguageModel lm.arpa -n", "after -n"),
    function("open quote", "KLanguageModel 'lm", "no closing quotation"),
    function("spaced name", "KLanguageModel -n 'a b' lm.arpa", "without spaces"),
    of_option("pass 2's function", "feature_function2=Nothing", "unknown feature function"),
    function("unknown argument", "RuleIndicators --suffix x", "unknown argument"),
    function("argument without value", "SoftSyntax --trees", "needs a value"),
    function("argument twice", "SoftSyntax trees=a trees=b", "given twice"),
    function("choice", "SoftSyntax granularity=all", "one of fine, coarse"),
    function("truth", "StructuralDistortion glue=so", "true or false"),
    function("no such module", "no_such.module:Class", "cannot import"),
    function("no such class", "hopefear.plugins:Nothing", "has no Nothing"),
    function("no plugin class", "pathlib:Path", "must be a subclass"),
    # grammars
    Case("no grammar", "grammar", None, None, "cannot be opened: No such file"),
    Case("grammar is a folder", "grammar", "/", None, "cannot be read: Is a directory"),
    Case("empty grammar", "grammar", "", None, "expected a grammar, got an empty file"),
    Case("blank grammar", "grammar", "\n \t\n", None, "expected rules, got only blank lines"),
    of_rule("two fields", "[X] ||| a", "expected '[LHS] ||| source"),
    of_rule("six fields", "[X] ||| a ||| b ||| f=1 ||| 0-0 ||| x", "at most five fields"),
    of_rule("left-hand side", "X ||| a ||| b", "left-hand side such as [X], got 'X'"),
    of_rule("no source", "[X] ||| ||| b", "expected a source side"),
    of_rule("source numbering", "[X] ||| [X,2] [X,1] ||| [1] [2]", "from left to right"),
    of_rule("nonterminal", "[X] ||| [X,a] ||| [1]", "nonterminal such as [X,1], got '[X,a]'"),
    of_rule("no target partner", "[X] ||| a [X,1] ||| b", "got [1] on the source side only"),
    of_rule("no source partner", "[X] ||| a ||| [1]", "got [1] on the target side only"),
    of_rule("partner twice", "[X] ||| a [X,1] ||| [1] [1]", "got [1] twice"),
    of_rule("partner's category", "[X] ||| a [X,1] ||| [Y,1]", "category of the source nonterminal"),
    of_rule("feature value", "[X] ||| a ||| b ||| f=one", "expected name=number"),
    of_rule("infinite value", "[X] ||| a ||| b ||| f=inf", "expected name=number"),
    of_rule("feature twice", "[X] ||| a ||| b ||| f=1 f=2", "expected one value for each feature"),
    of_rule("feature name", "[X] ||| a ||| b ||| =2", "expected a feature name"),
    of_rule("alignment", "[X] ||| a ||| b ||| f=1 ||| 0:0", "alignment points such as 0-1"),
    of_rule("alignment outside", "[X] ||| a ||| b ||| f=1 ||| 1-0", "inside the rule, got 1-0"),
    Case("grammar not UTF-8", "grammar", GRAMMAR.encode() + b"[X] ||| \xe9 ||| e\n", 4, "expected UTF-8"),
    of_rule("zero byte in a grammar", "[X] ||| a\0 ||| b", "zero byte"),
    Case("packed grammar", "grammar", packed(GRAMMAR + "[X] ||| a\n"), 4, "expected '[LHS] ||| source"),
    Case("truncated gz", "grammar", packed(LONG)[:-100], -1, "truncated"),
    Case("damaged gz", "grammar", bytes(DAMAGED), -1, ""),
    Case("unary cycle", "grammar", GRAMMAR + "[X] ||| [Y] ||| [1]\n[Y] ||| [X] ||| [1]\n", None, "cycle"),
    Case("no weights", "weights", None, None, "cannot be opened: No such file"),
    Case("weights are a folder", "weights", "/", None, "Is a directory"),
    Case("name alone", "weights", "f 1\nLanguageModel\n", 2, "expected 'Name value', got 'LanguageModel'"),
    Case("weight is no number", "weights", "f one\n", 1, "expected 'Name value'"),
    Case("infinite weight", "weights", "f inf\n", 1, "expected 'Name value'"),
    Case("two names", "weights", "f g 1\n", 1, "expected one name and one value"),
    Case("weight twice", "weights", "f 1\ng 1\nf 2\n", 3, "expected one weight for each feature"),
    Case("weights not UTF-8", "weights", b"f 1\n\xff 1\n", 2, "expected UTF-8"),
    Case("truncated gz weights", "weights", packed("f 1\n" * 500)[:-4], -1, ""),
    # language models and class maps
    Case("no model", "lm.arpa", None, None, "no such file"),
    Case("model is a folder", "lm.arpa", "/", None, "no such file"),
    Case("no model at all", "lm.arpa", "text\n", 1, r"expected an n-gram model: \data\ of an ARPA file"),
    Case("empty model", "lm.arpa", "", None, "got the end of the file"),
    of_model("count", "ngram 2=4", "ngram 2=two", 3, "expected 'ngram 2=' and a number"),
    of_model("impossible count", "=7", "=700000000000", 2, "that fits the size of the file"),
    of_model("wrong count", "ngram 1=7", "ngram 1=6", 2, "expected the number of 1-grams that follow, 7"),
    of_model("probability", "-0.7\tthe", "x\tthe", 10, "expected a language model"),
    of_model("unknown word", "<s> the", "<s> this", 16, "this"),
    Case("truncated model", "lm.arpa", ARPA[:-20], -1, "expected a language model"),
    Case("truncated gz model", "lm.arpa", packed(ARPA)[:-30], -1, "truncated"),
    Case(
        "other binary version",
        "lm.arpa",
        b"mmap lm http://kheafield.com/code format version 4\n" + bytes(200),
        None,
        "version 4",
    ),
    Case(
        "truncated binary",
        "lm.arpa",
        b"mmap lm http://kheafield.com/code format version 5\n" + bytes(9),
        None,
        "got a truncated file",
    ),
    Case("no class map", "classes", None, None, "no such file", CLASSES),
    Case("class map fields", "classes", "the la\n", 1, "expected 'CLASS WORD logp'", CLASSES),
    Case(
        "class map number", "classes", "the la -1\nhouse casa x\n", 2, "expected 'CLASS WORD logp'", CLASSES
    ),
    Case(
        "two classes", "classes", "the la -1\nhouse la -1\n", 2, "expected one class for each word", CLASSES
    ),
    # trees
    of_tree("no trees", None, None, "cannot be read: No such file"),
    of_tree("trees are a folder", "/", None, "cannot be read: Is a directory"),
    of_tree("open bracket", "(S (DT la) (NN casa)\n", 1, "expected 1 more )"),
    of_tree("text behind a tree", TREES[:-1] + " x\n", 1, "expected the end of the line"),
    of_tree("no tree", "la casa verde\n", 1, "expected a tree that begins with ("),
    of_tree("label alone", "(S (NP) la casa verde)\n", 1, "expected a word or a constituent"),
    of_tree("another sentence's tree", "(S (DT la) (NN casa))\n", 1, "expected a tree of 3 words"),
    of_tree("too few trees", "", 1, "got the end of the file"),
    of_tree("trees not UTF-8", b"(S (DT la) (NN c\xe1sa))\n", 1, "expected UTF-8"),
    of_tree("truncated gz trees", packed(TREES)[:-5], 2, "expected a whole gz file"),
    # annotations of the input: read by test_bad_input where the file is there
    Case("trees of words", "in.trees", "/", None, "cannot be read: Is a directory"),
    Case("annotated tree", "in.trees", "(S la casa))\n", 1, "expected the end of the line after the tree"),
    Case("shorter tree", "in.trees", "(S la casa)\n", 1, "a tree: expected 3 words, as in sentence 1, got 2"),
    Case("tree of other words", "in.trees", "(S la (N cosa) verde)\n", 1, "expected 'casa' as word 2"),
    Case("no tree left", "in.trees", "", 1, "expected the tree of sentence 1, got the end of the file"),
    Case("nine columns", "in.conllu", row(1, "la", 0)[:-3] + "\n", 1, "expected 10 columns with tabs"),
    Case("no id", "in.conllu", row("x", "la", 0), 1, "expected an id such as 1, 1-2 or 1.1, got 'x'"),
    Case("first id", "in.conllu", row(2, "la", 0), 1, "expected id 1, got 2"),
    Case("id twice", "in.conllu", row(1, "la", 0) + row(1, "casa", 1), 2, "expected id 2, got 1"),
    Case("backward range", "in.conllu", row("2-1", "la", 0), 1, "words that begins with 1, got 2-1"),
    Case("open range", "in.conllu", row("1-3", "la", "_") + row(1, "la", 0), 2, "expected a line for word 3"),
    Case("empty node", "in.conllu", row("3.1", "la", 0), 1, "expected an empty node after word 0, got 3.1"),
    Case("head outside", "in.conllu", row(1, "la", 2), 1, "expected a head from 0 to 1, got '2'"),
    Case("one head", "in.conllu", row(1, "la", 0) + row(2, "casa", "_"), 2, "a head from 0 to 2, got '_'"),
    Case("own head", "in.conllu", row(1, "la", 1), 1, "expected heads that lead to a root, got a cycle"),
    Case("circle", "in.conllu", row(1, "a", 0) + row(2, "b", 3) + row(3, "c", 2), 2, "through word 2"),
    Case("shorter parse", "in.conllu", "# x\n" + row(1, "la", 0), 1, "a parse: expected 3 words"),
    Case("no parse left", "in.conllu", "", 1, "expected the parse of sentence 1, got the end of the file"),
    Case("no tag", "in.tags", "la/D casa verde/A\n", 1, "expected word/TAG, got 'casa'"),
    Case("tag alone", "in.tags", "la/D /N verde/A\n", 1, "expected word/TAG, got '/N'"),
    Case("no underscore", "in.tags", "la_D casa_ verde_A\n", 1, "expected word_TAG, got 'casa_'"),
    Case("one tag less", "in.tags", "la/D casa/N\n", 1, "tagged words: expected 3 words"),
    Case("tags not UTF-8", "in.tags", b"la/\xe1\n", 1, "expected UTF-8, got byte 0xe1 at byte 4"),
    Case("no word classes", "in.classes", "", None, "expected word classes, got an empty file"),
    Case("class alone", "in.classes", "la\n", 1, "expected 'word class' or 'bits word count', got 'la'"),
    Case("other form", "in.classes", "la 1\n01 casa 1\n", 2, "expected 'word class', got '01 casa 1'"),
    Case("path of a cluster", "in.classes", "021\tla\t1\n", 1, "expected 'word class' or 'bits word count'"),
    Case("classes of a word", "in.classes", "la 1\nla 2\n", 2, "expected one class for 'la', got 1 and 2"),
    Case("truncated gz classes", "in.classes", packed("la 1\n")[:-4], 2, "expected a whole gz file"),
    # input: segments, lattices, references
    Case("open seg", "in", 'la casa\n<seg id="1">la\n', 2, "expected <seg id="),
    Case("attribute without quotes", "in", "<seg id=1>la</seg>\n", 1, "expected <seg id="),
    Case("attribute twice", "in", seg("la", ' id="2"'), 1, "attribute id is given twice"),
    Case("text behind seg", "in", '<seg id="1">la</seg> casa\n', 1, "expected nothing or ||| after </seg>"),
    Case("no grammar of its own", "in", seg("la", ' grammar="nowhere"'), None, "cannot be opened"),
    Case("malformed tree of its own", "in", seg("la", ' parse="(S la"'), 1, "expected 1 more )", SYNTAX),
    Case("tree for a lattice", "in", "((('la',1,1),),)\n", 1, "expected a sentence, got a lattice", SYNTAX),
    Case("no literal", "in", "la\n((('la', 0, 1),),\n", 2, "expected a lattice in Python literal format"),
    Case("no arc", "in", "((('la',),),)\n", 1, "expected an arc (word, cost, distance) in column 0"),
    Case("distance 0", "in", "((('la', 0, 0),),)\n", 1, "expected a distance of at least 1"),
    Case(
        "arc leaves",
        "in",
        "((('la', 0, 2),),)\n",
        1,
        "expected an arc that ends within 1 columns, got distance 2 in column 0",
    ),
    Case("cost", "in", "((('la', 'x', 1),),)\n", 1, "expected a number as cost"),
    Case("huge cost", "in", "((('la', 1" + "0" * 400 + ", 1),),)\n", 1, "expected a number as cost"),
    Case("word with a space", "in", "((('la casa', 0, 1),),)\n", 1, "expected a word without white space"),
    Case("half a character", "in", "((('\\ud800', 0, 1),),)\n", 1, "expected a word"),
    Case("input not UTF-8", "in", b"la\ncasa \xff\n", 2, "expected UTF-8"),
    Case("zero byte in the input", "in", "la\0\n", 1, "zero byte"),
    Case("no input", "in", None, None, "cannot be read: No such file"),
    Case("fewer references", "in", "la\ncasa\n", None, "expected 2 lines"),
    Case("no references", "reference", None, None, "cannot be read: No such file"),
    Case("references not UTF-8", "reference", b"\xff\n", 1, "expected UTF-8"),
]
# Where a case's message points at another file than the one that is wrong.
ELSEWHERE = {
    "unary cycle": "in",
    "no grammar of its own": "nowhere",
    "fewer references": "reference",
    "tree for a lattice": "in",
}


def use(folder: Path) -> None:
    """Do with a set-up what a user does."""
    decoder = Decoder(folder / "cdec.ini", weights=folder / "weights")
    kinds = ("trees", "conllu", "tags", "classes")
    annotations = {kind: path for kind in kinds if (path := folder / f"in.{kind}").exists()}
    corpus = read_corpus(folder / "in", [folder / "reference"])
    for segment in annotate(corpus, **annotations):
        decoder.translate(segment).viterbi()


def check_message(case: Case, folder: Path, message: str) -> None:
    """See that it names the file, and the line where that makes sense, and says what was expected."""
    name = re.escape(ELSEWHERE.get(case.name, case.file))
    line = {None: r"(:\d+)?", -1: r":\d+"}.get(case.line, f":{case.line}")
    assert re.search(rf"(^|/|\s){name}{line}: ", message), message
    assert case.expected in message


def test_the_good_set_up_is_taken(tmp_path: Path) -> None:
    for ini in (INI, SYNTAX, CLASSES):
        folder = tmp_path / str(len(list(tmp_path.iterdir())))
        folder.mkdir()
        Case("good", "cdec.ini", ini, None, "").write(folder)
        use(folder)


def test_there_are_enough_cases() -> None:
    assert len({case.name for case in CASES}) == len(CASES) >= 60


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_bad_input_is_refused(case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    case.write(tmp_path)
    with pytest.raises(InputError) as caught:
        use(tmp_path)
    check_message(case, tmp_path, str(caught.value))


COMMAND_LINE = (
    "no ini, unknown option, unknown function, unknown argument, two fields, truncated gz, name alone, "
    "truncated gz model, class map fields, open bracket, open seg, arc leaves, input not UTF-8"
)


@pytest.mark.parametrize("name", COMMAND_LINE.split(", "))
def test_the_command_line_ends_with_one_message(name: str, tmp_path: Path) -> None:
    case = next(case for case in CASES if case.name == name)
    case.write(tmp_path)
    done = call(["decode", "-c", "cdec.ini", "-w", "weights", "-i", "in"], b"", tmp_path)
    error = done.stderr.decode()
    assert done.returncode > 0
    assert "Traceback" not in error
    check_message(case, tmp_path, error)


ARGUMENTS: dict[str, tuple[Callable[[Decoder], object], str]] = {
    "grammar of a call": (
        lambda d: d.translate("la", grammar="[X] ||| la\n"),
        "the sentence's grammar:1: expected",
    ),
    "lattice of a call": (lambda d: d.translate("(((1,),),)"), "expected an arc"),
    "surrogate": (lambda d: d.translate("la \ud800"), "surrogate"),
    "options and configuration": (lambda d: Decoder("formalism=scfg\n", formalism="scfg"), "got both"),
    "option by name": (lambda d: Decoder(formalism="scfg", pop_limit=3), "unknown option 'pop_limit'"),
    "uncovered words": (lambda d: d.translate("nunca"), "no derivation covers"),
    "reference out of reach": (lambda d: d.translate("la", reference="a house"), "yields its reference"),
}


@pytest.mark.parametrize("name", ARGUMENTS)
def test_bad_arguments_are_refused(name: str, tmp_path: Path) -> None:
    Case("good", "cdec.ini", INI, None, "").write(tmp_path)
    call, expected = ARGUMENTS[name]
    with pytest.raises(InputError, match=re.escape(expected)):
        call(Decoder(tmp_path / "cdec.ini"))
