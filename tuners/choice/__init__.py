"""Cross-validation: settings chosen on k-best lists, tuners chosen on a corpus."""

from __future__ import annotations

from .cross_validated import CrossValidated
from .cross_validation import CrossValidation
from .settings_on_lists import choose_by_cross_validation
from .trials import UNCHANGED
