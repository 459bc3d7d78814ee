"""Bad input: each case gives one error that says where it is and what was expected."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from support.bad_input_cases import CASES, CLASSES, ELSEWHERE, INI, SYNTAX, Case
from support.command import call

from hopefear import Decoder, InputError
from hopefear.plugins import annotate
from hopefear.plugins.corpus import read_corpus


def use(folder: Path) -> None:
    """Do with a set-up what a user does."""
    decoder = Decoder(folder / "cdec.ini", weights=folder / "weights")
    kinds = ("trees", "conllu", "tags", "classes")
    annotations = {kind: path for kind in kinds if (path := folder / f"in.{kind}").exists()}
    corpus = read_corpus(folder / "in", [folder / "reference"])
    for segment in annotate(corpus, **annotations):
        decoder.translate(segment).viterbi()


def check_message(case: Case, folder: Path, message: str) -> None:
    """See that it names the file, and the line where that makes sense, and says what was expected."""
    name = re.escape(ELSEWHERE.get(case.name, case.file))
    line = {None: r"(:\d+)?", -1: r":\d+"}.get(case.line, f":{case.line}")
    assert re.search(rf"(^|/|\s){name}{line}: ", message), message
    assert case.expected in message


def test_the_good_set_up_is_taken(tmp_path: Path) -> None:
    for ini in (INI, SYNTAX, CLASSES):
        folder = tmp_path / str(len(list(tmp_path.iterdir())))
        folder.mkdir()
        Case("good", "cdec.ini", ini, None, "").write(folder)
        use(folder)


def test_there_are_enough_cases() -> None:
    assert len({case.name for case in CASES}) == len(CASES) >= 60


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_bad_input_is_refused(case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    case.write(tmp_path)
    with pytest.raises(InputError) as caught:
        use(tmp_path)
    check_message(case, tmp_path, str(caught.value))


COMMAND_LINE = (
    "no ini, unknown option, unknown function, unknown argument, two fields, truncated gz, name alone, "
    "truncated gz model, class map fields, open bracket, open seg, arc leaves, input not UTF-8"
)


@pytest.mark.parametrize("name", COMMAND_LINE.split(", "))
def test_the_command_line_ends_with_one_message(name: str, tmp_path: Path) -> None:
    case = next(case for case in CASES if case.name == name)
    case.write(tmp_path)
    done = call(["decode", "-c", "cdec.ini", "-w", "weights", "-i", "in"], b"", tmp_path)
    error = done.stderr.decode()
    assert done.returncode > 0
    assert "Traceback" not in error
    check_message(case, tmp_path, error)


ARGUMENTS: dict[str, tuple[Callable[[Decoder], object], str]] = {
    "grammar of a call": (
        lambda d: d.translate("la", grammar="[X] ||| la\n"),
        "the sentence's grammar:1: expected",
    ),
    "lattice of a call": (lambda d: d.translate("(((1,),),)"), "expected an arc"),
    "surrogate": (lambda d: d.translate("la \ud800"), "surrogate"),
    "options and configuration": (lambda d: Decoder("formalism=scfg\n", formalism="scfg"), "got both"),
    "option by name": (lambda d: Decoder(formalism="scfg", pop_limit=3), "unknown option 'pop_limit'"),
    "uncovered words": (lambda d: d.translate("nunca"), "no derivation covers"),
    "reference out of reach": (lambda d: d.translate("la", reference="a house"), "yields its reference"),
}


@pytest.mark.parametrize("name", ARGUMENTS)
def test_bad_arguments_are_refused(name: str, tmp_path: Path) -> None:
    Case("good", "cdec.ini", INI, None, "").write(tmp_path)
    call, expected = ARGUMENTS[name]
    with pytest.raises(InputError, match=re.escape(expected)):
        call(Decoder(tmp_path / "cdec.ini"))
