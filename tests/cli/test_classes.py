from __future__ import annotations

from support.small_parallel_text import write_parallel_text

from hopefear.plugins.word_classes import read_classes


def test_classes_are_features(tmp_path, run):
    write_parallel_text(tmp_path, 40)
    done = run("classes", "-s", "train.e", "-s", "test.e", "-o", "classes", "--number", 6)
    assert done.stderr.startswith("15 words in 6 classes after ")
    found = read_classes(tmp_path / "classes")
    assert len(found) == 15
    assert len({found[word] for word in ("house", "table", "door", "chair", "street")}) == 1
    (tmp_path / "grammar").write_text("[X] ||| casa ||| house ||| p=1\n")
    (tmp_path / "cdec.ini").write_text("formalism=scfg\ngrammar=grammar\n")
    feature = "TargetNgrams --order 1 --types class:classes"
    shown = run("decode", "-c", "cdec.ini", "-w", "none", "--feature", feature, "-k", 1, text="casa\n")
    assert f"U:<class-{found['house']}>=1" in shown.stdout


def test_wrong_texts_are_named(tmp_path, run):
    (tmp_path / "text").write_text("a b\n")
    done = run("classes", "-s", "text", "-o", "classes", status=2)
    assert done.stderr == "hopefear: text: expected at least 50 different words, one for each class, got 2\n"
    assert "none: " in run("classes", "-s", "none", "-o", "classes", status=2).stderr
    assert not (tmp_path / "classes").exists()
