"""What hard terms cost the rest of a translation: python benchmarks/terms.py --help."""

from __future__ import annotations

import argparse
import gzip
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import combinations

import numpy as np
from consensus import sides
from tasks import SHARED, TASKS, add_task_argument, chosen, in_fresh_process, table

from hopefear import Decoder
from hopefear.metrics import Bleu, paired_bootstrap

LEAST, SHARE, LONGEST, FREQUENT = 20, 0.5, 3, 100
LETTERS = {"ja": 2, "en": 5}
"""A term has at most so many source words, none of them one of the most frequent ones. It stands so often in
the training text, and mostly for the same words, which have so many letters."""


def glossary(folder: str, pair: str) -> dict[str, str]:
    """Return phrases of the training text with the words that most of them are linked with.

    Links lead from the phrase to these words and from them to the phrase, and to nothing else: neither is a
    part of a longer unit.
    """
    source, target = pair.split("-")
    files = SHARED / "data" / folder
    aligned = files / f"train.{pair}.align.gz"
    turned = not aligned.exists()  # the pair is aligned in the other direction
    if turned:
        aligned = files / f"train.{target}-{source}.align.gz"
    names = (files / f"train.{source}.gz", files / f"train.{target}.gz", aligned)
    texts = [gzip.decompress(name.read_bytes()).decode().splitlines() for name in names]
    frequent = Counter(word for line in texts[0] for word in line.split()).most_common(FREQUENT)
    no_term = {word for word, _ in frequent}
    total: Counter[str] = Counter()
    closed: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for f, e, points in zip(*texts, strict=True):
        words, others = f.split(), e.split()
        links = [tuple(map(int, link.split("-"))) for link in points.split()]
        if turned:
            links = [(i, j) for j, i in links]
        for begin, end in combinations(range(len(words) + 1), 2):
            if end - begin > LONGEST or not no_term.isdisjoint(words[begin:end]):
                continue
            phrase = " ".join(words[begin:end])
            total[phrase] += 1
            own = [(i, j) for i, j in links if begin <= i < end]
            if not {begin, end - 1} <= {i for i, _ in own}:
                continue
            low, high = min(j for _, j in own), max(j for _, j in own) + 1
            if all(begin <= i < end for i, j in links if low <= j < high):
                closed[phrase][" ".join(others[low:high])] += 1
    terms = {}
    for phrase, found in closed.items():
        best, count = found.most_common(1)[0]
        letters = best.replace(" ", "")
        if (
            len(letters) >= LETTERS[target]
            and total[phrase] >= LEAST
            and count >= SHARE * total[phrase]
            and letters.isalpha()
        ):
            terms[phrase] = best
    return terms


def places(term: str) -> re.Pattern[str]:
    """Return what finds a term in a text."""
    return re.compile(rf"(?<!\S){re.escape(term)}(?!\S)")


def occurrences(text: str, term: str) -> int:
    """Count how often a text has a term."""
    return len(places(term).findall(text))


def without(text: str, term: str) -> str:
    """Return a text without a term."""
    return " ".join(places(term).sub("", text).split())


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
        known = [phrase for phrase in terms if occurrences(line, phrase)]
        if not known or len(plain) == sentences:
            continue
        phrase = max(known, key=len)
        term = terms[phrase]
        texts = [
            decoder.translate(line).viterbi(),
            decoder.translate(line, terms={phrase: term}).viterbi(),
        ]
        had.append(occurrences(texts[0], term) > 0)
        kept.append(occurrences(texts[1], term) > 0)
        right.append(any(occurrences(each, term) >= occurrences(line, phrase) for each in these))
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
