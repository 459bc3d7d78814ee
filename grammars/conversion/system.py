"""A hierarchical system between two decoders: rules, language models, weights; and how it is written."""

from __future__ import annotations

import io
import shlex
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from hopefear.base import InputError
from hopefear.base.files import write_packed, written_packed

from .ends import SentenceEnds
from .rules import ForeignRule, Nonterminal

UNLIMITED = 65_535
"""A span limit that no sentence reaches."""


@dataclass(frozen=True)
class RuleTable:
    """The rules of a file.

    Attributes
    ----------
    name : str
        The table's name, for messages and for the file that is written.
    rules : callable
        Reads the rules; it is called twice.
    max_span : int or None
        The most words that a rule may cover; None for any number.
    from_start : bool
        Whether the rules apply only to the beginning of a sentence.
    """

    name: str
    rules: Callable[[], Iterator[ForeignRule]]
    max_span: int | None
    from_start: bool = False


@dataclass(frozen=True)
class LanguageModel:
    """An n-gram model: its file, the name of its feature, and weights for log10 p and for unknown words."""

    path: Path
    name: str
    weight: float
    unknown_weight: float = 0.0


@dataclass
class System:
    """A system."""

    tables: list[RuleTable] = field(default_factory=list)
    goal: str | None = None
    default: str = "X"
    unknown: list[tuple[str, dict[str, float]]] = field(default_factory=list)
    models: list[LanguageModel] = field(default_factory=list)
    functions: list[str] = field(default_factory=list)
    weights: dict[str, float] = field(default_factory=dict)
    pop_limit: int = 200
    notices: list[str] = field(default_factory=list)

    def write(self, folder: Path) -> None:
        """Write the grammars, ``weights`` and, last, ``cdec.ini`` to a folder, made if it is missing."""
        for model in self.models:
            if set("#\n") & set(str(model.path.resolve())):
                what = "expected a path without '#' and line breaks, which a cdec.ini cannot hold"
                raise InputError(what, path=model.path)
        labels = {label for label, _ in self.unknown} or {self.default}
        ends = SentenceEnds(labels)
        for table in self.tables:
            for rule in table.rules():
                ends.see(rule)
        ends.close(self.goal)
        folder.mkdir(parents=True, exist_ok=True)
        kept: list[str] = []
        in_middle: list[RuleTable] = []
        glue = io.StringIO()
        for number, table in enumerate(self.tables):
            name = f"grammar.{number}.gz"
            if self._write_table(table, ends, folder / name, glue):
                kept.append(name)
                in_middle.append(table)
        limit = self._span_limit(in_middle)
        for rule in ends.top_rules():
            glue.write(rule.line())
        default = self.default
        if self.unknown:
            default = ends.fresh("OOV")
            rules = [
                ForeignRule(label, [Nonterminal(default)], [1], features, [])
                for label, features in self.unknown
            ]
            write_packed(folder / "unknown.gz", "".join(rule.line() for rule in rules).encode())
            kept.append("unknown.gz")
        lines = ["formalism=scfg", f"goal={ends.goal}", f"scfg_default_nt={default}"]
        lines += [f"grammar={name}" for name in kept]
        lines += ["scfg_no_hiero_glue_grammar=true"]
        if glue.getvalue():
            write_packed(folder / "glue.gz", glue.getvalue().encode())
            lines.append("scfg_extra_glue_grammar=glue.gz")
        lines += [f"scfg_max_span_limit={limit}", "add_pass_through_rules=true"]
        lines += [f"feature_function={function}" for function in self.functions]
        for model in self.models:
            path = shlex.quote(str(model.path.resolve()))
            lines.append(f"feature_function=KLanguageModel -n {model.name} {path}")
            self.weights[model.name] = model.weight
            if model.unknown_weight:
                self.weights[f"{model.name}_OOV"] = model.unknown_weight
        lines.append(
            f"cubepruning_pop_limit={self.pop_limit}" if self.pop_limit else "intersection_strategy=full"
        )
        lines.append("weights=weights")
        weights = "".join(f"{name} {value!r}\n" for name, value in self.weights.items())
        write_packed(folder / "weights", weights.encode())
        write_packed(folder / "cdec.ini", "".join(f"{line}\n" for line in lines).encode())

    def _write_table(self, table: RuleTable, ends: SentenceEnds, path: Path, glue: io.StringIO) -> int:
        """Write the rules of a table: those for the beginning of sentences to `glue`, others to a file."""
        in_middle = at_beginning = 0
        with written_packed(path, 4) as file:
            for rule in table.rules():
                for made, begins in ends.without(rule):
                    if begins or table.from_start:
                        glue.write(made.line())
                        at_beginning += 1
                    else:
                        file.write(made.line().encode())
                        in_middle += 1
        if at_beginning and table.max_span is not None:
            self.notices.append(
                f"{table.name}: the span limit of {table.max_span} words is not carried over "
                "for rules over the beginning of a sentence"
            )
        if in_middle == 0:
            path.unlink()
        return in_middle

    def _span_limit(self, tables: list[RuleTable]) -> int:
        """Return the span limit of all tables, and take note of tables with another one."""
        spans = [(table.name, table.max_span or UNLIMITED) for table in tables]
        limit = max((span for _, span in spans), default=UNLIMITED)
        for name, span in spans:
            if span != limit:
                self.notices.append(
                    f"{name}: the span limit of {span} words is not carried over: {limit} words, "
                    "the largest limit, holds for all rules but those over the beginning of a sentence"
                )
        return limit
