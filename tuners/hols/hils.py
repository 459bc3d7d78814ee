"""Held-in line search (Flanigan, Dyer & Carbonell 2013)."""

from __future__ import annotations

from .hols import Hols


class Hils(Hols):
    """HILS: HOLS whose line searches run on a part of what the gradient is taken over (section 6.1).

    It overfits; it is there to be compared with. The settings are those of `Hols`.
    """

    HELD_IN = True
