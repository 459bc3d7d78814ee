"""The scores of a system by one metric, as text and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from hopefear.base import InputError
from hopefear.metrics import (
    ConfidenceInterval,
    Metric,
    OverRuns,
    Spread,
    Statistics,
    approximate_randomisation,
    confidence_interval,
    optimizer_spread,
    over_runs,
    paired_bootstrap,
)
from hopefear.text.languages import base_of

Value = float | ConfidenceInterval | Spread


class SystemScore(NamedTuple):
    """The score of a system by one metric, with a comparison if there is a baseline."""

    metric: str
    signature: str
    system: Value
    baseline: Value | None = None
    difference: Value | None = None
    p_value: float | None = None
    over_runs: OverRuns | None = None

    def line(self) -> str:
        """Return the scores as one line of text."""
        text = f"{self.metric} {_text(self.system)}"
        if self.baseline is not None and self.difference is not None:
            text += f", baseline {_text(self.baseline)}, difference {_text(self.difference)}"
            text += f", p = {self.p_value:.4f}"
        if self.over_runs is not None:
            delta, p_value = self.over_runs
            text += f"; over other runs and sentences {_text(delta)}, p = {p_value:.4f}"
        return text

    def facts(self) -> dict[str, Any]:
        """Return the scores as a JSON object; keys that do not apply are left out."""
        facts = {"metric": self.metric, "signature": self.signature, **_facts(self.system)}
        if self.baseline is not None and self.difference is not None:
            facts["baseline"] = _facts(self.baseline)
            facts["difference"] = {**_facts(self.difference), "p_value": self.p_value}
        if self.over_runs is not None:
            facts["over_runs"] = {**_facts(self.over_runs.delta), "p_value": self.over_runs.p_value}
        return facts


class Tokeniser:
    """Splits texts as written into the words that metrics compare, as sacrebleu does."""

    def __init__(self, language: str) -> None:
        from sacrebleu.metrics import BLEU

        base = base_of(language)
        try:
            self._split = BLEU(trg_lang=base).tokenizer
        except (ImportError, RuntimeError):
            raise InputError(
                f'--language {language}: its tokeniser is not installed: pip install "sacrebleu[{base}]"'
            ) from None
        self.name = str(self._split.signature())

    def split(self, lines: Sequence[str]) -> list[str]:
        """Return lines with a space between words."""
        return [self._split(line) for line in lines]


class Scorer(NamedTuple):
    """Scores systems by a metric."""

    metric: Metric
    samples: int
    seed: int
    tokeniser: str | None = None

    def one(
        self, system: Statistics, baseline: Statistics | None = None, *, references: int, confidence: bool
    ) -> SystemScore:
        """Score one run of a system, and compare it with one run of a baseline by the paired bootstrap."""
        settings = signature(self.metric, references, self.tokeniser)
        name = settings.partition("|")[0]
        resampled = f"{settings}|bootstrap:{self.samples}|seed:{self.seed}"
        if baseline is not None:
            result = paired_bootstrap(baseline, system, self.metric, samples=self.samples, seed=self.seed)
            return SystemScore(name, resampled, result.system, result.baseline, result.delta, result.p_value)
        if confidence:
            interval = confidence_interval(system, self.metric, samples=self.samples, seed=self.seed)
            return SystemScore(name, resampled, interval)
        return SystemScore(name, settings, float(self.metric.score(system.sum(axis=0))))

    def runs(
        self, system: Sequence[Statistics], baseline: Sequence[Statistics], references: int
    ) -> SystemScore:
        """Score several runs of a system, and compare them with those of a baseline by randomisation."""
        settings = signature(self.metric, references, self.tokeniser) + f"|runs:{len(system)}"
        name = settings.partition("|")[0]
        resampled = f"|bootstrap:{self.samples}|seed:{self.seed}"
        if not baseline:
            spread = optimizer_spread(system, self.metric, samples=self.samples, seed=self.seed)
            return SystemScore(name, settings + resampled, spread)
        result = approximate_randomisation(
            baseline, system, self.metric, shuffles=self.samples, samples=self.samples, seed=self.seed
        )
        over = None
        if max(len(system), len(baseline)) > 1:
            over = over_runs(baseline, system, self.metric, samples=self.samples, seed=self.seed)
        settings += f"|shuffles:{self.samples}{resampled}"
        return SystemScore(name, settings, result.system, result.baseline, result.delta, result.p_value, over)


def signature(metric: Metric, references: int, tokeniser: str | None = None) -> str:
    """Return all settings of the score of a metric."""
    name, *settings = metric.signature().split("|")
    if tokeniser is not None:
        own = f"tok:{tokeniser}"
        settings = [own if setting == "tok:none" else setting for setting in settings]
        if own not in settings:
            settings.append(own)
    return "|".join((name, f"refs:{references}", *settings))


def _text(value: Value) -> str:
    return f"{value:.2f}" if isinstance(value, float) else str(value)


def _facts(value: Value) -> dict[str, Any]:
    if isinstance(value, ConfidenceInterval):
        return {"score": float(value.value), "interval": [float(value.lower), float(value.upper)]}
    if isinstance(value, Spread):
        facts = {"score": value.mean, "runs": list(value.scores), "s_sel": value.selection}
        return facts if value.optimizer is None else {**facts, "s_opt": value.optimizer}
    return {"score": float(value)}
