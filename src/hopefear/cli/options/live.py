"""Options of learning while translating: the tuner, what adapts beside the weights, what is forgotten."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from hopefear.base import InputError
from hopefear.base.texts import BLANK
from hopefear.decoder import Config

from ..command import named_values, option, options_given
from ..names import NamedKind
from .workers import Workers

if TYPE_CHECKING:
    from hopefear.live import AdaptingDecoder, Forget
    from hopefear.tuners.contract import OnlineLearner

ADAPTS = ("rules", "lm")
"""What can learn beside the weights."""

SETTING = named_values("A setting of the tuner, such as C=0.01; may repeat.")
"""The option ``--set``."""


@dataclass(frozen=True, kw_only=True)
class LiveLearning:
    """The options of learning while translating."""

    learn: str | None = option(
        "Learn from lines with references, with this tuner; see hopefear list learners.",
        default=None,
        shown="the cdec.ini's online_tuner, else none",
        completion=NamedKind.learners,
    )
    setting: list[str] = SETTING
    adapt: str | None = option(
        "Let references also teach rules, an n-gram model (lm), or both: rules,lm. Needs --learn.",
        metavar="rules|lm",
        default=None,
        shown="weights only",
    )
    expert: str | None = option(
        "Show the translations of this expert always: certain, untouched, adapted or learned. Needs --adapt.",
        metavar="NAME",
        default=None,
        shown="the one that has cost the fewest edits",
    )
    forget: str | None = option(
        "Keep only the last corrections, such as 5000, or those of an age, such as 30d.",
        metavar="NUMBER",
        default=None,
        shown="keep all",
    )

    def adapts(self, config: Config) -> list[str] | None:
        """Return what learns beside the weights; None without ``--adapt``."""
        if self.adapt is None:
            return None
        if self.learn is None and config.online_tuner is None:
            raise InputError("--adapt needs --learn or a line online_tuner=... in the cdec.ini")
        names = [name.strip(BLANK) for name in self.adapt.split(",")]
        if not set(names) <= set(ADAPTS):
            raise InputError(f"--adapt: expected {', '.join(ADAPTS)} or both, got {self.adapt!r}")
        return names

    def shown(self) -> str | None:
        """Return the expert that is shown always; None for the one that is trusted most."""
        from hopefear.live.experts import PRIOR

        if self.expert is not None and self.expert not in PRIOR:
            raise InputError(f"--expert: expected one of {', '.join(PRIOR)}, got {self.expert!r}")
        return self.expert

    def limits(self) -> Forget:
        """Return what a session forgets."""
        from hopefear.live import Forget

        try:
            return Forget() if self.forget is None else Forget.parse(self.forget)
        except InputError as error:
            raise InputError(f"--forget: {error}") from None

    def tuner(self, config: Config) -> OnlineLearner | None:
        """Make the tuner that the option or the cdec.ini names; None if neither names one."""
        line = config.online_tuner if self.learn is None else self.learn
        if line is None:
            return None
        from hopefear.tuners.catalogue import make_learner

        if self.learn is None:
            with config.naming(f"online_tuner {line}"):
                return make_learner(line, self.setting)
        try:
            return make_learner(line, self.setting)
        except InputError as error:
            raise InputError(f"--learn: {error}") from error


@dataclass(frozen=True, kw_only=True)
class SavedLearning(LiveLearning):
    """The options of learning while translating, and of keeping what was learned."""

    save_weights: Path | None = option("Write the learned weights to this file.", default=None, writes=True)
    save_every: int = option(
        "Save the weights after this number of updates, and at the end.", default=10, min=1
    )
    resume: bool = option("Continue the session whose state is beside --save-weights.", default=False)

    def check(self, config: Config, workers: Workers) -> None:
        """Refuse options that exclude each other or need others."""
        if self.learn is None and config.online_tuner is None:
            if self.setting or self.save_weights is not None:
                raise InputError(
                    "--set and --save-weights need --learn or a line online_tuner=... in the cdec.ini"
                )
        elif (workers.threads or 1) > 1:
            raise InputError("learning handles one sentence at a time: expected --threads 1")
        elif workers.cluster is not None:
            raise InputError("learning handles one sentence at a time: expected no --cluster")
        if self.adapt is None and (self.forget is not None or self.resume or self.expert is not None):
            raise InputError("--forget, --resume and --expert need --adapt")
        if self.save_weights is None:
            if self.resume:
                raise InputError("--resume needs --save-weights, beside which the state is")
            if "--save-every" in options_given(self):
                raise InputError("--save-every needs --save-weights")


def adapting_kind(names: list[str], memories: Sequence[Path] = ()) -> Callable[..., AdaptingDecoder]:
    """Return what makes a decoder that adapts; a decoder that does not never loads the tuners."""
    from hopefear.live import adapting

    return adapting("rules" in names, "lm" in names, memories)
