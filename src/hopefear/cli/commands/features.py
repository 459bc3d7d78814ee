"""``hopefear features``: what each family of features is worth."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hopefear.base.progress import ProgressBar, print_line

from ..errors import refusing
from ..options import REPORTED

if TYPE_CHECKING:
    from hopefear.decoder import Decoder, Segment
    from hopefear.metrics import Metric


@refusing
def features(
    run: Annotated[Path, typer.Argument(help="Folder of a finished run of tune.")],
    sentences: Annotated[
        int, typer.Option("--sentences", min=1, help="Sentences of the tuning set that are translated.")
    ] = REPORTED,
    as_json: Annotated[bool, typer.Option("--json", help="Write one JSON array.")] = False,
) -> None:
    """Rank the families of features of a tuning run by what they are worth.

    A family is a plugin, or a single feature of the model itself, such as LanguageModel. For each family the
    table has the number of its weights, the sum of their absolute values, the share of sentences in which
    the family decides between the hope and the fear translation, and the score of the tuning set translated
    without the family, with the loss and its 95 % interval. The configuration and the sentences are those
    that the run was started with. The result also goes into report.html of the run.

    For example:

      hopefear features run/
    """
    import json
    from dataclasses import asdict

    from hopefear.tuners.report import family_table, rank_families, write_families, write_report

    with _run_again(run) as (decoder, corpus, metric):
        corpus = corpus[:sentences]
        with ProgressBar(None, name="translating") as bar:
            families = rank_families(decoder, corpus, metric, bar)
    print(json.dumps([asdict(one) for one in families]) if as_json else family_table(families))
    write_families(run, families)
    print_line(f"report: {write_report(run)}")


@contextmanager
def _run_again(run: Path) -> Iterator[tuple[Decoder, list[Segment], Metric | None]]:
    """Give decoder, sentences and metric of a run, from the command that started it and in its folder."""
    from hopefear.base import InputError
    from hopefear.decoder import read_config
    from hopefear.plugins import annotate
    from hopefear.plugins.corpus import read_corpus
    from hopefear.tuners.catalogue import make_tuner
    from hopefear.tuners.contract import RunFiles

    from ..options.selection import selected_decoder

    files = RunFiles(run.resolve())
    files.check_finished()
    folder, given = _started_with(run / "run.json")
    outer = Path.cwd()
    try:
        os.chdir(folder)
    except OSError as error:
        raise InputError(f"the folder in which the run was started: {error.strerror}", path=folder) from None
    try:
        annotations = {name: given[name] for name in ("trees", "conllu", "tags", "classes")}
        under = given["grammars_under"]
        corpus = read_corpus(given["source"], given["reference"] or (), grammars_under=under)
        decoder = selected_decoder(
            read_config(given["config"]),
            str(files.final),
            given["feature"] or (),
            **{name: given[name] for name in ("allow", "deny", "hash_bits", "freeze", "max_words")},
        )
        settings = [*(given["setting"] or ()), *([f"metric={given['metric']}"] if given["metric"] else ())]
        tuner = make_tuner(given["tuner"] or "Mira", settings, on_corpus=True)
        yield decoder, list(annotate(corpus, **annotations)), getattr(tuner, "metric", None)
    finally:
        os.chdir(outer)


def _started_with(record: Path) -> tuple[str, dict[str, Any]]:
    """Give the folder in which a run was started, and the options of its command."""
    import typer.main

    from hopefear.base import InputError
    from hopefear.base.stored import parse_json
    from hopefear.cli import app

    try:
        session = parse_json(record.read_text("utf-8", "surrogateescape"))["sessions"][0]
        folder, (_, name, *arguments) = str(session["folder"]), list(map(str, session["command"]))
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", path=record) from None
    except (ValueError, KeyError, TypeError, IndexError) as error:
        raise InputError(f"expected the sessions of a run: {error}", path=record) from None
    command = typer.main.get_command(app)
    if name != "tune":
        raise InputError(f"expected a run of hopefear tune, got one of hopefear {name}", path=record)
    context = command.commands[name].make_context(name, arguments)  # type: ignore[attr-defined]
    if context.params["source"] is None:
        raise InputError("expected a run with a decoder, got one with --kbest", path=record)
    return folder, context.params
