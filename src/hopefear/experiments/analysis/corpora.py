"""Statistics of the plan's sets of sentences, as papers have them in a table of their data."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from hopefear.base import InputError
from hopefear.base.files import written_whole
from hopefear.base.stored import parse_json
from hopefear.base.texts import split_words
from hopefear.base.typed import from_json, to_json
from hopefear.reports import MISSING, TableData, TableRow, number

from ..plan import PREPARED, CorpusTable, Plan, SentenceSet, settings_text
from ..runs.corpora import read_set

MEASURED = "measured"
"""Name of the folder of counted tables, in that of the results."""

_OF = "of"
"""The name, in the file of a table, of the hash of the sets that were counted."""

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
            references = [len(split_words(text)) for segment in corpus for text in segment.references]
            sides = max((len(segment.references) for segment in corpus), default=0)
            counts = (*_counts(sources, len(corpus)), str(sides), *_counts(references, len(references))[1:])
        rows.append(TableRow((name,), tuple(counts), ()))
    return TableData(table.title, ("set",), _NAMES, (), tuple(rows), tuple(problems), table.note)


def _counts(lengths: Iterable[int], lines: int) -> tuple[str, str, str]:
    words = sum(lengths)
    average = number(words / lines) if lines else MISSING
    return f"{lines:,}", f"{words:,}", average


class CorpusTables:
    """The tables of a plan's corpora: counted, or as they were when the results were archived."""

    def __init__(self, folder: Path, plan: Plan) -> None:
        self.folder, self.plan = folder, plan

    def table(self, table: CorpusTable) -> TableData:
        """Return a table as it was kept for the same sets, or count it."""
        found = self._kept(table) or corpus_table(table, self.plan.sets)
        return replace(found, title=table.title, note=table.note)

    def write(self, source: CorpusTables) -> None:
        """Keep the tables of a source; a table that was kept stays where the source has fewer corpora."""
        for own, theirs in zip(self.plan.corpora, source.plan.corpora, strict=True):
            kept, made = self._kept(own), corpus_table(theirs, source.plan.sets)
            if kept is not None and len(made.key) > len(kept.key):  # the key tells what is missing
                continue
            path = self._file(own)
            path.parent.mkdir(exist_ok=True)
            text = json.dumps({_OF: self._settings(own), **to_json(made)}, ensure_ascii=False)
            with written_whole(path) as beside:  # a message may name a file: not where the results were
                beside.write_text(text.replace(f"{source.folder.absolute()}/", ""), "utf-8")

    def _kept(self, table: CorpusTable) -> TableData | None:
        path = self._file(table)
        if not path.exists():
            return None
        try:
            saved = parse_json(path.read_bytes())
            if saved.pop(_OF, None) not in (None, self._settings(table)):  # earlier versions had no hash
                return None
            found: TableData = from_json(TableData, saved, path.name)
        except (ValueError, TypeError, AttributeError) as error:
            raise InputError(str(error), path=path) from None
        return found

    def _settings(self, table: CorpusTable) -> str:
        settings = [{"sets": table.sets}, [self.plan.sets[name] for name in table.sets]]
        text = settings_text(settings, self.folder / PREPARED)
        return hashlib.sha256(text.encode()).hexdigest()

    def _file(self, table: CorpusTable) -> Path:
        return self.folder / MEASURED / f"corpustable-{self.plan.corpora.index(table) + 1}.json"
