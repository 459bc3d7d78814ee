"""A system that has been built, and its decoders."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Any

from hopefear.base import InputError
from hopefear.base.files import read_packed, written_whole
from hopefear.base.signatures import check_exports
from hopefear.base.stored import json_bytes, parse_json
from hopefear.decoder import Config, FeatureSelection, Weights, read_config
from hopefear.decoder.lengths import MAX_WORDS
from hopefear.plugins import Annotations

from .bitext import Bitext
from .extracting_decoder import ExtractingDecoder
from .extractor import GrammarExtractor
from .folds import Folds, TrainingFold, TrainingSegments, fold_name
from .stages import checksum
from .training_text import LeavingOut, TrainingText

DESCRIPTION = "build.json"
"""Name of the file that describes a system, in the system's folder."""
CONFIG, BASE = "cdec.ini", "base.ini"
"""Names of the configuration, and of that without what was learned for it."""

_making = Lock()
"""Held by the thread that makes an extractor."""


def make_extractor(bitext: Bitext, settings: Mapping[str, Any]) -> GrammarExtractor:
    """Make a `GrammarExtractor`; raises InputError for a wrong setting."""
    try:
        return GrammarExtractor(bitext, **settings)
    except (ValueError, TypeError) as error:
        raise InputError(f"expected settings of the extraction: {error}") from None


def _relative(paths: Iterable[Path], folder: Path) -> list[str]:
    """Return the paths of files relative to a folder, so that all can be moved together."""
    return [os.path.relpath(os.path.realpath(path), os.path.realpath(folder)) for path in paths]


@dataclass(frozen=True)
class Build:
    """A system in its folder: source, target and alignment with checksums, settings, ends of folds."""

    folder: Path
    texts: tuple[Path, ...]
    reverse: bool
    extraction: Mapping[str, Any]
    ends: Sequence[int]
    checksums: Sequence[str]

    @classmethod
    def open(cls, folder: str | os.PathLike[str]) -> Build:
        """Open the folder of a system, unless the text or its alignment has changed since the build."""
        folder = Path(folder)
        path = folder / DESCRIPTION
        content = read_packed(path)
        try:
            facts = parse_json(content)
            place = os.path.realpath(folder)
            texts = tuple(Path(os.path.normpath(os.path.join(place, name))) for name in facts.pop("texts"))
            fingerprint = facts.pop("fingerprint")
            system = cls(folder, texts, **facts)
            if len(system.texts) != 3 or system.fingerprint != fingerprint:
                raise ValueError
        except (ValueError, TypeError, KeyError, AttributeError):
            raise InputError("expected the description of a system: build it again", path=path) from None
        for text, total in zip(system.texts, system.checksums, strict=True):
            if checksum(text) != total:
                raise InputError(f"has changed since {folder} was built: build it again", path=text)
        return system

    def describe(self) -> None:
        """Write the description that `open` reads."""
        texts = _relative(self.texts, self.folder)
        facts = {"texts": texts, **self._facts, "fingerprint": self.fingerprint}
        with written_whole(self.folder / DESCRIPTION) as part:
            part.write_bytes(json_bytes(facts))

    @property
    def _facts(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("reverse", "extraction", "ends", "checksums")}

    @property
    def fingerprint(self) -> str:
        """A hexadecimal digest of the texts and the settings, which determine rules and folds."""
        return sha256(json.dumps(self._facts, sort_keys=True).encode()).hexdigest()

    @property
    def config(self) -> Config:
        """The configuration as built, without what was learned; with the grammar for the inputs, if any."""
        base = self.folder / BASE
        return read_config(base if base.exists() else self.folder / CONFIG)

    @cached_property
    def folds(self) -> Folds:
        """The folds of the parallel text, for training."""
        source, target, _ = self.texts
        parts = [
            TrainingSegments(source, target, sentences, self.fingerprint)
            for sentences in map(range, [0, *self.ends], self.ends)
        ]
        return Folds(
            [
                TrainingFold(self.folder / fold_name(index), segments, lambda: self.extractor)
                for index, segments in enumerate(parts)
            ]
        )

    @property
    def extractor(self) -> GrammarExtractor:
        """The extractor of rules from the parallel text, made at the first use."""
        with _making:
            return self._extractor

    @cached_property
    def _extractor(self) -> GrammarExtractor:
        return make_extractor(self.read_text(), self.extraction)

    def read_text(self) -> Bitext:
        """Read the parallel text and its word alignment."""
        return Bitext.read(*self.texts, reverse=self.reverse)

    def training_text(
        self,
        *,
        sentences: int | None = None,
        seed: int = 0,
        max_words: int = MAX_WORDS,
        annotations: Annotations | None = None,
    ) -> TrainingText:
        """Return the parallel text as a corpus, for `leaving_out`; arguments as for `TrainingText`."""
        return TrainingText(
            self.extractor.bitext,
            self.fingerprint,
            where=os.fspath(self.texts[0]),
            sentences=sentences,
            seed=seed,
            max_words=max_words,
            annotations=annotations,
        )

    def leaving_out(
        self,
        *,
        weights: Weights | str | os.PathLike[str] | dict[str, float] | None = None,
        features: Callable[[], Sequence[Any]] = tuple,
        selection: FeatureSelection | None = None,
        max_words: int = MAX_WORDS,
        own_rules: bool = True,
        neighbours: int | None = None,
        pop_limit: int | None = None,
    ) -> LeavingOut:
        """Make a decoder for the sentences of the parallel text, by models that leave each of them out.

        The n-gram model of a sentence is that of the folds that do not contain it. Its rules come from the
        whole text without its own pair and its `neighbours`, like those of new text (`LeaveOneOutDecoder`);
        without `own_rules`, from the other folds. `features` makes the plugins of each fold's decoder.
        `pop_limit` replaces the configuration's: learning needs less search than translating.
        """
        if not self.folds:
            raise InputError("expected a system with folds: build it with --folds 5", path=self.folder)
        decoders = list[ExtractingDecoder]()
        for fold in self.folds:
            decoders.append(
                fold.decoder(
                    weights=decoders[0].weights if decoders else weights,
                    features=features(),
                    selection=decoders[0].selection if decoders else selection,
                    max_words=max_words,
                    own_rules=own_rules,
                    neighbours=neighbours,
                    pop_limit=pop_limit,
                )
            )
        return LeavingOut(decoders, self.ends)

    def decoder(
        self,
        *,
        weights: Weights | str | os.PathLike[str] | dict[str, float] | None = None,
        features: Sequence[Any] = (),
        selection: FeatureSelection | None = None,
        max_words: int = MAX_WORDS,
    ) -> ExtractingDecoder:
        """Make a decoder for any sentence, with rules from the parallel text, not from files."""
        config = self.config
        config.grammars.clear()
        return ExtractingDecoder(
            config,
            self.extractor,
            weights=weights,
            features=features,
            selection=selection,
            max_words=max_words,
        )


check_exports(__name__)
