"""The pages of the reference that are made from the code: families, tuners, commands, the HTTP API."""

from __future__ import annotations

import asyncio
import inspect
import json
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from importlib import import_module
from pathlib import Path
from typing import Any

from typer.main import get_command

from hopefear.cli import COMMANDS, app
from hopefear.cli.names import ENGINE, LEVELS, Description, NamedKind, entries, parameters, parameters_of
from hopefear.decoder.cdec_functions import EXTERNAL, REFUSED
from hopefear.feature_extractors import CDEC_NAMES
from hopefear.grammars.sample import sample_path
from hopefear.tuners.catalogue import known_learners, tuners
from hopefear.tuners.contract import constraints
from hopefear.tuners.joint.settings import JointSettings
from hopefear.tuners.transformer.settings import TransformerSettings

PRESETS = ("paper", "text")
"""The class methods that make a tuner with other settings than those of its constructor."""


def families() -> str:
    """Return the page of feature families: what each fires on, its names and its arguments."""
    found = [entry for entry in entries(NamedKind.plugins) if entry.name not in CDEC_NAMES]
    text = (
        "# Feature families\n\n"
        "The line `feature_function=NAME arguments` of a cdec.ini adds a family, and so does `--feature` of "
        "most commands. [Plugins](../use/plugins.md) tells what the levels cost, and what `TYPE` is. "
        "`hopefear plugins NAME` prints one of these entries.\n"
    )
    for level in LEVELS:
        rows = [(linked(entry.name), entry.summary) for entry in found if entry.level == level]
        if rows:
            text += f"\n**Level {level}**\n\n" + table(("family", "what it fires on"), rows)
    return text + "".join(map(section, found)) + cdec_functions()


def cdec_functions() -> str:
    """Return the section on the feature functions of cdec that have another name here, or are not here."""
    rows = [(code(name), linked(CDEC_NAMES[name])) for name in CDEC_NAMES]
    rows += [(code(name), f"refused: {reason}") for name, reason in REFUSED.items()]
    rows.append((code(EXTERNAL), "the plugins of `--config`; libraries other than the bridge are refused"))
    return (
        "\n## cdec's feature functions\n\n"
        "All other functions of cdec have cdec's name. A cdec.ini may use the names of either program.\n\n"
        + table(("cdec's name", "here"), sorted(rows))
    )


def oracles_and_metrics() -> str:
    """Return the page of oracles and metrics with their arguments."""
    text = "# Oracles and metrics\n\n`--oracle` and `--metric` take a name, with arguments behind it.\n"
    for kind in (NamedKind.oracles, NamedKind.metrics):
        found = list(entries(kind))
        rows = [(linked(entry.name), entry.summary) for entry in found]
        text += f"\n**{kind.value.capitalize()}**\n\n" + table(("name", "what it is"), rows)
        text += "".join(map(section, found))
    return text


def section(entry: Description) -> str:
    """Return what the page tells of a named object."""
    text = f"\n## {entry.name}\n\n{prose(entry.summary)}\n"
    if entry.fires:
        text += f"\nFires {', '.join(map(code, entry.fires))}.\n"
    if entry.arguments:
        told = parameters(entry.text) if entry in ENGINE else parameters_of(kind_of(entry))
        rows = []
        for flag, default in entry.arguments:
            name = re.sub(r"^no-", "", flag.split()[0].lstrip("-")).replace("-", "_").lower()
            rows.append((code(flag), code(default) if default else "required", prose(told.get(name, ""))))
        text += "\n" + table(("argument", "default", "meaning"), rows)
    if entry in ENGINE:
        return text
    kind = kind_of(entry)
    package = ".".join(kind.__module__.split(".")[:2])
    return text + f"\n{{py:obj}}`Description <{package}.{kind.__name__}>`\n"


def kind_of(entry: Description) -> type:
    """Return the class of a named object."""
    module, _, name = entry.origin.partition(":")
    found: type = getattr(import_module(module), name)
    return found


def tuner_settings() -> str:
    """Return the page of tuners: every setting with its default, the values allowed and its meaning."""
    names = tuners.known()
    learners = known_learners()
    rows = [(linked(name), "yes" if name in learners else "", summary(tuners.find(name))) for name in names]
    text = (
        "# Tuners and their settings\n\n"
        "`--set NAME=VALUE` of `hopefear tune` sets one of these, and so does the constructor in Python. "
        "[Tuners](../use/tuners.md) tells which to choose.\n\n"
    )
    text += table(("tuner", "learns live", "what it learns"), rows)
    text += "".join(settings_of(name, tuners.find(name)) for name in names)
    text += settings_of("Joint models", JointSettings)
    return text + settings_of("Transformers", TransformerSettings)


def settings_of(name: str, tuner: type) -> str:
    """Return the table of the settings of a tuner."""
    told, allowed = parameters_of(tuner), constraints(tuner)
    presets = {preset: getattr(tuner, preset)() for preset in PRESETS if hasattr(tuner, preset)}
    rows = []
    for setting, parameter in inspect.signature(tuner).parameters.items():
        default = parameter.default
        made = (getattr(preset, setting) for preset in presets.values())
        others = ["" if value == default else code(value) for value in made]
        limit = allowed[setting].text if setting in allowed else ""
        rows.append((code(setting), code(default), *others, limit, prose(told.get(setting, ""))))
    heads = ("setting", "default", *(f"`{name}.{preset}()`" for preset in presets), "allowed", "meaning")
    return f"\n## {name}\n\n{summary(tuner)}\n\n" + table(heads, rows)


def commands() -> str:
    """Return the page of commands, with the help of each."""
    text = "# Commands\n\nWhat `hopefear COMMAND --help` prints. "
    text += "[The command line](../use/command-line.md) has what all commands share.\n"
    root: Any = get_command(app)
    context = root.context_class(root, info_name="hopefear", max_content_width=100)
    for group, names in COMMANDS.items():
        text += f"\n## {group}\n"
        for name in names:
            for words, help_ in helped((name,), root.commands[name], context):
                text += f"\n### hopefear {' '.join(words)}\n\n```text\n{help_.strip()}\n```\n"
    return text


def helped(words: tuple[str, ...], command: Any, parent: Any) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield the help of a command and of those below it."""
    context = command.context_class(command, info_name=words[-1], parent=parent)
    yield words, command.get_help(context)
    for name, each in getattr(command, "commands", {}).items():
        yield from helped((*words, name), each, context)


def http_api() -> str:
    """Return the page of the HTTP API, from its OpenAPI description."""
    described = open_api()
    text = (
        "# The HTTP API of hopefear serve\n\n"
        "`/api/openapi.json` of a running server has the same in the form of OpenAPI. "
        "[Serving](../use/serving.md#the-http-api) has an example; [tools](../use/tools.md) tells of the "
        "requests of LibreTranslate.\n"
    )
    for path, methods in described["paths"].items():
        for method, about in methods.items():
            told = prose(about["description"].partition("\n\n")[0])
            text += f"\n## {method.upper()} {path}\n\n{told}\n"
            rows = list(fields(about, described))
            if rows:
                text += "\n" + table(("field", "in", "form", "meaning"), rows)
            if answer := answered(about):
                text += f"\nAnswer: {answer}.\n"
    text += "\n## Answers\n"
    for name, model in sorted(described["components"]["schemas"].items()):
        rows = [
            (code(field), form(about), prose(about.get("description", "")))
            for field, about in model.get("properties", {}).items()
        ]
        if rows:
            text += f"\n### {name}\n\n" + prose(model.get("description", "").partition("\n\n")[0]) + "\n\n"
            text += table(("field", "form", "meaning"), rows)
    return text


def open_api() -> dict[str, Any]:
    """Return the description of the API that a server over the sample gives of itself."""
    from hopefear.decoder import read_config
    from hopefear.live import AdaptingDecoder
    from hopefear.live.server.application import Application
    from hopefear.live.server.session_store import SessionStore
    from hopefear.live.server.system import TranslationSystem
    from hopefear.tuners import Mira

    settings = read_config(sample_path() / "cdec.ini")
    decoder = AdaptingDecoder(settings, rules=True, model=True, weights=sample_path() / "weights.init")
    with (
        tempfile.TemporaryDirectory() as folder,
        closing(SessionStore(TranslationSystem(decoder, Mira), Path(folder))) as store,
    ):
        described: dict[str, Any] = json.loads(asyncio.run(asked(Application(store), "/api/openapi.json")))
    return described


async def asked(application: Any, path: str) -> bytes:
    """Return the body of the answer of an ASGI application."""
    parts = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: dict[str, Any]) -> None:
        parts.append(message.get("body", b""))

    request = {"type": "http", "http_version": "1.1", "method": "GET", "scheme": "http", "root_path": ""}
    place = {
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "headers": [(b"host", b"127.0.0.1")],
    }
    await application({**request, **place, "client": ("127.0.0.1", 1)}, receive, send)
    return b"".join(parts)


def fields(about: dict[str, Any], described: dict[str, Any]) -> Iterator[tuple[str, ...]]:
    """Yield the rows of what a request takes: parameters, then the fields of its body."""
    for each in about.get("parameters", ()):
        told = prose(each.get("description", each["schema"].get("description", "")))
        yield code(each["name"]), each["in"], form(each["schema"]), told
    body = about.get("requestBody", {}).get("content", {})
    models = {form(content["schema"]): content["schema"] for content in body.values() if "schema" in content}
    for name, schema in models.items():
        model = described["components"]["schemas"].get(name.strip("`"), schema)
        for field, each in model.get("properties", {}).items():
            yield code(field), "body", form(each), prose(each.get("description", ""))


def answered(about: dict[str, Any]) -> str:
    """Return the form of the answer to a request."""
    good = next((each for code, each in about["responses"].items() if code.startswith("2")), {})
    contents = good.get("content", {})
    return ", ".join(form(each["schema"]) for each in contents.values() if each.get("schema"))


def form(schema: dict[str, Any]) -> str:
    """Return the form of a value as text, models by their names."""
    if "$ref" in schema:
        return code(schema["$ref"].rpartition("/")[2])
    if "anyOf" in schema:
        return " or ".join(form(each) for each in schema["anyOf"])
    if "enum" in schema:
        return ", ".join(map(code, schema["enum"]))
    if schema.get("type") == "array":
        return f"list of {form(schema.get('items', {}))}"
    return str(schema.get("type", "any"))


def summary(kind: type) -> str:
    """Return the first line of the docstring of a class."""
    return prose((inspect.getdoc(kind) or "").partition("\n")[0])


def prose(text: str) -> str:
    """Return text of a docstring as Markdown that a cell of a table can hold."""
    parts = re.split(r"(`+[^`]*`+)", " ".join(text.split()))
    parts[::2] = (re.sub(r"([*_<\\\[\]])", r"\\\1", part) for part in parts[::2])
    parts[1::2] = (code(part.strip("`")) for part in parts[1::2])
    return "".join(parts)


def code(value: object) -> str:
    """Return a value as code."""
    return f"`{value}`"


def linked(name: str) -> str:
    """Return a link to the section of a name."""
    return f"[{code(name)}](#{name.lower()})"


def table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a table of Markdown."""
    heads = tuple(heads)
    lines = [heads, ("---",) * len(heads), *rows]
    return "".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |\n" for line in lines)


PAGES: dict[str, Callable[[], str]] = {
    "families": families,
    "tuner-settings": tuner_settings,
    "oracles-and-metrics": oracles_and_metrics,
    "commands": commands,
    "http-api": http_api,
}
"""The pages by the names of their files."""


def write(folder: Path) -> None:
    """Write all pages into a folder."""
    for name, made in PAGES.items():
        (folder / f"{name}.md").write_text(made(), "utf-8")
