"""A common numbering for words and nonterminals of rules."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from hopefear.plugins import WordTable
from hopefear.plugins.keys import number_keys

_MARK = "\n"  # in front of a mark among the words


class UnitTable(WordTable):
    """A common numbering for words and for marks, such as ``<r>`` or the name of a category.

    A mark's text is the same in all types. See `hopefear.plugins.WordTable` for the rest.
    """

    def marks(self, texts: Sequence[str]) -> NDArray[np.int32]:
        """Number marks."""
        with self._lock:
            for text in texts:
                if _MARK + text not in self._numbers:
                    self._numbers[_MARK + text] = len(self._texts)
                    written = text.replace("=", "_").replace(";", "_")
                    self._texts.append((written,) * len(self.types))
                    self.native.add([written] * len(self.types))
            return np.array([self._numbers[_MARK + text] for text in texts], np.int32)

    def marks_of(self, keys: NDArray[np.int64], text_of: Callable[[int], str]) -> NDArray[np.int32]:
        """Number the marks that keys stand for; few of the keys are distinct."""
        numbers, distinct = number_keys(keys)
        return self.marks([text_of(key) for key in distinct.tolist()])[numbers]
