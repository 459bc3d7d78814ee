"""What the tests of ``hopefear serve`` say to a server."""

from __future__ import annotations

from typing import Any

from fastapi.testclient import TestClient

from .waiting import wait_until

BYTES = {"content-type": "application/octet-stream"}
TEXT = "la casa es zorgulo\nel zorgulo es verde\nla casa verde\n"


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

    def correct(self, index: int, target: str, revision: int = 0, *, status: int = 200, **more: Any) -> Any:
        body = {"target": target, "revision": revision, **more}
        return self.ask("PUT", f"/documents/1/sentences/{index}", json=body, status=status)

    def settled(self, corrections: int) -> dict[str, Any]:
        """Wait until so many corrections are measured, and give the state."""
        found: list[dict[str, Any]] = []

        def is_settled() -> bool:
            found[:] = [self.ask("GET")]
            points = found[0]["points"]
            return bool(points) and points[-1]["corrections"] == corrections

        wait_until(is_settled, f"{corrections} corrections are measured")
        return found[0]
