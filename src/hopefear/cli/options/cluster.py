"""``--cluster``: run the work of a command in threads or on a cluster."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from ..io import closing_on_sigterm

if TYPE_CHECKING:
    from hopefear.parallel import Executor


def _needs_ray(cluster: str | None) -> str | None:
    """Refuse the option if Ray is not installed, before the command does any work."""
    if cluster is not None:
        from hopefear.base import InputError
        from hopefear.parallel.ray import require_ray

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
        help="Work in processes of Ray: local:2 starts two here, HOST:PORT joins a running cluster.",
    ),
]
Threads = Annotated[
    int | None,
    typer.Option(
        min=1,
        help="Number of threads; with --cluster, of threads in each worker.",
        show_default="1; with --cluster HOST:PORT, the number of CPUs of the worker's node",
    ),
]


@contextmanager
def open_executor(cluster: str | None, threads: int | None = None) -> Iterator[Executor]:
    """Open an executor of tasks: threads of this process, or the workers of a cluster.

    Parameters
    ----------
    cluster : str or None
        The address, see `hopefear.parallel.ray.Connection`.
    threads : int, optional
        Threads of this process or of each worker. The default is 1; for a cluster that was joined, the number
        of CPUs of a node.
    """
    from hopefear.parallel import in_threads

    if cluster is None:
        with in_threads(threads or 1) as executor:
            yield executor
        return
    from hopefear.parallel.ray import Connection

    with (
        closing_on_sigterm(),
        Connection(cluster) as connection,
        connection.executor(threads=threads) as executor,
    ):
        yield executor
