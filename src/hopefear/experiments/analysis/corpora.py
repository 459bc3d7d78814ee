"""Statistics of the plan's sets of sentences, as papers have them in a table of their data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from hopefear.base import InputError
from hopefear.reports import MISSING, TableData, TableRow, number

from ..plan import CorpusTable, SentenceSet
from ..runs.corpora import read_set

_NAMES = ("sentences", "source words", "average", "references", "reference words", "average")


def corpus_table(table: CorpusTable, sets: Mapping[str, SentenceSet]) -> TableData:
    """Count sentences and words of sets; a set whose files are gone has a row without numbers."""
    rows, problems = [], []
    for name in table.sets:
        try:
            corpus = read_set(sets[name])
        except (InputError, OSError) as error:
            counts: Sequence[str] = (MISSING,) * len(_NAMES)
            problems.append(f"{name}: {error}")
        else:
            sources = [segment.length for segment in corpus]
            references = [len(text.split()) for segment in corpus for text in segment.references]
            sides = max((len(segment.references) for segment in corpus), default=0)
            counts = (*_counts(sources, len(corpus)), str(sides), *_counts(references, len(references))[1:])
        rows.append(TableRow((name,), tuple(counts), ()))
    return TableData(table.title, ("set",), _NAMES, (), tuple(rows), tuple(problems), table.note)


def _counts(lengths: Iterable[int], lines: int) -> tuple[str, str, str]:
    words = sum(lengths)
    average = number(words / lines) if lines else MISSING
    return f"{lines:,}", f"{words:,}", average
