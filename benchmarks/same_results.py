"""Whether versions give the same weights, translations, rules: python benchmarks/same_results.py --help.

The check calls commands only, so that it compares versions whose modules differ.
"""

from __future__ import annotations

import argparse
import functools
import gzip
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path

from tasks import SHARED, TASKS
from tqdm import tqdm

SAMPLE = Path(__file__).resolve().parents[1] / "grammars" / "samples"
TRAIN = SHARED / "data" / "bible-es-en"
AUSTRALIA, LATTICE = SHARED / "golden" / "australia", SHARED / "golden" / "lattice"

TUNED, DECODED, EXTRACTED = 12, 50, 50
"""Sentences of a case."""

SPARSE = ("--feature", "RuleIndicators", "--set", "updates=2")
TWO_PASSES = {"Hols": SPARSE, "Hils": SPARSE}
"""The options instead of ``--passes 2``, for tuners that need others."""

ON_LISTS = ("BatchMira", "Mert", "MinimumRisk", "Pro", "Rampion")
"""Tuners that learn from k-best lists without a decoder."""

STOPPED = ("Mira", "ParallelMira", "Pro")
"""Tuners that are stopped after the first pass and resumed."""

LEARNT = ("RuleIndicators", "StructuralDistortion", "SoftSyntax")
"""Feature functions that are tuned."""

FEATURES = (
    *LEARNT, "RuleShape", "RuleSourceBigrams", "RuleTargetBigrams", "Insertion", "Deletion", "WordPairs",
    "WordPairBigrams", "LexicalSpanSize", "SpanBoundary", "SourcePath", "Arity", "CMRReordering",
    "RuleOwners", "TargetBigrams",
)  # fmt: skip
"""Feature functions whose features are written in k-best lists."""

PYCDEC = """\
import sys
import hopefear.pycdec as cdec

config, weights = sys.argv[1:]
with open(config) as file:
    decoder = cdec.Decoder(file.read())
decoder.read_weights(weights)
for line in sys.stdin:
    source, _, reference = line.strip().partition(" ||| ")
    forest = decoder.translate(source)
    print(len(list(forest.nodes)), len(list(forest.edges)), forest.npaths)
    print(*forest.viterbi_trees(), sorted(dict(forest.viterbi_features()).items()))
    for words, features in zip(forest.kbest(10), forest.kbest_features(10)):
        print(words, features.dot(decoder.weights), sorted(dict(features).items()))
    if reference:
        print(forest.intersect(reference), forest.viterbi())
    forest.prune(density=10)
    print(len(list(forest.edges)), sorted(dict(forest.inside_outside()).items()))
"""


class CommandFailed(Exception):
    """A command did not end as expected."""


@dataclass
class Commands:
    """Calls commands of the hopefear that a Python has, in a folder of their own.

    Attributes
    ----------
    python : str
        The Python.
    folder : Path
        The folder that the commands write to. It must not hold a folder ``hopefear``.
    """

    python: str
    folder: Path
    environment: dict[str, str] = field(
        default_factory=lambda: {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    )

    def start(self, *arguments: object) -> subprocess.Popen[bytes]:
        """Start ``python arguments``."""
        return subprocess.Popen(
            [self.python, *map(str, arguments)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=self.folder,
            env=self.environment,
        )

    def script(self, *arguments: object, text: str = "", status: int = 0) -> bytes:
        """Run ``python arguments`` and give its standard output."""
        return finished(self.start(*arguments), text, status)

    def call(self, *arguments: object, text: str = "") -> bytes:
        """Run ``hopefear arguments`` and give its standard output."""
        return self.script("-m", "hopefear", *arguments, text=text)

    def stop_after_first_pass(self, run: Path, *arguments: object) -> None:
        """Run ``hopefear arguments`` until the folder of the run has the weights of the first pass."""
        process = self.start("-m", "hopefear", *arguments)
        while process.poll() is None and not (run / "weights.pass1").exists():
            time.sleep(0.005)
        process.terminate()
        finished(process, "", 130)


def finished(process: subprocess.Popen[bytes], text: str, status: int) -> bytes:
    """Wait for a process and give its standard output."""
    output, errors = process.communicate(text.encode())
    if process.returncode != status:
        last = errors.decode(errors="replace").strip().splitlines()[-1:]
        raise CommandFailed(" ".join([f"expected exit status {status}, got {process.returncode}:", *last]))
    return output


@dataclass(frozen=True)
class Case:
    """What is compared under one name.

    Attributes
    ----------
    name : str
        The name.
    content : callable
        Makes the content.
    needs : Path or str, optional
        The case is skipped where this file or folder is missing, or this module of the Python.
    """

    name: str
    content: Callable[[], bytes]
    needs: Path | str | None = None


class Cases:
    """The cases, of one version.

    Parameters
    ----------
    commands : Commands
        Calls this version.
    """

    def __init__(self, commands: Commands) -> None:
        self._commands = commands
        self._call = commands.call
        self._folder = commands.folder

    def __iter__(self) -> Iterator[Case]:
        """Yield the cases.

        Raises
        ------
        CommandFailed
            The tuners cannot be listed.
        """
        yield from self._tuning()
        yield from self._lists()
        yield from self._cluster()
        yield from self._hols()
        yield from self._decoding()
        yield from self._pycdec()
        yield from self._extraction()

    def have(self, needs: Path | str | None) -> bool:
        """Tell whether there is what a case needs."""
        if not isinstance(needs, str):
            return needs is None or needs.exists()
        try:
            self._commands.script("-c", f"import {needs}")
        except CommandFailed:
            return False
        return True

    def _tuning(self) -> Iterator[Case]:
        for line in self._call("list", "tuners").decode().splitlines():
            name = line.split()[0]
            tune = self._tune_summary if name == "SummaryMira" else functools.partial(self._tune, name)
            yield Case(f"tune/{name}", tune)
            if name in STOPPED:
                yield Case(f"tune-resumed/{name}", functools.partial(self._tune_resumed, name))
        yield Case("tune-features/Mira", lambda: weights_of(self._learnt()))

    def _features(self) -> tuple[object, ...]:
        features = [word for name in LEARNT for word in ("--feature", name)]
        return (*features, "--trees", self._lines(SAMPLE / "dev.es.trees", TUNED))

    def _tune_command(self, name: str, run: Path, *options: object) -> tuple[object, ...]:
        return (
            *("tune", "--tuner", name, "--output", run, "--seed", 3, "--config", self._config(SAMPLE, 30)),
            *("--weights", SAMPLE / "weights.init", "--source", self._lines(SAMPLE / "dev.es", TUNED)),
            *("--reference", self._lines(SAMPLE / "dev.en.0", TUNED)),
            *("--reference", self._lines(SAMPLE / "dev.en.1", TUNED)),
            *TWO_PASSES.get(name, ("--passes", 2)),
            *options,
        )

    def _tune(self, name: str, kind: str = "plain", *options: object) -> bytes:
        run = self._folder / f"tune-{kind}-{name}"
        self._call(*self._tune_command(name, run, *options))
        return weights_of(run)

    def _tune_summary(self) -> bytes:
        """Tune the dense weights and a factor of those that the features of `LEARNT` have."""
        options = ("--weights", self._learnt() / "weights.final", *self._features())
        return self._tune("SummaryMira", "summary", *options)

    def _learnt(self) -> Path:
        """Return a run with the features of `LEARNT`."""
        run = self._folder / "tune-features-Mira"
        if not run.exists():
            self._tune("Mira", "features", *self._features())
        return run

    def _tune_resumed(self, name: str) -> bytes:
        run = self._folder / f"tune-resumed-{name}"
        command = self._tune_command(name, run)
        self._commands.stop_after_first_pass(run, *command)
        self._call(*command, "--resume")
        return weights_of(run)

    def _lists(self) -> Iterator[Case]:
        for name in ON_LISTS:
            yield Case(f"tune-kbest/{name}", functools.partial(self._tune_lists, name))

    def _tune_lists(self, name: str) -> bytes:
        run = self._folder / f"tune-kbest-{name}"
        self._call(
            *("tune", "--tuner", name, "--output", run, "--seed", 3, "--passes", 2),
            *("--kbest", self._kbest_file, "--weights", SAMPLE / "weights.init"),
            *("--reference", self._lines(SAMPLE / "dev.en.0", TUNED)),
            *("--reference", self._lines(SAMPLE / "dev.en.1", TUNED)),
        )
        return weights_of(run)

    @functools.cached_property
    def _kbest_file(self) -> Path:
        path = self._folder / "kbest"
        weights, source = SAMPLE / "weights.init", self._lines(SAMPLE / "dev.es", TUNED)
        path.write_bytes(self._call(*decode(self._config(SAMPLE, 30), weights, source, 100), "--unique"))
        return path

    def _cluster(self) -> Iterator[Case]:
        for name, options in {
            "Pro": (),
            "ParallelMira": ("--set", "schedule=length", "--set", "workers=2"),
        }.items():
            on_cluster = ("--cluster", "local:2", *options)
            case = functools.partial(self._tune, name, "cluster", *on_cluster)
            yield Case(f"tune-cluster/{name}", case, needs="ray")

    def _hols(self) -> Iterator[Case]:
        yield Case("hols", self._learn_hols, needs=TRAIN)
        yield Case("hols-resumed", self._resume_hols, needs=TRAIN)

    @functools.cached_property
    def _system(self) -> Path:
        system = self._folder / "system"
        texts = [
            self._lines(TRAIN / name, 300) for name in ("train.es.gz", "train.en.gz", "train.es-en.align.gz")
        ]
        self._call(
            *("build", "--source", texts[0], "--target", texts[1], "--alignment", texts[2], "--folds", 3),
            *("--input", self._lines(TRAIN / "dev.es", 10), "--discount-fallback", "--output", system),
        )
        return system

    def _hols_command(self, run: Path) -> tuple[object, ...]:
        return (
            *("hols", self._system, "--source", self._lines(TRAIN / "dev.es", 10), "--output", run),
            *("--reference", self._lines(TRAIN / "dev.en.0", 10), "--seed", 3, "--threads", 1),
            *("--updates", 2, "--parts", 10, "--sentences", 10, "--set", "k=50"),
            *("--set", "line_search_passes=2", "--set-mert", "passes=2", "--set-mert", "k=50"),
        )

    def _learn_hols(self) -> bytes:
        run = self._folder / "hols"
        self._call(*self._hols_command(run))
        return weights_of(run)

    def _resume_hols(self) -> bytes:
        run = self._folder / "hols-resumed"
        command = self._hols_command(run)
        self._commands.stop_after_first_pass(run, *command)
        self._call(*command, "--resume")
        return weights_of(run)

    def _decoding(self) -> Iterator[Case]:
        yield Case("decode/sample-learnt-features", self._decode_learnt)
        yield Case("decode/sample-forests", self._decode_forests)
        for task_name, task in TASKS.items():
            name = task_name.replace(" ", "-")
            for limit in (10, 200):
                case = functools.partial(self._decode_task, task_name, limit)
                yield Case(f"decode/{name}-pop{limit}", case, needs=task.config)
            if task.trees is not None:
                case = functools.partial(self._decode_task, task_name, 10, features=True)
                yield Case(f"decode/{name}-features", case, needs=task.config)
        yield Case("decode/lattice", self._decode_lattice, needs=LATTICE)
        yield Case("decode/australia", self._decode_australia, needs=AUSTRALIA)

    def _decode_learnt(self) -> bytes:
        config, source = self._config(SAMPLE, 30), self._lines(SAMPLE / "dev.es", TUNED)
        return self._call(*decode(config, self._learnt() / "weights.final", source), *self._features())

    def _decode_forests(self) -> bytes:
        forests = self._folder / "forests"
        text = self._config(SAMPLE, 30).read_text("utf-8")
        config = written(self._folder / "forests.ini", f"{text}forest_output={forests}\n")
        self._call(*decode(config, SAMPLE / "weights.init", self._lines(SAMPLE / "dev.es", TUNED)))
        return b"".join(gzip.decompress(path.read_bytes()) for path in sorted(forests.iterdir()))

    def _decode_task(self, name: str, limit: int, *, features: bool = False) -> bytes:
        task = TASKS[name]
        source = self._lines(SHARED / "data" / task.source, DECODED)
        options: list[object] = []
        if features:
            assert task.trees is not None
            options = ["--trees", self._lines(SHARED / "data" / task.trees, DECODED)]
            options += [word for feature in FEATURES for word in ("--feature", feature)]
        config = self._config(task.config.parent, limit)
        return self._call(*decode(config, task.weights("tuned"), source), *options)

    def _decode_lattice(self) -> bytes:
        return self._call(*decode(LATTICE / "cdec.ini", LATTICE / "weights", LATTICE / "input.txt"))

    def _australia(self) -> Path:
        text = f"formalism=scfg\ngrammar={AUSTRALIA / 'australia.scfg.gz'}\n"
        return written(self._folder / "australia.ini", text)

    def _decode_australia(self) -> bytes:
        """Decode without a reference and with it."""
        weights, line = AUSTRALIA / "weights", (AUSTRALIA / "input.txt").read_text("utf-8")
        source = written(self._folder / "australia.txt", f"{line.partition(' ||| ')[0]}\n{line}")
        return self._call(*decode(self._australia(), weights, source, 20), "--unique")

    def _pycdec(self) -> Iterator[Case]:
        yield Case("pycdec/sample", self._pycdec_sample)
        yield Case("pycdec/australia", self._pycdec_australia, needs=AUSTRALIA)

    def _pycdec_script(self, config: Path, weights: Path, text: str) -> bytes:
        script = written(self._folder / "pycdec_script.py", PYCDEC)
        return self._commands.script(script, config, weights, text=text)

    def _pycdec_sample(self) -> bytes:
        text = self._lines(SAMPLE / "dev.es", TUNED).read_text("utf-8")
        return self._pycdec_script(self._config(SAMPLE, 30), SAMPLE / "weights.init", text)

    def _pycdec_australia(self) -> bytes:
        text = (AUSTRALIA / "input.txt").read_text("utf-8")
        return self._pycdec_script(self._australia(), AUSTRALIA / "weights", text)

    def _extraction(self) -> Iterator[Case]:
        yield Case("extract/es-en", self._extract_es_en, needs=TRAIN)
        yield Case("extract/es-en-leave-one-out", self._extract_without_own_pair, needs=TRAIN)
        yield Case("extract/en-ja-reverse", self._extract_en_ja, needs=SHARED / "data" / "tanaka")

    def _extract_es_en(self) -> bytes:
        grammar = self._folder / "es-en.scfg"
        texts = (TRAIN / "train.es.gz", TRAIN / "train.en.gz", TRAIN / "train.es-en.align.gz")
        self._extract(texts, self._lines(TRAIN / "dev.es", EXTRACTED), "--output", grammar)
        return grammar.read_bytes()

    def _extract_without_own_pair(self) -> bytes:
        folder = self._folder / "grammars"
        names = ("train.es.gz", "train.en.gz", "train.es-en.align.gz")
        texts = tuple(self._lines(TRAIN / name, EXTRACTED) for name in names)
        self._extract(texts, texts[0], "--output-folder", folder, "--leave-one-out", "--loose", "--top", 5)
        return b"".join(plain(path) for path in sorted(folder.iterdir()))

    def _extract_en_ja(self) -> bytes:
        grammar, tanaka = self._folder / "en-ja.scfg", SHARED / "data" / "tanaka"
        texts = (tanaka / "train.en.gz", tanaka / "train.ja.gz", tanaka / "train.ja-en.align.gz")
        self._extract(texts, self._lines(tanaka / "dev.en", EXTRACTED), "--reverse", "--output", grammar)
        return grammar.read_bytes()

    def _extract(self, texts: tuple[Path, ...], source: Path, *options: object) -> None:
        named = zip(("--source", "--target", "--alignment"), texts, strict=True)
        self._call("extract", *(word for pair in named for word in pair), "--input", source, *options)

    def _lines(self, path: Path, count: int) -> Path:
        """Write the first lines of a plain or gz file to the folder."""
        lines = plain(path).decode().splitlines(keepends=True)[:count]
        return written(
            self._folder / f"{path.parent.name}-{count}-{path.stem}{path.suffix}".removesuffix(".gz"),
            "".join(lines),
        )

    def _config(self, folder: Path, limit: int) -> Path:
        """Write the cdec.ini of a folder with absolute paths and another pop limit."""
        text = f"{(folder / 'cdec.ini').read_text('utf-8').strip()}\n"
        for old, new in {
            "grammar=": f"grammar={folder}/",
            "KLanguageModel ": f"KLanguageModel {folder}/",
            "pop_limit=200\n": f"pop_limit={limit}\n",
        }.items():
            assert text.count(old) == 1, f"{folder}/cdec.ini: expected one {old!r}"
            text = text.replace(old, new)
        return written(self._folder / f"{folder.parent.name}-{folder.name}-{limit}.ini", text)


def decode(config: Path, weights: Path, source: Path, k: int = 10) -> tuple[object, ...]:
    """Return the command that writes k-best lists."""
    return ("decode", "--config", config, "--weights", weights, "--input", source, "-k", k, "--threads", 1)


def weights_of(run: Path) -> bytes:
    """Return the weights files of a run: those after each pass, and the result."""
    return b"".join(path.name.encode() + b"\n" + path.read_bytes() for path in sorted(run.glob("weights.*")))


def plain(path: Path) -> bytes:
    """Read a plain or gz file."""
    return gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()


def written(path: Path, text: str) -> Path:
    """Write a file and give its path."""
    path.write_text(text, "utf-8")
    return path


def compute(python: str, pattern: str) -> tuple[dict[str, str], set[str]]:
    """Return the SHA-256 of each case that matches a pattern, and the names of cases that were skipped.

    Where a command failed, its message is in the place of the hash.
    """
    hashes, skipped = {}, set()
    with tempfile.TemporaryDirectory(prefix="same-results-") as folder:
        cases = Cases(Commands(python, Path(folder)))
        try:
            chosen = [case for case in cases if fnmatchcase(case.name, pattern)]
        except CommandFailed as error:
            sys.exit(f"{python} -m hopefear list tuners: {error}")
        for case in (bar := tqdm(chosen)):
            bar.set_description(case.name)
            if not cases.have(case.needs):
                tqdm.write(f"skipped, no {case.needs}: {case.name}", file=sys.stderr)
                skipped.add(case.name)
                continue
            try:
                content = case.content()
                if not content:
                    raise CommandFailed("no output")
                hashes[case.name] = hashlib.sha256(content).hexdigest()
            except CommandFailed as error:
                hashes[case.name] = f"failed: {error}"
    return hashes, skipped


def wrong(hashes: dict[str, str]) -> list[str]:
    """Say which commands failed, and which resumed or distributed runs differ from plain ones."""
    found = [f"{name}: {value}" for name, value in hashes.items() if value.startswith("failed")]
    for name, value in hashes.items():
        same = name.replace("-resumed", "").replace("-cluster", "")
        if hashes.get(same, value) != value:
            found.append(f"{name}: differs from {same}")
    return found


def differences(before: dict[str, str], now: dict[str, str], skipped: set[str]) -> list[str]:
    """Say what differs from the record."""
    found = []
    for name in sorted(before.keys() | now.keys()):
        if name not in now:
            if name not in skipped:
                found.append(f"{name}: only in the record")
        elif name not in before:
            found.append(f"{name}: not in the record")
        elif before[name] != now[name] and not now[name].startswith("failed"):
            found.append(f"{name}: differs")
    return found


def main() -> int:
    """Record or compare."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0].partition(":")[0] + ".")
    parser.add_argument("action", choices=("record", "compare"))
    parser.add_argument("file", type=Path, metavar="FILE", help="the record: a name and a SHA-256 a line")
    parser.add_argument("--python", default=sys.executable, help="the Python that has hopefear installed")
    parser.add_argument("--only", default="*", metavar="PATTERN", help="cases to run, such as 'tune*/Mira'")
    arguments = parser.parse_args()
    python = shutil.which(arguments.python)
    if python is None:
        parser.error(f"there is no command {arguments.python}")
    python = os.path.abspath(python)  # the commands run in another folder
    before = {}
    if arguments.action == "compare":
        lines = arguments.file.read_text("utf-8").splitlines()
        before = {name: value for name, value in map(str.split, lines) if fnmatchcase(name, arguments.only)}
    hashes, skipped = compute(python, arguments.only)
    found = wrong(hashes)
    if arguments.action == "compare":
        found += differences(before, hashes, skipped)
    elif not found:
        arguments.file.write_text("".join(f"{name} {hashes[name]}\n" for name in sorted(hashes)), "utf-8")
    done = "recorded" if arguments.action == "record" else "all equal to the record"
    print("\n".join(found or [f"{len(hashes)} cases: {done}"]))
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
