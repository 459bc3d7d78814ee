"""``hopefear explain``."""

from __future__ import annotations

import json
from pathlib import Path

from support.sessions import write_written_system

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


def test_no_text_of_a_page_is_markup(run: Run, toy: Path) -> None:
    attack = "<script>document.title=1</script><img/src=x/onerror=document.title=2>\"'"
    (toy / "grammar").write_text(
        f"[X] ||| la ||| the{attack} ||| {attack}=1\n[X] ||| {attack} ||| a ||| f=1\n"
    )
    (toy / "weights").write_text(f"{attack} 1\n")
    text = f"la {attack} ||| the {attack}\n"
    run("explain", "-c", "cdec.ini", "-w", "weights", "--html", "why.html", "--rival", attack, text=text)
    page = (toy / "why.html").read_text("utf-8")
    assert page.count("&lt;script&gt;") > 5 and "<script" not in page
    assert "<img" not in page


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
    done = run(*given, "la casa", "--input", "in", status=2)
    assert "expected a sentence or --input, got both" in done.stderr


WRITTEN = ("explain", "-c", "cdec.ini", "-w", "weights", "--json")


def test_everything_is_as_written_if_the_sentence_is(run: Run, tmp_path: Path) -> None:
    write_written_system(tmp_path)
    line = "La `casa <x>`_ es ``a b``."
    found = json.loads(run(*WRITTEN, line).stdout)
    best = found["text"]
    assert found["source"] == line and found["complaints"] == []
    assert best[0].isupper() and best.endswith(" ``a b``.") and best.count("`_") == 1
    assert [line[begin:end] for begin, end in found["places"]] == ["La", "casa", "es", "``a b``", "."]
    assert [best[begin:end] for begin, end in found["words"]][3:] == ["``a b``", "."]
    assert [3, 3] in found["alignment"]
    texts = [one["translation"] for one in found["lists"]["k-best"]]
    assert texts[0] == best and all(text.endswith(" ``a b``.") for text in texts)
    nodes = [found["derivation"]]
    for node in nodes:
        nodes += node["children"]
        assert "⟨" not in node["source"] + node["target"] + node["text"]
    piece = next(node for node in nodes if node["source"] == "``a b``")
    assert piece["target"] == piece["text"] == line[slice(*piece["place"])] == "``a b``"


def test_rivals_hope_and_fear_are_as_written(run: Run, tmp_path: Path) -> None:
    write_written_system(tmp_path)
    line = "La `casa <x>`_ es ``a b``."
    own, other = "The `house <x>`_ is ``a b``.", "The `house <x>`_ is ``c``."
    rivals = ("--rival", other, "--rival", "A zebra ``a b``.")
    found = json.loads(run(*WRITTEN, line, "--reference", own, *rivals).stdout)
    assert [(one["name"], one["text"]) for one in found["rivals"]] == [
        ("reference", own),
        ("rival 1", other),
        ("rival 2", "A zebra ``a b``."),
    ]
    comparison = found["rivals"][0]["comparison"]
    assert (comparison["best"]["text"], comparison["reference"]["text"]) == (found["text"], own)
    assert found["rivals"][1]["unknown"] == ["``c``"]
    assert found["rivals"][2]["unknown"] == ["A", "zebra"]
    for name in ("hope", "fear"):
        assert all(one["translation"].endswith(" ``a b``.") for one in found["lists"][name])
    assert found["comparisons"][0]["hope"]["text"] == found["lists"]["hope"][0]["translation"]


def test_a_sentence_of_tokens_stays_one(run: Run, tmp_path: Path) -> None:
    write_written_system(tmp_path)
    tokens = json.loads(run(*WRITTEN, "--tokens", "la casa es ⟨literal⟩ .").stdout)
    assert tokens["text"].endswith(" ⟨literal⟩ .")
    assert [tokens["source"][begin:end] for begin, end in tokens["places"]] == tokens["source"].split()


def test_a_page_as_written(run: Run, tmp_path: Path) -> None:
    write_written_system(tmp_path)
    line = "La casa es ``a b``. ||| The house is ``a b``."
    done = run("explain", "-c", "cdec.ini", "-w", "weights", line, "--html", "why.html")
    assert done.stderr.endswith("why.html: 1 sentence\n")
    page = (tmp_path / "why.html").read_text("utf-8")
    assert ">⟨literal⟩<" not in page and page.count("``a b``") > 5 and "La casa es ``a b``." in page


def test_values_have_no_digits_of_rounding(run: Run, sample: Path) -> None:
    found = json.loads(
        run("explain", "-c", sample / "cdec.ini", "-w", sample / "weights.init", "dijo", "--json").stdout
    )
    numbers = [one[name] for one in found["features"] for name in ("value", "weight", "contribution")]
    assert numbers
    assert all(len(str(abs(number)).replace(".", "").strip("0")) <= 7 for number in numbers)
