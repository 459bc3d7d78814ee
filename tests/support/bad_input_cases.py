"""A small good set-up, and what can be wrong with it: data for test_bad_input."""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from pathlib import Path

from support.toy import ARPA

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


def rule(text: str) -> str:
    return GRAMMAR + text + "\n"


def option(text: str) -> str:
    return INI + text + "\n"


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
    Case("no equals sign", "cdec.ini", option("goal S"), 6, "expected 'name = value', got 'goal S'"),
    Case("unknown option", "cdec.ini", option("gramar=grammar"), 6, "did you mean grammar"),
    Case("unsupported option", "cdec.ini", option("csplit_output_plf=true"), 6, "does not support"),
    Case("option twice", "cdec.ini", option("formalism=scfg"), 6, "twice"),
    Case(
        "span limit", "cdec.ini", option("add_extra_pass_through_features=many"), 6, "expected a whole number"
    ),
    Case("pop limit 0", "cdec.ini", option("cubepruning_pop_limit=0"), 6, "of at least 1, got '0'"),
    Case("pop limit of pass 2", "cdec.ini", option("cubepruning_pop_limit2=x"), 6, "expected a whole number"),
    Case(
        "flag", "cdec.ini", option("add_pass_through_rules=maybe"), 6, "expected true or false, got 'maybe'"
    ),
    Case("beam", "cdec.ini", option("beam_prune=-1"), 6, "expected a number of at least 0"),
    Case("beam is no number", "cdec.ini", option("beam_prune=nan"), 6, "expected a number of at least 0"),
    Case("density", "cdec.ini", option("density_prune=0.5"), 6, "expected a density of at least 1"),
    Case("strategy", "cdec.ini", option("intersection_strategy=fast"), 6, "expected cube_pruning or full"),
    Case("category", "cdec.ini", option("goal=[S]"), 6, "expected a category such as S"),
    Case("no path", "cdec.ini", option("scfg_extra_glue_grammar="), 6, "expected a path, got nothing"),
    Case("ini not UTF-8", "cdec.ini", INI.encode() + b"goal=\xe9\n", 6, "expected UTF-8"),
    Case("zero byte in ini", "cdec.ini", INI + "goal=S\0\n", 6, "zero byte"),
    # feature functions and their arguments
    Case("unknown function", "cdec.ini", option("feature_function=SoftSyntx"), 6, "near: SoftSyntax"),
    Case(
        "arguments of a native one",
        "cdec.ini",
        option("feature_function=WordPenalty 1"),
        6,
        "takes no arguments",
    ),
    Case(
        "model without path", "cdec.ini", option("feature_function=KLanguageModel -x"), 6, "path of a model"
    ),
    Case(
        "model with two paths", "cdec.ini", option("feature_function=KLanguageModel a b"), 6, "expected [-x]"
    ),
    Case(
        "model flag without value",
        "cdec.ini",
        option("feature_function=KLanguageModel lm.arpa -n"),
        6,
        "after -n",
    ),
    Case("open quote", "cdec.ini", option("feature_function=KLanguageModel 'lm"), 6, "no closing quotation"),
    Case(
        "spaced name",
        "cdec.ini",
        option("feature_function=KLanguageModel -n 'a b' lm.arpa"),
        6,
        "without spaces",
    ),
    Case("pass 2's function", "cdec.ini", option("feature_function2=Nothing"), 6, "unknown feature function"),
    Case(
        "unknown argument",
        "cdec.ini",
        option("feature_function=RuleIndicators --suffix x"),
        6,
        "unknown argument",
    ),
    Case(
        "argument without value",
        "cdec.ini",
        option("feature_function=SoftSyntax --trees"),
        6,
        "needs a value",
    ),
    Case(
        "argument twice", "cdec.ini", option("feature_function=SoftSyntax trees=a trees=b"), 6, "given twice"
    ),
    Case(
        "choice", "cdec.ini", option("feature_function=SoftSyntax granularity=all"), 6, "one of fine, coarse"
    ),
    Case("truth", "cdec.ini", option("feature_function=StructuralDistortion glue=so"), 6, "true or false"),
    Case("no such module", "cdec.ini", option("feature_function=no_such.module:Class"), 6, "cannot import"),
    Case(
        "no such class", "cdec.ini", option("feature_function=hopefear.plugins:Nothing"), 6, "has no Nothing"
    ),
    Case("no plugin class", "cdec.ini", option("feature_function=pathlib:Path"), 6, "must be a subclass"),
    # grammars
    Case("no grammar", "grammar", None, None, "cannot be opened: No such file"),
    Case("grammar is a folder", "grammar", "/", None, "cannot be read: Is a directory"),
    Case("empty grammar", "grammar", "", None, "expected a grammar, got an empty file"),
    Case("blank grammar", "grammar", "\n \t\n", None, "expected rules, got only blank lines"),
    Case("two fields", "grammar", rule("[X] ||| a"), 4, "expected '[LHS] ||| source"),
    Case("six fields", "grammar", rule("[X] ||| a ||| b ||| f=1 ||| 0-0 ||| x"), 4, "at most five fields"),
    Case("left-hand side", "grammar", rule("X ||| a ||| b"), 4, "left-hand side such as [X], got 'X'"),
    Case("no source", "grammar", rule("[X] ||| ||| b"), 4, "expected a source side"),
    Case("source numbering", "grammar", rule("[X] ||| [X,2] [X,1] ||| [1] [2]"), 4, "from left to right"),
    Case(
        "nonterminal", "grammar", rule("[X] ||| [X,a] ||| [1]"), 4, "nonterminal such as [X,1], got '[X,a]'"
    ),
    Case("no target partner", "grammar", rule("[X] ||| a [X,1] ||| b"), 4, "got [1] on the source side only"),
    Case("no source partner", "grammar", rule("[X] ||| a ||| [1]"), 4, "got [1] on the target side only"),
    Case("partner twice", "grammar", rule("[X] ||| a [X,1] ||| [1] [1]"), 4, "got [1] twice"),
    Case(
        "partner's category",
        "grammar",
        rule("[X] ||| a [X,1] ||| [Y,1]"),
        4,
        "category of the source nonterminal",
    ),
    Case("feature value", "grammar", rule("[X] ||| a ||| b ||| f=one"), 4, "expected name=number"),
    Case("infinite value", "grammar", rule("[X] ||| a ||| b ||| f=inf"), 4, "expected name=number"),
    Case(
        "feature twice",
        "grammar",
        rule("[X] ||| a ||| b ||| f=1 f=2"),
        4,
        "expected one value for each feature",
    ),
    Case("feature name", "grammar", rule("[X] ||| a ||| b ||| =2"), 4, "expected a feature name"),
    Case("alignment", "grammar", rule("[X] ||| a ||| b ||| f=1 ||| 0:0"), 4, "alignment points such as 0-1"),
    Case(
        "alignment outside", "grammar", rule("[X] ||| a ||| b ||| f=1 ||| 1-0"), 4, "inside the rule, got 1-0"
    ),
    Case("grammar not UTF-8", "grammar", GRAMMAR.encode() + b"[X] ||| \xe9 ||| e\n", 4, "expected UTF-8"),
    Case("zero byte in a grammar", "grammar", rule("[X] ||| a\0 ||| b"), 4, "zero byte"),
    Case("packed grammar", "grammar", packed(rule("[X] ||| a")), 4, "expected '[LHS] ||| source"),
    Case("truncated gz", "grammar", packed(LONG)[:-100], -1, "truncated"),
    Case("damaged gz", "grammar", bytes(DAMAGED), -1, ""),
    Case("unary cycle", "grammar", rule("[X] ||| [Y] ||| [1]\n[Y] ||| [X] ||| [1]"), None, "cycle"),
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
    Case("count", "lm.arpa", ARPA.replace("ngram 2=4", "ngram 2=two"), 3, "expected 'ngram 2=' and a number"),
    Case(
        "impossible count",
        "lm.arpa",
        ARPA.replace("=7", "=700000000000"),
        2,
        "that fits the size of the file",
    ),
    Case("wrong count", "lm.arpa", ARPA.replace("ngram 1=7", "ngram 1=6"), 13, "expected a language model"),
    Case("probability", "lm.arpa", ARPA.replace("-0.7\tthe", "x\tthe"), 10, "expected a language model"),
    Case("unknown word", "lm.arpa", ARPA.replace("<s> the", "<s> this"), 16, "this"),
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
    Case("no trees", "dev.trees", None, None, "cannot be read: No such file", SYNTAX),
    Case("trees are a folder", "dev.trees", "/", None, "cannot be read: Is a directory", SYNTAX),
    Case("open bracket", "dev.trees", "(S (DT la) (NN casa)\n", 1, "expected 1 more )", SYNTAX),
    Case("text behind a tree", "dev.trees", TREES[:-1] + " x\n", 1, "expected the end of the line", SYNTAX),
    Case("no tree", "dev.trees", "la casa verde\n", 1, "expected a tree that begins with (", SYNTAX),
    Case(
        "label alone", "dev.trees", "(S (NP) la casa verde)\n", 1, "expected a word or a constituent", SYNTAX
    ),
    Case(
        "another sentence's tree",
        "dev.trees",
        "(S (DT la) (NN casa))\n",
        1,
        "expected a tree of 3 words",
        SYNTAX,
    ),
    Case("too few trees", "dev.trees", "", 1, "got the end of the file", SYNTAX),
    Case("trees not UTF-8", "dev.trees", b"(S (DT la) (NN c\xe1sa))\n", 1, "expected UTF-8", SYNTAX),
    Case("truncated gz trees", "dev.trees", packed(TREES)[:-5], 2, "expected a whole gz file", SYNTAX),
    # annotations of the input: read by test_bad_input where the file is there
    Case("trees of words", "in.trees", "/", None, "cannot be read: Is a directory"),
    Case("annotated tree", "in.trees", "(S la casa))\n", 1, "expected the end of the line after the tree"),
    Case("shorter tree", "in.trees", "(S la casa)\n", 1, "a tree: expected 3 words, as in segment 0, got 2"),
    Case("tree of other words", "in.trees", "(S la (N cosa) verde)\n", 1, "expected 'casa' as word 2"),
    Case("no tree left", "in.trees", "", 1, "expected the tree of segment 0, got the end of the file"),
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
    Case("no parse left", "in.conllu", "", 1, "expected the parse of segment 0, got the end of the file"),
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
