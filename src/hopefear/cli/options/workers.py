"""What does the work of a command: threads, or the workers of a cluster."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass

import typer

from hopefear.base import InputError
from hopefear.parallel import Executor, in_threads

from ..command import option
from ..io import closing_on_sigterm


def _needs_ray(cluster: str | None) -> str | None:
    """Refuse the option if Ray is not installed, before the command does any work."""
    if cluster is not None:
        from hopefear.parallel.ray import require_ray

        try:
            require_ray()
        except InputError as error:
            raise typer.BadParameter(str(error)) from None
    return cluster


@dataclass(frozen=True, kw_only=True)
class Workers:
    """The options ``--threads`` and ``--cluster``."""

    threads: int | None = option(
        "Number of threads; with --cluster, of threads in each worker.",
        default=None,
        min=1,
        shown="1; with --cluster HOST:PORT, the number of CPUs of the worker's node",
    )
    cluster: str | None = option(
        "Work in processes of Ray: local:2 starts two here, HOST:PORT joins a running cluster.",
        metavar="ADDRESS",
        default=None,
        callback=_needs_ray,
    )

    @contextmanager
    def open(self) -> Iterator[Executor]:
        """Open an executor of tasks: threads of this process, or the workers of a cluster."""
        if self.cluster is None:
            with in_threads(self.threads or 1) as executor:
                yield executor
            return
        from hopefear.parallel.ray import Connection

        with (
            closing_on_sigterm(),
            Connection(self.cluster) as connection,
            connection.executor(threads=self.threads) as executor,
        ):
            yield executor

    def open_cluster(self, *, needed: bool = True) -> AbstractContextManager[Executor | None]:
        """Open the executor of a cluster; None without one, or if it is not needed."""
        return self.open() if needed and self.cluster is not None else nullcontext()
