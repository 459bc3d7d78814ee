"""The arguments after the library's path in a cdec.ini, and the file of plugins that they name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from hopefear.base.arguments import options_of, parse_arguments
from hopefear.decoder import FeatureSelection, Weights
from hopefear.plugins.annotations import Annotations


@dataclass(kw_only=True)
class BridgeSettings:
    """The bridge's arguments.

    Parameters
    ----------
    config : Path
        A file with a line ``feature_function=NAME arguments`` for each plugin, as in a cdec.ini.
    live_weights : Path, optional
        File of the weights that score the bridge's features, and that may change while cdec decodes.
    attributes : sequence of str
        The attributes of a ``<seg>`` tag that plugins get.
    allow, deny : sequence of str
        Patterns of the names that fire and that do not, see `hopefear.decoder.FeatureSelection`.
    hash_bits : int
        If above 0, names are hashed into 2**hash_bits features, as in hopefear's own decoder.
    freeze : Path, optional
        Fire only the (hashed) names in this file of weights.
    parse_ahead : Path, optional
        The cdec.ini that cdec itself reads: hopefear's engine parses each sentence first, see `Ahead`.
    trees, conllu, tags, classes : Path, optional
        Annotations of the input, see `hopefear.plugins.Annotations`.
    """

    config: Path
    live_weights: Path | None = None
    attributes: Sequence[str] = ("parse", "src_tree")
    allow: Sequence[str] = ()
    deny: Sequence[str] = ()
    hash_bits: int = 0
    freeze: Path | None = None
    parse_ahead: Path | None = None
    trees: Path | None = None
    conllu: Path | None = None
    tags: Path | None = None
    classes: Path | None = None

    @classmethod
    def read(cls, arguments: str) -> BridgeSettings:
        """Parse the arguments, such as ``--config FILE``."""
        name = "the bridge"
        return cls(**parse_arguments(arguments, options_of(cls, name), name))

    def selection(self) -> tuple[FeatureSelection, Weights | None]:
        """Return the selection of the features of plugins; if it is frozen, with the names that fire."""
        frozen = self.freeze is not None
        selection = FeatureSelection(tuple(self.allow), tuple(self.deny), self.hash_bits, frozen)
        if self.freeze is None:
            return selection, None
        known = Weights()
        known.read(self.freeze)
        if known.selection is not None:
            selection.check_agrees(known.selection, self.freeze)
        return selection, known

    def annotations(self) -> Annotations:
        """Open the files of annotations."""
        return Annotations(trees=self.trees, conllu=self.conllu, tags=self.tags, classes=self.classes)


class SelectedNames:
    """The names under which features fire: the same, hashed, or none."""

    def __init__(self, selection: FeatureSelection, known: Weights | None) -> None:
        self._selection, self._known = selection, known
        self._keeps_all = selection.keeps_all
        self._names: dict[str, str | None] = {}

    def of(self, features: Mapping[str, float]) -> dict[str, float]:
        """Return the selected features; the values of equal names are added."""
        if self._keeps_all:
            return dict(features)
        selected: dict[str, float] = {}
        for name, value in features.items():
            if name not in self._names:
                self._names[name] = self._selected(name)
            if (chosen := self._names[name]) is not None:
                selected[chosen] = selected.get(chosen, 0.0) + value
        return selected

    def _selected(self, name: str) -> str | None:
        if not self._selection.allows(name):
            return None
        if self._selection.hash_bits:
            name = self._selection.hashed(name)
        return name if self._known is None or name in self._known else None
