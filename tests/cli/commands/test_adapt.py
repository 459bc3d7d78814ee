"""Rules and n-grams from corrections, on a pipe."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
from support.sessions import LIVE, PAIRS
from support.waiting import PATIENCE
from support.world import write_parallel_text

DECODE = ("decode", "-c", "cdec.ini", "-w", "weights", "--learn", "mira", "--set", "C=0.1")
ADAPT = (*DECODE, "--adapt", "rules,lm", "--save-weights", "w")


@pytest.fixture(autouse=True)
def system(tmp_path: Path) -> Path:
    LIVE.write(tmp_path)
    return tmp_path


def test_a_corrected_word_is_known_in_the_next_line(sample, run):
    lines = "y dijo el zorgulo .\ny dijo el zorgulo . ||| and the dragon said .\nel zorgulo .\n"
    command = ("decode", "-c", sample / "cdec.ini", "-w", sample / "weights.init", "--learn", "mira")
    first, second, third = run(*command, "--adapt", "rules,lm", text=lines).stdout.splitlines()
    assert "zorgulo" in first and first == second
    assert "dragon" in third and "zorgulo" not in third
    assert "zorgulo" in run(*command, text=lines).stdout.splitlines()[2]


def test_a_killed_process_loses_no_correction_that_was_answered(system, start, run):
    process = start(*ADAPT, "--save-every", "2")
    assert process.stdin is not None and process.stdout is not None
    for line in PAIRS[:5]:
        process.stdin.write(f"{line}\n")
        process.stdin.flush()
        assert process.stdout.readline()
    process.send_signal(signal.SIGKILL)
    assert process.wait(PATIENCE) == -signal.SIGKILL
    done = run(*ADAPT, "--resume", text="la casa es zorgulo\n")
    assert "resumed after 5 corrections" in done.stderr
    killed = (system / "w").read_text(), done.stdout
    for name in ("w", "w.session", "w.session.journal"):
        (system / name).unlink()
    whole = run(*ADAPT, text="".join(f"{line}\n" for line in [*PAIRS[:5], "la casa es zorgulo"]))
    assert ((system / "w").read_text(), whole.stdout.splitlines(keepends=True)[-1]) == killed


def test_the_session_goes_on_where_it_ended(system, run):
    whole = run(*ADAPT, text="".join(f"{line}\n" for line in PAIRS))
    learned = (system / "w").read_bytes()
    for name in ("w", "w.session", "w.session.journal"):
        (system / name).unlink()
    one = run(*ADAPT, text="".join(f"{line}\n" for line in PAIRS[:3]))
    other = run(*ADAPT, "--resume", text="".join(f"{line}\n" for line in PAIRS[3:]))
    assert one.stdout + other.stdout == whole.stdout
    assert (system / "w").read_bytes() == learned


def test_a_session_is_not_overwritten(system, run):
    run(*ADAPT, text=f"{PAIRS[0]}\n")
    before = (system / "w").read_bytes()
    done = run(*ADAPT, text=f"{PAIRS[1]}\n", status=2)
    assert "w.session: expected a new file, got one that exists" in done.stderr
    assert (system / "w").read_bytes() == before


def test_what_is_forgotten(run):
    lines = ["la casa es zorgulo ||| the house is dragon", "la casa ||| the house", "zorgulo"]
    text = "".join(f"{line}\n" for line in lines)
    assert run(*DECODE, "--adapt", "rules", "--forget", "2", text=text).stdout.splitlines()[-1] == "dragon"
    assert run(*DECODE, "--adapt", "rules", "--forget", "1", text=text).stdout.splitlines()[-1] == "zorgulo"


def test_rules_are_learned_from_a_sentence_without_translation(system, run):
    ini = (system / "cdec.ini").read_text()
    (system / "cdec.ini").write_text(ini.replace("add_pass_through_rules=true\n", ""))
    done = run(*DECODE, "--adapt", "rules", text="zorgulo ||| dragon\nzorgulo\n", status=1)
    assert done.stdout == "\ndragon\n"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--adapt", "rules"), "--adapt needs --learn"),
        (
            ("--learn", "mira", "--adapt", "rules,words"),
            "--adapt: expected rules, lm or both, got 'rules,words'",
        ),
        (("--learn", "mira", "--forget", "5"), "--forget, --resume and --expert need --adapt"),
        (("--learn", "mira", "--adapt", "lm", "--forget", "x"), "--forget: expected a number of corrections"),
        (("--learn", "mira", "--adapt", "lm", "--resume"), "--resume needs --save-weights"),
        (
            ("--learn", "mira", "--adapt", "lm", "--save-weights", "w", "--resume"),
            "w.session: no such file; expected a session to resume",
        ),
    ],
)
def test_options_that_do_not_go_together(run, options, message):
    done = run("decode", "-c", "cdec.ini", "-w", "weights", *options, status=2)
    assert message in done.stderr
    assert not Path("w").exists()


def test_lattices_have_no_rules_from_corrections(run):
    done = run(*DECODE, "--adapt", "rules", text="((('la',0,1),),)\n", status=2)
    assert "standard input:1: expected a sentence, got a lattice" in done.stderr


def test_a_built_system_extracts_rules_from_its_text_and_the_corrections(system, run):
    write_parallel_text(system, 30)
    build = "build -s train.f -t train.e -a train.align -i test.f -o system --discount-fallback --order 2"
    run(*build.split())
    weights = "EgivenFCoherent -1\nLanguageModel 0.1\nPassThrough -9\n"
    (system / "system/weights.init").write_text(weights)
    (system / "system/grammar.gz").unlink()  # not read
    lines = "veo la casa dorada ||| i see the golden house\ntengo la mesa dorada y la casa roja\n"
    command = ("decode", "-c", "system/cdec.ini", "-w", "system/weights.init", "--learn", "mira")
    done = run(*command, "--adapt", "rules", text=lines)
    assert done.stdout.splitlines() == ["i see the dorada house", "i have the golden table and the red house"]
