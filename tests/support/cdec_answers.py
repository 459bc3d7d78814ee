"""All derivations of small grammars with the features of one line of a cdec.ini, from a real cdec.

``CDEC_BUILD=... python -m support.cdec_answers``, in the folder ``tests``, asks the cdec built there and
writes `ANSWERS`.
"""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from support import CHECKOUT

ANSWERS = CHECKOUT / "tests" / "feature_extractors" / "cdec_answers.json.gz"

GRAMMARS = {
    "translation": """\
[S] ||| [X,1] ||| [1] ||| p=1
[X] ||| [X,1] , [X,2] ||| [2] , , [1] ||| p=1
[X] ||| [X,1] , [X,2] ||| [1] ; [2] ||| p=1
[X] ||| das [X,1] ||| the [1] ||| p=1 ||| 0-0
[X] ||| [X,1] ; ||| [1] . ||| p=1 ||| 1-1
[X] ||| das haus ||| the house ||| p=1 ||| 0-0 1-1
[X] ||| haus ||| дом ||| p=1 ||| 0-0
[X] ||| haus ||| a=b house a=b ||| p=1 ||| 0-1
[X] ||| ist [X,1] ||| [1] = is ||| p=1 ||| 0-2
[X] ||| klein ||| small ||| p=1 ||| 0-0
[X] ||| klein ||| café , ||| p=1
[X] ||| klein ; ||| petit=y ; ||| p=1 ||| 0-0 1-1
[X] ||| x=y klein ||| = é ||| p=1 ||| 1-0
[X] ||| [X,1] x=y ||| [1] <b> ||| p=1
""",
    "marked": """\
[S] ||| [X,1] ||| <s> [1] </s> ||| p=1
[X] ||| das [X,1] ||| [1] the ||| p=1
[X] ||| haus [X,1] ||| дом [1] ||| p=1
[X] ||| [X,1] ist ||| is [1] ||| p=1
[X] ||| klein ||| small ||| p=1
[X] ||| klein ||| very small ||| p=1
""",
    "tags": """\
[S] ||| [X,1] ||| [1] ||| p=1
[X] ||| [X,1] [Y,2] ||| [1] [2] ||| p=1
[X] ||| das ||| DT ||| p=1
[Y] ||| haus ||| NN ||| p=1
[Y] ||| haus ||| V=B ||| p=1
[Y] ||| ist ||| VB ||| p=1
[Y] ||| klein ||| JJ ||| p=1
[Y] ||| klein ||| RB; ||| p=1
""",
}
"""Each rule splits a span in one way only: cdec names some features after one of several splits."""

TREES = {
    "translation": (
        "(S (NP-SBJ (DT das) (NN haus)) (, ,) (VP (VB ist) (ADJP (JJ klein) (: ;))))",
        "(S (NP (NP (DT das) (NN haus)) (, ,)) (VP (VB ist) (NP (FW x=y) (JJ klein))))",
        "(NP (DT das) (NP (JJ klein) (FW x=y) (: ;)))",
        "(X (S (NP (NN haus) (, ,)) (VP (VB ist) (VB ist) (JJ klein))))",
    ),
    "marked": ("(S (NP das haus klein) (VP ist))", "(S (DT das) (NN klein))", "(NN klein)"),
    "tags": ("(S (NP das haus) (VP ist klein))", "(S das)", "(S das klein)"),
}
"""The sentences, as trees. cdec reads a word only before words or a closing bracket."""

FILES = {
    "words": "the\nсмall\n\nhouse\na=b\n  café  \n",
    "clusters": "# a comment\nC1 the\nC2\thouse\nC=3 дом\nC1  small\n",
    "pairs": """\
das ||| the ||| p1=0.3 p2=-1
das ||| x ||| p1=0.7
haus ||| a=b ||| big=1e10 p1=2
haus ||| дом ||| p2=3
klein ||| small |||
klein ||| petit=y ||| p2=0.1 p2=0.2
x=y ||| = ||| p1=1
""",
    "triggers": "one two=2 one\n\ndrei\nvier fünf\n",
    "ssyn": "SSYN:S:[NP-SBJ]_,_[VP]:[2]_,_,_[1]\nSSYN2:S:[NP-SBJ]_[VP]:[2]_,_,_[1]\nSSYN:NN:haus:дом\n",
    "target.classes": "0011 the 7\n0101 house 2\n0011 small 1\n",
    "source.classes": "10 das 3\n11 haus 1\n",
    "span.values": "# values\nBS:BOS 0.5\nBBI:BOS_d1 0.25\nES:EOS -1\nS:BOS_EOS 2\nEBI:d2_d3 3\n"
    "S_S:BOS_EOS 4\nLS:1_OOV_OOV 8\n",
    "source.map": "das d1\nhaus d2\n, d3\n",
}

LINES = {
    "translation": (
        "ArityPenalty",
        "ArityPenalty 1",
        "CMR2008ReorderingFeatures",
        "InputIndicator",
        "LexicalFeatures",
        "LexicalFeatures 1 0 1",
        "LexicalTranslationTrigger triggers",
        "NgramFeatures",
        "NgramFeatures -o 1",
        "NgramFeatures -o 2 -n N: -U 1: -B 2: -S |",
        "NgramFeatures -T drei: -o 4 -4 vier: -c clusters",
        "NgramFeatures -o 5 -5 V:",
        "NgramFeatures -x",
        "NgramFeatures -o 2 -x",
        "NonLatinCount",
        "OutputIndicator",
        "ParseMatchFeatures",
        "ParseMatchFeatures b",
        "ParseMatchFeatures linear",
        "ParseMatchFeatures e",
        "ParseMatchFeatures r",
        "RuleIdentityFeatures",
        "RuleShape",
        "RuleShape2 -e target.classes -f source.classes",
        "RuleSourceBigramFeatures",
        "RuleTargetBigramFeatures",
        "SoftSyntaxFeatures NP2 VP_ NP-SBJ2 S+ DT- ADJP2 QP2",
        "SoftSyntaxFeatures NP2 NP+ ,_ :2",
        "SoftSyntaxFeaturesMindist NP2 VP_ NP-SBJ2 S+ DT- QP2 QP-",
        "SoftSyntaxFeaturesMindist ,_ NP- JJ+",
        "SourcePathFeatures",
        "SourceSpanSizeFeatures",
        "SourceSyntaxFeatures",
        "SourceSyntaxFeatures ssyn",
        "SourceSyntaxFeatures2",
        "SourceSyntaxFeatures2 ssyn",
        "SourceWordPenalty",
        "SpanFeatures",
        "SpanFeatures source.map",
        "SpanFeatures source.map span.values",
        "WordPairFeatures pairs",
        "WordPenalty",
        "WordSet -v words -N InList",
        "WordSet --oov -N NotInList -v words",
    ),
    "marked": ("NgramFeatures -x", "NgramFeatures -x -o 2", "NgramFeatures -o 4 -x", "NgramFeatures -x -o 1"),
    "tags": (
        "RuleContextFeatures -t U1:%x[-1]_%x[0]|%y[0]",
        "RuleContextFeatures -t C:%x[-2]%x[1]%x[2]=%x[10]%x[1];%y[0]%y[0]",
    ),
}

Derivations = list[tuple[str, dict[str, float]]]
"""Text and features other than `p`, of each derivation."""


def tokens(tree: str) -> list[str]:
    return [word.rstrip(")") for word in tree.split() if not word.startswith("(")]


def write_files(folder: Path) -> None:
    for name, text in (FILES | GRAMMARS).items():
        (folder / name).write_text(text, "utf-8")


def config(grammar: str, line: str, k: int) -> str:
    return (
        f"formalism=scfg\ngrammar={grammar}\nscfg_max_span_limit=15\nintersection_strategy=full\n"
        f"scfg_no_hiero_glue_grammar=true\nk_best={k}\nfeature_function={line}\n"
    )


def ask_cdec(executable: Path, folder: Path, grammar: str, line: str) -> list[Derivations]:
    """The answers for the sentences of a grammar, each asked with its tree in a file."""
    (folder / "cdec.ini").write_text(config(grammar, line, 10000), "utf-8")
    (folder / "weights").write_text("p 1\n")
    lines = []
    for i, tree in enumerate(TREES[grammar]):
        (folder / f"{grammar}.{i}").write_text(f"{tree}\n", "utf-8")
        lines.append(f'<seg id="{i}" src_tree="{grammar}.{i}"> {" ".join(tokens(tree))} </seg>\n')
    command = [str(executable), "-c", "cdec.ini", "-w", "weights"]
    printed = subprocess.run(
        command, input="".join(lines).encode(), cwd=folder, capture_output=True, check=True
    ).stdout.decode()
    answers: list[Derivations] = [[] for _ in lines]
    for printed_line in printed.splitlines():
        number, text, features, _ = printed_line.split(" ||| ")
        pairs = (pair.rpartition("=") for pair in features.split())
        found = {name: float(value) for name, _, value in pairs}
        answers[int(number)].append((text, normal(found)))
    return [ordered(derivations) for derivations in answers]


def normal(features: dict[str, float]) -> dict[str, float]:
    """Sorted, without zeros and the grammar's own feature, with six digits as cdec prints them."""
    return {
        name: float(f"{value:.6g}")
        for name, value in sorted(features.items())
        if value and name not in ("p", "Glue")
    }


def ordered(derivations: Sequence[tuple[str, dict[str, float]]]) -> Derivations:
    return sorted(derivations, key=lambda one: (one[0], list(one[1].items())))


def main() -> None:
    executable = Path(os.environ["CDEC_BUILD"]) / "decoder" / "cdec"
    answers = {}
    with tempfile.TemporaryDirectory() as name:
        write_files(Path(name))
        for grammar, lines in LINES.items():
            for line in lines:
                answers[f"{grammar}: {line}"] = ask_cdec(executable, Path(name), grammar, line)
    text = json.dumps(answers, ensure_ascii=False, indent=0)
    ANSWERS.write_bytes(gzip.compress(text.encode(), mtime=0))


if __name__ == "__main__":
    main()
