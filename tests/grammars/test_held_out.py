from __future__ import annotations

from pathlib import Path

import pytest

from hopefear.base import InputError
from hopefear.grammars.held_out import REST, divide, hold_out

SIZES = {"dev": 10, "test": 25}


def sentences(count: int) -> list[list[str]]:
    return [[f"{side} {line}" for line in range(count)] for side in ("source", "target")]


def test_sets_are_blocks_and_no_line_near_them_is_elsewhere():
    drawn = divide(sentences(200), SIZES, block=5, gap=2, seed=1)
    assert {name: len(lines) for name, lines in drawn.items() if name != REST} == SIZES
    owner = {line: name for name, lines in drawn.items() for line in lines}
    for line, name in owner.items():
        assert all(owner.get(near, name) == name for near in (line - 2, line - 1, line + 1, line + 2))
    assert all(len([line for line in drawn["dev"] if line // 5 == at]) in (0, 5) for at in range(40))
    assert 0 < len(drawn[REST]) < 200 - 35


def test_the_same_sentence_is_not_in_two_sets():
    source, target = sentences(90)
    source[45:] = source[:45]
    target[80:] = target[:10]
    drawn = divide([source, target], SIZES, block=1, gap=0, seed=0)
    for text in (source, target):
        seen = [{text[line] for line in lines} for lines in drawn.values()]
        assert sum(map(len, seen)) == len(set().union(*seen))


def test_a_seed_draws_the_same_sets_again():
    first, again, other = (divide(sentences(100), SIZES, block=1, gap=0, seed=seed) for seed in (3, 3, 4))
    assert first == again != other


def test_a_text_that_is_too_short():
    with pytest.raises(InputError, match="expected a text for 25 sentences of test, got 20"):
        divide(sentences(30), SIZES, block=1, gap=0, seed=0)


def test_all_files_have_the_same_lines(tmp_path):
    files = [tmp_path / name for name in ("f", "e", "trees")]
    for file in files:
        file.write_text("".join(f"{file.name} {line}\n" for line in range(50)))
    counts = hold_out(files, SIZES, tmp_path / "cut", block=1, gap=0, seed=0)
    assert counts == {"dev": 10, "test": 25, "rest": 15}
    for folder in counts:
        lines = [(tmp_path / "cut" / folder / file.name).read_text().splitlines() for file in files]
        numbers = [[line.partition(" ")[2] for line in text] for text in lines]
        assert numbers[0] == numbers[1] == numbers[2]
    files[2].write_text("short\n")
    with pytest.raises(InputError, match=r"trees: expected 50 lines, as .*f has, got 1"):
        hold_out(files, SIZES, tmp_path / "none", block=1, gap=0, seed=0)
    assert not Path(tmp_path / "none").exists()
