"""``python -m hopefear.pycdec.sa.compile``: compile a parallel text for the extractor."""

from __future__ import annotations

import argparse
import logging
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hopefear import _native
from hopefear.pycdec.sa.command import run
from hopefear.pycdec.sa.configuration import read_configuration, write_configuration
from hopefear.pycdec.sa.online import Bilex
from hopefear.pycdec.sa.texts import Alignment, BiLex, DataArray, SuffixArray

_logger = logging.getLogger("hopefear.pycdec.sa.compile")

_PARAMETERS = {
    "max_len": "maxlen",
    "max_nt": "maxnt",
    "max_size": "maxsize",
    "min_gap": "mingap",
    "rank1": "rank1",
    "rank2": "rank2",
}
"""Options by their names in the configuration."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Compile the parallel text that the arguments, by default those of the process, name."""
    options = _options(arguments)
    output = Path(options.output)
    output.mkdir(exist_ok=True)
    files = {
        "f_sa_file": output / "f.sa.bin",
        "e_file": output / "e.bin",
        "a_file": output / "a.bin",
        "lex_file": output / "lex.bin",
    }
    config = _old_configuration(options.config)
    config |= {name: os.path.abspath(path) for name, path in files.items()}
    if options.bitext:
        source = SuffixArray(from_text=options.bitext, side="source")
        target = DataArray(from_text=options.bitext, side="target")
    else:
        source, target = SuffixArray(from_text=options.source), DataArray(from_text=options.target)
    source.write_binary(files["f_sa_file"])
    target.write_binary(files["e_file"])
    texts = os.fspath(files["f_sa_file"]), os.fspath(files["e_file"])
    pairs = _native.check_bitext(*texts, options.alignment, False)
    _logger.info("%d sentence pairs, %d and %d words", pairs, len(source.darray) - pairs, len(target) - pairs)
    links = Alignment(from_text=options.alignment)
    links.write_binary(files["a_file"])
    BiLex(from_data=True, alignment=links, earray=target, fsarray=source).write_binary(files["lex_file"])
    if options.online:
        config["bilex_file"] = os.path.abspath(output / "bilex.gz")
        bilex = Bilex()
        bilex.add_bitext(options.alignment, *texts)
        bilex.write(config["bilex_file"])
    config |= {name: getattr(options, option) for name, option in _PARAMETERS.items()}
    config["tight_phrases"] = not options.loose
    write_configuration(config, options.config)


def _old_configuration(path: str) -> dict[str, Any]:
    """Return the values of a configuration file that will be replaced: those of other names are kept."""
    return read_configuration(path) if os.path.isfile(path) else {}


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m hopefear.pycdec.sa.compile",
        description="Compile a word-aligned parallel text for hopefear.pycdec.sa.extract.",
    )
    add = parser.add_argument
    add("--maxnt", "-n", type=int, default=2, help="most nonterminals of a rule (2)")
    add("--maxlen", "-l", type=int, default=5, help="most symbols of a source side (5)")
    add("--maxsize", "-s", type=int, default=15, help="most words of a phrase, on each side (15)")
    add("--mingap", "-g", type=int, default=1, help="fewest source words of a nonterminal (1)")
    add("--rank1", "-r1", type=int, default=100, help="kept in the configuration; nothing is precomputed")
    add("--rank2", "-r2", type=int, default=10, help="kept in the configuration; nothing is precomputed")
    add("--loose", action="store_true", help="phrases may begin and end with words without links")
    add("-c", "--config", default="/dev/stdout", help="configuration to write (standard output)")
    add("-f", "--source", help="source sentences, one per line; plain or gz")
    add("-e", "--target", help="their translations")
    add("-b", "--bitext", help="both, as lines source ||| target, in place of -f and -e")
    add("-a", "--alignment", required=True, help="word alignments, source-target: 0-0 1-2")
    add("-o", "--output", required=True, help="folder of the compiled text")
    add("--online", action="store_true", help="also write the counts of links, bilex.gz")
    options = parser.parse_args(arguments)
    if not (options.bitext or (options.source and options.target)):
        parser.error("a parallel text is required: -b, or -f with -e")
    return options


if __name__ == "__main__":
    run(main)
