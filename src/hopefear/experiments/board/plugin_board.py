"""A page that shows what the plugins of a file do, made anew when the file changes."""

from __future__ import annotations

import threading
import time
from datetime import datetime

from markupsafe import Markup

from hopefear.parallel import Processes

from .plugin_look import PluginTrial

_EVERY = 0.5  # seconds between looks at the file


class PluginBoard:
    """Looks at a file, and tries its plugins in new processes when it has changed."""

    def __init__(self, trial: PluginTrial, processes: Processes) -> None:
        self._trial, self._processes = trial, processes
        self._fired = self._gain = self._when = ""
        self._seen = 0
        self._lock = threading.Lock()

    def html(self) -> str:
        """Return what the page shows."""
        with self._lock:
            head = Markup('<h2>{} <span class="status running">{}</span></h2>')
            parts = head.format(self._trial.file.name, self._when), self._gain, self._fired
            return f'<section class="alone">{"".join(parts)}</section>'

    def watch(self) -> None:
        """Look at the file again and again; for a thread that ends with the process."""
        while True:
            self.look()
            time.sleep(_EVERY)

    def look(self) -> bool:
        """Try the plugins if the file has changed; tell whether it had."""
        try:
            changed = self._trial.file.stat().st_mtime_ns
        except OSError:
            return False  # an editor may be writing it
        if changed == self._seen:
            return False
        self._seen = changed
        self._show(when=f"of {datetime.now():%H:%M:%S}, is being tried")
        self._show(fired=self._call("fired"), gain='<p class="key">The gain is being measured.</p>')
        self._show(gain=self._call("gain"), when=f"tried at {datetime.now():%H:%M:%S}")
        return True

    def _call(self, method: str) -> str:
        return self._processes.call(_called, self._trial, method)

    def _show(self, *, fired: str | None = None, gain: str | None = None, when: str | None = None) -> None:
        with self._lock:
            self._fired = self._fired if fired is None else fired
            self._gain = self._gain if gain is None else gain
            self._when = self._when if when is None else when


def _called(trial: PluginTrial, method: str) -> str:
    return trial.fired() if method == "fired" else trial.gain()
