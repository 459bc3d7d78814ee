"""Sets of sentences that are held out of a parallel text, to tune and to test on."""

from __future__ import annotations

import shutil
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from hopefear.base import InputError
from hopefear.base.files import written_whole
from hopefear.base.lines import read_texts

REST = "rest"
"""The folder of the lines that are in no set, to build a system from."""

_NOWHERE = "nowhere"


def hold_out(
    files: Sequence[Path], sizes: Mapping[str, int], output: Path, *, block: int, gap: int, seed: int
) -> dict[str, int]:
    """Write a folder for each set, and one for the rest, with these lines of all files; count their lines.

    The lines of all files belong together. The folders appear once all are complete.
    """
    texts = [read_texts(file) for file in files]
    for file, text in zip(files, texts, strict=True):
        if len(text) != len(texts[0]):
            raise InputError(f"expected {len(texts[0])} lines, as {files[0]} has, got {len(text)}", path=file)
    names = [file.name.removesuffix(".gz") for file in files]
    if len({*names}) < len(names):
        raise InputError(f"expected files of different names, got {', '.join(names)}")
    folders = divide(texts[:2], sizes, block=block, gap=gap, seed=seed)
    part = output.with_name(f".{output.name}.part")
    shutil.rmtree(part, ignore_errors=True)
    for folder, lines in folders.items():
        (part / folder).mkdir(parents=True)
        for name, text in zip(names, texts, strict=True):
            with written_whole(part / folder / name) as path:
                path.write_text("".join(f"{text[line]}\n" for line in lines), "utf-8")
    part.rename(output)
    return {folder: len(lines) for folder, lines in folders.items()}


def divide(
    texts: Sequence[Sequence[str]], sizes: Mapping[str, int], *, block: int, gap: int, seed: int
) -> dict[str, list[int]]:
    """Draw the lines of each set, and list those of the rest.

    A set has whole blocks of consecutive lines, but for its last block. No line near a set is elsewhere: none
    of the `gap` lines before and after a block, and none with the same sentence in one of the texts.
    """
    count = len(texts[0])
    blocks = np.random.default_rng([seed, count]).permutation(-(-count // block)).tolist()
    same = [defaultdict[str, list[int]](list) for _ in texts]
    for lines, text in zip(same, texts, strict=True):
        for number, sentence in enumerate(text):
            lines[sentence].append(number)
    owner: dict[int, str] = {}
    drawn: dict[str, list[int]] = {}
    for name, size in sizes.items():
        chosen = drawn.setdefault(name, [])
        while len(chosen) < size:
            if not blocks:
                raise InputError(f"expected a text for {size} sentences of {name}, got {len(chosen)}")
            first = blocks.pop() * block
            own = [line for line in range(first, min(first + block, count)) if line not in owner]
            own = own[: size - len(chosen)]
            owner.update(dict.fromkeys(own, name))
            chosen += own
            near = [*range(max(0, first - gap), min(first + block + gap, count))] if own else []
            for lines, text in zip(same, texts, strict=True):
                near += [other for line in own for other in lines[text[line]]]
            for line in near:
                owner.setdefault(line, _NOWHERE)
        chosen.sort()
    return drawn | {REST: [line for line in range(count) if line not in owner]}
