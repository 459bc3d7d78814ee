"""Forests in PyTorch: functions of the scores of edges, twice differentiable."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from numpy.typing import NDArray

from hopefear import _native
from hopefear.base.signatures import check_exports

if TYPE_CHECKING:
    from .forest import Forest


def log_partition(forest: Forest, scores: torch.Tensor) -> torch.Tensor:
    """Return log Σ exp(score) over the derivations of a forest: the inside algorithm.

    Parameters
    ----------
    scores : tensor of shape (E,)
        The scores of edges, in place of the forest's own.

    Raises
    ------
    ScoreError
        A score is not finite, or too large.
    """
    result: torch.Tensor = _LogPartition.apply(_moments(forest, scores), scores)
    return result


def edge_posteriors(forest: Forest, scores: torch.Tensor) -> torch.Tensor:
    """Return how often a derivation, p(d) ∝ exp(score), is expected to have each edge.

    The expected sum of any values of edges is ``edge_posteriors(forest, scores) @ values``.

    Parameters
    ----------
    scores : tensor of shape (E,)
        The scores of edges, in place of the forest's own.

    Raises
    ------
    ScoreError
        A score is not finite, or too large.
    """
    result: torch.Tensor = _Posteriors.apply(_moments(forest, scores), scores)
    return result


def _moments(forest: Forest, scores: torch.Tensor) -> _native.Moments:
    return _native.Moments(forest.native.with_scores(_array(scores)), 1.0)


def _array(tensor: torch.Tensor) -> NDArray[np.float64]:
    return np.ascontiguousarray(tensor.detach().cpu().numpy(), np.float64)


class _LogPartition(torch.autograd.Function):  # type: ignore[misc, unused-ignore]  # torch may not be there
    @staticmethod
    def forward(ctx: Any, moments: _native.Moments, scores: torch.Tensor) -> torch.Tensor:
        ctx.moments = moments
        ctx.save_for_backward(scores)
        return scores.new_tensor(moments.log_partition)

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> tuple[None, torch.Tensor]:
        (scores,) = ctx.saved_tensors
        return None, gradient * _Posteriors.apply(ctx.moments, scores)


class _Posteriors(torch.autograd.Function):  # type: ignore[misc, unused-ignore]
    @staticmethod
    def forward(ctx: Any, moments: _native.Moments, scores: torch.Tensor) -> torch.Tensor:
        ctx.moments = moments
        ctx.save_for_backward(scores)
        return scores.new_tensor(moments.edges())

    @staticmethod
    def backward(ctx: Any, values: torch.Tensor) -> tuple[None, torch.Tensor]:
        (scores,) = ctx.saved_tensors
        return None, _Covariances.apply(ctx.moments, scores, values)


class _Covariances(torch.autograd.Function):  # type: ignore[misc, unused-ignore]
    """Of a sum of values and how often a derivation has each edge."""

    @staticmethod
    def forward(
        ctx: Any, moments: _native.Moments, scores: torch.Tensor, values: torch.Tensor
    ) -> torch.Tensor:
        ctx.moments = moments
        ctx.save_for_backward(values)
        return scores.new_tensor(moments.edge_covariances(_array(values)))

    @staticmethod
    @torch.autograd.function.once_differentiable  # type: ignore[misc, untyped-decorator, unused-ignore]
    def backward(ctx: Any, direction: torch.Tensor) -> tuple[None, torch.Tensor, torch.Tensor]:
        (values,) = ctx.saved_tensors
        moments, along = ctx.moments, _array(direction)
        third = values.new_tensor(moments.edge_third_moments(_array(values), along))
        return None, third, values.new_tensor(moments.edge_covariances(along))


check_exports(__name__)
