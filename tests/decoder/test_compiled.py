"""Compiled grammars: the same translations, memory that processes share, and damage."""

from __future__ import annotations

import os
import re
import shutil
import struct
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from support import other_process, world
from support.compiled_files import BLOCKS, RULES, sections, whole

from hopefear.base import InputError
from hopefear.decoder import Decoder, Hypergraph, read_config
from hopefear.decoder.compiled import CACHE, check_compiled, compile_grammars

GRAMMAR = world.grammar("la", "casa", "verde", "es", "la casa", "casa verde") + (
    "[X] ||| casa [X,1] ||| [1] house ||| Swap=1 ||| 0-1\n"
    "[X] ||| [X,1] es [X,2] ||| [1] is [2] ||| Right=0.5 ||| 1-1\n"
    "[NP] ||| la [X,1] ||| the [1] ||| Noun=-0.25 Right=1 ||| 0-0\n"
    "[X] ||| [NP,1] ||| [1] ||| 0.125 Noun=2\n"
    "[X] ||| nada ||| ||| Right=1\n"
)
OTHER = "[X] ||| la muy casa ||| that very house ||| Other=1\n[VP] ||| muy ||| very ||| Right=1\n"
SENTENCES = ("la casa verde", "la casa es verde", "casa es la casa nada", "la muy casa ajena")
INI = "formalism=scfg\n{grammars}add_pass_through_rules=true\n"
INI += "feature_function=WordPenalty\nfeature_function=KLanguageModel lm.arpa\n"
WEIGHTS = {"Right": 1.0, "Wrong": -1.0, "Noun": 0.5, "Swap": 0.3, "Other": 2.0, "PhraseModel_0": 1.0}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "grammar").write_text(GRAMMAR)
    (tmp_path / "other").write_text(OTHER)
    (tmp_path / "lm.arpa").write_text(world.ARPA)
    compile_grammars([tmp_path / "grammar"], tmp_path / "grammar.hfg")
    compile_grammars([tmp_path / "other"], tmp_path / "other.hfg")
    return tmp_path


def decoder(folder: Path, *grammars: str, share: bool = False) -> Decoder:
    """Make a decoder whose cdec.ini names these grammars."""
    lines = "".join(f"grammar={grammar}\n" for grammar in grammars)
    (folder / "cdec.ini").write_text(INI.format(grammars=lines))
    return Decoder(replace(read_config(folder / "cdec.ini"), share_grammars=share), weights=WEIGHTS)


def listed(forest: Hypergraph, k: int) -> list[object]:
    return [(forest.score(d), forest.text(d), forest.features(d)) for d in forest.derivations(k)]


def found(decoder: Decoder) -> list[object]:
    """Return all that there is to say of the translations, in its order."""
    answers: list[object] = [[name for name, _ in decoder.weights]]
    for sentence in SENTENCES:
        forest = decoder.translate(sentence)
        edges = range(len(forest.edges))
        answers.append([(forest.rule(e), forest.edges.span[e].tolist()) for e in edges])
        answers.append(listed(forest, 50))
    return answers


def test_it_gives_what_the_text_gives(folder: Path) -> None:
    assert found(decoder(folder, "grammar.hfg")) == found(decoder(folder, "grammar"))


def test_grammars_compiled_together_are_one(folder: Path) -> None:
    compile_grammars([folder / "grammar", folder / "other"], folder / "both.hfg")
    assert found(decoder(folder, "both.hfg")) == found(decoder(folder, "grammar", "other"))


@pytest.mark.parametrize(
    "grammars", [("grammar.hfg", "other"), ("other", "grammar.hfg"), ("other.hfg", "grammar.hfg")]
)
def test_beside_other_grammars(folder: Path, grammars: tuple[str, ...]) -> None:
    mixed, texts = decoder(folder, *grammars), decoder(folder, "grammar", "other")
    for sentence in SENTENCES:
        ours, theirs = mixed.translate(sentence), texts.translate(sentence)
        lists = [{(round(f.score(d), 9), f.text(d)) for d in f.derivations(10_000)} for f in (ours, theirs)]
        assert lists[0] == lists[1]
        assert len(ours.edges) == len(theirs.edges)


PRIVATE = """
import re, sys
from pathlib import Path
from hopefear.decoder import Decoder
def private():
    text = Path("/proc/self/smaps_rollup").read_text()
    return sum(map(int, re.findall(r"^Private_\\w+: +(\\d+) kB", text, re.M)))
def opened(path):
    return Decoder(formalism="scfg", grammar=path, feature_function=["WordPenalty"])
kept = [opened(sys.argv[1])]
for path in sys.argv[2:]:
    before = private()
    kept.append(opened(path))
    print(private() - before)
"""


@pytest.mark.skipif(not Path("/proc/self/smaps_rollup").exists(), reason="this system does not count memory")
def test_it_costs_no_memory_of_the_process(folder: Path) -> None:
    rules = (
        f"[X] ||| w{i % 50} v{i // 50} ||| t{i % 70} u{i % 90} ||| a=1 b={i} c=3\n" for i in range(90_000)
    )
    (folder / "large").write_text("".join(rules))
    compile_grammars([folder / "large"], folder / "large.hfg")
    size = (folder / "large.hfg").stat().st_size >> 10

    grammars = [folder / name for name in ("grammar.hfg", "large.hfg", "large")]
    done = subprocess.run(
        [sys.executable, "-c", PRIVATE, *grammars], capture_output=True, text=True, check=True
    )
    mapped, read = map(int, done.stdout.split())
    assert mapped < size / 4 < size < read


def test_a_file_that_is_replaced_stays_open(folder: Path) -> None:
    ours = decoder(folder, "grammar.hfg")
    compile_grammars([folder / "other"], folder / "grammar.hfg")
    theirs = decoder(folder, "grammar")
    assert ours.translate(SENTENCES[0]).viterbi() == theirs.translate(SENTENCES[0]).viterbi()


def test_the_name_of_the_output_is_checked(folder: Path) -> None:
    with pytest.raises(InputError, match=r"compiled: expected a name that ends in \.hfg"):
        compile_grammars([folder / "grammar"], folder / "compiled")


def test_a_wrong_text_writes_nothing(folder: Path) -> None:
    (folder / "wrong").write_text(GRAMMAR + "[X] ||| a\n")
    with pytest.raises(InputError, match=r"wrong:\d+: expected '\[LHS\]"):
        compile_grammars([folder / "wrong"], folder / "new.hfg")
    assert not (folder / "new.hfg").exists()


def other_version(content: bytes) -> bytes:
    return content[:16] + struct.pack("<I", 99) + content[20:]


def other_order(content: bytes) -> bytes:
    return content[:20] + content[20:24][::-1] + content[24:]


CUT = r"expected a compiled grammar of \d+ bytes"
DAMAGE: list[tuple[Callable[[bytes], bytes], str]] = [
    (lambda content: b"", "expected a compiled grammar, got another file"),
    (lambda content: GRAMMAR.encode(), "expected a compiled grammar, got another file"),
    (lambda content: content[:100], rf"{CUT}, got 100: the file is cut short"),
    (lambda content: content[:-1], rf"{CUT}, got \d+: the file is cut short"),
    (
        lambda content: content + b"x",
        "expected a compiled grammar with the checksum of its header, got a damaged file",
    ),
    (other_version, "expected a compiled grammar of version 1, got version 99: compile the grammar again"),
    (other_order, "expected a compiled grammar of version 1, got another byte order"),
]


@pytest.mark.parametrize(("damage", "message"), DAMAGE)
def test_a_damaged_file_is_refused_when_it_is_opened(
    folder: Path, damage: Callable[[bytes], bytes], message: str
) -> None:
    path = folder / "grammar.hfg"
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(InputError, match=rf"cdec.ini:2: {re.escape(os.fspath(path))}: {message}"):
        decoder(folder, "grammar.hfg")


def test_every_byte_of_a_file_is_checked(folder: Path) -> None:
    """A changed byte is padding, or is found when the file is opened or when its rules are first used."""
    path = folder / "grammar.hfg"
    content = path.read_bytes()
    good = found(decoder(folder, "grammar"))
    refused = 0
    for place in range(0, len(content), 23):
        path.write_bytes(content[:place] + bytes([content[place] ^ 0x10]) + content[place + 1 :])
        try:
            assert found(decoder(folder, "grammar.hfg")) == good
        except InputError as error:
            refused += 1
            assert error.path is not None and "compiled grammar" in str(error)
            with pytest.raises(InputError, match="expected a compiled grammar"):
                check_compiled(path)
    assert refused > len(content) / 23 / 2


@pytest.mark.parametrize("number", [0, 2, 4, 5, 6, 7, 8, 9, *RULES])
@pytest.mark.parametrize("value", [0x7FC00000, 0xFFFFFFFE, 2**31 - 1])
def test_numbers_that_lead_out_of_the_file_are_refused_with_right_checksums(
    folder: Path, number: int, value: int
) -> None:
    path = folder / "grammar.hfg"
    parts = sections(path.read_bytes())
    assert len(parts[BLOCKS]) == 4
    parts[number] = (struct.pack("<I", value) * len(parts[number]))[: len(parts[number])]
    path.write_bytes(whole(path.read_bytes(), parts))
    with pytest.raises(InputError, match=r"grammar\.hfg: expected a compiled grammar with"):
        check_compiled(path)
    with pytest.raises(InputError, match=r"grammar\.hfg: expected a compiled grammar with"):
        decoder(folder, "grammar.hfg").translate("la casa verde")


def test_the_tool_that_keeps_checksums_right_changes_nothing_else(folder: Path) -> None:
    content = (folder / "grammar.hfg").read_bytes()
    assert whole(content, sections(content)) == content


@pytest.fixture
def copies(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder for the copies that processes share."""
    monkeypatch.setenv(CACHE, str(folder / "copies"))
    return folder / "copies"


def test_replicas_share_a_copy_of_text_grammars(folder: Path, copies: Path) -> None:
    original = decoder(folder, "grammar", "other")
    assert not copies.exists()  # nobody else needs it so far
    expected = other_process.translated(original, WEIGHTS, SENTENCES[1])
    assert other_process.elsewhere(other_process.translated, original, WEIGHTS, SENTENCES[1]) == expected
    (copy,) = copies.glob("*.hfg")
    check_compiled(copy)
    made = copy.stat()
    assert other_process.elsewhere(other_process.translated, original, WEIGHTS, SENTENCES[1]) == expected
    assert [*copies.glob("*.hfg")] == [copy] and copy.stat().st_mtime_ns == made.st_mtime_ns


sharing = partial(decoder, share=True)


def test_a_changed_text_has_a_new_copy(folder: Path, copies: Path) -> None:
    first = sharing(folder, "grammar")
    (folder / "grammar").write_text(OTHER)
    second = sharing(folder, "grammar")
    assert len([*copies.glob("*.hfg")]) == 2
    assert first.translate("la casa").viterbi() == "the house"
    assert second.translate("la muy casa").viterbi() == "that very house"


def test_a_copy_that_was_begun_at_the_same_time_is_waited_for(folder: Path, copies: Path) -> None:
    ours = sharing(folder, "grammar")
    shutil.rmtree(copies)
    with ThreadPoolExecutor(4) as threads:
        answers = [*threads.map(lambda _: found(Decoder(ours.config, weights=WEIGHTS)), range(4))]
    assert answers == [found(decoder(folder, "grammar"))] * 4
    assert len([*copies.glob("*.hfg")]) == 1


def test_compiled_grammars_and_pipes_have_no_copy(folder: Path, copies: Path) -> None:
    assert found(sharing(folder, "grammar.hfg")) == found(decoder(folder, "grammar"))
    os.mkfifo(folder / "pipe")
    with ThreadPoolExecutor(1) as thread:
        written = thread.submit((folder / "pipe").write_text, GRAMMAR)
        assert found(sharing(folder, "pipe")) == found(decoder(folder, "grammar"))
        written.result()
    assert not [*copies.glob("*.hfg")]


def test_without_a_folder_for_copies_the_text_is_read(folder: Path, copies: Path) -> None:
    copies.write_text("no folder")
    assert found(sharing(folder, "grammar")) == found(decoder(folder, "grammar"))


def test_an_error_in_the_text_is_named_as_ever(folder: Path, copies: Path) -> None:
    (folder / "grammar").write_text(GRAMMAR + "[X] ||| a\n")
    for share in (False, True):
        with pytest.raises(InputError, match=rf"grammar:{GRAMMAR.count(chr(10)) + 1}: expected"):
            decoder(folder, "grammar", share=share)
