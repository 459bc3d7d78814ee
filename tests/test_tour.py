"""docs/use/tour.ipynb is true: its cells are executed, and what they print is compared with its outputs.

Numbers agree to one in a thousand. In a cell with the tag ``varies``, which shows what many updates led to,
numbers and words may differ. ``jupyter execute --inplace docs/use/tour.ipynb`` writes the outputs again.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient
from support import CHECKOUT
from support.pages import assert_alike

NOTEBOOK = CHECKOUT / "docs" / "use" / "tour.ipynb"


def printed(cell: Mapping[str, Any]) -> str:
    """Join what a cell prints, as text."""
    return "".join(one.get("text") or one["data"]["text/plain"] for one in cell["outputs"])


# Jupyter's own packages warn of each other.
@pytest.mark.filterwarnings("ignore")
def test_the_tour(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR"):
        monkeypatch.setenv(name, str(tmp_path / name.lower()))
    shown = nbformat.read(NOTEBOOK, as_version=4)
    executed = copy.deepcopy(shown)
    NotebookClient(executed, timeout=300, startup_timeout=300).execute()
    cells = [pair for pair in zip(shown.cells, executed.cells, strict=True) if pair[0].cell_type == "code"]
    assert [cell.execution_count for cell, _ in cells] == list(range(1, len(cells) + 1))
    for cell, done in cells:
        kinds, found = ([sorted(one.get("data", ["text"])) for one in run.outputs] for run in (cell, done))
        assert kinds == found, cell.source
        if "varies" not in cell.metadata.get("tags", ()):
            assert_alike(printed(cell), printed(done), False, f"{NOTEBOOK.name}: {cell.source}")
    pages = [one.get("data", {}).get("text/html", "") for cell, _ in cells for one in cell.outputs]
    assert any("<svg" in page for page in pages)
