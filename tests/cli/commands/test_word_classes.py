from __future__ import annotations

from support.world import configure


def test_classes_that_token_types_read(tmp_path, run, toy):
    (tmp_path / "text").write_text("la casa roja\nla casa\nuna casa roja\nuna mesa roja\nla mesa\n")
    done = run("word-classes", "text", "-o", "classes", "--classes", "3")
    assert done.stdout == ""
    assert done.stderr == "classes: 5 words in 3 classes\n"
    classes = dict(line.split("\t") for line in (tmp_path / "classes").read_text().splitlines())
    assert classes["la"] == classes["una"] and classes["casa"] == classes["mesa"]
    assert len(set(classes.values())) == 3
    configure(toy, "feature_function=RuleSourceBigrams --types class:classes")
    done = run("decode", "-c", "cdec.ini", "-w", "none", "-k", "1", text="casa roja\n")
    assert f"_<class-{classes['casa']}>" in done.stdout


def test_no_words(tmp_path, run):
    (tmp_path / "text").touch()
    done = run("word-classes", "text", "-o", "classes", status=2)
    assert done.stderr == "hopefear: text: expected a text, got no words\n"
    assert not (tmp_path / "classes").exists()


def test_long_lines_are_left_out(tmp_path, run):
    (tmp_path / "text").write_text("la casa\nuna mesa roja\nla mesa\n")
    done = run("word-classes", "text", "-o", "classes", "--max-words", 2)
    message = "hopefear: left out 1 sentence that has more than 2 words (the limit of --max-words)\n"
    assert done.stderr.startswith(message)
    words = {line.split("\t")[0] for line in (tmp_path / "classes").read_text().splitlines()}
    assert words == {"la", "casa", "mesa"}
