"""Neural joint models (Devlin et al. 2014): trained on the text of a system, used in the search."""

from __future__ import annotations

from .network_file import JointNetwork

__all__ = ["JointNetwork"]
