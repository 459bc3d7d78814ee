"""``hopefear decode`` with forests as input, as ``cdec -f rescore``."""

from __future__ import annotations

from pathlib import Path

from hopefear.cdec import write_forest
from hopefear.decoder import Decoder


def test_forests_are_rescored(toy: Path, run) -> None:
    decoder = Decoder(toy / "cdec.ini", weights=toy / "weights")
    for number, sentence in enumerate(["la casa roja", "la casa"]):
        write_forest(decoder.parse(sentence), toy / f"{number}.bin.gz")
    (toy / "rescore.ini").write_text("formalism=rescore\nfeature_function=WordPenalty\n")
    (toy / "new").write_text("p -1\nWordPenalty 5\n")
    forests = "::forest:: 0.bin.gz\n::forest:: 1.bin.gz\n"
    direct = run("decode", "-c", "cdec.ini", "-w", "new", "-k", 3, text="la casa roja\nla casa\n").stdout
    assert run("decode", "-c", "rescore.ini", "-w", "new", "-k", 3, text=forests).stdout == direct
    done = run("decode", "-c", "rescore.ini", "-w", "new", text="::forest:: 1.bin.gz\nla casa\n", status=2)
    assert done.stderr.endswith(
        "standard input:2: expected ::forest:: FILE, since the formalism is rescore\n"
    )
