"""hopefear text: lines are split, joined and learned from."""

import pytest
from support.command import call

LINES = "Y dijo Dios: «Sea la luz».\r\n\n\ta  b |||\u2028c, (d) ￭ ⟨url⟩\nend".encode()


@pytest.mark.parametrize("language", ["es", "ja", "zh", "pt-BR"])
def test_lines_come_back_byte_for_byte(tmp_path, language):
    split = call(["text", "split", "--language", language], LINES, tmp_path)
    assert split.returncode == 0, split.stderr
    assert split.stdout.count(b"\n") == LINES.count(b"\n")
    joined = call(["text", "join", "--language", language], split.stdout, tmp_path)
    assert joined.stdout == LINES


@pytest.mark.parametrize(
    ("content", "message"),
    [(b"a\n\xff\n", b"standard input:2: expected UTF-8"), (b"a\nb\n\0", b"standard input:3: expected text")],
)
def test_what_is_no_text_is_refused_by_line(tmp_path, content, message):
    done = call(["text", "split", "--language", "en"], content, tmp_path)
    assert done.returncode == 2 and message in done.stderr


def test_what_is_no_language_is_refused(tmp_path):
    done = call(["text", "split", "--language", "english"], b"", tmp_path)
    assert done.returncode == 2 and b"expected the code of a language" in done.stderr


def test_a_system_learns_from_two_texts(tmp_path):
    (tmp_path / "en").write_text("The end.\nIt is the end of ``a``.\n")
    (tmp_path / "es").write_text("El fin.\nEs el fin de ``a``.\n")
    arguments = "-s en -t es --languages en es --profile rst -o text.json"
    done = call(["text", "learn", *arguments.split()], b"", tmp_path)
    assert done.returncode == 0, done.stderr
    from hopefear.text import TextSystem

    system = TextSystem.load(tmp_path / "text.json")
    assert system.reads("The end of ``b``.")[0] == ("the", "end", "of", "⟨literal⟩", ".")


def test_kinds_of_a_file_count_in_learning_and_in_checking(tmp_path):
    (tmp_path / "en").write_text("The end.\nIt is the end of AB-1 by AB-2.\nAB-1\n")
    (tmp_path / "es").write_text("El fin.\nEs el fin de AB-1 por AB-2.\nAB-1\n")
    (tmp_path / "kinds").write_text("ticket = \\b[A-Z]+-\\d+\\b\n")
    arguments = ["-s", "en", "-t", "es", "--kinds", "kinds"]
    done = call(["text", "learn", *arguments, "--languages", "en", "es", "-o", "text.json"], b"", tmp_path)
    assert done.returncode == 0, done.stderr
    from hopefear.text import TextSystem

    tokens, _ = TextSystem.load(tmp_path / "text.json").reads("The end of XY-3.")
    assert tokens == ("the", "end", "of", "⟨ticket⟩", ".")
    done = call(["text", "check", *arguments], b"", tmp_path)
    assert done.returncode == 0 and done.stdout.startswith(b"3 pairs, 3 to learn from")
    (tmp_path / "kinds").write_text("ticket = (\n")
    done = call(["text", "check", *arguments], b"", tmp_path)
    assert done.returncode == 2 and b"kinds:1: expected a regular expression" in done.stderr
