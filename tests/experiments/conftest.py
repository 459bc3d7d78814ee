from __future__ import annotations

import pytest

from hopefear.experiments.processes import Apart


def _call(self, task, cell, tries):
    return task(cell)


@pytest.fixture
def in_this_process(monkeypatch):
    """Run cells in threads of this process, which is faster."""
    monkeypatch.setattr(Apart, "call", _call)


@pytest.fixture(scope="module")
def module_in_this_process():
    """Run the cells of all a module's tests so."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Apart, "call", _call)
        yield
