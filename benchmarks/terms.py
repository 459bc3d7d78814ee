"""What hard terms cost the rest of a translation: python benchmarks/terms.py --help."""

from __future__ import annotations

import argparse
import gzip
from collections import Counter, defaultdict
from collections.abc import Sequence

import numpy as np
from consensus import sides
from tasks import SHARED, TASKS, add_task_argument, chosen, in_fresh_process, table

from hopefear import Decoder
from hopefear.metrics import Bleu, paired_bootstrap

LEAST, SHARE = 20, 0.5
LETTERS = {"ja": 2, "en": 5}
"""A term is a source word that is linked so often, mostly with one word, which has so many letters."""


def glossary(folder: str, pair: str) -> dict[str, str]:
    """Return words of the training text with the word that most of their links lead to."""
    source, target = pair.split("-")
    files = SHARED / "data" / folder
    aligned = files / f"train.{pair}.align.gz"
    turned = not aligned.exists()  # the pair is aligned in the other direction
    if turned:
        aligned = files / f"train.{target}-{source}.align.gz"
    names = (files / f"train.{source}.gz", files / f"train.{target}.gz", aligned)
    texts = [gzip.decompress(name.read_bytes()).decode() for name in names]
    links: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for f, e, points in zip(*map(str.splitlines, texts), strict=True):
        words, others = f.split(), e.split()
        for link in points.split():
            i, j = map(int, reversed(link.split("-")) if turned else link.split("-"))
            links[words[i]][others[j]] += 1
    terms = {}
    for word, found in links.items():
        (best, count), total = found.most_common(1)[0], sum(found.values())
        if len(best) >= LETTERS[target] and total >= LEAST and count >= SHARE * total and best.isalpha():
            terms[word] = best
    return terms


def without(text: str, term: str) -> str:
    """Return a text without the words of a term."""
    return " ".join(word for word in text.split() if word != term)


def measure(name: str, sentences: int) -> list[dict[str, str]]:
    """Translate with and without one hard term in each sentence; compare all but the terms.

    A second row has the sentences with a reference that uses the term as often as the source does: there the
    glossary is right.
    """
    task = TASKS[name]
    terms = glossary(task.folder.partition("/")[0], name.split()[1])
    decoder = Decoder(task.config, weights=task.weights("tuned"))
    source, references = sides(task, "test", None)
    plain: list[str] = []
    held: list[str] = []
    rest: list[Sequence[str]] = []
    kept, had, right = list[bool](), list[bool](), list[bool]()
    for line, these in zip(source, references, strict=True):
        known = [word for word in line.split() if word in terms]
        if not known or len(plain) == sentences:
            continue
        word = max(known, key=len)
        term = terms[word]
        texts = [
            decoder.translate(line).viterbi(),
            decoder.translate(line, terms={word: term}).viterbi(),
        ]
        had.append(term in texts[0].split())
        kept.append(term in texts[1].split())
        right.append(any(each.split().count(term) >= line.split().count(word) for each in these))
        plain.append(without(texts[0], term))
        held.append(without(texts[1], term))
        rest.append([without(each, term) for each in these])
    bleu = Bleu()
    before, after = (bleu.corpus_stats(found, rest) for found in (plain, held))
    rows = []
    for which, some in (("all", np.ones(len(plain), bool)), ("a reference has the term", np.array(right))):
        scores = [bleu.score(found[some].sum(0)) for found in (before, after)]
        test = paired_bootstrap(before[some], after[some], bleu)
        rows.append({
            "set": name, "sentences": which, "number": f"{some.sum()}",
            "had, without terms": f"{100 * np.mean(np.array(had)[some]):.1f} %",
            "have": f"{100 * np.mean(np.array(kept)[some]):.1f} %",
            "BLEU of the rest, without terms": f"{scores[0]:.2f}", "with": f"{scores[1]:.2f}",
            "difference": f"{scores[1] - scores[0]:+.2f}", "p": f"{test.p_value:.3f}",
        })  # fmt: skip
    return rows


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.partition(":")[0])
    add_task_argument(parser)
    parser.add_argument("--sentences", type=int, default=200, help="the first ones that have a term")
    parser.add_argument("--markdown", action="store_true")
    options = parser.parse_args()
    names = chosen(parser, options.tasks)
    rows = [row for name in names for row in in_fresh_process(measure, name, options.sentences)]
    print(table(rows, markdown=options.markdown))


if __name__ == "__main__":
    main()
