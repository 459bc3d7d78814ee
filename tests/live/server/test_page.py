"""The page and the description of the API."""

from __future__ import annotations

import re
from importlib.resources import files

from fastapi.testclient import TestClient


def test_the_api_is_described(client: TestClient) -> None:
    found = client.get("/api/openapi.json").json()
    assert found["info"]["title"] == "hopefear serve"
    methods = {(method, path) for path, each in found["paths"].items() for method in each}
    sentence = "/api/sessions/{session}/documents/{document}/sentences/{index}"
    assert {("put", sentence), ("post", "/api/sessions/{session}/translate")} <= methods
    accepted = found["paths"][sentence]["put"]["responses"]["200"]["content"]["application/json"]["schema"]
    assert accepted["$ref"].endswith("/Accepted")


def test_the_page_is_part_of_the_package(client: TestClient) -> None:
    page = client.get("/")
    assert page.status_code == 200 and "<textarea" in page.text
    assert "script-src 'self'" in page.headers["content-security-policy"]
    for name in ("page.js", "page.css", "icon.svg"):
        assert client.get(f"/{name}").status_code == 200, name
        assert name in page.text
    assert client.get("/sentence.js").status_code == 200  # a module that page.js imports
    assert "http" not in page.text.replace("http-equiv", "")


def test_the_page_shows_texts_as_texts() -> None:
    """Whatever a source, a glossary, a note, a file's name or an error says: nothing makes markup of it."""
    markup = re.compile(
        r"(inner|outer)HTML|insertAdjacentHTML|document\.write|\beval\(|new Function|srcdoc|DOMParser"
    )
    scripts = [path for path in files("hopefear.live.server.page").iterdir() if path.name.endswith(".js")]
    assert len(scripts) > 10
    assert [path.name for path in scripts if markup.search(path.read_text("utf-8"))] == []
