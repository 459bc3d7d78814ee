"""pycdec's Decoder."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from hopefear.base.signatures import refusing
from hopefear.base.texts import BLANK
from hopefear.decoder import Decoder as _Decoder
from hopefear.decoder import parse_config
from hopefear.pycdec.hypergraph import Hypergraph, Lattice
from hopefear.pycdec.rules import Grammar, TextGrammar, TRule
from hopefear.pycdec.text import as_text
from hopefear.pycdec.vectors import DenseVector, SparseVector, Values

if TYPE_CHECKING:
    from hopefear.pycdec.sa.rules import Rule


class Decoder:
    """A decoder; the attribute `decoder` is the `hopefear.Decoder` behind it.

    Parameters
    ----------
    config_str : str, optional
        The text of a cdec.ini; paths in it are relative to the working directory.
    config
        Options by name, in place of `config_str`: a value, a list for a repeated option, or a dict of names
        and arguments, such as ``feature_function={"WordPenalty": ""}``.

    Raises
    ------
    InvalidConfig
        An option is unknown or wrong.
    """

    def __init__(self, config_str: str | bytes | None = None, **config: Any) -> None:
        if config_str is None:
            config_str = "\n".join(f"{name} = {value}" for name, value in _settings(config))
        self.decoder = _Decoder(parse_config(as_text(config_str)))
        self._weights = DenseVector(self.decoder.weights)

    @property
    def weights(self) -> DenseVector:
        """The weights; assigning a dict or vector replaces all of them."""
        return self._weights

    @weights.setter
    @refusing("cannot initialize weights with {}")
    def weights(self, values: Values | SparseVector | DenseVector) -> None:
        self._weights.assign(values)

    @property
    def formalism(self) -> str:
        """The formalism, ``scfg``."""
        return self.decoder.formalism

    def read_weights(self, weights: str | bytes | os.PathLike[str], scaling: float = 1.0) -> None:
        """Set the weights that a file contains, times `scaling`."""
        self.decoder.read_weights(os.fsdecode(weights), scaling)

    def translate(
        self, sentence: str | bytes | Lattice, grammar: str | bytes | Iterable[TRule | Rule] | None = None
    ) -> Hypergraph:
        """Translate a sentence or lattice.

        Parameters
        ----------
        sentence : str or Lattice
            Words, PLF or a ``<seg>`` line.
        grammar : str or rules, optional
            Additional rules for this sentence only.

        Raises
        ------
        ParseFailed
            No derivation covers the sentence.
        TypeError
            The sentence is neither text nor lattice.
        """
        if grammar is None or isinstance(grammar, (str, bytes)):
            rules = as_text(grammar or "")
        else:
            rules = (grammar if isinstance(grammar, Grammar) else TextGrammar(grammar)).text()
        source = sentence.arcs if isinstance(sentence, Lattice) else as_text(sentence)
        return Hypergraph(self.decoder.translate(source, rules))


def set_silent(yn: bool) -> None:
    """Do nothing: the decoder never writes to standard error."""


def _settings(config: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for name, value in config.items():
        if isinstance(value, Mapping):
            for function, arguments in value.items():
                yield name, f"{_value(function)} {_value(arguments or '')}".strip(BLANK)
        elif isinstance(value, (list, tuple)):
            for item in value:
                yield name, _value(item)
        else:
            yield name, _value(value)


def _value(value: Any) -> str:
    return as_text(value) if isinstance(value, bytes) else str(value)
