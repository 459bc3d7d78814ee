"""Parallel MIRA that was stopped, and goes on: the same weights, to the bit."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from support import world
from support.full_disk import small_files
from support.parallel_runs import Learned, learn
from support.stopping import Stop, stop_at

from hopefear.base import InputError
from hopefear.decoder import Decoder
from hopefear.parallel import Serial, Threads
from hopefear.tuners import ParallelMira, write_checkpoint
from hopefear.tuners.contract.checkpoint import read_checkpoint

WORLD, CORPUS = world.SPANS, world.SPANS.corpus


@pytest.fixture(scope="module", params=[1, 3], ids="{} a call".format)
def whole(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[int, Learned]:
    """Return the number of sentences a call, and what a run that nobody stops learns."""
    decoder = WORLD.decoder(tmp_path_factory.mktemp("whole"))
    return request.param, learn(decoder, Serial(), sentences_a_call=request.param)[1]


@pytest.mark.parametrize("at", [1, 9, 22, 24, 26, 40, 49])
@pytest.mark.parametrize("saved", ["by itself", "by who stopped it"])
def test_a_stopped_run_goes_on_anywhere(
    make_decoder: Callable[[], Decoder], tmp_path: Path, whole: tuple[int, Learned], at: int, saved: str
) -> None:
    a_call, expected = whole
    path = tmp_path / "checkpoint"
    save_every = 3 if saved == "by itself" else 0
    settings = {"C": 0.1, "passes": 2, "workers": 3, "snapshot_every": 4, "sentences_a_call": a_call}
    tuner = ParallelMira.paper(**settings, save_every=save_every)  # type: ignore[arg-type]
    with pytest.raises(Stop):
        tuner.fit(make_decoder(), CORPUS, checkpoint=path, on_update=stop_at(at))
    if saved == "by who stopped it":
        write_checkpoint(path, tuner.get_state())
    if not path.exists():
        return
    other = make_decoder()
    other.weights.id("Unheard-of")
    assert learn(other, Threads(2), checkpoint=path, resume=True, sentences_a_call=a_call)[1] == expected


def test_a_stopped_run_keeps_to_its_order(make_decoder: Callable[[], Decoder], tmp_path: Path) -> None:
    """What was done after the last checkpoint is done again as it was, before workers come as they come."""
    path, order = tmp_path / "checkpoint", tmp_path / "checkpoint.schedule"
    with pytest.raises(Stop):
        learn(
            make_decoder(),
            Threads(3),
            schedule="arrival",
            checkpoint=path,
            save_every=5,
            on_update=stop_at(34),
        )
    begun = order.read_text()
    assert begun.count("\n") >= 34
    with order.open("a") as file:
        file.write("1")  # a line that was being written
    tuner, learned = learn(
        make_decoder(), Threads(3), schedule="arrival", checkpoint=path, resume=True, save_every=5
    )
    assert order.read_text().startswith(begun)
    assert order.read_text() == "".join(f"{turn.worker}\n" for turn in tuner.schedule_)
    assert learn(make_decoder(), Serial(), replay=str(order))[1] == learned
    order.write_text("0\n" * 60)
    with pytest.raises(InputError, match="expected the schedule of the checkpoint, got another"):
        learn(make_decoder(), checkpoint=path, resume=True)


def test_a_stopped_run_keeps_to_another_order(make_decoder: Callable[[], Decoder], tmp_path: Path) -> None:
    path, order, other = tmp_path / "checkpoint", tmp_path / "checkpoint.schedule", tmp_path / "other"
    with pytest.raises(Stop):
        learn(make_decoder(), checkpoint=path, save_every=10, on_update=stop_at(28))
    begun = order.read_text().splitlines()
    done = len(read_checkpoint(path)["arrays"]["schedule"])
    assert done == len(CORPUS) < len(begun)  # the end of the first pass
    other.write_text("\n".join([*begun[:done], *["1"] * (len(CORPUS) - 3), "0", "1", "2", ""]))
    with pytest.raises(InputError, match="order: expected the schedule of the checkpoint, got another"):
        (tmp_path / "order").write_text("2\n" + other.read_text())
        learn(make_decoder(), checkpoint=path, resume=True, replay=str(tmp_path / "order"))
    _, learned = learn(make_decoder(), checkpoint=path, resume=True, replay=str(other))
    assert order.read_text() == other.read_text()
    assert learn(make_decoder(), Serial(), replay=str(other))[1] == learned


@pytest.mark.parametrize("executors", [(Serial(), None), (None, Serial())], ids=["here", "elsewhere"])
def test_one_worker_goes_on_anywhere(
    make_decoder: Callable[[], Decoder], tmp_path: Path, executors: tuple[Serial | None, Serial | None]
) -> None:
    _, expected = learn(make_decoder(), workers=1)
    path, (before, after) = tmp_path / "checkpoint", executors
    with pytest.raises(Stop):
        learn(make_decoder(), before, checkpoint=path, workers=1, save_every=5, on_update=stop_at(20))
    assert learn(make_decoder(), after, checkpoint=path, workers=1, resume=True)[1] == expected


def test_a_full_disk_leaves_whole_turns(make_decoder: Callable[[], Decoder], tmp_path: Path) -> None:
    path, order = tmp_path / "checkpoint", tmp_path / "checkpoint.schedule"
    decoder = make_decoder()
    with small_files(11), pytest.raises(OSError, match="File too large") as failed:
        learn(decoder, Serial(), checkpoint=path)
    assert failed.value.filename == str(order)
    assert order.read_text().endswith("\n") and order.read_text().count("\n") == 5
