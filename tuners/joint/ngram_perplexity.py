"""The perplexity of an n-gram model, to compare with: estimated from the same text, with the same words."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from hopefear.base.lines import each_line
from hopefear.grammars.ngram_files import estimate_arpa

_FALLBACK = (0.5, 1.0, 1.5)
_UNKNOWN = "<unknown>"


def ngram_perplexity(
    text: Iterable[Sequence[str]], held_out: Sequence[Sequence[str]], order: int, known: Iterable[str]
) -> float:
    """Estimate an n-gram model (modified Kneser-Ney), and return its perplexity on other sentences."""
    words = frozenset(known)

    def mapped(sentence: Sequence[str]) -> list[str]:
        return [word if word in words else _UNKNOWN for word in sentence]

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "text"
        path.write_text("".join(" ".join(mapped(each)) + "\n" for each in text), "utf-8")
        arpa = Path(folder) / "arpa"
        estimate_arpa([path], order, arpa, fallback=_FALLBACK, skip_symbols=True, use="ours")
        model = _read(arpa)
    sum_, count = 0.0, 0
    for sentence in held_out:
        seen = ["<s>", *mapped(sentence), "</s>"]
        for i in range(1, len(seen)):
            sum_ += _log10(model, tuple(seen[max(0, i - order + 1) : i + 1]))
            count += 1
    return float(10 ** (-sum_ / count))


_Model = dict[tuple[str, ...], tuple[float, float]]


def _read(path: Path) -> _Model:
    """Read log10 probabilities and back-off weights."""
    model: _Model = {}
    for line in each_line(path):
        fields = line.split("\t")
        if len(fields) > 1:
            model[tuple(fields[1].split(" "))] = float(fields[0]), float((*fields, "0")[2])
    return model


def _log10(model: _Model, ngram: tuple[str, ...]) -> float:
    if ngram in model:
        return model[ngram][0]
    if len(ngram) == 1:
        return model[("<unk>",)][0]
    return model.get(ngram[:-1], (0.0, 0.0))[1] + _log10(model, ngram[1:])
