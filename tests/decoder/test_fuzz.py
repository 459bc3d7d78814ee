"""Text readers in Python: two million bytes of damaged text each; only InputError may come."""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable

import pytest
from fuzz.mutator import Mutator
from hypothesis import given
from hypothesis import strategies as st

from hopefear import InputError, Lattice
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
    mutator = Mutator(random.Random(name))
    read(valid)
    size = refused = inputs = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)  # Python's own of escapes in literals
        warnings.simplefilter("ignore", DeprecationWarning)
        while size < BYTES:
            damaged = mutator(valid.encode())
            text = damaged.decode("utf-8", "surrogateescape")
            size += len(damaged)
            inputs += 1
            try:
                read(text)
            except InputError as error:
                refused += 1
                assert str(error)
    assert 0 < refused < inputs


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
