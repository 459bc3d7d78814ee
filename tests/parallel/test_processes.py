from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import threading
import time

import pytest
from support.process_groups import check_all_end_when_killed, needs_process_groups, running
from support.waiting import wait_until

from hopefear.parallel import Processes, Recovery, WorkerDied, one_thread_each


def test_a_call_is_done_elsewhere():
    with Processes() as processes:
        assert processes.call(divmod, 7, 2) == (3, 1)
        assert processes.call(os.getpid) != processes.call(os.getpid) != os.getpid()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ((os._exit, 3), "the process ended with status 3"),
        (
            (signal.raise_signal, signal.SIGKILL),
            "the process was ended by SIGKILL, perhaps for lack of memory",
        ),
        ((signal.raise_signal, signal.SIGABRT), "ended by SIGABRT"),
        ((signal.raise_signal, signal.SIGRTMIN + 1), f"ended by signal {signal.SIGRTMIN + 1}"),
    ],
)
def test_a_process_that_ends_is_told(call, message):
    with Processes(Recovery(attempts=1)) as processes, pytest.raises(WorkerDied, match=message):
        processes.call(*call)


def test_a_call_is_made_again_where_its_process_ends(tmp_path):
    """The first one leaves a file, and the second finds it."""
    marks = tmp_path / "marks"
    code = (
        f"from pathlib import Path; import os; marks = Path({str(marks)!r})\n"
        "if not marks.exists():\n"
        "    marks.touch()\n"
        "    os.abort()\n"
    )
    with Processes() as processes:
        assert processes.call(exec, code) is None
    marks.unlink()
    with Processes(Recovery(attempts=1)) as processes, pytest.raises(WorkerDied) as died:
        processes.call(exec, code)
    assert died.value.times == 1  # the call is known to be the cause


def test_no_process_is_left_at_the_end():
    ended = []

    def sleep():
        with contextlib.suppress(WorkerDied):
            processes.call(time.sleep, 60)
        ended.append(True)

    with Processes() as processes:
        threads = [threading.Thread(target=sleep) for _ in range(2)]
        for thread in threads:
            thread.start()
        wait_until(lambda: len(multiprocessing.active_children()) == 2, "two processes")
    for thread in threads:
        thread.join(5)
    assert len(ended) == 2 and not multiprocessing.active_children()
    with pytest.raises(WorkerDied, match="before the start") as died:
        processes.call(os.getpid)
    assert died.value.times == 0


def test_libraries_have_one_thread_where_nothing_else_is_said(monkeypatch):
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    monkeypatch.setenv("MKL_NUM_THREADS", "3")
    with one_thread_each():
        assert (os.environ["OMP_NUM_THREADS"], os.environ["MKL_NUM_THREADS"]) == ("1", "3")
    assert "OMP_NUM_THREADS" not in os.environ and os.environ["MKL_NUM_THREADS"] == "3"


@pytest.mark.slow
@needs_process_groups
def test_a_command_of_hopefear_ends_with_the_process_that_prepares(tmp_path):
    """Even if that was killed."""
    (tmp_path / "run.py").write_text(
        "from pathlib import Path\n"
        "from hopefear.experiments.plan.plan import Preparation\n"
        "from hopefear.experiments.runs.preparation import prepare\n"
        "if __name__ == '__main__':\n"
        "    words = ('ngrams', '--text', 'pipe', '--order', '1', '-o', '{output}')\n"
        "    prepare(Path('prepared'), Preparation('out', words))\n"
    )
    (tmp_path / "prepared").mkdir()
    os.mkfifo(tmp_path / "prepared" / "pipe")  # the command waits for someone to write
    with contextlib.ExitStack() as opened, running(tmp_path / "run.py") as process:

        def is_read() -> bool:
            with contextlib.suppress(OSError):  # as long as nobody has come to read
                writer = os.open(tmp_path / "prepared" / "pipe", os.O_WRONLY | os.O_NONBLOCK)
                opened.callback(os.close, writer)
                return True
            return False

        wait_until(is_read, "the command reads", process)
        check_all_end_when_killed(process)
