"""The n-gram model that a joint model is compared with, by KenLM."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.world import World, write_parallel_text

from hopefear.grammars.ngram_files import estimate_arpa
from hopefear.tuners.joint.ngram_perplexity import ngram_perplexity


@pytest.mark.parametrize("order", [2, 4])
def test_the_perplexity_is_kenlms(tmp_path: Path, order: int) -> None:
    write_parallel_text(tmp_path, 40)
    text = [line.split() for line in (tmp_path / "train.e").read_text().splitlines()]
    held_out = [line.split() for line in (tmp_path / "test.e").read_text().splitlines()]
    known = {word for words in text for word in words} - {"red"}
    renamed = [" ".join(word if word in known else "other" for word in words) for words in text]
    (tmp_path / "renamed").write_text("\n".join(renamed) + "\n")
    estimate_arpa([tmp_path / "renamed"], order, tmp_path / "lm", fallback=(0.5, 1, 1.5), use="ours")
    lines = ["add_pass_through_rules=true", "feature_function=KLanguageModel lm"]
    decoder = World(lines=lines, weights={"LanguageModel": 1.0}).decoder(tmp_path)
    log10, count = 0.0, 0
    for words in held_out:
        sentence = " ".join(word if word in known else "other" for word in words)
        log10 += decoder.translate(sentence).viterbi_features()["LanguageModel"]
        count += len(words) + 1
    assert ngram_perplexity(text, held_out, order, known) == pytest.approx(10 ** (-log10 / count), rel=1e-4)
