"""Run tasks in this thread, in threads, or in other processes (`ray`), and copies of objects there."""

from __future__ import annotations

from .executor import Actor, Executor, Serial, Threads, WorkerDied, in_threads

__all__ = ["Actor", "Executor", "Serial", "Threads", "WorkerDied", "in_threads"]
