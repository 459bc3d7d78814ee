"""``--cluster``: where the work of a command is done."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from .signals import closing_on_sigterm

if TYPE_CHECKING:
    from hopefear.decoder import Executor


def _needs_ray(cluster: str | None) -> str | None:
    """Refuse the option where Ray is not installed, before the command does any work."""
    if cluster is not None:
        from hopefear.cluster import require_ray
        from hopefear.decoder import InputError

        try:
            require_ray()
        except InputError as error:
            raise typer.BadParameter(str(error)) from None
    return cluster


Cluster = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        callback=_needs_ray,
        help="Work in processes of Ray: local:2 starts two here, HOST:PORT joins a cluster that runs.",
    ),
]
Threads = Annotated[
    int | None,
    typer.Option(
        min=1,
        help="Sentences at a time; in a cluster, those of each worker.",
        show_default="1; in a cluster other than local:n, as many as the worker's node has CPUs",
    ),
]


@contextmanager
def open_executor(cluster: str | None, threads: int | None = None) -> Iterator[Executor]:
    """Give what runs tasks: threads of this process, or the workers of a cluster with so many threads each.

    Parameters
    ----------
    cluster : str or None
        As `hopefear.cluster.Connection` takes it.
    threads : int, optional
        1 if not given, or, in a cluster that was joined, as many as a node has CPUs.

    Raises
    ------
    InputError
        There is no such cluster, or Ray is not installed.
    """
    from hopefear.decoder import in_threads

    if cluster is None:
        with in_threads(threads or 1) as executor:
            yield executor
        return
    from hopefear.cluster import Connection

    with (
        closing_on_sigterm(),
        Connection(cluster) as connection,
        connection.executor(threads=threads) as executor,
    ):
        yield executor
