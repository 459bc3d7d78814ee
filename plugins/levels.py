"""The levels at which features fire, each with its price.

=================  =====================================  =============================================
level              asked                                  price
=================  =====================================  =============================================
`RuleFeatures`     once for each rule, in batches         paid once: answers are kept with the grammar
`EdgeFeatures`     once for each sentence, all edges      one call of numpy work a sentence
=================  =====================================  =============================================

A plugin is a subclass of one of them. Its constructor only stores its parameters; where they are
keyword-only and of simple types, a cdec.ini line can set them (`hopefear.plugins.arguments`). Sentences
decode in parallel threads that share the plugin, so `fire` must not keep anything of one sentence in it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray

from .batches import EdgeBatch, RuleBatch, Segment
from .errors import PluginError
from .table import FeatureTable


class Plugin:
    """What all levels share."""

    def prepare(self) -> None:
        """Check the arguments and open what they name; called once, before the first sentence.

        Raises
        ------
        PluginError
            An argument has a value that the plugin cannot use.
        InputError
            A file cannot be read.
        """


class RuleFeatures(Plugin, ABC):
    """Features of a rule, wherever it is used."""

    @abstractmethod
    def fire(self, rules: RuleBatch) -> FeatureTable:
        """Find the features of R rules.

        The engine asks once for each rule, so the answer may depend on nothing but the rule.

        Returns
        -------
        FeatureTable
            Of R items.
        """


class EdgeFeatures(Plugin, ABC):
    """Features of a rule used on a span of a sentence."""

    def rule_attributes(self, rules: RuleBatch) -> NDArray[np.int32]:
        """Give each rule a number that `fire` finds in `EdgeBatch.attribute`.

        For what only depends on the rule and would be dear to find for each edge. The engine asks once for
        each rule and keeps the answer with the grammar.

        Returns
        -------
        array of int32, shape (R,)
        """
        return np.zeros(len(rules), np.int32)

    @abstractmethod
    def fire(self, edges: EdgeBatch, segment: Segment) -> FeatureTable:
        """Find the features of all E edges of a sentence's translation forest.

        Returns
        -------
        FeatureTable
            Of E items.
        """


def check_attributes(attributes: object, n_rules: int, plugin_name: str) -> None:
    """Refuse an answer of `EdgeFeatures.rule_attributes` that the engine could not read.

    Raises
    ------
    PluginError
        It is not a contiguous int32 array of shape (n_rules,).
    """
    wanted = f"rule_attributes must return a contiguous int32 array of shape ({n_rules},)"
    if not isinstance(attributes, np.ndarray):
        raise PluginError(f"{plugin_name}: {wanted}, got {type(attributes).__name__}")
    if attributes.dtype != np.int32 or attributes.shape != (n_rules,) or not attributes.flags.c_contiguous:
        raise PluginError(f"{plugin_name}: {wanted}, got {attributes.dtype} of shape {attributes.shape}")
