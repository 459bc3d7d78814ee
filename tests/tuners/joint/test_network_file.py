"""The file of a joint model: what is read is what was written, and damage is noticed."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from support.joint_networks import network

from hopefear.base import InputError
from hopefear.tuners.joint import JointNetwork


@pytest.mark.parametrize(("history", "second"), [(2, 0), (0, 16)])
@pytest.mark.parametrize("right_to_left", [False, True])
def test_a_file_is_read_as_it_was_written(
    tmp_path: Path, history: int, second: int, right_to_left: bool
) -> None:
    written = network(1, history, 3, 16, second, right_to_left=right_to_left)
    written.write(tmp_path / "joint.hfn")
    read = JointNetwork.read(tmp_path / "joint.hfn")
    for name, value in vars(written).items():
        assert np.array_equal(getattr(read, name), value), name
    with pytest.raises(ValueError, match="read-only"):
        read.bias[0] = 1
    os.truncate(tmp_path / "joint.hfn", 1)  # as a file in use may be
    assert np.array_equal(read.output_bias, written.output_bias)


def test_what_is_no_whole_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "joint.hfn"
    network(1, 2, 3).write(path)
    whole = path.read_bytes()
    for damaged in (b"", whole[:40], whole[:-1], b"x" + whole[1:], whole[:99] + b"\x7f" + whole[100:]):
        path.write_bytes(damaged)
        with pytest.raises(InputError, match=r"joint.hfn: expected a joint model, as hopefear train-joint"):
            JointNetwork.read(path)
    with pytest.raises(InputError, match=r"none.hfn: cannot be read: No such file"):
        JointNetwork.read(tmp_path / "none.hfn")
