"""Sessions of a real cdec, recorded and played again: what `CdecProcess` sent, and what cdec answered.

A recording is the work of one process of cdec: its arguments, its weights, and for each sentence the line of
input, the grammar that the line names, the lines of output and the forest. The temporary folder of
`CdecProcess` and the folder of the cdec.ini are written as ``{folder}`` and ``{config}``.
"""

from __future__ import annotations

import base64
import gzip
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from support.fake_cdec import install

from . import CHECKOUT

FOLDER = CHECKOUT / "tests" / "cdec" / "recordings"
"""Recordings of cdec on sentences of the sample: ``forests.json`` and ``lists.json``."""

Answer = tuple[list[str], bytes | None]
"""Lines of output, and the content of the forest file."""


@dataclass(frozen=True)
class _Call:
    """What a process of cdec is started with."""

    arguments: list[str]

    def path(self, flag: str) -> Path:
        return Path(self.arguments[self.arguments.index(flag) + 1])

    def general(self, text: str) -> str:
        """Replace the folders, which differ from run to run."""
        folders = {"{folder}": self.path("-w").parent, "{config}": self.path("-c").parent}
        for name, path in folders.items():
            text = text.replace(str(path), name)
        return text

    def sentence(self, line: str) -> dict[str, Any]:
        """Return a sentence as it was sent."""
        grammar = self.path("-w").parent / "grammar"
        own = grammar.read_text("utf-8") if f'"{grammar}"' in line else None
        return {"input": self.general(line), "grammar": own}

    def forest(self, line: str) -> Path | None:
        """Return the file to which cdec writes the forest of a sentence."""
        number = line.split('id="', 1)[1].split('"', 1)[0]
        return self.path("-O") / f"{number}.bin.gz" if "-O" in self.arguments else None

    def start(self) -> dict[str, Any]:
        weights = self.path("-w").read_text("utf-8")
        return {"arguments": [*map(self.general, self.arguments)], "weights": weights}


def recorder(folder: Path, cdec: Path, recording: Path) -> Path:
    """Make a program that runs a real cdec and records what it does."""
    return install(folder, "support.recorded_cdec", f"record({str(cdec)!r}, {str(recording)!r})")


def player(folder: Path, recording: Path) -> Path:
    """Make a program that gives the answers of a recording, and ends if it is asked for others."""
    return install(folder, "support.recorded_cdec", f"play({str(recording)!r})")


def record(cdec: str, recording: str) -> None:
    """Pass on all input and output of a cdec, and write them to a file at the end."""
    call = _Call(sys.argv[1:])
    told = call.start()
    told["sentences"] = []
    command, pipe = [cdec, *call.arguments], subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, encoding="utf-8") as process:
        assert process.stdin is not None and process.stdout is not None

        def ask(line: str) -> Answer:
            process.stdin.write(line)
            process.stdin.flush()
            path = call.forest(line)
            output = [*_answer(process.stdout)]
            forest = path.read_bytes() if path is not None and path.exists() else None
            packed = None if forest is None else gzip.compress(gzip.decompress(forest), mtime=0)
            text = None if packed is None else base64.b64encode(packed).decode()
            told["sentences"].append({**call.sentence(line), "output": output, "forest": text})
            return output, packed

        _serve(call, ask)
    Path(recording).write_text(json.dumps(told, ensure_ascii=False, indent=1) + "\n", "utf-8")


def play(recording: str) -> None:
    """Answer as cdec did, in the same order."""
    told = json.loads(Path(recording).read_text("utf-8"))
    call = _Call(sys.argv[1:])
    sentences = iter(told.pop("sentences"))
    _expect(told, call.start())

    def ask(line: str) -> Answer:
        sentence = next(sentences, {"output": [], "forest": None})
        output, forest = sentence.pop("output"), sentence.pop("forest")
        _expect(sentence, call.sentence(line))
        return output, None if forest is None else base64.b64decode(forest)

    _serve(call, ask)


def _expect(recorded: object, got: object) -> None:
    if got != recorded:
        sys.exit(f"not as recorded: expected {recorded}, got {got}")


def _serve(call: _Call, ask: Callable[[str], Answer]) -> None:
    sys.stdin.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    for line in sys.stdin:
        output, forest = ask(line)
        path = call.forest(line)
        if path is not None and forest is not None:
            path.write_bytes(forest)
        print(*output, sep="\n", flush=True)


def _answer(stream: TextIO) -> Iterator[str]:
    first = stream.readline().rstrip("\n")
    yield first
    for _ in range(int(first or 0)):
        yield stream.readline().rstrip("\n")
