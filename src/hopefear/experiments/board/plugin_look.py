"""What the plugins of a file fire on some sentences, and what they gain in a quick tuning run."""

from __future__ import annotations

import importlib
import inspect
import sys
import traceback
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

import numpy as np

from hopefear.base import InputError
from hopefear.base.charts import breakable
from hopefear.base.errors import ParseFailed
from hopefear.decoder import Decoder, Segment
from hopefear.decoder.views import derivation_svg, derivation_tree
from hopefear.metrics import Bleu, Resampled, Statistics, compare_resampled, resample
from hopefear.plugins import Plugin, create, level_of
from hopefear.tuners import Mira
from hopefear.tuners.report import number, table

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
        found = compare_resampled(without, with_plugins)
        value = found.delta.value
        kind = "better" if value > 0 else "worse" if value < 0 else "less"
        return (
            f'<p class="headline">BLEU {number(found.baseline.value)} → <b>{number(found.system.value)}</b> '
            f'<span class="change {kind}">{number(value, signed=True)}</span></p>'
            f'<p class="key">Learned by a pass of MIRA on these {len(self.corpus)} sentences, without and '
            f"with the plugins; p = {found.p_value:.4f} (paired bootstrap, one-sided). The sentences are "
            "those that were learned from, and few: hopefear tune says more.</p>"
        )

    def scores(self, *, with_plugins: bool) -> Resampled:
        """Learn by one pass of MIRA, and score the sentences."""
        decoder = self._decoder(self.plugins() if with_plugins else [])
        Mira(passes=1).fit(decoder, self.corpus)
        metric = Bleu()
        rows: list[Statistics] = []
        for segment in self.corpus:
            try:
                text = decoder.translate(segment).viterbi()
            except ParseFailed:
                text = ""
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
        edges, sentences, best = Counter[str](), Counter[str](), Counter[str]()
        parts: list[tuple[int, str]] = []
        for segment in self.corpus:
            try:
                forest = decoder.translate(segment)
            except ParseFailed:
                continue
            features = forest.edges.features[1]
            known, counts = np.unique(features, return_counts=True)
            families = decoder.families(known.astype(np.int32))
            of_plugins = {
                decoder.weights.name(int(id)): int(count)
                for id, count, family in zip(known, counts, families, strict=True)
                if family
            }
            edges.update(of_plugins)
            sentences.update(of_plugins.keys())
            tree = derivation_tree(forest)
            fired = [
                (node, [one for one in node.features if one.feature in of_plugins]) for _, node in tree.walk()
            ]
            fired = [(node, own) for node, own in fired if own]
            best.update(one.feature for _, own in fired for one in own)
            rows = "".join(
                f"<tr><td>{escape(node.label)}</td><td>"
                + ", ".join(f"{breakable(one.feature)} = {one.value:.4g}" for one in own)
                + "</td></tr>"
                for node, own in fired[:_RULES]
            )
            shown = f'<div class="wide"><table class="settings">{rows}</table></div>' if rows else ""
            head = f"<summary>{escape(' '.join(segment.tokens or ()))} · {len(fired)} rules</summary>"
            drawing = f'<div class="wide">{derivation_svg(tree)}</div>'
            parts.append((len(fired), f"<details>{head}<p>{escape(tree.text)}</p>{drawing}{shown}</details>"))
        names = ", ".join(f"{type(one).__name__} ({level_of(type(one))})" for one in plugins)
        lines = (
            (breakable(name), f"{count:,}", str(sentences[name]), str(best[name]))
            for name, count in edges.most_common(_MOST)
        )
        counted = table(("feature", "edges", "sentences", "rules of best derivations"), lines)
        parts.sort(key=lambda part: -part[0])
        noun = "feature" if len(edges) == 1 else "features"
        return (
            f"<p>{escape(names)}: {len(edges):,} {noun} on {len(self.corpus)} sentences.</p>"
            f'<div class="wide">{counted}</div><h3>Best derivations</h3>' + "".join(part for _, part in parts)
        )


def _wrong(file: Path, error: Exception) -> str:
    """Say what is wrong, with the place in the file if the error came from there."""
    steps = []
    cause: BaseException | None = error
    while cause is not None:
        steps += [one for one in traceback.extract_tb(cause.__traceback__) if one.filename == str(file)]
        cause = cause.__cause__ or cause.__context__
    place = f"{file.name}:{steps[-1].lineno}: " if steps else ""
    return f'<p class="worse" role="alert">{escape(f"{place}{type(error).__name__}: {error}")}</p>'
