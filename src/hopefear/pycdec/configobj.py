"""``cdec.configobj``, by which scripts read and write the configuration of the extractor."""

from __future__ import annotations

import os
from typing import Any

from hopefear.base.signatures import check_exports
from hopefear.pycdec.sa.configuration import read_configuration, write_configuration


class ConfigObj(dict[str, Any]):
    """A configuration: lines ``name = value`` of a file, values as in Python.

    Parameters
    ----------
    infile : str or path, optional
        The file to read, which must be there.
    unrepr : bool
        Taken for cdec's scripts, which always set it.

    Attributes
    ----------
    filename : str or None
        The file that `write` writes.
    """

    def __init__(self, infile: str | bytes | os.PathLike[str] | None = None, *, unrepr: bool = True) -> None:
        self.filename = None if infile is None else os.fsdecode(infile)
        super().__init__({} if self.filename is None else read_configuration(self.filename))

    def write(self) -> None:
        """Write the configuration to its file."""
        if self.filename is None:
            raise ValueError("expected a filename, got none")
        write_configuration(self, self.filename)


check_exports(__name__)
