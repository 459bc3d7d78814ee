"""Checkpoints are checked as strictly as any input: when they are written, when read, and when restored."""

from __future__ import annotations

import copy
import io
import json
import math
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support import world
from support.world import World

from hopefear import Decoder, InputError, Mira, Weights
from hopefear.tuners import (
    AdaptiveMira,
    OnlineLargeMargin,
    Pro,
    SoftRamp,
    TuningError,
    read_checkpoint,
    write_checkpoint,
)
from hopefear.tuners.contract.checkpoint import FORMAT

WORLD = World(
    world.grammar("la", "casa", "la casa", "verde", "casa verde"),
    weights={"Wrong": 0.1},
    corpus=world.corpus(("la casa", "the house"), ("casa verde", "green house")),
)
TUNERS: dict[str, Callable[[], Any]] = {
    "mira": lambda: Mira.paper(passes=1),
    "adaptive": lambda: AdaptiveMira.paper(passes=1),
    "margin": lambda: OnlineLargeMargin(passes=1),
    "ramp": lambda: SoftRamp(passes=1, rule="adagrad"),
    "pro": lambda: Pro(passes=1),
}
State = dict[str, Any]


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A checkpoint of each tuner after a pass."""
    folder = tmp_path_factory.mktemp("checkpoints")
    for name, make in TUNERS.items():
        make().fit(WORLD.decoder(folder), WORLD.corpus, checkpoint=folder / name)
    return {name: folder / name for name in TUNERS}


@pytest.mark.parametrize("name", TUNERS)
def test_every_bit_counts(name: str, saved: dict[str, Path], tmp_path: Path) -> None:
    whole, path = saved[name].read_bytes(), tmp_path / "damaged"
    rng = np.random.default_rng(1)
    for place in rng.integers(0, len(whole), 150).tolist():
        damaged = bytearray(whole)
        damaged[place] ^= 1 << int(rng.integers(8))
        path.write_bytes(damaged)
        with pytest.raises(InputError, match="damaged: the file is not a checkpoint of a tuner"):
            read_checkpoint(path)
    for length in rng.integers(0, len(whole), 20).tolist():
        path.write_bytes(whole[:length])
        with pytest.raises(InputError, match="damaged: the file is not a checkpoint of a tuner"):
            read_checkpoint(path)


def write_unchecked(path: Path, state: State) -> None:
    """Write a checkpoint as somebody else's program may."""
    content = io.BytesIO()
    arrays = {f"array_{name}": array for name, array in state["arrays"].items()}
    np.savez(content, facts=np.frombuffer(json.dumps(state["facts"]).encode(), np.uint8), **arrays)
    line = f"{FORMAT} {sha256(content.getvalue()).hexdigest()}\n"
    path.write_bytes(line.encode() + content.getvalue())


def forms(array: np.ndarray) -> dict[str, np.ndarray]:
    """Return arrays of other types and sizes."""
    numbers = array.astype(np.float64)
    return {
        "float32": array.astype(np.float32),
        "complex": array.astype(np.complex128),
        "text": np.full(array.shape, "a"),
        "one dimension more": array[None],
        "no dimension": np.array(1.0),
        "cut": array[:-1],
        "longer": np.concatenate([array, array[-1:], array[-1:]]),
        "nan": np.full_like(numbers, math.nan),
        "infinite": np.full_like(numbers, -math.inf),
        "negative": (-np.abs(numbers) - 1).astype(array.dtype) if array.dtype.kind in "if" else array,
        "large": np.full_like(array, 100 if array.dtype.itemsize == 1 else 10**6),
    }


@pytest.mark.parametrize("name", TUNERS)
def test_a_state_with_wrong_arrays_is_refused_or_gives_weights_that_can_be_read(
    name: str, saved: dict[str, Path], make_decoder: Callable[..., Decoder], tmp_path: Path
) -> None:
    path, state, refused = tmp_path / "wrong", read_checkpoint(saved[name]), 0
    for key, array in state["arrays"].items():
        for change in ("missing", *forms(array)):
            wrong = copy.deepcopy(state)
            if change == "missing":
                del wrong["arrays"][key]
            else:
                wrong["arrays"][key] = forms(array)[change]
            write_unchecked(path, wrong)
            tuner = TUNERS[name]()
            try:
                tuner.fit(make_decoder(), WORLD.corpus, checkpoint=path, resume=True)
            except InputError as error:
                refused += 1
                assert str(error).startswith(f"{path}: "), (key, change)
            else:
                Weights(tuner.weights_).write(tmp_path / "weights")
                Weights().read(tmp_path / "weights")
                assert not array.size or change not in ("complex", "text", "nan", "infinite"), (key, change)
    assert refused > 6 * len(state["arrays"])


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("settings", None),
        ("settings", {}),
        ("progress.updates", -1),
        ("progress.updates", "2"),
        ("progress.updates", 1.5),
        ("progress.position", True),
        ("records", 3),
        ("records", [{"pass_number": 1}]),
        ("progress.document", {}),
        ("progress.document.source_length", -1),
        ("progress.seconds", None),
        ("progress.average.updates", -1),
    ],
)
def test_wrong_facts_are_refused_with_the_file(
    key: str, value: Any, saved: dict[str, Path], decoder: Decoder, tmp_path: Path
) -> None:
    state = read_checkpoint(saved["mira"])
    *parts, name = key.split(".")
    facts = state["facts"]
    for part in parts:
        facts = facts[part]
    facts[name] = value
    write_checkpoint(tmp_path / "wrong", state)
    with pytest.raises(InputError, match=r"wrong: expected"):
        TUNERS["mira"]().fit(decoder, WORLD.corpus, checkpoint=tmp_path / "wrong", resume=True)


@pytest.mark.parametrize("place", ["facts", "arrays"])
def test_what_is_not_finite_is_not_written(place: str, saved: dict[str, Path], tmp_path: Path) -> None:
    state, path = read_checkpoint(saved["mira"]), tmp_path / "kept"
    write_checkpoint(path, state)
    before = path.read_bytes()
    wrong = copy.deepcopy(state)
    wrong[place]["own"] = math.nan if place == "facts" else np.array([math.inf])
    with pytest.raises(TuningError, match=r"cannot be saved in .*kept: "):
        write_checkpoint(path, wrong)
    assert path.read_bytes() == before


def test_earlier_and_foreign_files_are_named(tmp_path: Path) -> None:
    path = tmp_path / "old"
    old = io.BytesIO()
    np.savez(old, facts=np.frombuffer(b"{}", np.uint8))
    for foreign in (old.getvalue(), b"", b"x 1\n", np.random.default_rng(0).bytes(400)):
        path.write_bytes(foreign)
        with pytest.raises(InputError, match=r"old: .*: expected .*, got an earlier version"):
            read_checkpoint(path)


def test_weights_that_are_not_finite_are_not_written(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"weights: expected finite weights to write, got nan for b"):
        Weights({"a": 1.0, "b": math.nan}).write(tmp_path / "weights")
    assert not (tmp_path / "weights").exists()
