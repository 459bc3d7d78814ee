"""The conversation with cdec that is recorded."""

from __future__ import annotations

import contextlib

from hopefear.base import ParseFailed
from hopefear.cdec import CdecProcess
from hopefear.decoder import Lattice, Segment
from support.k_best_lists import Named, named

K = 10
LISTED: dict[str, int | None] = {"forests": None, "lists": K}
"""The recordings, and the k of their processes."""

SENTENCES = (
    "danos hoy nuestro pan cotidiano .",
    "a ninguna viuda ni huérfano afligiréis .",
    "entonces ellas se acordaron de sus palabras ,",
)
WEIGHTS = {
    "CountEF": 0.1,
    "EgivenFCoherent": -0.1,
    "Glue": 0.01,
    "IsSingletonF": -0.01,
    "LanguageModel": 0.1,
    "LanguageModel_OOV": -1.0,
    "MaxLexEgivenF": -0.1,
    "MaxLexFgivenE": -0.1,
}
OWN_RULES = "[X] ||| danos ||| grant us ||| CountEF=1 Own=0.5 ||| 0-0 0-1\n"


def talk(cdec: CdecProcess) -> list[list[Named]]:
    """Have a conversation with cdec, and give the lists of translations.

    Of the weights, some change during the conversation, some are new, and one goes to 0. A sentence has rules
    of its own, an input is a lattice, and an input has no translation.
    """
    found = []

    def ask(source: str | Lattice, number: int, grammar: str = "") -> None:
        translation = cdec.translate(Segment.from_input(source, index=number), grammar)
        found.append(named(translation.best_translations(K), cdec.weights))

    for number, sentence in enumerate(SENTENCES):
        ask(sentence, number)
        cdec.weights["LanguageModel"] += 0.05
        cdec.weights["WordPenalty"] = -0.3 * number
        cdec.weights["Glue"] = -0.02
        cdec.weights["IsSingletonF"] = 0.0
    ask(SENTENCES[0], 7, OWN_RULES)
    cdec.weights["Own"] = 1.0
    ask(SENTENCES[0], 7, OWN_RULES)
    ask(Lattice([[("nuestro", 1), ("sus", 2)], [("pan", 1)], [("cotidiano", 1)]]), 8)
    with contextlib.suppress(ParseFailed):
        ask("danos unapalabra", 9)
        raise AssertionError("expected a sentence without a derivation")
    ask(SENTENCES[0], 0)
    return found
