"""What plugins cost inside cdec, one edge at a time and parsed ahead: python benchmarks/bridge.py --help."""

from __future__ import annotations

import argparse
import os
import subprocess
import tempfile
from pathlib import Path

from tasks import SHARED, Task, add_task_argument, chosen, table

from hopefear.cdec.bridge import build

WAYS = {"cdec alone": None, "one edge at a time": "", "parsed ahead": " --parse-ahead {ini}"}


def written(task: Task, folder: Path, line: str | None) -> Path:
    """Write the cdec.ini of a task with absolute paths, and with a line of the bridge."""
    text = task.config.read_text("utf-8")
    for option in ("grammar=", "KLanguageModel "):
        text = text.replace(option, f"{option}{task.config.parent}{os.sep}")
    ini = folder / "cdec.ini"
    ini.write_text(text + ("" if line is None else line.format(ini=ini) + "\n"), "utf-8")
    return ini


def run(cdec: Path, task: Task, ini: Path, lines: list[str]) -> tuple[float, float]:
    """Translate lines; give CPU seconds and peak memory in MB of cdec."""
    command = [str(cdec), "-c", str(ini), "-w", str(task.weights("tuned"))]
    with tempfile.TemporaryFile() as source:
        source.write("".join(line + "\n" for line in lines).encode())
        source.seek(0)
        process = subprocess.Popen(
            command, stdin=source, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        _, status, used = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"{' '.join(command)}: ended with status {os.waitstatus_to_exitcode(status)}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def main() -> None:
    parser = argparse.ArgumentParser(description="CPU seconds a sentence of cdec with and without plugins.")
    add_task_argument(parser)
    parser.add_argument("--cdec-source", type=Path, required=True, help="cdec's sources")
    parser.add_argument("--cdec-build", type=Path, required=True, help="the folder in which cmake built cdec")
    parser.add_argument("--sentences", type=int, default=50, help="the first so many, from 2")
    parser.add_argument("--markdown", action="store_true")
    arguments = parser.parse_args()
    rows: list[dict[str, str]] = []
    for name, task in chosen(parser, arguments.tasks).items():
        plugins = ["RuleIndicators", "StructuralDistortion"]
        if task.trees:
            plugins.append(f"SoftSyntax trees={SHARED / 'data' / task.trees}")
        lines = task.lines(task.source)[: arguments.sentences]
        with tempfile.TemporaryDirectory() as created:
            folder = Path(created)
            (folder / "plugins.ini").write_text("".join(f"feature_function={one}\n" for one in plugins))
            bridge = build(arguments.cdec_source, arguments.cdec_build, folder / "bridge.so")
            for way, more in WAYS.items():
                line = None if more is None else bridge.line(str(folder / "plugins.ini")) + more
                ini = written(task, folder, line)
                cdec = arguments.cdec_build / "decoder" / "cdec"
                first, _ = run(cdec, task, ini, lines[:1])  # with what it takes to load
                seconds, peak = run(cdec, task, ini, lines)
                row = {
                    "task": name,
                    "way": way,
                    "CPU s a sentence": f"{(seconds - first) / (len(lines) - 1):.3f}",
                    "with loading, the first": f"{first:.2f}",
                    "peak MB": f"{peak:.0f}",
                }
                rows.append(row)
    print(table(rows, markdown=arguments.markdown))


if __name__ == "__main__":
    main()
