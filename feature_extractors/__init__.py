"""The feature families, one module each. What is public here is a built-in name of a cdec.ini line."""

from __future__ import annotations

from .rule_indicators import RuleIndicators
from .soft_syntax import SoftSyntax
from .structural_distortion import StructuralDistortion

__all__ = ["RuleIndicators", "SoftSyntax", "StructuralDistortion"]
