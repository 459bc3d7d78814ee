"""The levels at which features fire, and their cost.

=================  =========================================  ==============================================
level              called                                     cost
=================  =========================================  ==============================================
`RuleFeatures`     once for each rule, in batches             paid once: answers are kept with the grammar
`EdgeFeatures`     once for each sentence, with all edges     one call with numpy arrays per sentence
`NgramFeatures`    once for each rule, in batches             native search with a larger state
`StateFeatures`    many times per sentence, in the search     Python in the innermost loop, unless numba
                                                              compiles it: `CompiledStateFeatures`
`ListFeatures`     once for each sentence, after the search   only the k best translations are left
=================  =========================================  ==============================================

A plugin is a subclass of one level. The constructor only stores its parameters. A cdec.ini line can set
parameters that are keyword-only and of simple types (`hopefear.base.arguments`). Parallel threads that
decode different sentences share the plugin, so `fire` must not store data of a sentence in the plugin.
"""

from __future__ import annotations

import inspect
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from hopefear.base import PluginError

from .batches import EdgeBatch, RuleBatch, StateBatch
from .growth import growing
from .segment import Segment
from .strings import RuleStrings
from .table import FeatureTable

_BY_NAME = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


class Plugin:
    """The base class of all levels.

    Attributes
    ----------
    level : str
        The level: ``rule``, ``edge``, ``n-gram``, ``state`` or ``list``.
    fires : tuple of str
        The names of the features; ``*`` stands for any text: ``("NP=", "NP+", "R:*")``. Listings show the
        names, and `hopefear.check_plugin` checks that no other names fire, unless `fires` is empty.
    spellings : mapping of str to str
        More flags of a line of a cdec.ini, such as ``-4``, and the parameters that they set. The parameter of
        ``*``, a sequence, takes all words without a flag.
    """

    level: ClassVar[str]
    fires: ClassVar[tuple[str, ...]] = ()
    spellings: ClassVar[Mapping[str, str]] = MappingProxyType({})

    def prepare(self) -> None:
        """Check the arguments and open the files that they name; called once, before the first sentence.

        This makes the tables that are `growing`, so that errors in their arguments come before any sentence.

        Raises
        ------
        PluginError
            An argument has a value that the plugin cannot use.
        InputError
            A file cannot be read.
        """
        for name in dir(type(self)):
            if isinstance(getattr(type(self), name), growing):
                getattr(self, name)

    def __reduce_ex__(self, protocol: Any) -> Any:
        """Pickle the class and the stored parameters, without other data of the plugin.

        A plugin that does not store its parameters under their names, or that defines its own pickling, is
        pickled like any other object.
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
    """Features of a rule that do not depend on the sentence."""

    level = "rule"

    @abstractmethod
    def fire(self, rules: RuleBatch) -> FeatureTable:
        """Find the features of R rules.

        The engine calls this method once for each rule, so the answer may depend on the rule only.

        Returns
        -------
        FeatureTable
            A table of R items.
        """


class EdgeFeatures(Plugin, ABC):
    """Features of a rule used on a span of a sentence."""

    level = "edge"

    def rule_attributes(self, rules: RuleBatch) -> NDArray[np.int32]:
        """Return a number for each rule, which `fire` finds in `EdgeBatch.attribute`.

        The number can hold data that depend on the rule only and are expensive to compute for each edge. The
        engine calls this method once for each rule and keeps the answers with the grammar.

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
            A table of E items.
        """


class NgramFeatures(Plugin, ABC):
    """n-grams of a string that a derivation yields, such as its words, their classes or its alignment links.

    Each rule gives a string of units and nonterminals. The string of a derivation is that of its top rule, in
    which the strings of the rules below replace the nonterminals. The engine finds an n-gram during the
    search, at the first edge that has all of its units.

    Attributes
    ----------
    order : int
        n, from 1 to 5.
    boundaries : bool
        Whether the string of a complete derivation begins with one ``<s>`` and ends with one ``</s>``.
    prefix : str
        The name of a feature is the prefix, followed by the texts of the units with ``_`` between them.
    patterns : sequence of tuple of int
        For units with several texts: each pattern gives the number of the text at each of the n positions,
        and makes one feature. Equal names fire once.
    separator : str
        The text between the texts of units in a name.
    prefixes : sequence of str
        If not empty, each unit fires all k-grams that end with it, k = 1 to n, and `prefix` is followed by
        ``prefixes[k - 1]``. So does ``</s>``; ``<s>`` fires nothing. Without `boundaries`, the first n - 1
        units of the string fire nothing.
    begins : int
        With `prefixes`: how many ``<s>`` a k-gram may begin with, 0 or 1.
    """

    level = "n-gram"
    order: int = 2
    boundaries: bool = True
    prefix: str = ""
    patterns: tuple[tuple[int, ...], ...] | None = None
    separator: str = "_"
    prefixes: Sequence[str] = ()
    begins: int = 1

    @abstractmethod
    def strings(self, rules: RuleBatch) -> RuleStrings:
        """Return the strings of R rules.

        The engine calls this method once for each rule, so the answer may depend on the rule only.
        """


class StateFeatures(Plugin, ABC):
    """Features that depend on the derivation below an edge.

    A node of the rescored forest has a state of `state_size` integers; only derivations with equal states
    recombine. The engine calls the plugin during cube pruning, for a few dozen edges at a time.

    Attributes
    ----------
    state_size : int
        Number of integers in a node's state.
    """

    level = "state"
    state_size: int = 1

    def begin(self, rules: RuleBatch, segment: Segment) -> Any:
        """Prepare a sentence; the returned object is passed to `fire`.

        Parameters
        ----------
        rules : RuleBatch
            All rules in the sentence's forest; `StateBatch.local_rule` is an index into them.
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
            E edges, each with the states of one derivation at its tails.
        sentence : object
            The object that `begin` returned.

        Returns
        -------
        features : FeatureTable
            A table of E items: the features of the edge, in addition to those below it.
        states : array of int64, shape (E, state_size)
            The states of the edges' heads. Derivations with equal states must have equal features further up.
        """


class ListFeatures(Plugin, ABC):
    """Features of whole translations, such as the score of a large model.

    After the search of a pass with such plugins, the forest is that of the k best different translations by
    the features of the search, and their scores are those with these features. All that reads a forest, such
    as a tuner that chooses hope and fear, then chooses among these translations; completions may go beyond
    them. With `search_weights` the search does not change while a tuner learns to choose from its list.

    Attributes
    ----------
    k : int
        How many translations the plugin wants; with several plugins, all get the most that one wants.
    beam : int
        Of a search left to right for better translations, which the list gets too; 0 for none.
    search_weights : Path or None
        A file of the weights with which the search finds the list. Features that it does not name have the
        decoder's weights, as all have without a file.
    """

    level = "list"
    k: int = 100
    beam: int = 0
    search_weights: Path | None = None

    @abstractmethod
    def fire(self, translations: Sequence[str], segment: Segment) -> FeatureTable:
        """Find the features of n different translations of a sentence, the best first.

        Returns
        -------
        FeatureTable
            A table of n items.
        """

    def translations(self, segment: Segment) -> Sequence[str]:
        """Return translations of a sentence that the list gets too, whether or not the forest has them."""
        return ()

    @property
    def edits(self) -> str:
        """The feature of these translations: words by which they differ from the nearest of the search."""
        return f"{getattr(self, 'prefix', '')}{type(self).__name__}Edits"

    def next_subword(self, segment: Segment) -> NextSubword:
        """Return the probabilities whose logarithms add up to the first feature, for a beam."""
        raise NotImplementedError


class NextSubword(Protocol):
    """The probability of each subword behind the beginning of a translation.

    Attributes
    ----------
    end : int
        The number of the end of a translation.
    """

    end: int

    def cut(self, words: Sequence[str]) -> list[tuple[int, ...]]:
        """Cut words into numbers of subwords."""

    def log_probabilities(self, beginnings: Sequence[tuple[int, ...]]) -> NDArray[np.float64]:
        """Return the natural logarithm of the probability of each subword behind each beginning."""


def fired_names(plugin: Plugin) -> re.Pattern[str] | None:
    """Return a pattern of all names that a plugin declares; None if it declares none.

    The names are those of the plugin's ``fires``; its ``prefix`` may come before each of them. Names of
    n-gram features always begin with their ``prefix``.
    """
    prefix = re.escape(str(getattr(plugin, "prefix", "")))
    if plugin.fires:
        patterns = "|".join(".*".join(map(re.escape, pattern.split("*"))) for pattern in plugin.fires)
        return re.compile(f"(?:{prefix})?(?:{patterns})", re.DOTALL)
    return re.compile(f"{prefix}.*", re.DOTALL) if prefix and plugin.level == "n-gram" else None


def declared_near(plugin: Plugin, name: str, most: int = 3) -> list[str]:
    """List the names in a plugin's ``fires`` that are most like a name, the nearest first."""

    def likeness(pattern: str) -> float:
        begin = pattern.partition("*")[0]
        return SequenceMatcher(None, begin, name[: len(begin)] if "*" in pattern else name).ratio()

    return sorted(plugin.fires, key=likeness, reverse=True)[:most]


def check_attributes(attributes: object, n_rules: int, plugin_name: str) -> None:
    """Refuse an answer of `EdgeFeatures.rule_attributes` that the engine cannot use."""
    wanted = f"rule_attributes must return a contiguous int32 array of shape ({n_rules},)"
    if not isinstance(attributes, np.ndarray):
        raise PluginError(f"{plugin_name}: {wanted}, got {type(attributes).__name__}")
    if attributes.dtype != np.int32 or attributes.shape != (n_rules,) or not attributes.flags.c_contiguous:
        raise PluginError(f"{plugin_name}: {wanted}, got {attributes.dtype} of shape {attributes.shape}")


def check_states(answer: object, n_edges: int, state_size: int, plugin_name: str) -> None:
    """Refuse an answer of `StateFeatures.fire` that is not a table with states."""
    if not isinstance(answer, tuple) or len(answer) != 2:
        got = type(answer).__name__
        raise PluginError(f"{plugin_name}: expected a FeatureTable and states, got {got}")
    states, shape = answer[1], (n_edges, state_size)
    if not isinstance(states, np.ndarray):
        got = type(states).__name__
    elif states.dtype != np.int64 or states.shape != shape:
        got = f"{states.dtype} of shape {states.shape}"
    elif not states.flags.c_contiguous:
        got = f"one with strides {states.strides}"
    else:
        return
    raise PluginError(f"{plugin_name}: states must be a contiguous int64 array of shape {shape}, got {got}")
