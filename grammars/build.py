"""Make a system from parallel text: word alignment, grammar, n-gram models, configuration and weights."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from hopefear import _native
from hopefear.base.errors import InputError
from hopefear.base.files import written_packed, written_whole
from hopefear.base.lines import read_lines
from hopefear.decoder.compiled import compile_grammars
from hopefear.decoder.config import OURS
from hopefear.decoder.lengths import TEXT_MAX_WORDS
from hopefear.parallel import in_threads
from hopefear.plugins.corpus import read_segments
from hopefear.text import Profile, TextSystem
from hopefear.text.pairs import PairCounts, check_pairs, read_pairs
from hopefear.text.system import VERSION as TEXT_VERSION

from .alignment import align, find_aligner, read_alignment, write_alignment
from .arpa import write_arpa
from .bitext import Bitext, check_files
from .built import BASE, CONFIG, DESCRIPTION, Build, make_extractor
from .extractor import CDEC_FEATURES, CHIANG_FEATURES
from .folds import deal, fold_name
from .grammar_files import write_filtered_grammar
from .ngram_counts import HIGHEST_ORDER, NgramCounts, count_ngrams
from .ngram_model import estimate
from .stages import Stage, Stages
from .written_text import learn_text, with_fixed_links, write_target_tokens, write_tokens

ALIGNMENT, GRAMMAR, COMPILED, MODEL = "alignment.gz", "grammar.gz", "grammar.hfg", "lm.arpa.gz"
PAIRS = "pairs.json"
JOINED = ("text/source.gz", "text/target.gz")
GLOSSARY, TERMS = "glossary.tsv", "terms.tsv"
TEXT, FIXED_ALIGNMENT = "text.json.gz", "alignment.fixed.gz"
TOKENS = ("tokens/source.gz", "tokens/target.gz", "tokens/links.gz")

RULE_WEIGHTS = {
    "CountEF": 0.1,
    "EgivenFCoherent": -0.1,
    "IsSingletonF": -0.01,
    "IsSingletonFE": -0.01,
    "MaxLexEgivenF": -0.1,
    "MaxLexFgivenE": -0.1,
    "SampleCountF": -0.1,
    **dict.fromkeys(CHIANG_FEATURES, 0.1),
}
"""Initial weights of the features of rules, for tuning."""

OTHER_WEIGHTS = {
    "Glue": 0.01,
    "LanguageModel": 0.1,
    "LanguageModel_OOV": -1,
    "PassThrough": -0.1,
    "WordPenalty": 0.01,
}
"""Initial weights of the other features, for tuning."""

FALLBACK = (0.5, 1.0, 1.5)
"""Discounts for small texts, those of lmplz."""


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """The texts and settings of a system."""

    source: Path
    target: Path
    alignment: Path | None = None
    reverse: bool = False
    symmetrisation: str = "grow-diag-final-and"
    monolingual: tuple[Path, ...] = ()
    inputs: tuple[Path, ...] = ()
    max_words: int = TEXT_MAX_WORDS
    folds: int = 0
    order: int = 4
    prune: tuple[int, ...] = ()
    discount_fallback: bool = False
    extraction: Mapping[str, Any] = field(default_factory=dict)
    languages: tuple[str, str] | None = None
    profile: Profile = field(default_factory=lambda: Profile.named("plain"))
    unique: bool = False
    memories: tuple[Path, ...] = ()
    glossaries: tuple[Path, ...] = ()
    terms: tuple[Path, ...] = ()


@dataclass(frozen=True)
class Learned:
    """What was learned for a system.

    Attributes
    ----------
    features : sequence of str
        Lines of feature functions.
    weights : str
        A file in its folder.
    consensus : str
        How the consensus is found that it translates by; empty for the best translation of the model.
    """

    features: Sequence[str]
    weights: str
    consensus: str = ""


Learn = Callable[[Stages], Learned]
"""Runs further stages, on the system without what they learn."""


def build(
    recipe: Recipe,
    folder: Path,
    *,
    report: Callable[[str, float], None] | None = None,
    threads: int = 1,
    learn: Learn | None = None,
) -> Build:
    """Build a system, or the parts that are missing or out of date; it overwrites changes to the files.

    With `learn`, the system's configuration has what that returns.
    """
    # During a build, and after one that was stopped, `Build.open` finds no system.
    stages = Stages(folder, report=report)
    with stages.alone():
        _build(stages, recipe, threads, CONFIG if learn is None else BASE).describe()
        if learn is not None:
            _configure_learned(stages, learn(stages))
        stages.finish()
    return Build.open(folder)


def _build(stages: Stages, recipe: Recipe, threads: int, config: str) -> Build:
    if recipe.languages is not None and recipe.alignment is not None:
        raise InputError("expected no alignment: it would count other tokens than those of the languages")
    if recipe.memories and recipe.alignment is not None:
        raise InputError("expected no alignment: it would lack the pairs of the memories")
    files = [recipe.alignment] if recipe.alignment is not None else []
    files += [*recipe.memories, *recipe.glossaries, *recipe.terms]
    stages.require([recipe.source, recipe.target, *files, *recipe.monolingual, *recipe.inputs])
    if recipe.memories:
        recipe = _joined(stages, recipe)
    for name, paths, _ in _glossaries(recipe):
        stages.run(_glossary(name, paths, recipe.languages))
    if recipe.alignment is None and not stages.is_done(_alignment(recipe)):
        find_aligner()  # refuses before any work
    make_extractor(Bitext.from_pairs([]), recipe.extraction)  # also refuses wrong settings
    for name in recipe.extraction.get("features", CDEC_FEATURES):
        if name not in RULE_WEIGHTS:
            raise InputError(f"expected features of a text, got {name} of corrections")
    if not 2 <= recipe.order <= HIGHEST_ORDER:
        raise InputError(f"expected n-gram models of order 2 to {HIGHEST_ORDER}, got {recipe.order}")
    sentences = check_files(recipe.source, recipe.target, recipe.alignment, reverse=recipe.reverse)
    if not sentences:
        raise InputError("expected sentences, got an empty file", path=recipe.source)
    folds = deal(sentences, recipe.folds)

    # From here on the folder may have files of two builds, which are not a system.
    (stages.folder / DESCRIPTION).unlink(missing_ok=True)
    text = None
    if recipe.languages is not None:
        text, recipe = _read_text(stages, recipe)
    parts = _count(stages, recipe, folds or [range(sentences)])
    _estimate(stages, recipe, parts, MODEL)
    for index in range(len(folds)):
        _estimate(stages, recipe, parts[:index] + parts[index + 1 :], f"{fold_name(index)}/{MODEL}")
    if recipe.alignment is None:
        stages.run(_alignment(recipe))
        if text is not None:
            stages.run(_fixed_alignment(stages))
            recipe = replace(recipe, alignment=stages.folder / FIXED_ALIGNMENT)
    texts = [recipe.source, recipe.target, recipe.alignment or stages.folder / ALIGNMENT]
    if recipe.inputs:
        _extract(stages, recipe, texts, threads, text)
    _configure(stages, recipe, len(folds), config)
    return Build(
        stages.folder,
        tuple(texts),
        recipe.reverse,
        recipe.extraction,
        ends=[fold.stop for fold in folds],
        checksums=[stages.checksum(path) for path in texts],
    )


def _joined(stages: Stages, recipe: Recipe) -> Recipe:
    """Let the pairs of memories follow those of the parallel text."""
    from hopefear.text.memory import read_memory  # imports the formats of documents, a leaf

    def make(*outputs: Path) -> None:
        with ExitStack() as stack:
            files = [stack.enter_context(written_packed(path, 6)) for path in outputs]
            for _, *lines in read_pairs(recipe.source, recipe.target, name="joining"):
                for file, line in zip(files, lines, strict=True):
                    file.write(line + b"\n")
            for path in recipe.memories:
                for pair in read_memory(path, recipe.languages):
                    for file, text in zip(files, pair[:2], strict=True):
                        file.write(text.encode() + b"\n")

    texts = [recipe.source, recipe.target, *recipe.memories]
    stages.run(Stage("text with memories", texts, JOINED, make, {"languages": recipe.languages}))
    source, target = (stages.folder / name for name in JOINED)
    return replace(recipe, source=source, target=target)


def _glossaries(recipe: Recipe) -> list[tuple[str, tuple[Path, ...], str]]:
    """List the files of glossaries in the folder, what is put together in each, and its setting."""
    files = [(GLOSSARY, recipe.glossaries, "glossary"), (TERMS, recipe.terms, "terms")]
    return [each for each in files if each[1]]


def _glossary(name: str, paths: tuple[Path, ...], languages: tuple[str, str] | None) -> Stage:
    from hopefear.text.memory import read_glossary  # imports the formats of documents, a leaf

    def make(output: Path) -> None:
        with written_whole(output) as part:
            terms = (term for path in paths for term in read_glossary(path, languages))
            rows = dict.fromkeys(f"{term.source}\t{term.target}\n" for term in terms)
            part.write_text("".join(["source\ttarget\n", *rows]), "utf-8")

    return Stage(Path(name).stem, paths, [name], make, {"languages": languages})


def _read_text(stages: Stages, recipe: Recipe) -> tuple[TextSystem, Recipe]:
    """Make tokens of text as written; return what is known about the text, and the recipe for the tokens."""
    assert recipe.languages is not None
    texts, languages, profile = (recipe.source, recipe.target), recipe.languages, recipe.profile

    def check(output: Path) -> None:
        most, unique = recipe.max_words, recipe.unique
        check_pairs(*texts, profile=profile, max_words=most, unique=unique).save(output)

    kinds = [*profile.kinds, *sorted(profile.forms.items())]
    settings = {"profile": kinds, "max_words": recipe.max_words, "unique": recipe.unique}
    stages.run(Stage("pairs", texts, [PAIRS], check, {**settings, "version": TEXT_VERSION}))
    pairs = PairCounts.load(stages.folder / PAIRS)
    stages.tell(pairs.lines())
    if not pairs.kept:
        raise InputError("expected pairs to learn from, got none", path=recipe.source)
    left_out = pairs.numbers

    def learn(output: Path) -> None:
        learn_text(*texts, languages, profile, left_out=left_out).save(output)

    settings = {"languages": languages, "profile": kinds, "version": TEXT_VERSION}
    stages.run(Stage("text", [*texts, stages.folder / PAIRS], [TEXT], learn, settings))
    system = TextSystem.load(stages.folder / TEXT)

    def split(*outputs: Path) -> None:
        source, target, links = outputs
        write_tokens(system, *texts, (source, target, links), left_out=left_out)

    known = [*texts, stages.folder / PAIRS, stages.folder / TEXT]
    stages.run(Stage("tokens", known, TOKENS, split, {"version": TEXT_VERSION}))
    monolingual = list[Path]()
    for number, path in enumerate(recipe.monolingual, 1):
        name = f"tokens/monolingual-{number}.gz"
        make = partial(write_target_tokens, system, path)
        stages.run(Stage(f"tokens, text {number}", [path, stages.folder / TEXT], [name], make))
        monolingual.append(stages.folder / name)
    source, target, _ = (stages.folder / name for name in TOKENS)
    return system, replace(recipe, source=source, target=target, monolingual=tuple(monolingual))


def _fixed_alignment(stages: Stages) -> Stage:
    paths = [stages.folder / ALIGNMENT, stages.folder / TOKENS[2]]

    def make(output: Path) -> None:
        both = zip(*map(read_alignment, paths), strict=True)
        write_alignment(output, (with_fixed_links(*links) for links in both))

    return Stage("word alignment with placeholders", paths, [FIXED_ALIGNMENT], make)


def _count(stages: Stages, recipe: Recipe, parts: Sequence[range]) -> list[Path]:
    """Count n-grams of each part of the target text and of each further text, separately."""

    def of_parts(*outputs: Path) -> None:
        lines = (line for _, line in read_lines(recipe.target))
        for part, output in zip(parts, outputs, strict=True):
            ours, first = islice(lines, len(part)), part.start + 1
            count_ngrams(ours, recipe.order, path=recipe.target, first_line=first).save(output)

    def of_text(path: Path, output: Path) -> None:
        count_ngrams((line for _, line in read_lines(path)), recipe.order, path=path).save(output)

    names = [f"counts/part-{number}.npz" for number in range(1, len(parts) + 1)]
    settings = {"order": recipe.order, "ends": [part.stop for part in parts]}
    stages.run(Stage("n-gram counts", [recipe.target], names, of_parts, settings))
    for number, path in enumerate(recipe.monolingual, 1):
        name, make = f"counts/monolingual-{number}.npz", partial(of_text, path)
        stages.run(Stage(f"n-gram counts, text {number}", [path], [name], make, {"order": recipe.order}))
        names.append(name)
    return [stages.folder / name for name in names]


def _estimate(stages: Stages, recipe: Recipe, parts: Sequence[Path], name: str) -> None:
    def make(output: Path) -> None:
        counts = NgramCounts.merged([NgramCounts.load(part) for part in parts])
        fallback = FALLBACK if recipe.discount_fallback else None
        write_arpa(estimate(counts, prune=recipe.prune, fallback=fallback), output)

    settings = {"prune": recipe.prune, "fallback": recipe.discount_fallback}
    stages.run(Stage(f"n-gram model {name}", parts, [name], make, settings))


def _alignment(recipe: Recipe) -> Stage:
    texts = recipe.source, recipe.target
    settings: dict[str, Any] = {"symmetrisation": recipe.symmetrisation, "max_words": recipe.max_words}
    return Stage("word alignment", texts, [ALIGNMENT], partial(align, *texts, **settings), settings)


def _extract(
    stages: Stages, recipe: Recipe, texts: Sequence[Path], threads: int, text: TextSystem | None
) -> None:
    def make(output: Path) -> None:
        segments = []
        for item in (item for path in recipe.inputs for item in read_segments(path)):
            if isinstance(item, InputError):
                raise item
            segments.append(item if text is None else text.prepare(item))
        extractor = make_extractor(Bitext.read(*texts, reverse=recipe.reverse), recipe.extraction)
        with in_threads(threads) as executor:
            write_filtered_grammar(extractor, segments, output, max_words=recipe.max_words, executor=executor)

    settings = {"reverse": recipe.reverse, "max_words": recipe.max_words, **recipe.extraction}
    known = [stages.folder / TEXT] if text is not None else []
    stages.run(Stage("grammar", [*texts, *recipe.inputs, *known], [GRAMMAR], make, settings))
    grammar = stages.folder / GRAMMAR

    def make_compiled(output: Path) -> None:
        compile_grammars([grammar], output)

    settings = {"format": _native.COMPILED_GRAMMAR}
    stages.run(Stage("compiled grammar", [grammar], [COMPILED], make_compiled, settings))


def _configure(stages: Stages, recipe: Recipe, folds: int, config: str) -> None:
    """Write a cdec.ini for the system and for each fold, and the initial weights."""
    common = f"""\
add_pass_through_rules=true
scfg_max_span_limit={recipe.extraction.get("max_span", 15)}
feature_function=WordPenalty
feature_function=KLanguageModel {MODEL}
intersection_strategy=cube_pruning
cubepruning_pop_limit=200
"""
    grammar = f"# for cdec itself: grammar={GRAMMAR}\ngrammar={COMPILED}\n" if recipe.inputs else ""
    named = [f"text={{}}{TEXT}"] if recipe.languages is not None else []
    named += [f"{setting}={{}}{name}" for name, _, setting in _glossaries(recipe)]
    written, of_fold = (
        "".join(f"{OURS} {setting_line.format(place)}\n" for setting_line in named) for place in ("", "../")
    )
    texts = {config: f"formalism=scfg\n{written}{grammar}weights=weights.init\n{common}"}
    for index in range(folds):
        texts[f"{fold_name(index)}/{CONFIG}"] = f"formalism=scfg\n{of_fold}weights=../weights.init\n{common}"
    features = recipe.extraction.get("features", CDEC_FEATURES)
    weights = {name: RULE_WEIGHTS[name] for name in features} | OTHER_WEIGHTS
    texts["weights.init"] = "".join(f"{name} {weights[name]}\n" for name in sorted(weights))

    def write(*outputs: Path) -> None:
        for output, text in zip(outputs, texts.values(), strict=True):
            with written_whole(output) as part:
                part.write_text(text, "utf-8")

    stages.run(Stage("configuration", [], list(texts), write, texts))


def _configure_learned(stages: Stages, learned: Learned) -> None:
    """Write the configuration with the features that were learned, and with their weights."""
    base, weights = stages.folder / BASE, stages.folder / learned.weights

    def write(output: Path) -> None:
        text = base.read_text("utf-8").replace("weights=weights.init\n", f"weights={learned.weights}\n")
        lines = [f"feature_function={line}\n" for line in learned.features]
        if learned.consensus:
            lines.append(f"# hopefear: consensus={learned.consensus}\n")
        with written_whole(output) as part:
            part.write_text(f"{text}{''.join(lines)}", "utf-8")

    stages.run(Stage("learned configuration", [base, weights], [CONFIG], write, asdict(learned)))
