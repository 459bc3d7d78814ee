"""A small system for live sessions, and corrections that teach it words and an order of words."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import count
from pathlib import Path
from typing import Any

from hopefear.decoder import Segment, read_config
from hopefear.live import AdaptingDecoder, Event, LiveSession, RuleRestored, RuleSides, RuleWithdrawn
from hopefear.text import CaseCounts, Language, Profile, TextSystem, split_line
from hopefear.tuners import Mira
from support import world
from support.world import World

OPTIONS = (
    "scfg_max_span_limit=10",
    "add_pass_through_rules=true",
    "feature_function=WordPenalty",
    "feature_function=RuleIndicators",
)
WEIGHTS = {
    "PassThrough": -2.0,
    "WordPenalty": -0.1,
    "Wrong": 0.1,
    "PostEditSupport": 0.3,
    "PostEditModel": 0.1,
}
PAIRS = [
    "la casa es grande ||| the house is big",
    "la casa verde ||| the green house",
    "el zorgulo verde ||| the green dragon",
    "la casa es zorgulo ||| the house is dragon",
    "el zorgulo es muy verde ||| the dragon is very green",
    "casa verde ||| green house ||| green home",
]
DRAGON = RuleSides(("zorgulo",), ("dragon",))
WITHDRAWN, RESTORED = RuleWithdrawn("zorgulo", "dragon"), RuleRestored("zorgulo", "dragon")


RULES = world.grammar("la", "casa", "verde", "es", "muy", "la casa").replace("\n", " ||| 0-0\n")
LIVE = World(RULES, OPTIONS, WEIGHTS)


def write_written_system(folder: Path) -> Path:
    """Write the same system for text as written, with roles and literals that stay."""
    path = LIVE.write(folder)
    counts = CaseCounts(), CaseCounts()
    for line in ("La casa es muy verde, la casa.", "El zorgulo es verde, el zorgulo."):
        counts[0].add(split_line(line, "es"))
    for line in ("The house is very green, the house.", "In London the dragon is very green."):
        counts[1].add(split_line(line, "en"))
    sides = (Language(code, count.casing()) for code, count in zip(("es", "en"), counts, strict=True))
    TextSystem(*sides, Profile.named("rst")).save(folder / "text.json")
    with path.open("a") as ini:
        ini.write("# hopefear: text=text.json\n")
    return path


VOTES = World(
    "".join(
        f"[X] ||| a ||| {target} ||| p={value}\n"
        for target, value in {"u v": 1, "w x": 0.95, "w y": 0.9, "w z": 0.9, "r s": -1}.items()
    ),
    weights={"p": 1},
)
"""A system whose consensus for ``a`` is not its best translation."""


def adapting_decoder(path: Path, *, rules: bool = True, model: bool = True, **more: Any) -> AdaptingDecoder:
    options = {"weights": dict(WEIGHTS), **more}
    return AdaptingDecoder(read_config(path), rules=rules, model=model, **options)


def example(line: str, index: int = 0) -> Segment:
    return Segment.from_input(line, index=index)


def session_of(decoder: AdaptingDecoder, **options: Any) -> LiveSession:
    """Make a session that shows what was learned; corrections come at the seconds 1000, 1001 and so on."""
    times = count(1000)
    settings = {"clock": lambda: float(next(times)), "expert": "learned", **options}
    return LiveSession(decoder, Mira.paper(C=0.1), **settings)


def teach(session: LiveSession, lines: Iterable[str]) -> list[str]:
    """Translate and correct; return the translations before each correction."""
    out = []
    for index, line in enumerate(lines):
        segment = example(line, index)
        out.append(session.translate(segment).viterbi())
        session.correct(segment)
    return out


def history_of(session: LiveSession) -> list[tuple[str, Event]]:
    """Keep the events of a session as its log would."""
    history: list[tuple[str, Event]] = []
    session.readers.append(lambda event: history.append((f"log:{len(history) + 1}", event)))
    return history
