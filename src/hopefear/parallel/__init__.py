"""Run tasks in this thread, in threads, or in other processes, and keep objects there."""

from __future__ import annotations

from hopefear.base.signatures import check_exports

from .commands import run_command
from .durable import Call, DurableActor
from .executor import Actor, Executor, Serial, Threads, in_threads
from .faults import Recovery, WorkerDied, raise_blame
from .named_features import Named
from .processes import Processes, in_process, one_thread_each
from .replicas import Published, Replica

check_exports(__name__)
