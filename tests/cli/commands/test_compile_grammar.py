from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from support import world
from support.compiled_files import sections

SOURCE = "la casa roja\nla casa\n"
NAMED = ("decode", "-c", "cdec.ini", "-w", "weights", "-k", 20)


@pytest.fixture
def compiled(toy: Path, run) -> Path:
    done = run("compile-grammar", "grammar", "-o", "grammar.hfg")
    assert done.stdout == "" and done.stderr == "grammar.hfg: 8 rules\n"
    return toy


def name(folder: Path, grammar: str) -> None:
    ini = folder / "cdec.ini"
    ini.write_text(ini.read_text().replace("grammar=grammar\n", f"grammar={grammar}\n"))


def test_a_cdec_ini_names_it(compiled: Path, run) -> None:
    text = run(*NAMED, text=SOURCE).stdout
    (compiled / "grammar").unlink()
    name(compiled, "grammar.hfg")
    assert run(*NAMED, text=SOURCE).stdout == text
    assert "the home" in text


def test_pycdec_reads_it(compiled: Path) -> None:
    from hopefear import pycdec

    lists = []
    for grammar in ("grammar", "grammar.hfg"):
        ours = pycdec.Decoder(f"formalism=scfg\ngrammar={compiled / grammar}\n")
        ours.read_weights(str(compiled / "weights"))
        forest = ours.translate("la casa roja")
        lists.append([*zip(forest.kbest(10), map(dict, forest.kbest_features(10)), strict=True)])
    assert lists[0] == lists[1] and lists[0]


def test_the_whole_file_is_checked(compiled: Path, run) -> None:
    done = run("compile-grammar", "--check", "grammar.hfg")
    assert done.stderr == "grammar.hfg: as it was written\n"
    content = bytearray((compiled / "grammar.hfg").read_bytes())
    content[-1] ^= 1
    (compiled / "grammar.hfg").write_bytes(content)
    done = run("compile-grammar", "--check", "grammar.hfg", status=2)
    assert done.stderr == (
        "hopefear: grammar.hfg: expected a compiled grammar with the checksum of block 0 of its rules,"
        " got a damaged file: compile the grammar again\n"
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("grammar", "-o", "compiled"), "compiled: expected a name that ends in .hfg"),
        (("nothing", "-o", "new.hfg"), "nothing: cannot be opened: No such file or directory"),
        (("cdec.ini", "-o", "new.hfg"), "cdec.ini:1: expected '[LHS] ||| source ||| target"),
        (("grammar", "-o", "no/new.hfg"), "no/new.hfg: No such file or directory"),
        (("grammar",), "expected either --output or --check"),
        (("--check", "grammar"), "grammar: expected a compiled grammar, got another file"),
        (("grammar.hfg", "-o", "new.hfg"), "grammar.hfg:1: expected"),
    ],
)
def test_what_is_refused(compiled: Path, run, arguments: Sequence[str], message: str) -> None:
    done = run("compile-grammar", *arguments, status=2)
    assert message in done.stderr
    assert not (compiled / "new.hfg").exists()


def test_rules_that_are_not_needed_are_not_read(compiled: Path, run) -> None:
    """Damage in one block of rules is found by the sentence that needs a rule of it."""
    other = "".join(world.rule(f"word{n}", "word", "p=1") for n in range(3000))
    (compiled / "grammar").write_text(world.COSTS + other)
    run("compile-grammar", "grammar", "-o", "grammar.hfg")
    name(compiled, "grammar.hfg")
    good = run(*NAMED, text=SOURCE).stdout
    content = (compiled / "grammar.hfg").read_bytes()
    targets = sections(content)[16]
    middle = content.index(targets) + len(targets) // 2  # the first rules and the last ones are needed
    damaged = content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]
    (compiled / "grammar.hfg").write_bytes(damaged)
    assert run(*NAMED, text=SOURCE).stdout == good
    assert "checksum of block 1 of its rules" in run(*NAMED, text="word1500\n", status=2).stderr
