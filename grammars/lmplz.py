"""KenLM's own estimator, the program lmplz."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from hopefear.base.errors import InputError
from hopefear.base.files import written_packed
from hopefear.base.texts import split_lines

MEMORY = "1G"
"""Memory in which lmplz sorts; lmplz uses all of it, and the disk beyond it."""


def find_lmplz() -> str | None:
    """Search for lmplz on the path."""
    return shutil.which("lmplz")


def run_lmplz(
    program: str,
    sentences: Iterable[Sequence[str]],
    order: int,
    output: str | os.PathLike[str],
    *,
    prune: Sequence[int] = (),
    fallback: Sequence[float] | None = None,
) -> None:
    """Estimate a model as `ngram_model.estimate` does, and write it as `arpa.write_arpa` does."""
    command = [program, "-o", str(order), "-S", MEMORY]
    if prune:
        command += ["--prune", *map(str, prune)]
    if fallback is not None:
        command += ["--discount_fallback", *map(str, fallback)]
    folder = Path(output).parent  # the output's disk has room for the model
    with (
        written_packed(output, 6) as file,
        tempfile.TemporaryFile(dir=folder) as text,
        tempfile.TemporaryFile(dir=folder) as model,
    ):
        text.writelines(" ".join(words).encode() + b"\n" for words in sentences)
        text.seek(0)
        done = subprocess.run(command, stdin=text, stdout=model, stderr=subprocess.PIPE, check=False)
        if done.returncode:
            lines = split_lines(done.stderr.decode(errors="replace"))
            said = " ".join([line for line in lines if line][-3:])
            raise InputError(f"failed with status {done.returncode}: {said}", path=program)
        model.seek(0)
        shutil.copyfileobj(model, file)
