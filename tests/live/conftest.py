from __future__ import annotations

from pathlib import Path

import pytest
from support.sessions import LIVE


@pytest.fixture
def ini(tmp_path: Path) -> Path:
    """Return the cdec.ini of the small system."""
    return LIVE.write(tmp_path)
