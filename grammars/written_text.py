"""Parallel text as written, made into the tokens of a system."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from hopefear.base.files import written_packed
from hopefear.base.lines import decoded, read_lines
from hopefear.base.progress import progress_bar
from hopefear.text import CaseCounts, Language, Profile, TextSystem
from hopefear.text.pairs import read_pairs
from hopefear.text.profile import NUMBERS, with_other_separators
from hopefear.text.signs import SignCounts, SignForms
from hopefear.text.tokens import CLOSE, OPEN, kind_of, placeholder

from .symmetrisation import Link

_MADE_UP = placeholder("piece")
_NEVER = f"{OPEN}-{CLOSE}"  # no text has it: signs of placeholders are escaped, and none is called so
_OFTEN = 20
"""How often a text must have pieces of a name for them to be a kind of their own."""


_CLEARLY = 4
"""How many times as often numbers must have other separators for this to be their form."""


def learn_text(
    source: Path,
    target: Path,
    languages: tuple[str, str],
    profile: Profile,
    *,
    left_out: Container[int] = (),
    others: bool = False,
) -> TextSystem:
    """Learn what a system must know about text as written from the two sides of parallel text.

    The tokens of other tools, if the system has such, do not say how the text writes signs: this is counted.
    """
    system = TextSystem(Language(languages[0]), Language(languages[1]), profile)
    counts = CaseCounts(), CaseCounts()
    signs = SignCounts()
    changed, names = Counter[str](), Counter[str]()
    numbers = {kind: [0, 0] for kind in NUMBERS}
    for lines in _pairs(source, target, left_out, name="learning case"):
        pair = system.pair(*lines)
        for count, tokens in zip(counts, (pair.source, pair.target), strict=True):
            count.add(tokens)
        if others:
            signs.add(lines[1], [(0, len(lines[1]))], like=lines[0])
        changed.update(pair.changed)
        changed.subtract(pair.kept)
        names.update(pair.names)
        _count_separators(profile, *lines, numbers)
    sides = [Language(code, count.casing()) for code, count in zip(languages, counts, strict=True)]
    translated = frozenset(text for text in changed if changed[text] > 0)
    kinds = frozenset(name for name, count in names.items() if count >= _OFTEN)
    exchanged = frozenset(
        kind for kind, (same, other) in numbers.items() if other >= _OFTEN and other > _CLEARLY * same
    )
    system = replace(
        system, source=sides[0], target=sides[1], translated=translated, kinds=kinds, exchanged=exchanged
    )
    # Where quotations go on in the next line, only corrections tell: the source has them elsewhere.
    forms = replace(signs.forms(SignForms()), unpaired=frozenset[str]())
    return system.of_plain_tokens(forms) if others else system


def _count_separators(profile: Profile, source: str, target: str, counts: dict[str, list[int]]) -> None:
    """Count the numbers of a pair whose translation is the same, and those with commas for points."""
    texts = None
    for piece in profile.pieces(source):
        text = source[piece.begin : piece.end]
        if piece.kind not in counts or with_other_separators(text) == text:
            continue
        if texts is None:
            texts = {target[one.begin : one.end] for one in profile.pieces(target)}
        counts[piece.kind][0] += text in texts
        counts[piece.kind][1] += text not in texts and with_other_separators(text) in texts


def write_tokens(
    system: TextSystem,
    source: Path,
    target: Path,
    outputs: tuple[Path, Path, Path],
    *,
    left_out: Container[int] = (),
) -> None:
    """Write the tokens of both sides of parallel text, and the links of their placeholders."""
    with ExitStack() as stack:
        files = [
            stack.enter_context(
                io.TextIOWrapper(stack.enter_context(written_packed(path, 6)), "utf-8", newline="\n")
            )
            for path in outputs
        ]
        for lines in _pairs(source, target, left_out, name="splitting"):
            pair = system.inside(system.pair(*lines))
            links = (f"{f}-{e}" for f, e in pair.links)
            for file, items in zip(files, (pair.source, pair.target, links), strict=True):
                file.write(" ".join(items) + "\n")


def write_target_tokens(system: TextSystem, text: Path, output: Path) -> None:
    """Write the tokens of text in the target language, whose pieces that stay are placeholders."""
    with written_packed(output, 6) as file, io.TextIOWrapper(file, "utf-8", newline="\n") as out:
        for _, line in progress_bar(read_lines(text), name="splitting"):
            out.write(" ".join(system.model_tokens(line)) + "\n")


def with_fixed_links(
    links: list[Link], fixed: Sequence[Link], sources: Iterable[int] = (), targets: Iterable[int] = ()
) -> list[Link]:
    """Return links in which placeholders are linked with their partners only."""
    alone = [{*sources}, {*targets}]
    for side in (0, 1):
        alone[side] |= {link[side] for link in fixed}
    if not any(alone):
        return links
    return sorted({*fixed, *(link for link in links if link[0] not in alone[0] and link[1] not in alone[1])})


def with_made_up(tokens: Sequence[str], made_up: Container[int]) -> list[str]:
    """Return the tokens of a translation in which pieces that the source has not are placeholders."""
    return [_MADE_UP if n in made_up else token for n, token in enumerate(tokens)]


def of_whole_pieces(
    source: Sequence[str], target: Sequence[str], links: Sequence[Link]
) -> tuple[tuple[str, ...], tuple[Link, ...]]:
    """Return source tokens and links that teach only rules whose placeholders are on both sides.

    A placeholder that is linked with no other of the translation becomes a token that no sentence has. Those
    of the translation that are linked with none of the source are linked with such a token at the end.
    """
    is_piece = [[kind_of(token) is not None for token in side] for side in (source, target)]
    fixed = [(f, e) for f, e in links if is_piece[0][f] and is_piece[1][e]]
    kept, made = {f for f, _ in fixed}, {e for _, e in fixed}
    tokens = tuple(_NEVER if is_piece[0][f] and f not in kept else token for f, token in enumerate(source))
    made_up = [e for e in range(len(target)) if is_piece[1][e] and e not in made]
    if not made_up:
        return tokens, tuple(links)
    return (*tokens, _NEVER), (*links, *((len(source), e) for e in made_up))


def _pairs(source: Path, target: Path, left_out: Container[int], *, name: str) -> Iterator[tuple[str, str]]:
    for number, f, e in read_pairs(source, target, name=name):
        if number not in left_out:
            yield decoded(f, str(source), number), decoded(e, str(target), number)
