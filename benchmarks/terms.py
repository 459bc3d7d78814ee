"""What share of a glossary's terms translations keep: python benchmarks/terms.py --help."""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from tasks import SHARED, table

from hopefear import Decoder
from hopefear.base.lines import each_line
from hopefear.decoder import read_config
from hopefear.decoder.glossary import Glossary
from hopefear.grammars.built import Build
from hopefear.metrics import Bleu
from hopefear.neural import TranslationModel
from hopefear.plugins.corpus import read_corpus
from hopefear.text import TextSystem

DOCUMENTS = ("python-docs/en-es/test.en", "python-docs/en-es/test.es")
LONGEST, LEAST, FREQUENT = 3, 3, 200
Words = tuple[str, ...]


def fixed_terms(texts: Iterable[Path], share: float) -> dict[Words, Words]:
    """Find what a text translates the same, at least in a share of all places.

    A term has up to three words, of letters and none of the 200 most frequent; the text has it three times or
    more, and there all its links lead to the same words, whose links lead to it.
    """
    seen: Counter[Words] = Counter()
    translated: dict[Words, Counter[Words]] = defaultdict(Counter)
    for source, target, alignment in zip(*map(each_line, texts), strict=True):
        f, e = source.split(), target.split()
        seen.update(tuple(f[i:j]) for i, j in _spans(f))
        links = [(int(s), int(t)) for s, _, t in (link.partition("-") for link in alignment.split())]
        for i, j in _spans(f):
            k, m = _closed(i, j, links)
            translated[tuple(f[i:j])][tuple(e[k:m])] += 1
    counts = Counter({word: count for (word, *others), count in seen.items() if not others})
    frequent = {word for word, _ in counts.most_common(FREQUENT)}
    found = {}
    for words, ((translation, count), *_) in (
        (words, own.most_common(1)) for words, own in translated.items()
    ):
        of_letters = all(word.isalpha() for word in (*words, *translation))
        often = seen[words] >= LEAST and count >= share * seen[words]
        if often and translation and of_letters and frequent.isdisjoint(words):
            found[words] = translation
    return found


def _spans(words: Sequence[str]) -> Iterator[tuple[int, int]]:
    for i in range(len(words)):
        yield from ((i, j) for j in range(i + 1, min(i + LONGEST, len(words)) + 1))


def _closed(i: int, j: int, links: list[tuple[int, int]]) -> tuple[int, int]:
    """Return the target words of source words, whose links lead to each other only; else no words."""
    inside = [(s, t) for s, t in links if i <= s < j]
    if len({s for s, _ in inside}) < j - i:
        return 0, 0
    k, m = min(t for _, t in inside), max(t for _, t in inside) + 1
    back = [(s, t) for s, t in links if k <= t < m]
    return (k, m) if back == inside and len({t for _, t in back}) == m - k else (0, 0)


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.partition(":")[0])
    parser.add_argument("results", type=Path, help="folder of hopefear experiment transformer")
    parser.add_argument("--share", type=float, default=1.0, help="of the places that have the translation")
    parser.add_argument("--markdown", action="store_true")
    options = parser.parse_args()
    system = options.results / "prepared" / "docs-en-es"
    text = TextSystem.load(system / "text.json.gz")
    source, target = (SHARED / "data" / name for name in DOCUMENTS)
    corpus = [text.prepare(segment) for segment in read_corpus(source, [target])]
    references = [segment.references[0] for segment in corpus]
    terms = {
        f: e
        for f, e in fixed_terms([path for path in Build.open(system).texts if path], options.share).items()
        if Glossary.of_terms({" ".join(f): " ".join(e)}, text).found(f) == [f]  # not in the case of a name
    }
    glossary = Glossary.of_terms({" ".join(f): " ".join(e) for f, e in terms.items()}, text)
    found = [glossary.found(segment.tokens or ()) for segment in corpus]

    def kept(outputs: list[str]) -> list[bool]:
        return [
            f" {' '.join(terms[words])} " in f" {output} "
            for own, output in zip(found, outputs, strict=True)
            for words in own
        ]

    right = kept(references)
    print(
        f"{len(terms)} terms, {len(right)} times in {sum(map(bool, found))} of {len(corpus)} sentences; "
        f"the reference has {sum(right)} of the translations"
    )
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "terms.tsv"
        path.write_text("".join(f"{' '.join(f)}\t{' '.join(e)}\n" for f, e in terms.items()), "utf-8")

        def weights(name: str) -> Path:
            cell = f"{name.replace(' ', '_')}-MIRA-docs_en_es_dev-all-draw0-seed0"
            return (options.results / "cells" / cell / "weights").absolute()

        def forests(name: str, **given: list[Path]) -> list[str]:
            config = replace(read_config(system / "cdec.ini"), **given)
            if name != "dense":
                config.passes[0].features += (f"Transformer nmt/ --search-weights '{weights('dense')}'",)
            decoder = Decoder(config, weights=weights(name))
            return [decoder.translate(segment).viterbi() for segment in corpus]

        def transformer() -> list[str]:
            sources = [" ".join(segment.expect_tokens()) for segment in corpus]
            return [best.text for best, *_ in TranslationModel(system / "nmt").translate(sources)]

        ways: dict[str, Callable[[], list[str]]] = {
            "dense": lambda: forests("dense"),
            "dense, `--glossary`": lambda: forests("dense", glossaries=[path]),
            "dense, `--terms`": lambda: forests("dense", terms=[path]),
            "Transformer": transformer,
            "with the Transformer": lambda: forests("with the Transformer"),
            "with the Transformer, `--terms`": lambda: forests("with the Transformer", terms=[path]),
        }
        rows = []
        for name, translate in ways.items():
            outputs = translate()
            have, bleu = kept(outputs), Bleu()
            agreed = [one for one, known in zip(have, right, strict=True) if known]
            statistics = bleu.corpus_stats(outputs, [[one] for one in references])
            rows.append(
                {
                    "system": name,
                    "kept": f"{100 * sum(have) / len(have):.1f}",
                    "kept where the reference does": f"{100 * sum(agreed) / len(agreed):.1f}",
                    "BLEU": f"{bleu.score(statistics.sum(axis=0)):.2f}",
                }
            )
    print(table(rows, markdown=options.markdown))


if __name__ == "__main__":
    main()
