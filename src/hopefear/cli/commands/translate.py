"""``hopefear translate``: documents into documents."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from hopefear.base import InputError
from hopefear.base.files import written_whole
from hopefear.base.progress import ProgressBar, print_line
from hopefear.base.texts import shortened, split_words
from hopefear.decoder import Consensus, Decoder, Segment, Translator, attempt, read_config
from hopefear.decoder.lengths import TEXT_MAX_WORDS
from hopefear.parallel import Executor
from hopefear.text import Profile, TextSystem
from hopefear.text.documents import (
    Complaint,
    DividedUnit,
    Document,
    State,
    Unit,
    UnitText,
    joined,
    profile_of,
)
from hopefear.text.profile import BUILT_IN

from ..command import argument, command, only, option, without
from ..options import CONFIG, ChosenConsensus, GivenWeights, Selection, Workers, check_weights


def _known_profile(name: str | None) -> str | None:
    if name is not None and name not in BUILT_IN:
        raise typer.BadParameter(f"expected one of {', '.join(BUILT_IN)}")
    return name


@command
def translate(
    *,
    files: list[Path] = argument("The documents.", metavar="FILE..."),
    config: Path = CONFIG,
    weights: GivenWeights,
    output: Path = option(
        "The translated document; for several documents, a folder that is made if it is missing.",
        "--output",
        "-o",
        writes=True,
    ),
    format: str | None = option(
        "The format of the documents, such as po.",
        metavar="NAME",
        default=None,
        shown="by the ending of each file",
    ),
    profile: str | None = option(
        f"The kind of text, whose pieces are kept beside those of the format: {', '.join(BUILT_IN)}.",
        metavar="NAME",
        default=None,
        callback=_known_profile,
        shown="plain",
    ),
    language: str | None = option(
        "The code of the target language, such as es, which documents state.",
        metavar="LANGUAGE",
        default=None,
    ),
    force: bool = option("Write documents that differ from theirs in more than translations.", default=False),
    replace: bool = option("Replace translations that the document has.", default=False),
    max_words: int = option(
        "The most words of a sentence; a longer one has no translation.", default=TEXT_MAX_WORDS, min=1
    ),
    workers: Annotated[Workers, only("threads")],
    selection: Annotated[Selection, without("min_count")],
    consensus: ChosenConsensus,
) -> None:
    """Translate documents: nothing of them changes but the translations.

    Formats: gettext (po, pot), XLIFF 1.2 and 2, TMX, CSV and TSV, Markdown, HTML, subtitles (srt, vtt),
    OpenDocument (odt, ods, odp), Word (docx), JSON, Android's strings (xml), RESX, Qt (ts), and text with a
    sentence or paragraph in each line; packages can add others.

    What has a translation keeps it, fuzzy ones too, unless --replace is given. A translation that has lost or
    doubled a tag, a placeholder or another mark of its source is marked as one to check, where the format can
    (fuzzy, needs-review-translation), and named on standard error with file and line. A unit with a sentence
    that has no translation stays as it was, and is named, too.

    What is written is read again by another parser. A document that differs in more than translations is
    named with the place, and is not written unless --force is given.

    Exit status: 0; 1 if units or differences are named; 2 if input was wrong. Then nothing is written.

    For example:

      hopefear translate manual.po -c system/cdec.ini -o manual.es.po --language es --profile rst

      hopefear translate page.html -c system/cdec.ini -w weights -o page.es.html --threads 2

      hopefear translate docs/*.md -c system/cdec.ini -o docs.es
    """
    targets = _outputs(files, output)
    contents = [_content(path) for path in files]
    settings = read_config(config)
    weights.check(settings)
    method = consensus.method(settings)
    start = weights.file(settings)
    decoder = selection.decoder(settings, start, max_words=max_words)
    decoder.sends_deltas = False  # no report of fired features is needed
    check_weights(decoder, start)
    system = decoder.text_system
    codes = () if system is None else system.languages
    documents = [
        Document.read(str(path), content, format, language=language, languages=codes, profile=profile)
        for path, content in zip(files, contents, strict=True)
    ]
    chosen = [
        {i: unit for i, unit in enumerate(one.units) if replace or unit.state is State.NEW}
        for one in documents
    ]
    with workers.open() as executor:
        texts = translate_texts(
            decoder,
            [unit for units in chosen for unit in units.values()],
            executor,
            max_words=max_words,
            consensus=method,
        )
        written, named = list[bytes | None](), False
        for path, document, units in zip(files, documents, chosen, strict=True):
            done = {index: next(texts) for index in units}
            found = {index: one.text for index, one in done.items() if one.text is not None}
            complaints = [
                Complaint(index, one.problem, units[index].line)
                for index, one in done.items()
                if one.text is None and one.problem is not None
            ]
            complaints += document.complaints(found)
            content = document.translated(found, language=language)
            differences = document.differences(content, complaints, language=language)
            written.append(content if force or not differences else None)
            _report(path, document, len(units), complaints)
            for difference in differences:
                print_line(f"{path}{_at(difference.line)}: {difference.reason}")
            named |= bool(complaints or differences)
            if written[-1] is None:
                print_line(f"{path}: not written; --force writes it")
    if len(files) > 1 or output.is_dir():
        output.mkdir(parents=True, exist_ok=True)
    for path, result in zip(targets, written, strict=True):
        if result is not None:
            with written_whole(path) as part:
                part.write_bytes(result)
    if named:
        raise typer.Exit(1)


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", path=path) from None


def _outputs(files: Sequence[Path], output: Path) -> list[Path]:
    """Return the file to write for each document."""
    if len(files) == 1 and not output.is_dir():
        return [output]
    if output.exists() and not output.is_dir():
        raise InputError(f"expected a folder for {len(files)} documents, got a file", path=output)
    names = [path.name for path in files]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise InputError(f"expected documents of different names, got {twice} twice", path=output)
    return [output / name for name in names]


def _at(line: int | None) -> str:
    return "" if line is None else f":{line}"


def _report(path: Path, document: Document, tried: int, complaints: Sequence[Complaint]) -> None:
    for one in complaints:
        where = f"{path}{_at(one.line)}" if one.line is not None else f"{path}: unit {one.unit + 1}"
        print_line(f"{where}: {one.reason}")
    left = sum(one.reason.startswith(NO_TRANSLATION) for one in complaints)
    counts = [f"{tried - left:,} units translated", f"{len(document.units) - tried:,} kept"]
    counts += [f"{left:,} without a translation"] if left else []
    counts += [f"{len(complaints) - left:,} to check"] if len(complaints) > left else []
    print_line(f"{path}: {', '.join(counts)}")


NO_TRANSLATION = "no translation: "


class UnitTranslation(NamedTuple):
    """A translation of a unit; without one, the reason."""

    text: str | None
    problem: str | None = None


@dataclass(frozen=True)
class _Sentence:
    """Translates one sentence, in this process or in a worker."""

    decoder: Translator
    max_words: int
    consensus: Consensus | None

    def __call__(self, segment: Segment) -> UnitTranslation:
        if segment.length > self.max_words:
            return UnitTranslation(None, f"{NO_TRANSLATION}a sentence of {segment.length:,} words")
        with attempt(self.decoder, segment):
            forest = self.decoder.translate(segment).forest
            shown = forest if self.consensus is None else forest.consensus(self.consensus)
            return UnitTranslation(shown.written())
        return UnitTranslation(None, f"{NO_TRANSLATION}no derivation covers {shortened(segment.text)!r}")


class _Segments:
    """Makes segments of sentences, with the tokens of a system that knows text as written.

    A segment, not a line: a document must not name grammars, or be read as a lattice.
    """

    def __init__(self, system: TextSystem | None) -> None:
        self._text = None if system is None else UnitText(system)

    def __call__(self, text: str, unit: Unit) -> Segment:
        segment = Segment(split_words(text), where="a sentence", text=text)
        return segment if self._text is None else self._text.of(unit).prepare(segment)


def translate_texts(
    decoder: Translator,
    units: Sequence[Unit],
    executor: Executor,
    *,
    language: str | None = None,
    max_words: int = TEXT_MAX_WORDS,
    consensus: Consensus | None = None,
    show: bool = True,
) -> Iterator[UnitTranslation]:
    """Translate units of documents, sentence by sentence; what lies between sentences stays.

    Equal sentences of which the same is kept are translated once.
    """
    system = decoder.text_system if isinstance(decoder, Decoder) else None
    segment_of = _Segments(system)
    language = language if system is None else language or system.source.code
    divided = [DividedUnit(unit, language) for unit in units]
    places = [one.places for one in divided]
    sentences = [[one.text(*place) for place in one.places] for one in divided]
    kept = [profile_of(unit) for unit in units]
    segments = {
        (text, profile): segment_of(text, unit)
        for unit, profile, texts in zip(units, kept, sentences, strict=True)
        for text in texts
    }
    executor.publish(decoder.weights)
    done: dict[tuple[str, Profile], UnitTranslation] = {}
    with ProgressBar(len(segments), name="translating", show=show) as bar:
        results = executor.map(_Sentence(decoder, max_words, consensus), segments.values())
        for key, result in zip(segments, results, strict=True):
            done[key] = result
            bar.update()
    for unit, profile, found, texts in zip(units, kept, places, sentences, strict=True):
        yield _joined(unit, found, [done[text, profile] for text in texts])


def _joined(
    unit: Unit, places: Sequence[tuple[int, int]], sentences: Sequence[UnitTranslation]
) -> UnitTranslation:
    texts = []
    for one in sentences:
        if one.text is None:
            return one
        texts.append(one.text)
    return UnitTranslation(joined(unit, places, texts))
