"""Features with a state that one function computes, compiled where numba is installed."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hopefear.base import PluginError

from .batches import RuleBatch, StateBatch
from .levels import StateFeatures
from .segment import Segment
from .table import FeatureTable


class CompiledStateFeatures(StateFeatures):
    """State features that a function computes for an edge at a time, `step`.

    With numba installed, the engine compiles `step` and calls it without Python. Else Python calls it: the
    results are the same, and the search is many times slower.

    Attributes
    ----------
    fires : tuple of str
        The names of the features, without ``*``.
    """

    def begin(self, rules: RuleBatch, segment: Segment) -> NDArray[np.int64]:
        """Prepare a sentence.

        Returns
        -------
        array of int64, shape (R + 1, columns)
            What `step` gets to know of each rule, in the last row of the goal; no columns by default.
        """
        return np.zeros((len(rules) + 1, 0), np.int64)

    @staticmethod
    @abstractmethod
    def step(
        rule: NDArray[np.int64],
        spans: NDArray[np.int32],
        tails: NDArray[np.int64],
        state: NDArray[np.int64],
        values: NDArray[np.float64],
    ) -> None:
        """Set the state of an edge's head and the values of its features.

        The function is a `staticmethod` in the Python that numba compiles.

        Parameters
        ----------
        rule : array of int64, shape (columns,)
            The row of the edge's rule.
        spans : array of int32, shape (1 + tails, 2)
            Source spans [i, j) of the head and of the tails.
        tails : array of int64, shape (tails, state_size)
            The states of the tails.
        state : array of int64, shape (state_size,)
            To be set; 0 before.
        values : array of float64, shape (features,)
            To be set, in the order of `fires`; 0 before.
        """

    def address(self, columns: int) -> int | None:
        """Return where the machine code of `step` is; None to call it in Python.

        A subclass can return the address of a C function of its own: ``void step(const int64_t *rule, const
        int32_t *spans, const int64_t *tails, int64_t tail_count, int64_t *state, double *values)``.

        Parameters
        ----------
        columns : int
            Of a row of `begin`.
        """
        compiled = self.__dict__.setdefault("_compiled", dict[int, Any]())
        if columns not in compiled:
            compiled[columns] = _compiled(self.step, columns, self.state_size, len(self.fires))
        return None if compiled[columns] is None else int(compiled[columns].address)

    def fire(self, edges: StateBatch, sentence: Any) -> tuple[FeatureTable, NDArray[np.int64]]:
        """Call `step` for each edge."""
        states = np.zeros((len(edges), self.state_size), np.int64)
        values = np.zeros((len(edges), len(self.fires)))
        for e, rule in enumerate(edges.local_rule.tolist()):
            tails = slice(edges.tail_indptr[e], edges.tail_indptr[e + 1])
            spans = np.concatenate([edges.span[e : e + 1], edges.tail_span[tails]])
            self.step(sentence[rule], spans, edges.tail_state[tails], states[e], values[e])
        return FeatureTable.from_dense(self.fires, values), states

    def __getstate__(self) -> dict[str, Any]:
        """Leave machine code behind."""
        return {name: value for name, value in self.__dict__.items() if name != "_compiled"}


def check_rule_rows(rows: object, n_rules: int, plugin_name: str) -> None:
    """Refuse an answer of `CompiledStateFeatures.begin` that the engine cannot use."""
    wanted = f"begin must return a contiguous int64 array of shape ({n_rules}, columns)"
    if not isinstance(rows, np.ndarray):
        raise PluginError(f"{plugin_name}: {wanted}, got {type(rows).__name__}")
    if rows.dtype != np.int64 or rows.ndim != 2 or len(rows) != n_rules or not rows.flags.c_contiguous:
        raise PluginError(f"{plugin_name}: {wanted}, got {rows.dtype} of shape {rows.shape}")


def _compiled(step: Any, columns: int, state_size: int, features: int) -> Any:
    """Compile a step, None without numba."""
    try:
        from numba import carray, cfunc, njit, types
    except ImportError:
        return None
    jitted = njit(step)
    integers, numbers = types.CPointer(types.int64), types.CPointer(types.float64)

    def call(rule: Any, spans: Any, tails: Any, count: Any, state: Any, values: Any) -> None:
        jitted(
            carray(rule, (columns,)),
            carray(spans, (count + 1, 2)),
            carray(tails, (count, state_size)),
            carray(state, (state_size,)),
            carray(values, (features,)),
        )

    spans_type = types.CPointer(types.int32)
    return cfunc(types.void(integers, spans_type, integers, types.int64, integers, numbers))(call)
