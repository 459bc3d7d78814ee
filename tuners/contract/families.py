"""Settings by family: what patterns of names say of the features that match them.

A weight w_f of a family has the penalty ::

    Ω(w) = Σ_f (l1 |w_f| + ½ l2 w_f²) + group_lasso ‖w‖,

the norm being that of all weights of the family (Yuan & Lin 2006). Online tuners take its proximal step after
each update: the family's weights become argmin over v of ½‖v - w‖² + Ω(v) (Duchi & Singer 2009). Batch tuners
add Ω to what they minimise.
"""

from __future__ import annotations

import fnmatch
import re
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from hopefear.base.arrays import Floats, Ints
from hopefear.base.loading import near
from hopefear.base.texts import split_words
from hopefear.decoder import Weights

from .base import Step
from .settings import Settings, check_settings, setting


@dataclass(kw_only=True, frozen=True)
class FamilySettings:
    """What is set for a family.

    Parameters
    ----------
    rate : float
        Factor of the learning rate.
    l1, l2, group_lasso : float
        Of the penalty, see `hopefear.tuners.contract.families`.
    fixed : bool
        Whether the weights stay as they are, bit for bit.
    """

    rate: float = setting(1.0, least=0, finite=True)
    l1: float = setting(0.0, least=0, finite=True)
    l2: float = setting(0.0, least=0, finite=True)
    group_lasso: float = setting(0.0, least=0, finite=True)
    fixed: bool = setting(False)

    @property
    def penalised(self) -> bool:
        """Whether there is a penalty."""
        return self.l1 + self.l2 + self.group_lasso > 0


PENALTIES = ("l1", "l2", "group_lasso", "fixed")
"""The settings of a family without the rate: those that have a meaning where an objective is minimised."""
FAMILY_SETTINGS = tuple(each.name for each in fields(FamilySettings))
"""The names of all settings of a family."""


class Families(dict[str, dict[str, float | bool]]):
    """Settings by pattern, as a text: ``R:* rate=0.5 l2=0.01; LanguageModel fixed``."""

    forms: ClassVar[str] = "families such as 'R:* rate=0.5 l2=0.01; LanguageModel fixed'"

    @classmethod
    def from_text(cls, text: str, base: Path) -> Families:
        """Read families between semicolons, each a pattern with settings; ``fixed`` has no value."""
        families = cls()
        for part in filter(None, map(split_words, text.split(";"))):
            pattern, *words = part
            if pattern in families or not words:
                raise ValueError
            families[pattern] = {}
            for name, _, value in (word.partition("=") for word in words):
                families[pattern][name] = name == "fixed" if not value else float(value)
        if not families:
            raise ValueError
        return families

    def __str__(self) -> str:
        """Write the text that `from_text` reads."""
        texts = []
        for pattern, own in self.items():
            settings = (name if value is True else f"{name}={value!r}" for name, value in own.items())
            texts.append(" ".join((pattern, *settings)))
        return "; ".join(texts)


@dataclass(kw_only=True, eq=False, repr=False)
class ByFamily(Settings):
    """What has settings by family.

    Parameters
    ----------
    families : mapping of str to mapping, optional
        Settings of features whose names match a pattern: ``{"R:*": {"rate": 0.5, "l2": 0.01}}``. The first
        pattern that matches counts. See `FamilySettings`.
    """

    OF_FAMILIES: ClassVar[tuple[str, ...]] = FAMILY_SETTINGS
    """The settings of a family that the tuner takes."""

    families: Families | Mapping[str, Mapping[str, float | bool]] | None = None

    def by_family(self) -> dict[str, FamilySettings]:
        """Return the checked settings of each pattern."""
        if self.families is None:
            return {}
        kind = type(self).__name__
        if not isinstance(self.families, Mapping):
            raise ValueError(f"families must be a mapping from patterns to settings, got {self.families!r}")
        return {
            pattern: _checked(kind, self.OF_FAMILIES, pattern, own) for pattern, own in self.families.items()
        }

    def _check_settings(self) -> None:
        super()._check_settings()
        self.by_family()


def _checked(kind: str, takes: tuple[str, ...], pattern: object, own: object) -> FamilySettings:
    where = f"families: {pattern!r}"
    if not (isinstance(pattern, str) and pattern and isinstance(own, Mapping)):
        raise ValueError(f"{where}: expected a pattern of names with a mapping of settings, got {own!r}")
    for name in own:
        if name not in FAMILY_SETTINGS:
            raise ValueError(f"{where}: unknown setting {name}, {near(str(name), FAMILY_SETTINGS)}")
        if name not in takes:
            known = f"it takes {', '.join(takes)}" if takes else "it takes no families"
            raise ValueError(f"{where}: {kind} has no {name} for families; {known}")
    for name, value in own.items():
        if isinstance(value, bool) != (name == "fixed") or not isinstance(value, int | float):
            raise ValueError(
                f"{where}: {name} must be {'true or false' if name == 'fixed' else 'a number'}, got {value!r}"
            )
    settings = FamilySettings(**own)
    try:
        check_settings(settings)
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None
    return settings


class FeatureFamilies:
    """The settings by family of the features of weights, by number; features are added as they come up."""

    def __init__(self, settings: Mapping[str, FamilySettings], weights: Weights) -> None:
        self._patterns = [re.compile(fnmatch.translate(pattern)) for pattern in settings]
        self._settings, self._weights = [*settings.values(), FamilySettings()], weights
        self._family: NDArray[np.int32] = np.zeros(0, np.int32)  # by feature; the last is that of the rest
        self._rates = np.array([0.0 if each.fixed else each.rate for each in self._settings])

    @classmethod
    def of_tuner(cls, tuner: ByFamily, weights: Weights) -> FeatureFamilies | None:
        """Return the families of a tuner; None where it has none."""
        settings = tuner.by_family()
        return cls(settings, weights) if settings else None

    def rates(self, features: Ints | NDArray[np.int32]) -> Floats:
        """Return the rates of features, 0 of those that are fixed."""
        return np.asarray(self._rates[self.of(features)])

    def of(self, features: Ints | NDArray[np.int32]) -> NDArray[np.int32]:
        """Return the places of features' families among the patterns."""
        return np.asarray(self._grown()[features])

    def update(self, step: Step, weights: Floats) -> Step:
        """Return a step without what it changes of fixed features, and with the proximal step behind it."""
        moved = np.flatnonzero(~self._is_fixed[self.of(step.features)])
        step = replace(step, features=step.features[moved], change=step.change[moved])
        if not any(each.penalised for each in self._settings):
            return step
        family = self._grown()
        penalised = np.array([each.penalised and not each.fixed for each in self._settings])
        after = weights.copy()
        after[step.features] += step.change
        members = np.flatnonzero(penalised[family[: len(after)]] & (after != 0))
        after[members] = self.shrunk(members, after[members])
        others = np.setdiff1d(members, step.features)
        features = np.concatenate((step.features, others))
        return replace(step, features=features, change=after[features] - weights[features])

    def shrunk(self, features: Ints, weights: Floats, step: float = 1.0) -> Floats:
        """Return argmin over v of ½‖v - w‖² + step · Ω(v) for the weights w of features."""
        family, shrunk = self.of(features), weights.copy()
        for number in np.unique(family):
            own, place = self._settings[number], np.flatnonzero(family == number)
            if own.fixed or not own.penalised:
                continue
            w = weights[place]
            w = np.sign(w) * np.maximum(np.abs(w) - step * own.l1, 0.0)
            norm = float(np.linalg.norm(w))
            if own.group_lasso:
                w = w * max(0.0, 1.0 - step * own.group_lasso / norm) if norm else w
            shrunk[place] = w / (1.0 + step * own.l2)
        return shrunk

    def penalty(self, features: Ints, weights: Floats) -> float:
        """Return Ω of the weights of features."""
        family, total = self.of(features), 0.0
        for number in np.unique(family):
            own, w = self._settings[number], weights[family == number]
            total += own.l1 * float(np.abs(w).sum()) + 0.5 * own.l2 * float(w @ w)
            total += own.group_lasso * float(np.linalg.norm(w))
        return total

    @contextmanager
    def holding(self, weights: Floats) -> Iterator[None]:
        """Give fixed features the weights back that they have now, whatever is set meanwhile."""
        fixed = np.flatnonzero(self._is_fixed[self._grown()[: len(weights)]])
        before = weights[fixed]
        yield
        weights[fixed] = before

    @property
    def _is_fixed(self) -> NDArray[np.bool_]:
        return np.array([each.fixed for each in self._settings])

    def _grown(self) -> NDArray[np.int32]:
        """Return the family of each feature there is by now."""
        known, count = len(self._family), len(self._weights)
        if known < count:
            new = [self._find(self._weights.name(number)) for number in range(known, count)]
            self._family = np.concatenate((self._family, np.array(new, np.int32)))
        return self._family

    def _find(self, name: str) -> int:
        matching = (i for i, pattern in enumerate(self._patterns) if pattern.match(name))
        return next(matching, len(self._patterns))


def warn_of_unmatched(settings: Mapping[str, FamilySettings], weights: Weights) -> None:
    """Warn of patterns that match no feature."""
    for pattern in settings:
        if not any(fnmatch.fnmatchcase(name, pattern) for name, _ in weights):
            warnings.warn(f"families: no feature matches {pattern!r}", RuntimeWarning, stacklevel=4)
