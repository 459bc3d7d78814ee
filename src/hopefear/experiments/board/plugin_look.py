"""What the plugins of a file fire on some sentences, and what they gain in a quick tuning run."""

from __future__ import annotations

import importlib
import inspect
import sys
import traceback
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from markupsafe import Markup

from hopefear.base import InputError
from hopefear.decoder import Decoder, Segment, attempt
from hopefear.decoder.views import derivation_svg, derivation_tree
from hopefear.metrics import Bleu, Resampled, Statistics, compare_resampled, resample
from hopefear.plugins import Plugin, create
from hopefear.reports import render
from hopefear.tuners import Mira

_MOST = 40  # features in the table
_RULES = 12  # of a sentence


@dataclass(frozen=True)
class PluginTrial:
    """What plugins are tried on; another process can have it."""

    file: Path
    config: Path
    weights: Path | None
    corpus: list[Segment]

    def fired(self) -> str:
        """Return HTML that shows what the plugins fire, on which rules, and how often."""
        try:
            return self._fired()
        except Exception as error:  # whatever is wrong in a file that is being written
            return _wrong(self.file, error)

    def gain(self) -> str:
        """Return HTML that shows what the plugins gain: see `scores`."""
        if not all(segment.references for segment in self.corpus):
            return '<p class="key">No gain: expected references.</p>'
        try:
            without, with_plugins = self.scores(with_plugins=False), self.scores(with_plugins=True)
        except Exception as error:
            return _wrong(self.file, error)
        return render(
            "plugins_gain.html",
            test=compare_resampled(without, with_plugins),
            sentences=len(self.corpus),
        )

    def scores(self, *, with_plugins: bool) -> Resampled:
        """Learn by one pass of MIRA, and score the sentences."""
        decoder = self._decoder(self.plugins() if with_plugins else [])
        Mira.paper(passes=1).fit(decoder, self.corpus)
        metric = Bleu()
        rows: list[Statistics] = []
        for segment in self.corpus:
            text = ""
            with attempt(decoder, segment):
                text = decoder.translate(segment).viterbi()
            rows.append(metric.stats(text, segment.references))
        return resample(np.array(rows), metric)

    def plugins(self) -> list[Plugin]:
        """Make the plugins of the file."""
        name = self.file.stem
        if str(self.file.parent) not in sys.path:
            sys.path.append(str(self.file.parent))
        module = importlib.import_module(name)
        own = [
            kind.__name__
            for kind in vars(module).values()
            if inspect.isclass(kind) and issubclass(kind, Plugin) and kind.__module__ == name
        ]
        if not own:
            raise InputError("expected a class of features, such as one of RuleFeatures", path=self.file)
        return [create(f"{name}:{one}", base=self.file.parent) for one in own]

    def _decoder(self, plugins: Sequence[Plugin]) -> Decoder:
        return Decoder(self.config, weights=self.weights, features=plugins)

    def _fired(self) -> str:
        plugins = self.plugins()
        decoder = self._decoder(plugins)
        edges, fired_in, best = Counter[str](), Counter[str](), Counter[str]()
        sentences: list[dict[str, Any]] = []
        for segment in self.corpus:
            with attempt(decoder, segment):
                forest = decoder.translate(segment)
                features, counts = np.unique(forest.edges.features.indices, return_counts=True)
                families = decoder.families(features.astype(np.int32))
                of_plugins = {
                    decoder.weights.name(int(id)): int(count)
                    for id, count, family in zip(features, counts, families, strict=True)
                    if family
                }
                edges.update(of_plugins)
                fired_in.update(of_plugins.keys())
                tree = derivation_tree(forest)
                fired = [
                    (node.label, [one for one in node.features if one.feature in of_plugins])
                    for _, node in tree.walk()
                ]
                fired = [(rule, own) for rule, own in fired if own]
                best.update(one.feature for _, own in fired for one in own)
                sentences.append(
                    {
                        "source": " ".join(segment.tokens or ()),
                        "text": tree.text,
                        "drawing": derivation_svg(tree),
                        "rules": len(fired),
                        "fired": fired[:_RULES],
                    }
                )
        return render(
            "plugins_fired.html",
            plugins=", ".join(f"{type(one).__name__} ({one.level})" for one in plugins),
            features=len(edges),
            counts=[(name, n, fired_in[name], best[name]) for name, n in edges.most_common(_MOST)],
            sentences=sentences,
            of=len(self.corpus),
        )


def _wrong(file: Path, error: Exception) -> str:
    """Say what is wrong, with the place in the file if the error came from there."""
    steps = []
    cause: BaseException | None = error
    while cause is not None:
        steps += [one for one in traceback.extract_tb(cause.__traceback__) if one.filename == str(file)]
        cause = cause.__cause__ or cause.__context__
    place = f"{file.name}:{steps[-1].lineno}: " if steps else ""
    return Markup('<p class="worse" role="alert">{}</p>').format(f"{place}{type(error).__name__}: {error}")
