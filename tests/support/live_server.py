"""What the tests of ``hopefear serve`` say to a server."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fastapi.testclient import TestClient

from hopefear.live.server import SessionStore, TranslationSystem
from hopefear.tuners import Mira

from .sessions import adapting_decoder
from .waiting import wait_until

BYTES = {"content-type": "application/octet-stream"}
JSON = {"content-type": "application/json"}
Start = Callable[..., TestClient]
DRAGON = "the house is dragon"
TEXT = "la casa es zorgulo\nel zorgulo es verde\nla casa verde\n"


def small_store(config: Path, folder: Path, *, model: bool = True, **options: Any) -> SessionStore:
    """Return a store over a small system; `options` are of the system, and the files of its memories."""
    decoder = adapting_decoder(config, model=model, memories=options.pop("memories", []))
    return SessionStore(TranslationSystem(decoder, lambda: Mira.paper(C=0.1), **options), folder)


class Session:
    """A session that a client works in."""

    def __init__(self, client: TestClient, id: str | None = None) -> None:
        self.client = client
        if id is None:
            made = client.post("/api/sessions", json={"name": "Tests"})
            assert made.status_code == 201, made.text
            id = made.json()["id"]
        self.id, self.path = id, f"/api/sessions/{id}"

    def ask(self, method: str, path: str = "", *, status: int = 200, **given: Any) -> Any:
        answer = self.client.request(method, self.path + path, **given)
        assert answer.status_code == status, answer.text
        is_json = answer.headers.get("content-type") == "application/json" and answer.content
        return answer.json() if is_json else answer

    def add(self, content: str | bytes = TEXT, name: str = "a.txt", *, status: int = 201) -> Any:
        data = content.encode() if isinstance(content, str) else content
        given = {"content": data, "headers": BYTES, "params": {"name": name}}
        return self.ask("POST", "/documents", status=status, **given)

    def correct(
        self, index: int, target: str, revision: int = 0, *, document: int = 1, status: int = 200, **more: Any
    ) -> Any:
        body = {"target": target, "revision": revision, **more}
        return self.ask("PUT", f"/documents/{document}/sentences/{index}", json=body, status=status)

    def show(self, index: int, document: int = 1) -> dict[str, Any]:
        """Translate a sentence, and give what a page shows."""
        shown: dict[str, Any] = self.ask("GET", f"/documents/{document}/sentences/{index}")
        return shown

    def settled(self, corrections: int) -> dict[str, Any]:
        """Wait until so many corrections are measured, and give the state."""
        found: list[dict[str, Any]] = []

        def is_settled() -> bool:
            found[:] = [self.ask("GET")]
            points = found[0]["points"]
            return bool(points) and points[-1]["corrections"] == corrections

        wait_until(is_settled, f"{corrections} corrections are measured")
        return found[0]


PIECES = [
    "la",
    "zorgulo",
    "\0",
    "\ud800",
    "|||",
    "[X,1]",
    "<seg>",
    "é",
    "\u2028",
    " ",
    "a" * 300,
    "\n",
    "<!DOCTYPE x>",
]
VALUES: list[Any] = [None, True, -1, 0, 1, 2**63, 1e308, [], {}, "", "1", "\udfff", [[]], {"source": "la"}]
REQUESTS = [
    ("POST", "/translate"),
    ("POST", "/corrections"),
    ("PUT", "/documents/1/sentences/{}"),
    ("GET", "/documents/1/sentences/{}"),
    ("GET", "/documents/1/sentences/{}/alternatives?begin={}&end=2"),
    ("GET", "/documents/1/sentences/{}/derivation.svg"),
    ("GET", "/documents/{}/export"),
    ("PATCH", "/documents/{}"),
    ("DELETE", "/documents/{}"),
    ("DELETE", "/corrections/{}"),
    ("PUT", "/rules"),
    ("POST", "/documents?name=a.{}.xlf"),
    ("POST", "/documents?name=a.{}.csv"),
    ("POST", "/memories?name=a.{}.tsv"),
    ("DELETE", "/memories?name=a.{}.tsv"),
    ("POST", "/glossary?name=a.{}.tsv"),
    ("GET", "/terms?find={}"),
    ("GET", "/concordance?find={}"),
    ("GET", "/memory.tmx"),
    ("GET", "/report"),
    ("GET", ""),
]


def random_requests(session: Session, count: int, seed: int) -> dict[int, int]:
    """Send good requests with random damage; count the answers by status. What raises is a fault."""
    dice = random.Random(seed)
    counts: dict[int, int] = {}
    for _ in range(count):
        method, path = dice.choice(REQUESTS)
        words = " ".join(dice.choices(PIECES, k=dice.randint(0, 6)))
        body: dict[str, Any] = {"source": words, "target": words[::-1], "revision": dice.randint(0, 3)}
        body["name"] = words
        body["withdrawn"] = dice.random() < 0.5
        if dice.random() < 0.4:
            body[dice.choice(["source", "target", "revision", "nbest", "next"])] = dice.choice(VALUES)
        content = json.dumps(body).encode()
        if dice.random() < 0.2:
            place = dice.randrange(len(content))
            content = content[:place] + bytes([dice.randrange(256)]) + content[place + 1 :]
        number = dice.randint(-1, 4)
        url = session.path + path.format(number, number)
        given = {"content": content, "headers": dice.choice([JSON, JSON, BYTES])}
        status = session.client.request(method, url, **given).status_code
        assert status < 500, (method, url, content)
        counts[status] = counts.get(status, 0) + 1
    return counts
