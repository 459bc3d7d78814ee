"""``hopefear explain``."""

from __future__ import annotations

import json
from pathlib import Path

from support.small_session import write_written_system

from ..conftest import Run


def test_json_lines_and_page(run: Run, toy: Path) -> None:
    given = ("explain", "-c", "cdec.ini", "-w", "weights")
    text = "la casa\n\nla roja ||| the red\n"
    first, second = map(json.loads, run(*given, "--json", text=text).stdout.splitlines())
    assert first["text"] == "the house"
    assert first["score"] == -2
    assert [one["name"] for one in second["rivals"]] == ["reference"]
    assert run(*given, "--html", "why.html", text=text).stdout == ""
    page = (toy / "why.html").read_text("utf-8")
    assert page.count("<svg") >= 2
    assert "the house" in page
    for outside in ("http:", "https:"):
        assert f'src="{outside}' not in page
        assert f'href="{outside}' not in page


def test_a_sentence_with_rivals(run: Run, toy: Path) -> None:
    given = ("explain", "-c", "cdec.ini", "-w", "weights")
    done = run(*given, "la casa", "--reference", "the home", "--rival", "a zebra")
    assert "score        -2.0000" in done.stdout
    assert "Reference: the home\nIts score is lower by 1.0000." in done.stdout
    assert "No derivation yields it: no rule produces a, zebra." in done.stdout
    (toy / "no_glue.ini").write_text((toy / "cdec.ini").read_text() + "add_pass_through_rules=false\n")
    done = run("explain", "-c", "no_glue.ini", "-w", "weights", "perro", status=1)
    assert "no derivation covers" in done.stderr


def test_bad_input(run: Run, toy: Path) -> None:
    given = ("explain", "-c", "cdec.ini", "-w", "weights")
    assert "expected weights" in run("explain", "-c", "cdec.ini", "la casa", status=2).stderr
    assert "line 1" in run(*given, text="((('a',0.0,1),),\n", status=2).stderr.replace(":1", " line 1")


def test_references_and_rivals_are_as_written_if_the_sentence_is(run: Run, tmp_path: Path) -> None:
    write_written_system(tmp_path)
    given = ("explain", "-c", "cdec.ini", "-w", "weights", "--json", "La casa es ``a``.")
    best = json.loads(run(*given).stdout)["text"]
    assert best.endswith(" ⟨literal⟩ .")
    text = best.replace("⟨literal⟩", "``a``").replace(" .", ".")
    found = json.loads(run(*given, "--reference", text, "--rival", "A zebra ``a``.").stdout)
    assert [(one["name"], one["text"]) for one in found["rivals"]] == [
        ("reference", best),
        ("rival", "A zebra ⟨literal⟩ ."),
    ]
