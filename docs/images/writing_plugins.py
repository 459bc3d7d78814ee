"""Draws writing-plugins.png, of runs that a folder keeps."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import matplotlib
import numpy as np

from hopefear.grammars.sample import sample_path
from hopefear.metrics import Bleu, confidence_interval, paired_bootstrap

matplotlib.use("Agg")
from matplotlib import pyplot as plt

HERE = Path(__file__).resolve().parent
STEPS = {
    "baseline": None,
    "+ Untranslated\n(rule)": "untranslated:Untranslated",
    "+ Brackets\n(edge)": "brackets:Brackets",
    "+ Shapes\n(n-gram)": "shapes:Shapes order=2",
    "+ Quotes\n(state)": "quotes:Quotes",
}
PASSES, SEEDS = 4, 3


def hopefear(folder: Path, *arguments: object) -> str:
    command = (sys.executable, "-m", "hopefear", *map(str, arguments))
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd=folder).stdout


def prepare(folder: Path) -> None:
    """Copy the sample, and write the plugins of the page beside it."""
    shutil.copytree(sample_path(), folder, dirs_exist_ok=True)
    page = (HERE.parent / "use" / "writing-plugins.md").read_text("utf-8")
    for name, code in re.findall(r'^```python title="(.*?)"\n(.*?)^```', page, re.DOTALL | re.MULTILINE):
        (folder / name).write_text(code, "utf-8")


def translations(folder: Path, lines: list[str], seed: int) -> list[str]:
    """Tune on dev with these lines in the cdec.ini, and translate test."""
    name = f"{len(lines)}.{seed}"
    if not (folder / f"{name}.out").exists():
        features = "".join(f"feature_function={line}\n" for line in lines)
        (folder / f"{name}.ini").write_text((folder / "cdec.ini").read_text("utf-8") + features, "utf-8")
        model = "-c", f"{name}.ini"
        dev = "-s", "dev.es", "-r", "dev.en.0", "-r", "dev.en.1", "--trees", "dev.es.trees"
        how = "--passes", PASSES, "--seed", seed, "--min-count", 3 if lines else 1
        hopefear(folder, "tune", *model, "-w", "weights.init", *dev, *how, "-o", name, "--force")
        test = "-i", "test.es", "--trees", "test.es.trees"
        out = hopefear(folder, "decode", *model, "-w", f"{name}/weights.final", *test)
        (folder / f"{name}.out").write_text(out, "utf-8")
    return (folder / f"{name}.out").read_text("utf-8").splitlines()


def draw(folder: Path, out: Path) -> None:
    """Run the steps of the page in a folder, and draw their scores."""
    prepare(folder)
    sides = [(folder / f"test.en.{i}").read_text("utf-8").splitlines() for i in range(2)]
    references = list(zip(*sides, strict=True))
    metric = Bleu()
    lines: list[str] = []
    runs = []
    for line in STEPS.values():
        lines += [line] if line else []
        outs = [translations(folder, lines, seed) for seed in range(SEEDS)]
        runs.append([metric.corpus_stats(out, references) for out in outs])
        odd = [sum(text.count('"') % 2 for text in out) for out in outs]
        scores = [metric.score(stats.sum(axis=0)) for stats in runs[-1]]
        wins = [paired_bootstrap(base, stats, metric) for base, stats in zip(runs[0], runs[-1], strict=True)]
        print(f"{lines[-1:]}: mean {np.mean(scores):.2f}, odd numbers of marks in {odd} translations")
        for win in wins:
            print(f"  {win.system}, difference {win.delta}, p = {win.p_value:.3f}")

    figure, axes = plt.subplots(figsize=(7.2, 3.6), layout="constrained")
    for place, stats in enumerate(runs):
        scores = [metric.score(one.sum(axis=0)) for one in stats]
        intervals = [confidence_interval(one, metric) for one in stats]
        ends = [np.mean([one.lower for one in intervals]), np.mean([one.upper for one in intervals])]
        axes.plot([place, place], ends, color="#2f6db5", linewidth=6, alpha=0.25, solid_capstyle="butt")
        axes.plot([place] * len(scores), scores, "o", color="#2f6db5", markersize=4, alpha=0.7)
        mean = np.mean(scores)
        axes.plot(place, mean, "_", color="#e08214", markersize=26, markeredgewidth=2.5)
        axes.annotate(f"{mean:.1f}", (place, mean), (18, 0), textcoords="offset points", va="center")
    axes.set_xticks(range(len(runs)), STEPS)
    axes.set_xlim(-0.5, len(runs) - 0.3)
    axes.set_ylabel("test BLEU")
    axes.set_title("What the tutorial's features bought on the sample", loc="left", fontweight="bold")
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(out / "writing-plugins.png", dpi=120, metadata={"Software": None})
