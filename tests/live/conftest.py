from __future__ import annotations

from pathlib import Path

import pytest
from support.small_session import write_system


@pytest.fixture
def ini(tmp_path: Path) -> Path:
    """Return the cdec.ini of the small system."""
    return write_system(tmp_path)
