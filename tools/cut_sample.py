"""The script that cut the sample model of the package from the full model."""

from __future__ import annotations

import gzip
import io
import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from hopefear.base.errors import InputError
from hopefear.base.files import written_whole
from hopefear.base.texts import split_words
from hopefear.decoder.config import OURS
from hopefear.grammars.written_text import learn_text
from hopefear.text import Profile

PARTS = ("dev", "test")
SOURCE, REFERENCES, TREES = "es", ("en.0", "en.1"), "es.trees"
LANGUAGES = "es", "en"
WRITTEN = "written"  # a folder of the full model; the ending of the sample's files
TEXT = "text.json.gz"
SPAN_LIMIT = 15  # scfg_max_span_limit in the model's cdec.ini


def cut_sample(data: Path, out: Path, *, phrase_options: int = 4, gapped_options: int = 2) -> None:
    """Cut the sample model from the full Spanish-English model.

    Of the dev and the test part, two of three lines are kept. Of the grammar, the rules whose source side can
    match a kept sentence are kept, and of rules with the same source side the best by ``weights.init``. Of
    the language model, the n-grams that a kept sentence can need are kept: all their words are in the target
    sides of the sentence's rules, in its references, or passed through from its source. Within that
    vocabulary the sentence's translations score exactly as with the full model. What a system must know about
    text as written is learned from the whole parallel text.
    """
    corpus = _read_corpus(data)
    sentences = [split_words(line) for part in PARTS for line in corpus[f"{part}.{SOURCE}"]]
    rules = list(read_rules(data / "grammar.gz", read_weights(data / "weights.init")))
    matches = _matches({rule.source for rule in rules}, sentences)
    rules = _best_rules(rules, matches, phrase_options, gapped_options)

    users: defaultdict[str, set[int]] = defaultdict(set)  # the sentences that can use a target word
    for rule in rules:
        for word in split_words(rule.target):
            users[word] |= matches[rule.source]
    for side in (SOURCE, *REFERENCES):
        for index, line in enumerate(line for part in PARTS for line in corpus[f"{part}.{side}"]):
            for word in split_words(line):
                users[word].add(index)
    for word in ("<s>", "</s>", "<unk>"):
        users[word] = set(range(len(sentences)))
    model = filter_arpa(data / "lm.arpa.gz", users)

    out.mkdir(parents=True, exist_ok=True)
    for name, lines in corpus.items():
        write(out / name, as_text(lines))
    for name in ("cdec.ini", "weights.init"):
        write(out / name, (data / name).read_bytes())
    write(out / "grammar.gz", gzipped(as_text(rule.line for rule in rules)))
    write(out / "lm.arpa.gz", gzipped(as_text(model)))
    write_text_system(data, [data / WRITTEN / f"train.{language}.gz" for language in LANGUAGES], out)


def write_text_system(data: Path, train: Sequence[Path], out: Path) -> None:
    """Write what two texts as written teach of such text, and the configuration that names it."""
    learn_text(*train, LANGUAGES, Profile.named("plain"), others=True).save(out / TEXT)
    ini = (data / "cdec.ini").read_text("utf-8")
    write(out / "written.ini", f"{ini.rstrip()}\n{OURS} text={TEXT}\n".encode())


class Rule(NamedTuple):
    source: str
    target: str
    score: float
    line: str


def read_lines(path: Path) -> Iterator[str]:
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
        count = sum(1 for _ in read_lines(data / f"{part}.{SOURCE}"))
        paths = {f"{part}.{side}": data / f"{part}.{side}" for side in (SOURCE, *REFERENCES, TREES)}
        for language in LANGUAGES:
            paths[f"{part}.{language}.{WRITTEN}"] = data / WRITTEN / f"{part}.{language}"
        for name, path in paths.items():
            lines = list(read_lines(path))
            if len(lines) != count:
                raise InputError(f"expected {count} lines as in {part}.{SOURCE}, got {len(lines)}", path=path)
            corpus[name] = [line for index, line in enumerate(lines) if index % 3 != 2]
    return corpus


def read_weights(path: Path) -> dict[str, float]:
    weights = {}
    for number, line in enumerate(read_lines(path), 1):
        try:
            name, value = split_words(line)
            weights[name] = float(value)
        except ValueError:
            raise InputError(f"expected a name and a value, got {line!r}", path=path, line=number) from None
    return weights


def read_rules(path: Path, weights: Mapping[str, float]) -> Iterator[Rule]:
    """Read a grammar, scoring each rule by its own features."""
    for number, line in enumerate(read_lines(path), 1):
        try:
            _, source, target, features, _ = line.split(" ||| ")
            if not split_words(source):
                raise ValueError
            score = 0.0
            for feature in split_words(features):
                name, value = feature.split("=")
                score += weights.get(name, 0.0) * float(value)
        except ValueError:
            form = "[LHS] ||| source ||| target ||| name=value … ||| alignment"
            raise InputError(f"expected {form!r}, got {line!r}", path=path, line=number) from None
        yield Rule(source, target, score, line)


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
        symbols = [None if _is_gap(symbol) else symbol for symbol in split_words(side)]
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
    rules: Iterable[Rule], matches: Mapping[str, object], phrase_options: int, gapped_options: int
) -> list[Rule]:
    """Choose the best translations of each source side that matches, best first, sides in order."""
    options: defaultdict[str, list[Rule]] = defaultdict(list)
    for rule in rules:
        if rule.source in matches:
            options[rule.source].append(rule)
    chosen = []
    for side in sorted(options):
        most = gapped_options if any(map(_is_gap, split_words(side))) else phrase_options
        chosen += sorted(options[side], key=lambda rule: (-rule.score, rule.target))[:most]
    return chosen


def filter_arpa(path: Path, users: Mapping[str, set[int]]) -> list[str]:
    """Keep the n-grams whose words a sentence can use together; their contexts are kept, too."""
    using = {word: sum(1 << sentence for sentence in found) for word, found in users.items()}  # as bits
    sections: list[list[tuple[str, str]]] = []
    for number, line in enumerate(read_lines(path), 1):
        if line.startswith("\\") and line.endswith("-grams:"):
            sections.append([])
        elif sections and line and not line.startswith("\\end\\"):
            ngram = "".join(line.split("\t")[1:2])
            words = split_words(ngram)
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


def as_text(lines: Iterable[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


def gzipped(content: bytes) -> bytes:
    """Compress without file name and time, so that the same content gives the same bytes."""
    buffer = io.BytesIO()
    with gzip.GzipFile(filename="", fileobj=buffer, mode="wb", compresslevel=9, mtime=0) as file:
        file.write(content)
    return buffer.getvalue()


def write(path: Path, content: bytes) -> None:
    """Write to a temporary file and rename it, so that no partly written file is visible."""
    with written_whole(path) as part:
        part.write_bytes(content)
