"""Penn-style trees from the link grammar parser, a separate program."""

from __future__ import annotations

import re
import shutil
import subprocess
import threading
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import accumulate

from hopefear.base import InputError
from hopefear.base.texts import BLANK, split_lines
from hopefear.plugins import Constituent, parse_tree
from hopefear.plugins.trees import format_tree

PROGRAM = "link-parser"
NO_TREE = "()"
_MOST_WORDS = 250  # the parser's limit is 254 with its walls
_MOST_BYTES = 2000  # a longer line crashes the parser
_CLITIC = re.compile(r"['’](?:s|m|d|t|re|ve|ll)|n['’]t", re.IGNORECASE)
_I = re.compile(r"^i(?=$|['’])")
_BRACES = str.maketrans("([{)]}", "{{{}}}")  # brackets in the parser's output
_MARK = re.compile(r"[.{}]")  # begins what the parser appends to a word


class LinkParser:
    """The link grammar parser with one dictionary."""

    def __init__(self, dictionary: str = "en", *, timeout: int = 10) -> None:
        program = shutil.which(PROGRAM)
        if program is None:
            raise InputError(
                f"trees need the program {PROGRAM}, which is not on the PATH: install the link grammar "
                "parser; on Debian and Ubuntu: apt-get install link-grammar"
            )
        self._command = [
            program, dictionary, "-constituents=3", "-graphics=0", "-links=0", "-echo=1", "-spell=0",
            "-verbosity=0", f"-timeout={timeout}",
        ]  # fmt: skip
        trial = subprocess.run(self._command, input=b"", capture_output=True, check=False)
        if trial.returncode:
            said = split_lines(trial.stderr.decode(errors="replace").strip(BLANK))
            raise InputError(
                f"{PROGRAM} does not start with dictionary {dictionary!r} (English: en; others are separate "
                f"packages): {said[-1] if said else f'exit status {trial.returncode}'}"
            )

    def trees(self, sentences: Sequence[Sequence[str]]) -> Iterator[str]:
        """Parse sentences; give a tree as text for each, over the given tokens."""
        texts = [_text(tokens) for tokens in sentences]
        answers = self._answers([text for text in texts if text])
        for tokens, text in zip(sentences, texts, strict=True):
            if not tokens:
                yield ""
            else:
                yield _tree(next(answers), tokens) if text else NO_TREE

    def _answers(self, texts: list[str]) -> Iterator[str]:
        """Yield an answer for each text; start the program again after a text that crashed it."""
        while texts:
            answered = 0
            for answer in self._run(texts):
                answered += 1
                yield answer
            if answered < len(texts):
                yield ""
            texts = texts[answered + 1 :]

    def _run(self, texts: list[str]) -> Iterator[str]:
        """Yield the answers of one process until it ends.

        The program echoes a text before it answers. Each text begins with a space, and no answer does.
        """
        process = subprocess.Popen(
            self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C must not reach the program
        )
        feeder = threading.Thread(target=_feed, args=(process, texts), daemon=True)
        feeder.start()
        assert process.stdout is not None
        answered, answer = -1, ""  # before the first echo the program prints its settings
        try:
            for raw in process.stdout:
                line = raw.decode(errors="replace").rstrip("\n")
                if line.startswith(" "):
                    if answered >= 0:
                        yield answer
                    answered, answer = answered + 1, ""
                elif line.startswith("("):
                    answer = answer or line
            if answered >= 0 and (answer or process.wait() == 0):
                yield answer
        finally:
            process.kill()
            process.wait()
            feeder.join()
            process.stdout.close()


def _feed(process: subprocess.Popen[bytes], texts: list[str]) -> None:
    assert process.stdin is not None
    with suppress(BrokenPipeError), process.stdin as lines:
        lines.writelines(f"{text}\n".encode() for text in texts)


def _text(tokens: Sequence[str]) -> str:
    """Write a sentence for the parser: clitics joined to their words, I as I; empty if too long."""
    text = ""
    for token in tokens:
        joined = bool(_CLITIC.fullmatch(token)) and text[-1:].isalnum()
        text += ("" if joined else " ") + _I.sub("I", token)
    return text if len(tokens) <= _MOST_WORDS and len(text.encode()) <= _MOST_BYTES else ""


def _tree(answer: str, tokens: Sequence[str]) -> str:
    """Map the constituents of an answer to tokens: a token belongs to the constituent of its first character.

    The parser's trees may end early; the tokens after the end belong to the root only.
    """
    try:
        parsed = parse_tree(answer)
    except InputError:
        return NO_TREE
    pieces = [re.sub(r"\s", "", token) for token in tokens]
    text = "".join(pieces)
    starts = list(accumulate((len(piece) for piece in pieces), initial=0))
    borders = [0]  # of the parser's words, in characters
    for word in parsed.tokens:
        borders.append(_behind(word, text, borders[-1], starts))
        if borders[-1] < 0:
            return NO_TREE
    place = [bisect_left(starts, border) for border in borders]
    constituents = [
        Constituent(label, place[begin], place[end])
        for label, begin, end in parsed.constituents
        if place[begin] < place[end]
    ]
    if not constituents:
        return NO_TREE
    root = Constituent(constituents[0].label, 0, len(tokens))
    return format_tree(tokens, [root, *constituents[1:]])


def _behind(word: str, text: str, begin: int, starts: Sequence[int]) -> int:
    """Find where a word of the parser ends in the text; -1 if the word is not there.

    The parser writes unlinked words in braces, and appends marks to words after a dot or in braces. A text
    can look like such a mark (3.5, time . now); an end that is also the end of a token is preferred.
    """
    unlinked = [word[1:-1]] if len(word) > 2 and word[0] == "{" and word[-1] == "}" else []
    ends = []
    for whole in (word, *unlinked):
        lengths = [len(whole), *(match.start() for match in reversed(list(_MARK.finditer(whole, 1))))]
        ends += [begin + n for n in lengths if _same(whole[:n], text[begin : begin + n])]
    return next((end for end in ends if end in starts), ends[0] if ends else -1)


def _same(word: str, text: str) -> bool:
    return word.lower() == text.translate(_BRACES).lower()
