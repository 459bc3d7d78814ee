"""The files that a plan names: those that cannot be used are told before the first run."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from hopefear.base import InputError
from hopefear.base.typed import Key
from hopefear.decoder import Segment, Weights, read_config
from hopefear.decoder.cdec_functions import plugins_of
from hopefear.decoder.config import PASSES
from hopefear.decoder.rescoring import MODELS, ModelArguments, is_rule_function
from hopefear.grammars.built import Build
from hopefear.plugins import ListFeatures
from hopefear.plugins.corpus import read_segments

from .cells import Cell
from .plan import Plan, PlanSystem, SentenceSet
from .plan_file import START
from .toml_file import TomlFile, shown

_Check = tuple[tuple[Key, ...], str, Callable[[], Iterator[InputError]]]
"""The key of the plan, what it names, and what finds its faults."""


def check_inputs(plan: Plan, cells: Iterable[Cell], *, made: bool) -> None:
    """Check that cells will find what they read; grammars and models are only looked for."""
    file = TomlFile(plan.path)
    place = str(plan.prepared)
    checks = {(key, what): check for cell in cells for key, what, check in _checks(cell)}
    problems = []
    for (key, what), check in checks.items():
        if (place in what) is not made:
            continue
        if key[2:] == ("weights",) and "weights" not in file.content["systems"].get(key[1], {}):
            key = ("weights",)  # of the plan
        line = file.line_of(key)
        where = f"{plan.path}:{line}" if line else str(plan.path)
        problems += [f"{where}: {shown(key)}: {error}" for error in check()]
    if problems:
        raise InputError("\n".join(dict.fromkeys(problems)))


def _checks(cell: Cell) -> Iterator[_Check]:
    for sentences in cell.sets:
        yield from _checks_of_set(sentences)
        for line in cell.system.features:
            key = "systems", cell.system.name, "features"
            if cell.start is None or START not in line:
                yield key, f"{sentences.folder} {line}", partial(_in_feature, line, sentences.folder)
    if cell.start is None:
        yield from _checks_of_weights(cell.system, cell.tune)


def _checks_of_set(sentences: SentenceSet) -> Iterator[_Check]:
    table = "sets", sentences.name
    if not sentences.text:
        yield (*table, "source"), str(sentences.source), partial(_in_source, sentences.source)
    for path in sentences.references:
        yield (*table, "references"), str(path), partial(_raised, _find, path)
    if isinstance(sentences.documents, Path):
        path = sentences.documents
        yield (*table, "documents"), str(path), partial(_raised, _find, path)
    files = dict(sentences.annotation_files)
    for name, path in files.pop("own", {}).items():
        yield (*table, "annotations", name), str(path), partial(_raised, _find, path)
    for kind, path in files.items():
        yield (*table, kind), str(path), partial(_raised, _find, path)
    if sentences.config is not None:
        yield (*table, "config"), str(sentences.config), partial(_in_config, sentences.config)
    if sentences.build is not None:
        yield (*table, "build"), str(sentences.build), partial(_raised, Build.open, sentences.build)


def _checks_of_weights(system: PlanSystem, sentences: SentenceSet) -> Iterator[_Check]:
    table = "systems", system.name
    if system.weights is not None:
        yield (*table, "weights"), str(system.weights), partial(_raised, _read_weights, system.weights)
    elif sentences.config is not None:
        yield table, f"weights of {sentences.config}", partial(_in_own_weights, sentences.config)


def _in_source(path: Path) -> Iterator[InputError]:
    """Look for the input and for the grammars of its segments; its lines are checked where they are read."""
    missing = list(_raised(_find, path))
    yield from missing
    for segment in () if missing else read_segments(path):
        for grammar in segment.grammars if isinstance(segment, Segment) else ():
            yield from _raised(_find, Path(grammar))


def _in_config(path: Path) -> Iterator[InputError]:
    """Look for the files that a cdec.ini names."""
    try:
        config = read_config(path)
    except InputError as error:
        yield error
        return
    named = [("grammar", grammar) for grammar in config.grammars]
    named += [("scfg_extra_glue_grammar", config.extra_glue)] if config.extra_glue is not None else []
    named += [("text", config.text)] if config.text is not None else []
    for name, file in named:
        yield from _raised(config.naming(f"{name} {file}")(_find), file)
    later = zip(PASSES[1:], config.passes[1:], strict=True)  # the first pass starts from weights of the plan
    for suffix, settings in later:
        if settings.weights is not None:
            name_file = config.naming(f"weights{suffix} {settings.weights}")
            yield from _raised(name_file(_read_weights), settings.weights)
    for suffix, settings in zip(PASSES, config.passes, strict=True):
        for line in settings.features:
            name_line = config.naming(f"feature_function{suffix} {line}")
            yield from _raised(name_line(_make_feature), line, config.base)


def _in_own_weights(path: Path) -> Iterator[InputError]:
    """Look for the weights that a cdec.ini names, for a system without any of its own."""
    try:
        config = read_config(path)
    except InputError:  # said of the set
        return
    own = config.passes[0].weights
    if own is None:
        yield InputError(f"expected weights to start from, here, in the plan or in {path}")
    else:
        yield from _raised(config.naming(f"weights {own}")(_read_weights), own)


def _in_feature(line: str, base: Path) -> Iterator[InputError]:
    yield from _raised(_make_feature, line, base)


def _make_feature(line: str, base: Path) -> None:
    name, _, arguments = line.partition(" ")
    if name in MODELS:
        ModelArguments.read(name, arguments).check_files(base)
    elif not is_rule_function(name):
        for _, plugin in plugins_of(line, base):
            plugin.prepare()
            if isinstance(plugin, ListFeatures) and plugin.search_weights is not None:
                _read_weights(plugin.search_weights)


def _read_weights(path: Path) -> None:
    _find(path)
    Weights().read(path)


def _find(path: Path) -> None:
    if path.is_dir():
        raise InputError("expected a file, got a folder", path=path)
    if not path.exists():
        raise InputError("no such file", path=path)
    if not os.access(path, os.R_OK):
        raise InputError("cannot be read: no permission", path=path)


def _raised(check: Callable[..., object], *arguments: Any) -> Iterator[InputError]:
    """Return the error that a check raises."""
    try:
        check(*arguments)
    except InputError as error:
        yield error
    except Exception:  # a plugin's own: the runs that have the plugin fail, and tell all of it
        return
