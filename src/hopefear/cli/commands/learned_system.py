"""The stages of hopefear build that learn, and the choice of what helps on held-out sentences."""

from __future__ import annotations

import shlex
import shutil
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from enum import Enum
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hopefear.base import InputError
from hopefear.base.files import written_whole
from hopefear.base.lines import read_lines, read_texts
from hopefear.base.progress import print_line, progress_bar
from hopefear.base.stored import json_bytes, parse_json
from hopefear.neural.model_folder import MODEL
from hopefear.neural.packages import NAMES
from hopefear.parallel import run_command

from ..command import option
from ..options import Development, TextForm

if TYPE_CHECKING:
    from hopefear.grammars.build import Learned
    from hopefear.grammars.stages import Stage, Stages

FOLDS = 5
"""Of the text, for the stages that learn from it."""

FAMILIES = (
    "RuleIndicators",
    "WordPairs --types surface,prefix,suffix",
    "TargetBigrams --types prefix",
    "Deletion --types surface,prefix",
    "StructuralDistortion",
    "RuleShape",
    "RuleCounts",
    "RuleLengths",
)
"""The families of docs/results/training_text.md and docs/results/neural.md."""

BASE = "base.ini"
OF_SYSTEM = ("build.json", BASE)
JOINT = "joint.hfn"
JOINT_CONFIG = "joint.ini"
TRANSFORMER = "nmt"
N_BEST = 20
"""Translations of the Transformer itself in its list: where it is better than the forest, these count."""
ONLINE, BATCH = "Mira passes=8", "BatchMira k=150 passes=3 epochs=300"
"""Tuners among which `CrossValidated` chooses."""
CROSS_VALIDATED = {ONLINE: 24, BATCH: 9}
"""Their passes over the development set: two thirds of it for each of three parts, then the whole."""
REPORT = "report.html"
CONSENSUS = "linear"
MEASURED_CONSENSUS = "learned/consensus.json"

SECONDS = {"system": 0.003, "joint model": 0.02, "Transformer": 0.2}
"""Of a sentence pair."""
TRANSLATED = 0.02
"""Seconds of a translation, before any is measured."""
MEASURED = 20
"""Sentences of the development set whose translation is measured."""
LISTED = 0.1
"""Seconds in which a Transformer scores the translations of a sentence that passes find."""
PASS, ON_TEXT = 2.2, 1.6
"""How long a pass of a tuner takes, and one of hopefear train, in units of translations."""


class Effort(str, Enum):
    """How much is learned."""

    fast = "fast"
    good = "good"
    best = "best"


@dataclass(frozen=True, kw_only=True)
class Learning(Development):
    """The options of what is learned for a system."""

    source: Path | None = option(
        "Development set, on which the weights are tuned and what helps is chosen.",
        "--dev-source",
        default=None,
    )
    effort: Effort = option(
        "What is learned with --dev-source. fast: weights; good: also families of sparse features on the "
        "text; best: also a neural joint model and a Transformer.",
        default=Effort.good,
    )
    hours: float | None = option(
        "Leave out stages of good and best that would end later than so many hours from now.",
        default=None,
        min=0,
        shown="no limit",
    )

    def check(self) -> None:
        """Refuse options that need others, and a model that cannot be trained here."""
        if (self.source is None) != (not self.references):
            raise InputError("--dev-source needs --dev-reference, and --dev-reference needs --dev-source")
        if self.source is None:
            if self.effort is not Effort.good or self.hours is not None:
                raise InputError("--effort and --hours are for --dev-source: expected --dev-source")
        elif self.effort is Effort.best:
            for module, name in NAMES.items():
                if find_spec(module) is None:
                    raise InputError(
                        f'{name} is not installed: pip install "hopefear[neural]", or --effort good'
                    )


@dataclass(frozen=True)
class Task:
    """A command that makes a file, in the folder of the system."""

    name: str
    words: tuple[str, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    seconds: float
    """As is expected."""


@dataclass(frozen=True)
class Candidate:
    """A system among which is chosen: what it adds to the base, and the tasks that learn its weights."""

    name: str
    tasks: tuple[Task, ...]
    features: tuple[str, ...] = ()

    @property
    def weights(self) -> str:
        """The file of its weights."""
        return self.tasks[-1].outputs[0]


@dataclass(frozen=True)
class Outcome:
    """The score of a candidate on sentences that were held out, and that of the beginning of its run."""

    candidate: Candidate
    metric: str
    score: float
    began: float
    error: float
    choice: str
    seconds: float

    @property
    def gain(self) -> float:
        """What tuning gained."""
        return self.score - self.began


@dataclass(frozen=True)
class MeasuredConsensus:
    """BLEU of the development set: of the model's best translations, and of the consensus."""

    best: float
    consensus: float

    @property
    def helps(self) -> bool:
        """Whether the consensus is better."""
        return self.consensus > self.best


@dataclass
class LearnedSystem:
    """Learns for a system what is asked for, within the time, and chooses."""

    learning: Learning
    pairs: int
    sentences: int
    _translated: float = TRANSLATED
    _begun: float = field(default_factory=time.monotonic)
    _left_out: list[tuple[str, str]] = field(default_factory=list)

    @classmethod
    def of(cls, learning: Learning, source: Path) -> LearnedSystem:
        """Count the sentences of the text and of the development set."""
        assert learning.source is not None
        pairs, sentences = (sum(1 for _ in read_lines(path)) for path in (source, learning.source))
        if not sentences:
            raise InputError("expected sentences, got an empty file", path=learning.source)
        return cls(learning, pairs, sentences)

    def tell_plan(self) -> None:
        """Print the stages with the time that each will take, before any translation is measured."""
        self._tell([("system", SECONDS["system"] * self.pairs), *self._stages()])

    def _stages(self) -> list[tuple[str, float]]:
        tasks = dict.fromkeys(task for candidate in self.candidates() for task in candidate.tasks)
        return [(task.name, task.seconds) for task in tasks]

    def _tell(self, stages: Sequence[tuple[str, float]]) -> None:
        print_line("stages: " + ", ".join(f"{name} ({_time(seconds)})" for name, seconds in stages))

    def _measure(self, folder: Path) -> None:
        """Measure how long translations take."""
        from hopefear.decoder import Decoder

        assert self.learning.source is not None
        decoder = Decoder(folder / BASE)
        lines = [line for _, line in read_lines(self.learning.source)]
        chosen = lines[:: -(-len(lines) // MEASURED)]
        begun = time.monotonic()
        for line in chosen:
            with suppress(InputError):
                decoder.translate(line)
        self._translated = (time.monotonic() - begun) / len(chosen)

    def candidates(self) -> list[Candidate]:
        """List the candidates of the effort, the simplest first."""
        effort = self.learning.effort
        if effort is Effort.fast:
            return [Candidate("weights", (self._tune("weights", tuner="Mira passes=4", passes=4),))]
        text = self._text()
        found = [
            Candidate("weights", (self._tune("weights", ONLINE),)),
            Candidate("families", (text, self._tune("families", start=text, features=FAMILIES)), FAMILIES),
        ]
        if effort is Effort.best:
            joint, line = self._joint(), f"JointModel {JOINT}"
            alone = self._tune("joint model", ONLINE, joint=joint)
            both = self._tune("families and joint model", start=text, features=FAMILIES, joint=joint)
            found.append(Candidate("joint model", (joint, alone), (line,)))
            found.append(Candidate("families and joint model", (text, joint, both), (*FAMILIES, line)))
            dense, sparse = found[0], found[-1]
            found.append(self._listed("Transformer", dense, ONLINE))
            found.append(self._listed("Transformer's translations", dense, BATCH, own=True))
            found.append(self._listed("all", sparse, ONLINE, BATCH, own=True))
        return found

    def learn(self, stages: Stages) -> Learned:
        """Run the tasks that fit into the time, choose a candidate, and write the report."""
        from hopefear.grammars.build import Learned
        from hopefear.reports.pages import write_page

        self._write_joint_config(stages)
        if not all(self._is_done(stages, task) for each in self.candidates() for task in each.tasks):
            self._measure(stages.folder)
            self._tell(self._stages())
        outcomes = []
        for candidate in self.candidates():
            if all(self._run(stages, candidate, task) for task in candidate.tasks):
                outcomes.append(_outcome(stages.folder, candidate))
        best = max(outcomes, key=lambda outcome: outcome.score)  # of equal ones the simplest
        consensus = self._consensus(stages, best.candidate)
        write_page(
            stages.folder / REPORT,
            "learned_system.html",
            f"What was learned for {stages.folder.absolute().name}",
            outcomes=outcomes,
            best=best,
            consensus=consensus,
            left_out=self._left_out,
            sentences=self.sentences,
            held_out=self.learning.effort is not Effort.fast,
        )
        print_line(f"chosen: {best.candidate.name}: {best.metric} {best.score:.2f}")
        print_line(f"report: {stages.folder / REPORT}")
        helps = consensus is not None and consensus.helps
        return Learned(best.candidate.features, best.candidate.weights, CONSENSUS if helps else "")

    def _consensus(self, stages: Stages, candidate: Candidate) -> MeasuredConsensus | None:
        """Translate the development set, both ways; `fast` does without."""
        from hopefear.grammars.stages import Stage

        if self.learning.effort is Effort.fast:
            return None
        assert self.learning.source is not None
        names = (BASE, *(made for task in candidate.tasks for made in task.outputs))
        inputs = [self.learning.source, *self.learning.references, *(stages.folder / name for name in names)]
        settings = {"features": candidate.features, "by": CONSENSUS}
        make = partial(self._measure_consensus, stages.folder, candidate)
        stages.run(Stage("consensus", inputs, [MEASURED_CONSENSUS], make, settings))
        return MeasuredConsensus(**parse_json((stages.folder / MEASURED_CONSENSUS).read_bytes()))

    def _measure_consensus(self, folder: Path, candidate: Candidate, output: Path) -> None:
        from hopefear.decoder import Decoder, attempt
        from hopefear.metrics import Bleu

        decoder = Decoder(folder / BASE, weights=folder / candidate.weights, features=candidate.features)
        prepare = partial(TextForm(tokens=False).prepare, text=decoder.text_system)
        corpus = self.learning.read(classes=None, prepare=prepare)
        assert corpus is not None
        metric = Bleu()
        found: list[tuple[str, str]] = []
        for segment in progress_bar(corpus, name="consensus"):
            texts = "", ""
            with attempt(decoder, segment):
                forest = decoder.translate(segment)
                texts = forest.viterbi(), forest.consensus(CONSENSUS).viterbi()
            found.append(texts)
        references = [segment.references for segment in corpus]
        ways = zip(*found, strict=True)
        scores = [metric.score(metric.corpus_stats(texts, references).sum(axis=0)) for texts in ways]
        with written_whole(output) as part:
            part.write_bytes(json_bytes(asdict(MeasuredConsensus(*scores))))

    def _tune(
        self,
        name: str,
        *tuners: str,
        tuner: str = "CrossValidated",
        passes: int = 16,
        start: Task | None = None,
        features: Sequence[str] = (),
        joint: Task | None = None,
        transformer: Task | None = None,
    ) -> Task:
        assert self.learning.source is not None
        if tuners:
            tuner = f"CrossValidated 'choices={','.join(('unchanged', *tuners))}'"
            passes = sum(map(CROSS_VALIDATED.__getitem__, tuners))
        config = BASE if joint is None else JOINT_CONFIG
        weights = "weights.init" if start is None else start.outputs[0]
        folder = f"learned/{name.replace(' ', '-')}"
        source, *references = (
            str(path.absolute()) for path in (self.learning.source, *self.learning.references)
        )
        words = ["tune", "-c", config, "-w", weights, "-s", source]
        words += [word for path in references for word in ("-r", path)]
        words += [word for line in features for word in ("--feature", line)]
        words += ["--tuner", tuner, "-o", folder]
        slower = (2 if len(features) > 1 else 1) * (2 if joint is not None else 1)
        seconds = PASS * self._translated * passes * slower + (LISTED if transformer is not None else 0)
        made = [name for task in (joint, transformer) if task is not None for name in task.outputs]
        return Task(
            name,
            tuple(words),
            (config, weights, *made, source, *references),
            (f"{folder}/weights.final", f"{folder}/run.json"),
            seconds * self.sentences,
        )

    def _listed(self, name: str, searched: Candidate, *tuners: str, own: bool = False) -> Candidate:
        """Add the Transformer, and maybe its own translations, to a candidate, which finds the lists."""
        nmt = self._transformer()
        joint = next((task for task in searched.tasks if task.outputs == (JOINT,)), None)
        scored = f"Transformer {TRANSFORMER} --search-weights {searched.weights}"
        scored += f" --n-best {N_BEST}" if own else ""
        task = self._tune(
            name,
            *tuners,
            start=searched.tasks[-1],
            features=(*(line for line in searched.features if line != f"JointModel {JOINT}"), scored),
            joint=joint,
            transformer=nmt,
        )
        return Candidate(name, (*searched.tasks, nmt, task), (*searched.features, scored))

    def _text(self) -> Task:
        words = ["train", ".", "-o", "learned/text", "--pop-limit", "30", "--report-sentences", "0"]
        words += [word for line in FAMILIES for word in ("--feature", line)]
        seconds = ON_TEXT * self._translated * self.pairs
        return Task("families on the text", tuple(words), OF_SYSTEM, ("learned/text/weights.final",), seconds)

    def _joint(self) -> Task:
        words, seconds = ("train-joint", ".", "-o", JOINT), SECONDS["joint model"] * self.pairs
        return Task("joint network", words, OF_SYSTEM, (JOINT,), seconds)

    def _transformer(self) -> Task:
        words, seconds = ("train-transformer", ".", "-o", TRANSFORMER), SECONDS["Transformer"] * self.pairs
        return Task("Transformer network", words, OF_SYSTEM, (f"{TRANSFORMER}/{MODEL}",), seconds)

    def _write_joint_config(self, stages: Stages) -> None:
        from hopefear.grammars.stages import Stage

        base = stages.folder / BASE

        def write(output: Path) -> None:
            with written_whole(output) as part:
                part.write_text(f"{base.read_text('utf-8')}feature_function=JointModel {JOINT}\n", "utf-8")

        if self.learning.effort is Effort.best:
            stages.run(Stage("configuration with the joint model", [base], [JOINT_CONFIG], write))

    def _stage(self, stages: Stages, task: Task) -> Stage:
        from hopefear.grammars.stages import Stage

        inputs = [stages.folder / name for name in task.inputs]
        return Stage(task.name, inputs, task.outputs, partial(_make, stages, task), {"command": task.words})

    def _is_done(self, stages: Stages, task: Task) -> bool:
        there = all((stages.folder / name).exists() for name in task.inputs)
        return there and stages.is_done(self._stage(stages, task))

    def _run(self, stages: Stages, candidate: Candidate, task: Task) -> bool:
        """Run a task, if it fits into the time; tell whether its files are there."""
        hours, now = self.learning.hours, time.monotonic() - self._begun
        late = hours is not None and now + task.seconds > 3600 * hours
        if late and candidate.name != "weights" and not self._is_done(stages, task):
            reason = f"{task.name} takes {_time(task.seconds)}, more than is left of {hours:g} hours"
            print_line(f"left out: {candidate.name}: {reason}")
            self._left_out.append((candidate.name, reason))
            return False
        stages.run(self._stage(stages, task))
        return True


def _make(stages: Stages, task: Task, *outputs: Path) -> None:
    """Run a command, or go on with it if it was stopped and its input has not changed since."""
    folder = outputs[0].parent if outputs[0].parent != stages.folder else None
    note = stages.folder / "learned" / f"{task.name.replace(' ', '-')}.begun"
    made_from = json_bytes(
        {"command": task.words, "inputs": [stages.checksum(stages.folder / name) for name in task.inputs]}
    )
    checkpoint = outputs[0].with_name("checkpoint" if folder else f"{outputs[0].name}.checkpoint")
    goes_on = checkpoint.exists() and note.exists() and note.read_bytes() == made_from
    if not goes_on:
        if folder is not None and folder.exists():
            shutil.rmtree(folder)
        checkpoint.unlink(missing_ok=True)
        note.parent.mkdir(exist_ok=True)
        with written_whole(note) as part:
            part.write_bytes(made_from)
    words = [*task.words, *(["--resume"] if goes_on else [])]
    what = run_command(words, stages.folder.absolute())
    if what:
        raise InputError(f"hopefear {shlex.join(words)}: {what}", path=stages.folder)


def _outcome(folder: Path, candidate: Candidate) -> Outcome:
    """Read what a run scored: of a choice on held-out parts, or of the passes of a tuner."""
    run = folder / Path(candidate.weights).parent
    session: dict[str, Any] = parse_json((run / "run.json").read_bytes())["sessions"][-1]
    if "choice" not in session:
        lines = [parse_json(line) for line in read_texts(run / "log.jsonl")]
        last = [line for line in lines if line["event"] == "pass"][-1]
        return Outcome(
            candidate, last["metric"], last["score"], last["score"], 0.0, "", session["cpu_seconds"]
        )
    choice = session["choice"]
    made = choice["grid"].index(choice["best"])
    scores, error = choice["scores"], choice["errors"][0]
    name = ", ".join(map(str, choice["best"].values()))
    return Outcome(candidate, choice["metric"], scores[made], scores[0], error, name, session["cpu_seconds"])


def _time(seconds: float) -> str:
    """Say about how long something takes."""
    if seconds < 90:
        return "about a minute" if seconds > 30 else "less than a minute"
    if seconds < 5400:
        return f"about {seconds / 60:.0f} minutes"
    return f"about {seconds / 3600:.1f} hours"
