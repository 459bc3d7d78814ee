from __future__ import annotations

import pytest
from support.plans import cells_here


@pytest.fixture
def in_this_process():
    with cells_here():
        yield
