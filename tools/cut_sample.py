"""The script that cut the sample model of the package from the full model."""

from __future__ import annotations

import gzip
import io
import subprocess
import sys
import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from hopefear.base.errors import InputError
from hopefear.base.files import written_whole
from hopefear.decoder.config import OURS
from hopefear.grammars.written_text import learn_text
from hopefear.text import Profile

PARTS = ("dev", "test")
SOURCE, REFERENCES, TREES = "es", ("en.0", "en.1"), "es.trees"
LANGUAGES = "es", "en"
WRITTEN = "written"  # a folder of the full model; the ending of the sample's files
TEXT = "text.json.gz"
SPAN_LIMIT = 15  # scfg_max_span_limit in the model's cdec.ini
PHRASE_OPTIONS, GAPPED_OPTIONS = 4, 2
BOOK = "Y ACONTECIÓ en los días de Assuero", "HUBO un varón en tierra de Hus"
"""How the first line of the book of Esther begins, and that of the book after it."""
BOOK_LINES, BOOK_OPTIONS = 100, (3, 1)


def cut_sample(
    data: Path, out: Path, *, phrase_options: int = PHRASE_OPTIONS, gapped_options: int = GAPPED_OPTIONS
) -> None:
    """Cut the sample model from the full Spanish-English model.

    Of the dev and the test part, two of three lines are kept. Of the grammar, the rules whose source side can
    match a kept sentence are kept, and of rules with the same source side the best by ``weights.init``. Of
    the language model, the n-grams that a kept sentence can need are kept: all their words are in the target
    sides of the sentence's rules, in its references, or passed through from its source. Within that
    vocabulary the sentence's translations score exactly as with the full model. What a system must know about
    text as written is learned from the whole parallel text.

    Parameters
    ----------
    data : Path
        Folder of the full model: ``cdec.ini``, ``weights.init``, ``grammar.gz``, ``lm.arpa.gz`` and, for dev
        and test, the source, two references and Penn trees, one sentence per line. Its folder ``written`` has
        the source and the first reference, and the parallel text ``train.es.gz`` and ``train.en.gz``, as they
        are written.
    out : Path
        Folder to write to, created if it is missing.
    phrase_options, gapped_options : int
        Maximal number of translations of a source side without and with nonterminals.

    Raises
    ------
    InputError
        If the parts of the corpus have different numbers of lines, a line of the weights, the grammar or the
        language model is malformed, or a gz file is cut short.
    OSError
        If a file cannot be read or written.
    """
    corpus = _read_corpus(data)
    sides = [[line for part in PARTS for line in corpus[f"{part}.{side}"]] for side in (SOURCE, *REFERENCES)]
    out.mkdir(parents=True, exist_ok=True)
    for name, lines in corpus.items():
        _write(out / name, _text(lines))
    _write(out / "weights.init", (data / "weights.init").read_bytes())
    _cut_models(data, _read_weights(data / "weights.init"), sides, out, phrase_options, gapped_options)
    source, target = (data / WRITTEN / f"train.{language}.gz" for language in LANGUAGES)
    _write_configurations(data, (source, target), out)


def cut_book(data: Path, out: Path, work: Path) -> None:
    """Cut a book and a system whose text lacks it, from the same data as the sample.

    The system is built from the parallel text without the book, and MIRA learns its weights from the dev
    part. Its grammar and its language model are cut to the book as those of the sample are to dev and test.

    Parameters
    ----------
    data : Path
        As for `cut_sample`, with the word alignment ``train.es-en.align.gz``.
    out : Path
        Folder to write to, created if it is missing.
    work : Path
        Folder for the system, created if it is missing.

    Raises
    ------
    InputError
        As in `cut_sample`; or the text does not have the first lines of the book and of the next one.
    CalledProcessError
        The system cannot be built.
    OSError
        If a file cannot be read or written.
    """
    for folder in (out, work):
        folder.mkdir(parents=True, exist_ok=True)
    written = list(_lines(data / WRITTEN / f"train.{SOURCE}.gz"))
    first, last = (_line_that_begins(written, text) for text in BOOK)
    for language in LANGUAGES:
        for name, folder in ((f"{{}}.{language}", data), (f"{{}}.{language}.{WRITTEN}", data / WRITTEN)):
            lines = list(_lines(folder / f"train.{language}.gz"))
            _write(out / name.format("book"), _text(lines[first : min(first + BOOK_LINES, last)]))
            _write(work / f"{name.format('train')}.gz", _gzip(_text(lines[:first] + lines[last:])))
    links = list(_lines(data / "train.es-en.align.gz"))
    _write(work / "train.align.gz", _gzip(_text(links[:first] + links[last:])))
    train = [work / f"train.{language}.gz" for language in LANGUAGES]
    of_text = ["-s", train[0], "-t", train[1], "-a", work / "train.align.gz"]
    dev = [data / f"dev.{SOURCE}", data / f"dev.{REFERENCES[0]}"]
    models = ["--prune", "0 0 1 1", "-i", dev[0], "-i", out / "book.es"]
    _hopefear("build", *of_text, *models, "-o", work / "system")
    system = work / "system"
    start = ["-c", system / "cdec.ini", "-w", system / "weights.init"]
    _hopefear("tune", *start, "-s", dev[0], "-r", dev[1], "-o", work / "run", "--force")
    weights = work / "run" / "weights.final"
    sides = [list(_lines(out / f"book.{language}")) for language in LANGUAGES]
    _cut_models(system, _read_weights(weights), sides, out, *BOOK_OPTIONS)
    _write(out / "weights", weights.read_bytes())
    _write_configurations(data, [work / f"train.{language}.{WRITTEN}.gz" for language in LANGUAGES], out)


def _line_that_begins(lines: Sequence[str], text: str) -> int:
    for number, line in enumerate(lines):
        if line.startswith(text):
            return number
    raise InputError(f"expected a line that begins with {text!r}, got none")


def _hopefear(*words: str | Path) -> None:
    subprocess.run([sys.executable, "-m", "hopefear", *map(str, words)], check=True)


def _cut_models(
    model: Path,
    weights: Mapping[str, float],
    sides: Sequence[Sequence[str]],
    out: Path,
    phrase_options: int,
    gapped_options: int,
) -> None:
    """Cut grammar and language model of a folder to sentences: their source side, and their references."""
    sentences = [line.split() for line in sides[0]]
    rules = list(_read_rules(model / "grammar.gz", weights))
    matches = _matches({rule.source for rule in rules}, sentences)
    rules = _best_rules(rules, matches, phrase_options, gapped_options)

    users: defaultdict[str, set[int]] = defaultdict(set)  # the sentences that can use a target word
    for rule in rules:
        for word in rule.target.split():
            users[word] |= matches[rule.source]
    for lines in sides:
        for index, line in enumerate(lines):
            for word in line.split():
                users[word].add(index)
    for word in ("<s>", "</s>", "<unk>"):
        users[word] = set(range(len(sentences)))
    _write(out / "grammar.gz", _gzip(_text(rule.line for rule in rules)))
    _write(out / "lm.arpa.gz", _gzip(_text(_filter_arpa(model / "lm.arpa.gz", users))))


def _write_configurations(data: Path, texts: Sequence[Path], out: Path) -> None:
    """Write the configurations for tokens and for text as written, and what a text teaches of the latter."""
    text = learn_text(*texts, LANGUAGES, Profile.named("plain"))
    text.of_plain_tokens().save(out / TEXT)
    ini = (data / "cdec.ini").read_text("utf-8")
    _write(out / "cdec.ini", ini.encode())
    _write(out / "written.ini", f"{ini.rstrip()}\n{OURS} text={TEXT}\n".encode())


class _Rule(NamedTuple):
    source: str
    target: str
    score: float
    line: str


def _lines(path: Path) -> Iterator[str]:
    """Read the lines of a plain or gz file."""
    with (gzip.open if path.suffix == ".gz" else open)(path, "rt", encoding="utf-8", newline="\n") as lines:
        try:
            for line in lines:
                yield line.rstrip("\n")
        except (EOFError, zlib.error) as error:
            raise InputError(
                "expected a whole gz file, got one that is cut short or damaged", path=path
            ) from error


def _read_corpus(data: Path) -> dict[str, list[str]]:
    """Read the kept lines of every file of the dev and test parts, by the name of the sample's file."""
    corpus = {}
    for part in PARTS:
        count = sum(1 for _ in _lines(data / f"{part}.{SOURCE}"))
        paths = {f"{part}.{side}": data / f"{part}.{side}" for side in (SOURCE, *REFERENCES, TREES)}
        for language in LANGUAGES:
            paths[f"{part}.{language}.{WRITTEN}"] = data / WRITTEN / f"{part}.{language}"
        for name, path in paths.items():
            lines = list(_lines(path))
            if len(lines) != count:
                raise InputError(f"expected {count} lines as in {part}.{SOURCE}, got {len(lines)}", path=path)
            corpus[name] = [line for index, line in enumerate(lines) if index % 3 != 2]
    return corpus


def _read_weights(path: Path) -> dict[str, float]:
    weights = {}
    for number, line in enumerate(_lines(path), 1):
        try:
            name, value = line.split()
            weights[name] = float(value)
        except ValueError:
            raise InputError(f"expected a name and a value, got {line!r}", path=path, line=number) from None
    return weights


def _read_rules(path: Path, weights: Mapping[str, float]) -> Iterator[_Rule]:
    """Read a grammar, scoring each rule by its own features."""
    for number, line in enumerate(_lines(path), 1):
        try:
            _, source, target, features, _ = line.split(" ||| ")
            if not source.split():
                raise ValueError
            score = 0.0
            for feature in features.split():
                name, value = feature.split("=")
                score += weights.get(name, 0.0) * float(value)
        except ValueError:
            form = "[LHS] ||| source ||| target ||| name=value … ||| alignment"
            raise InputError(f"expected {form!r}, got {line!r}", path=path, line=number) from None
        yield _Rule(source, target, score, line)


def _is_gap(symbol: str) -> bool:
    return symbol.startswith("[X,") and symbol.endswith("]")


def _matches(sides: Iterable[str], sentences: Sequence[Sequence[str]]) -> dict[str, set[int]]:
    """Find the sentences that each source side can match; sides without a match are left out."""
    containing: defaultdict[str, set[int]] = defaultdict(set)
    padded = [f" {' '.join(sentence)} " for sentence in sentences]
    places: list[defaultdict[str, int]] = []  # of each sentence: the positions of a word, as bits
    for index, sentence in enumerate(sentences):
        places.append(defaultdict(int))
        for position, word in enumerate(sentence):
            containing[word].add(index)
            places[index][word] |= 1 << position

    matches = {}
    everywhere = set(range(len(sentences)))
    for side in sides:
        symbols = [None if _is_gap(symbol) else symbol for symbol in side.split()]
        words = [symbol for symbol in symbols if symbol is not None]
        candidates = everywhere.intersection(*(containing.get(word, ()) for word in words))
        if len(words) == len(symbols) <= SPAN_LIMIT:
            phrase = f" {' '.join(words)} "
            found = {i for i in candidates if phrase in padded[i]}
        else:
            found = {i for i in candidates if _occurs(symbols, places[i], len(sentences[i]))}
        if found:
            matches[side] = found
    return matches


def _occurs(symbols: Sequence[str | None], places: Mapping[str, int], length: int) -> bool:
    """Whether a source side matches a span of at most ``SPAN_LIMIT`` words, with one or more in each gap.

    A gap is None; `places` has the positions of each word of the sentence, as bits.
    """
    anywhere = _ends(symbols, places, (1 << length) - 1, (2 << length) - 1)
    if not anywhere or length <= SPAN_LIMIT or (None not in symbols and len(symbols) <= SPAN_LIMIT):
        return bool(anywhere)
    return any(
        _ends(symbols, places, 1 << start, (2 << min(length, start + SPAN_LIMIT)) - 1)
        for start in range(length)
    )


def _ends(symbols: Sequence[str | None], places: Mapping[str, int], starts: int, inside: int) -> int:
    """Find where matches from some starts can end, all positions as bits; none of them leaves `inside`."""
    ends = starts
    for symbol in symbols:
        if not ends:
            break
        after = ~(2 * (ends & -ends) - 1) if symbol is None else (ends & places[symbol]) << 1
        ends = after & inside
    return ends


def _best_rules(
    rules: Iterable[_Rule], matches: Mapping[str, object], phrase_options: int, gapped_options: int
) -> list[_Rule]:
    """Choose the best translations of each source side that matches, best first, sides in order."""
    options: defaultdict[str, list[_Rule]] = defaultdict(list)
    for rule in rules:
        if rule.source in matches:
            options[rule.source].append(rule)
    chosen = []
    for side in sorted(options):
        most = gapped_options if any(map(_is_gap, side.split())) else phrase_options
        chosen += sorted(options[side], key=lambda rule: (-rule.score, rule.target))[:most]
    return chosen


def _filter_arpa(path: Path, users: Mapping[str, set[int]]) -> list[str]:
    """Keep the n-grams whose words a sentence can use together; their contexts are kept, too."""
    using = {word: sum(1 << sentence for sentence in found) for word, found in users.items()}  # as bits
    sections: list[list[tuple[str, str]]] = []
    for number, line in enumerate(_lines(path), 1):
        if line.startswith("\\") and line.endswith("-grams:"):
            sections.append([])
        elif sections and line and not line.startswith("\\end\\"):
            ngram = "".join(line.split("\t")[1:2])
            words = ngram.split()
            if len(words) != len(sections):
                form = f"a probability, a tab and {len(sections)} words"
                raise InputError(f"expected {form}, got {line!r}", path=path, line=number)
            together = -1
            for word in words:
                together &= using.get(word, 0)
            if together:
                sections[-1].append((ngram, line))

    lines = ["\\data\\", *(f"ngram {order}={len(section)}" for order, section in enumerate(sections, 1))]
    for order, section in enumerate(sections, 1):
        in_order = (line for _, line in sorted(section))  # sorted lines compress better
        lines += ["", f"\\{order}-grams:", *in_order]
    return [*lines, "", "\\end\\"]


def _text(lines: Iterable[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


def _gzip(content: bytes) -> bytes:
    """Compress without file name and time, so that the same content gives the same bytes."""
    buffer = io.BytesIO()
    with gzip.GzipFile(filename="", fileobj=buffer, mode="wb", compresslevel=9, mtime=0) as file:
        file.write(content)
    return buffer.getvalue()


def _write(path: Path, content: bytes) -> None:
    """Write to a temporary file and rename it, so that no partly written file is visible."""
    with written_whole(path) as part:
        part.write_bytes(content)
