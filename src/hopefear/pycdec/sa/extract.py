"""``python -m hopefear.pycdec.sa.extract``: extract grammars from a compiled parallel text."""

from __future__ import annotations

import argparse
import gzip
import importlib.util
import logging
import re
import sys
from collections.abc import Callable
from pathlib import Path
from xml.sax.saxutils import quoteattr

from hopefear.base import ForeignCode, InputError, PluginError
from hopefear.base.files import written_whole
from hopefear.base.lines import STANDARD_INPUT, each_line
from hopefear.base.texts import BLANK
from hopefear.parallel import in_threads
from hopefear.pycdec.sa.command import run
from hopefear.pycdec.sa.extractor import GrammarExtractor

_BAR = re.compile(rf"[{BLANK}]*\|\|\|[{BLANK}]*")


def main() -> None:
    """Extract the grammars that standard input asks for."""
    options = _options()
    for path in options.features:
        load_features(path)
    extractor = GrammarExtractor(options.config, options.online)
    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    if options.stream:
        for line in each_line("-"):
            print(_answer(extractor, line, packed=options.compress), flush=True)
        return
    folder = Path(options.grammars)
    folder.mkdir(exist_ok=True)
    extract = _extraction(extractor, folder, packed=options.compress, online=options.online)
    with in_threads(options.jobs) as executor:
        for output in executor.map(extract, enumerate(each_line("-"))):
            print(output)


def load_features(path: str) -> None:
    """Run a file of definitions of features."""
    logging.info("loading definitions of features from %s", path)
    name = Path(path).stem
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise PluginError("expected a Python file", path=path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    sys.path.insert(0, str(Path(path).parent.resolve()))
    try:
        with ForeignCode(name, lambda failure: PluginError(failure, path=path)):
            spec.loader.exec_module(module)
    finally:
        del sys.path[0]


def write_grammar(
    extractor: GrammarExtractor, sentence: str, path: str | Path, context: str | None = None, *, packed: bool
) -> None:
    """Write the rules that a sentence can use; the file is a gz file if it is to be packed."""
    text = "".join(f"{rule}\n" for rule in extractor.grammar(sentence, context)).encode()
    with written_whole(path) as part:
        part.write_bytes(gzip.compress(text, mtime=0) if packed else text)


def _extraction(
    extractor: GrammarExtractor, folder: Path, *, packed: bool, online: bool
) -> Callable[[tuple[int, str]], str]:
    def extract(item: tuple[int, str]) -> str:
        number, line = item
        sentence, *others = _BAR.split(line)
        path = folder.resolve() / f"grammar.{number}{'.gz' if packed else ''}"
        write_grammar(extractor, sentence, path, packed=packed)
        if online:
            if len(others) < 2:
                message = f"expected sentence ||| reference ||| alignment, got {line[:80]!r}"
                raise InputError(message, path=STANDARD_INPUT, line=number + 1)
            _learn(extractor, sentence, others[0], others[1], number + 1)
            others = others[2:]
        suffix = "".join(f" ||| {other}" for other in others)
        return f'<seg grammar={quoteattr(str(path))} id="{number}">{sentence}</seg>{suffix}'

    return extract


def _learn(extractor: GrammarExtractor, sentence: str, reference: str, alignment: str, line: int) -> None:
    try:
        extractor.add_instance(sentence, reference, alignment)
    except ValueError as error:
        raise InputError(str(error), path=STANDARD_INPUT, line=line) from None


def _answer(extractor: GrammarExtractor, line: str, *, packed: bool) -> str:
    """Do what a line of the stream asks for, and return the line that answers."""
    fields = _BAR.split(line.strip(BLANK))
    try:
        match fields:
            case [context, command] if command.lower() == "drop":
                extractor.drop_ctx(context)
                return f"drop {context}"
            case [context, sentence, grammar]:
                write_grammar(extractor, sentence, grammar, context, packed=packed)
                return grammar
            case [context, sentence, reference, alignment]:
                extractor.add_instance(sentence, reference, alignment, context)
                return f"learn {context}"
    except ValueError as error:
        return f"Error: {error}. Skipping line: {line.strip(BLANK)}"
    return (
        "Error: expected context ||| sentence ||| grammar file, context ||| sentence ||| reference ||| "
        f"alignment, or context ||| drop. Skipping line: {line.strip(BLANK)}"
    )


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m hopefear.pycdec.sa.extract",
        description="Extract a grammar for each sentence of standard input; standard output gets the "
        "sentences as <seg grammar=...> lines.",
    )
    add = parser.add_argument
    add("-c", "--config", required=True, help="configuration that hopefear.pycdec.sa.compile wrote")
    add("-g", "--grammars", help="folder of the grammars")
    add("-j", "--jobs", type=int, default=1, help="threads (1)")
    add("-s", "--chunksize", type=int, default=10, help="has no effect: threads take sentence by sentence")
    add("-f", "--features", nargs="*", default=[], help="Python files that define features")
    add(
        "-o",
        "--online",
        action="store_true",
        help="learn each sentence after its grammar: the lines are sentence ||| reference ||| alignment",
    )
    add("-z", "--compress", action="store_true", help="compress the grammars with gzip")
    add(
        "-t",
        "--stream",
        action="store_true",
        help="answer lines context ||| sentence ||| grammar file; with -o also context ||| sentence ||| "
        "reference ||| alignment, and context ||| drop",
    )
    options = parser.parse_args()
    if not (options.grammars or options.stream):
        parser.error("expected -g/--grammars or -t/--stream")
    if options.jobs < 1:
        parser.error(f"argument -j/--jobs: expected at least 1, got {options.jobs}")
    if options.jobs > 1 and (options.stream or options.online):
        parser.error("stream mode and online mode go sentence by sentence: expected -j 1")
    for path in options.features:
        if not path.endswith(".py"):
            parser.error(f"argument -f/--features: expected a Python file, got {path}")
    return options


if __name__ == "__main__":
    run(main)
