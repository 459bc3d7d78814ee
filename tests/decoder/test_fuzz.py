"""Text readers in Python: two million bytes each, random or valid ones changed; only InputError may come."""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopefear import InputError, Lattice
from hopefear.base.lines import each_line
from hopefear.decoder import Segment, parse_config, parse_line
from hopefear.plugins import parse_tree

BYTES = 2_000_000
INI = """formalism=scfg
grammar=g.gz # comment
feature_function=KLanguageModel -n LM lm.arpa
beam_prune2=3.5
goal = S
"""
PLF = "((('austrália',0.5,1),('a',{'x':1e-3,'y':2},2),),(('b',1,),),(('c',-1.5,1),),)"
SEG = f'<seg id="3" grammar="g.gz" parse="(S (NP x))">la casa &quot;verde&quot;</seg> ||| the house ||| {PLF}'
TREE = "(S (NP-SBJ=2 (DT a) (NN b)) (VP (VBD c) (-NONE- *T*-1) (PP (IN d) (NP (-LRB- -LRB-) (NN ü)))))"
LIKELY = "()'\",|<>=:{}[]# \t\n\0\\0123456789.eE-+_seg/aXé澳\u3000\u2028\ud800"


def change(rng: random.Random, text: str) -> str:
    """Change a valid text in one to three places, or make one of noise."""
    if rng.random() < 0.1:
        return noise(rng, rng.randrange(120))
    for _ in range(rng.randint(1, 3)):
        at, end = sorted((rng.randrange(len(text) + 1), rng.randrange(len(text) + 1)))
        end = min(end, at + 20)
        kind = rng.randrange(5)
        if kind == 0:
            text = text[:at]
        elif kind == 1:
            text = text[:at] + text[end:]
        elif kind == 2:
            text = text[:end] + text[at:end] * rng.choice((1, 2, 50)) + text[end:]
        elif kind == 3:
            text = text[:at] + noise(rng, rng.randint(1, 8)) + text[at:]
        else:
            text = text[:at] + noise(rng, 1) + text[at + 1 :]
    return text


def noise(rng: random.Random, length: int) -> str:
    if rng.random() < 0.5:
        return "".join(rng.choices(LIKELY, k=length))
    return rng.randbytes(length).decode("latin-1")


def read_segment(text: str) -> Segment:
    return parse_line(text, where="in:1")


READERS: dict[str, tuple[Callable[[str], object], str]] = {
    "configuration": (parse_config, INI),
    "segment": (read_segment, SEG),
    "lattice": (Lattice.from_plf, PLF),
    "lattice line": (read_segment, PLF),
    "tree": (parse_tree, TREE),
}


@pytest.mark.parametrize("name", READERS)
def test_only_input_errors(name: str) -> None:
    read, valid = READERS[name]
    rng = random.Random(name)
    read(valid)
    size = refused = inputs = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)  # Python's own of escapes in literals
        warnings.simplefilter("ignore", DeprecationWarning)
        while size < BYTES:
            text = change(rng, valid)
            size += len(text.encode("utf-8", "surrogatepass"))
            inputs += 1
            try:
                read(text)
            except InputError as error:
                refused += 1
                assert str(error)
    assert 0 < refused < inputs


def test_tree_files(tmp_path: Path) -> None:
    rng = random.Random(1)
    path = tmp_path / "trees"
    size = 0
    while size < BYTES:
        content = (b"\x1f\x8b" if rng.random() < 0.3 else b"") + rng.randbytes(rng.randrange(2000))
        size += len(content)
        path.write_bytes(content)
        try:
            for line in each_line(path):
                parse_tree(line)
        except InputError as error:
            assert str(path) in str(error) or "column" in str(error)


@given(st.text())
def test_any_text_is_a_line_or_refused(text: str) -> None:
    try:
        segment = parse_line(text)
    except InputError:
        return
    assert segment.tokens is not None or segment.lattice is not None


@given(st.lists(st.lists(st.tuples(st.text(min_size=1), st.floats(allow_nan=False), st.just(1)), max_size=3)))
def test_what_a_lattice_takes_it_writes(columns: list[list[tuple[str, float, int]]]) -> None:
    try:
        lattice = Lattice(columns)
    except InputError:
        return
    assert Lattice.from_plf(lattice.plf()) == lattice
