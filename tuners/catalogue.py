"""Tuners by name, with settings as text."""

from __future__ import annotations

import inspect
import shlex
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from hopefear.base import InputError
from hopefear.base.arguments import constructor_types, option_of
from hopefear.base.catalogue import Catalogue, method_fault
from hopefear.base.errors import AuthorsCode
from hopefear.base.loading import near
from hopefear.base.signatures import check_exports
from hopefear.metrics import create_metric

from .contract import Can, OnlineLearner, Tuner, TuningError, can, learns_online
from .oracles import create_oracle
from .oracles.search_space import OracleError


def _complaint(found: type) -> str:
    return method_fault(found, {"fit": ("decoder", "corpus"), "check": ()})


tuners: Catalogue[Any] = Catalogue("tuner", "hopefear.tuners", _complaint)
"""Tuners by name; packages add tuners in the entry point group ``hopefear.tuners``."""


def known_learners() -> list[str]:
    """List the names of the tuners that can learn after each sentence, sorted."""
    return [name for name in tuners.known() if can(tuners.find(name), Can.LEARN_ONLINE)]


def make_tuner(
    line: str,
    settings: Iterable[str] = (),
    *,
    preset: str = "",
    **given: Any,
) -> Tuner:
    """Make the tuner of a line ``NAME setting=value ...`` or ``NAME.PRESET ...``.

    `preset` names the preset of a line that names none; a tuner without such a preset has its defaults.
    """
    try:
        name, *words = shlex.split(line) or [""]
    except ValueError as error:
        raise InputError(f"{line}: {error}") from None
    tuner, make = _found(name, preset)
    given = {key: value for key, value in given.items() if value is not None}
    values = read_settings(tuner, (*words, *settings), **given)
    try:
        with AuthorsCode(tuner, TuningError, ValueError, TuningError):
            made: Tuner = make(**values)
            made.check()
    except InputError:
        raise
    except OracleError as error:
        raise InputError(str(error)) from None
    except (ValueError, TuningError) as error:
        raise InputError(f"{tuner.__name__}: {error}") from None
    return made


def find_tuner(name: str) -> type:
    """Return the class of a name, with or without a preset behind it."""
    return _found(name)[0]


def _found(name: str, usual: str = "") -> tuple[type, Callable[..., Any]]:
    """Return the class of a name, and what makes the tuner: the class, or one of its presets."""
    path, colon, last = name.rpartition(":")
    last, _, preset = last.partition(".")
    tuner: type = tuners.find(path + colon + last, base=Path())
    known = getattr(tuner, "PRESETS", ())
    if preset and preset not in known:
        raise InputError(f"{tuner.__name__}: unknown preset {preset}, {near(preset, known)}")
    preset = preset or (usual if usual in known else "")
    return tuner, getattr(tuner, preset) if preset else tuner


def read_settings(kind: type, settings: Iterable[str], **given: Any) -> dict[str, Any]:
    """Read settings ``name=value``, which are parameters of a class's constructor."""
    values, parameters, types = dict(given), inspect.signature(kind).parameters, constructor_types(kind)
    for word in settings:
        key, equals, text = word.partition("=")
        if not equals:
            raise InputError(f"{kind.__name__}: expected name=value, got {word!r}")
        if key in ("oracle", "metric", "sentence_metric"):
            values[key] = _create(key, text)
        elif key in parameters:
            values[key] = _convert(f"{kind.__name__}: {key}", parameters[key], types.get(key, Any), text)
        else:
            values[key] = text
    for key in ("oracle", "metric"):
        if key in values and key not in parameters:
            raise InputError(f"{kind.__name__} takes no {key}: expected no --{key}, or another tuner")
    if "families" in values and "families" not in parameters:
        raise InputError(f"{kind.__name__} has no settings by family: expected no families, or another tuner")
    if unknown := sorted(set(values) - set(parameters)):
        raise InputError(f"{kind.__name__}: unknown setting {unknown[0]}, {near(unknown[0], parameters)}")
    return values


def make_learner(line: str, settings: Iterable[str] = ()) -> OnlineLearner:
    """Make a tuner that learns after each sentence, for live learning."""
    learner = make_tuner(line, settings, preset="paper")
    if not learns_online(learner):
        raise InputError(
            f"{type(learner).__name__} learns from a whole corpus; "
            f"tuners that learn after each sentence: {', '.join(known_learners())}"
        )
    return learner


def gives(line: str, settings: Iterable[str], name: str) -> bool:
    """Tell whether a line or settings that `make_tuner` takes have a setting."""
    return any(word.partition("=")[0] == name for word in (*shlex.split(line)[1:], *settings))


def _create(kind: str, line: str) -> Any:
    return (create_oracle if kind == "oracle" else create_metric)(line, base=Path())


def _convert(what: str, parameter: inspect.Parameter, annotation: Any, text: str) -> Any:
    option = option_of(parameter, annotation)
    if option is None:
        if annotation is Any:
            return text
        raise InputError(f"{what} is a function and cannot be given as text, got {text!r}")
    if option.kind is float and text in ("inf", "-inf"):  # such as trust_region
        return float(text)
    try:
        return option.convert(text, Path())
    except ValueError as error:
        raise InputError(f"{what} must be {error}, got {text!r}") from None


check_exports(__name__)
