"""The reference that the build of the documentation makes from the code has everything."""

from __future__ import annotations

import inspect
import re
from typing import Any

import pytest
from support.reference_pages import reference, rows, sections
from typer.main import get_command

from hopefear.cli import app
from hopefear.cli.names import WITH_ARGUMENTS, entries
from hopefear.feature_extractors import CDEC_NAMES
from hopefear.tuners.catalogue import tuners


@pytest.mark.parametrize("entry", [e for kind in WITH_ARGUMENTS for e in entries(kind)], ids=lambda e: e.name)
def test_each_family_oracle_and_metric_has_a_section_with_the_meaning_of_its_arguments(entry: Any) -> None:
    if entry.name in CDEC_NAMES:
        pytest.skip("another name of a family")
    found = sections("families") | sections("oracles-and-metrics")
    shown = rows(found[entry.name])
    assert all(f"`{name}`" in found[entry.name] for name in entry.fires)
    for flag, default in entry.arguments:
        cells = shown[flag.replace("|", "\\|")]
        assert cells[0].strip("`") == (default.replace("|", "\\|") or "required")
        assert cells[1], flag


@pytest.mark.parametrize("name", tuners.known())
def test_each_setting_of_a_tuner_has_its_default_and_its_meaning(name: str) -> None:
    shown = rows(sections("tuner-settings")[name])
    for setting, parameter in inspect.signature(tuners.find(name)).parameters.items():
        assert shown[setting][0] == f"`{parameter.default}`"
        assert shown[setting][-1], setting


def test_each_command_has_its_options() -> None:
    found = sections("commands")
    waiting: list[tuple[str, Any]] = [("hopefear", get_command(app))]
    while waiting:
        words, command = waiting.pop()
        waiting += [(f"{words} {name}", each) for name, each in getattr(command, "commands", {}).items()]
        if words != "hopefear":
            for parameter in command.params:
                assert all(option in found[words] for option in parameter.opts if option.startswith("--")), (
                    words
                )


def test_each_request_has_a_section_that_tells_what_it_does() -> None:
    pytest.importorskip("fastapi", reason="FastAPI is not installed")
    found = sections("http-api")
    for path, methods in reference.open_api()["paths"].items():
        for method in methods:
            assert re.match(r"\n\n\w.*\.\n", found[f"{method.upper()} {path}"]), path
