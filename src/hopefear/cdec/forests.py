"""Forests as files of cdec, ``N.bin.gz``: Boost's binary archives, which ``cdec --forest_output`` writes."""

from __future__ import annotations

import os

from hopefear import _native
from hopefear.base.errors import InputError
from hopefear.base.files import read_packed, write_packed
from hopefear.decoder.hypergraph import Hypergraph
from hopefear.decoder.weights import Weights


def read_forest(path: str | os.PathLike[str], weights: Weights) -> Hypergraph:
    """Read a forest that cdec wrote.

    Nodes and edges are those of cdec, the edges sorted by head. Features of rules have single precision, as
    in a grammar that hopefear reads. cdec writes no alignments of rules.

    Parameters
    ----------
    path : path
        Compressed if its name ends in ``.gz``.
    weights : Weights
        The weights that number the features; new features are added. The scores are w·f.

    Raises
    ------
    InputError
        The file cannot be read, or its content is no forest; the message names the byte of the (uncompressed)
        content, and the node, edge or rule.
    """
    return forest_of(path, weights)


def forest_of(path: str | os.PathLike[str], weights: Weights, *, without: str = "") -> Hypergraph:
    """Read a forest, without one of its features; see `read_forest`."""
    content = read_packed(path)
    try:
        return Hypergraph(_native.read_cdec_forest(content, weights.native, without), weights)
    except ValueError as error:
        raise InputError(str(error), path=path) from None


def write_forest(hypergraph: Hypergraph, path: str | os.PathLike[str]) -> None:
    """Write a forest as cdec writes it, compressed if the name ends in ``.gz``; the file is written whole.

    Raises
    ------
    InputError
        The file cannot be written, or the format cannot hold the forest: it has no nodes, a rule has more
        than 64 symbols on a side, or a span ends above position 32767.
    """
    try:
        content = _native.write_cdec_forest(hypergraph.native, hypergraph.weights.native)
    except ValueError as error:
        raise InputError(f"cannot be written: {error}", path=path) from None
    write_packed(path, content)
