"""Does the ranking of feature families agree with retraining: python benchmarks/retraining.py --help."""

from __future__ import annotations

import argparse
import gzip
import re
import tempfile
import time
from pathlib import Path

import numpy as np
from scipy.stats import spearmanr
from tasks import TASKS, Task, add_task_argument, chosen, in_fresh_process, table

from hopefear import Decoder
from hopefear.base.progress import ProgressBar
from hopefear.metrics import Bleu
from hopefear.plugins import create
from hopefear.reports import FamilyWorth, rank_families
from hopefear.tuners import Mira

PLUGINS = ("RuleIndicators", "SoftSyntax", "StructuralDistortion", "TargetBigrams", "WordPairs")
SCORERS = {"LanguageModel": "KLanguageModel", "WordPenalty": "WordPenalty"}
"""Features of the model that a line of cdec.ini gives, with the name in that line."""


def rule_features(task: Task) -> list[str]:
    """Name the features of the grammar's rules, as its first rule has them."""
    with gzip.open(task.config.parent / "grammar.gz", "rt", encoding="utf-8") as rules:
        return re.findall(r"(\S+)=", next(rules).split(" ||| ")[3])


def config_without(task: Task, family: str, folder: Path) -> Path:
    """Write the configuration of a task and its grammar, both without a feature of the model."""
    home = task.config.parent
    with (
        gzip.open(home / "grammar.gz", "rt", encoding="utf-8") as rules,
        (folder / "grammar").open("w", encoding="utf-8") as kept,
    ):
        own = re.compile(rf"(?<=\s){re.escape(family)}=\S+ ?")
        kept.writelines(own.sub("", rule) for rule in rules)
    lines = task.config.read_text("utf-8").splitlines()
    scorer = SCORERS.get(family, "")
    lines = [line for line in lines if not (scorer and line.startswith(f"feature_function={scorer}"))]
    text = "\n".join(lines).replace("=grammar.gz", "=grammar").replace("lm.arpa.gz", f"{home}/lm.arpa.gz")
    (folder / "cdec.ini").write_text(f"{text}\n", "utf-8")
    return folder / "cdec.ini"


def learn(
    name: str, family: str | None, passes: int, seed: int, sentences: int | None
) -> tuple[float, float, list[FamilyWorth]]:
    """Learn with all families, or without one.

    Returns
    -------
    (float, float, list of FamilyWorth)
        CPU seconds; BLEU of the tuning set, translated with the learned weights; the ranking, if all
        families were learned.
    """
    start = time.process_time()
    task = TASKS[name]
    plugins = [line for line in PLUGINS if line != family and (line != "SoftSyntax" or task.trees)]
    corpus = task.corpus(sentences)
    with tempfile.TemporaryDirectory() as folder:
        of_model = family is not None and family not in PLUGINS
        config = config_without(task, str(family), Path(folder)) if of_model else task.config
        decoder = Decoder(config, weights=task.weights("init"), features=[create(one) for one in plugins])
        if of_model:
            decoder.weights[str(family)] = 0.0
        Mira(passes=passes, seed=seed).fit(decoder, corpus)
        bleu = Bleu()
        texts = [decoder.translate(segment).viterbi() for segment in corpus]
        statistics = bleu.corpus_stats(texts, [segment.references for segment in corpus])
        ranking = rank_families(decoder, corpus, None, ProgressBar(show=False)) if family is None else []
    return time.process_time() - start, float(bleu.score(statistics.sum(axis=0))), ranking


def compare(name: str, passes: int, seeds: int, sentences: int | None, *, markdown: bool) -> None:
    """Rank the families of a task, learn without each of them, and print both."""
    task = TASKS[name]
    families = [
        *rule_features(task),
        *SCORERS,
        *(one for one in PLUGINS if one != "SoftSyntax" or task.trees),
    ]
    worth = np.zeros((len(families), seeds, 3))
    loss = np.zeros((len(families), seeds))
    seconds = 0.0
    for seed in range(seeds):
        spent, complete, ranking = in_fresh_process(learn, name, None, passes, seed, sentences)
        seconds += spent
        found = {one.family: one for one in ranking}
        for place, family in enumerate(families):
            one = found[family]
            worth[place, seed] = one.loss[0], one.mass, one.decides or 0.0
            spent, without, _ = in_fresh_process(learn, name, family, passes, seed, sentences)
            seconds += spent
            loss[place, seed] = complete - without
            done = f"ranked {one.loss[0]:.2f}, retrained {complete - without:.2f}"
            print(f"seed {seed}, {family}: {done}", flush=True)
        agreed = spearmanr(worth[:, seed, 0], loss[:, seed]).statistic
        print(f"seed {seed}: Spearman {agreed:.2f}, {seconds:.0f} CPU seconds so far", flush=True)
    rows = [
        {
            "family": family,
            "loss, re-decoded": " ".join(f"{value:.2f}" for value in worth[place, :, 0]),
            "loss, retrained": " ".join(f"{value:.2f}" for value in loss[place]),
        }
        for place, family in sorted(enumerate(families), key=lambda pair: -worth[pair[0], :, 0].mean())
    ]
    print(f"\n{name}: {passes} passes, {seeds} seeds, {seconds:.0f} CPU seconds\n")
    print(table(rows, markdown=markdown))
    for number, what in enumerate(("loss by re-decoding", "mass", "decides")):
        own = [spearmanr(worth[:, seed, number], loss[:, seed]).statistic for seed in range(seeds)]
        mean = spearmanr(worth[:, :, number].mean(axis=1), loss.mean(axis=1))
        print(
            f"Spearman, {what} against the loss by retraining: {mean.statistic:.2f} "
            f"(p = {mean.pvalue:.4f}); seed by seed {', '.join(f'{value:.2f}' for value in own)}"
        )
    if seeds > 1:
        between = spearmanr(loss[:, 0], loss[:, 1]).statistic
        print(f"Spearman, retraining with seed 0 against seed 1: {between:.2f}")


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(
        description="Rank feature families as hopefear features does; learn without each; compare both."
    )
    add_task_argument(parser)
    parser.add_argument("--sentences", type=int, help="only the first so many of the tuning set")
    parser.add_argument("--passes", type=int, default=2, help="of MIRA")
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--markdown", action="store_true", help="write Markdown tables")
    options = parser.parse_args()
    for name in chosen(parser, options.tasks or ["tanaka en-ja"]):
        compare(name, options.passes, options.seeds, options.sentences, markdown=options.markdown)


if __name__ == "__main__":
    main()
