"""The levels at which features fire, each with its price.

=================  =====================================  =============================================
level              asked                                  price
=================  =====================================  =============================================
`RuleFeatures`     once for each rule, in batches         paid once: answers are kept with the grammar
`EdgeFeatures`     once for each sentence, all edges      one call of numpy work a sentence
`NgramFeatures`    once for each rule, in batches         native search over a larger state
`StateFeatures`    many times a sentence, in the search   Python in the innermost loop
=================  =====================================  =============================================

A plugin is a subclass of one of them. Its constructor only stores its parameters; where they are
keyword-only and of simple types, a cdec.ini line can set them (`hopefear.plugins.arguments`). Sentences
decode in parallel threads that share the plugin, so `fire` must not keep anything of one sentence in it.
"""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from .batches import EdgeBatch, RuleBatch, Segment, StateBatch
from .errors import PluginError
from .strings import RuleStrings
from .table import FeatureTable

_BY_NAME = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


class Plugin:
    """What all levels share.

    Attributes
    ----------
    fires : tuple of str
        The names of its features, ``*`` standing for any text: ``("NP=", "NP+", "R:*")``. For the listing;
        `hopefear.plugins.check_plugin` holds a plugin that says something here to it.
    """

    fires: ClassVar[tuple[str, ...]] = ()

    def prepare(self) -> None:
        """Check the arguments and open what they name; called once, before the first sentence.

        Raises
        ------
        PluginError
            An argument has a value that the plugin cannot use.
        InputError
            A file cannot be read.
        """

    def __reduce_ex__(self, protocol: Any) -> Any:
        """Pickle the class and the parameters that it stores; what it has found out stays in this process.

        Where parameters are not stored under their names, or the plugin says itself how it is pickled, it is
        pickled as any other object.
        """
        cls = type(self)
        own = ("__reduce__", "__getstate__")
        says_itself = any(getattr(cls, name, None) is not getattr(object, name, None) for name in own)
        parameters = inspect.signature(cls).parameters.values()
        stored = all(hasattr(self, each.name) and each.kind in _BY_NAME for each in parameters)
        if says_itself or not stored:
            return super().__reduce_ex__(protocol)
        return partial(cls, **{each.name: getattr(self, each.name) for each in parameters}), ()


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


class NgramFeatures(Plugin, ABC):
    """n-grams of a string that a derivation spells: its words, their classes, its alignment links.

    Each rule gives a string of units and nonterminals; the derivation's string is that of its top rule, with
    the strings of the rules below in the nonterminals' places. Which n-grams it has is found by the engine
    while it searches, at the first edge that holds all of their units.

    Attributes
    ----------
    order : int
        n, from 1 to 5.
    boundaries : bool
        Whether ``<s>`` and ``</s>`` stand around the whole derivation's string, one of each.
    prefix : str
        A feature's name is the prefix and the units' texts with ``_`` between them.
    patterns : sequence of tuple of int
        Where units have several texts: the texts' numbers to take at the n positions, a feature for each
        pattern. Equal names fire once.
    """

    order: int = 2
    boundaries: bool = True
    prefix: str = ""
    patterns: tuple[tuple[int, ...], ...] | None = None

    @abstractmethod
    def strings(self, rules: RuleBatch) -> RuleStrings:
        """Give the strings of R rules.

        The engine asks once for each rule, so the answer may depend on nothing but the rule.
        """


class StateFeatures(Plugin, ABC):
    """Features that depend on what the derivation below an edge looks like.

    A node of the searched forest has a state of `state_size` integers; derivations recombine only where
    their states are equal. The engine asks in the midst of cube pruning, for a few dozen edges at a time.

    Attributes
    ----------
    state_size : int
        Integers in a node's state.
    """

    state_size: int = 1

    def begin(self, rules: RuleBatch, segment: Segment) -> Any:
        """Prepare a sentence; what it returns is passed to `fire`.

        Parameters
        ----------
        rules : RuleBatch
            All rules in use in the sentence's forest; `StateBatch.local_rule` numbers them.
        segment : Segment
            The sentence.
        """
        return None

    @abstractmethod
    def fire(self, edges: StateBatch, sentence: Any) -> tuple[FeatureTable, NDArray[np.int64]]:
        """Find the features and the states of E edges.

        Parameters
        ----------
        edges : StateBatch
            E edges, each with one derivation's states at its tails.
        sentence : object
            What `begin` returned.

        Returns
        -------
        features : FeatureTable
            Of E items: what the edge adds to what fired below.
        states : array of int64, shape (E, state_size)
            Of the edges' heads. What equal states stand for must not matter further up.
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
