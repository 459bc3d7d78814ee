"""Makes the pictures of the documentation: python docs/images --help, from a checkout.

Two kinds are made by other commands. frontier.png compares with recorded times of cdec: ``python
benchmarks/frontier.py --plot FILE``. The pictures of docs/results are those of the runs in docs/results/data:
``hopefear experiment PLAN -o docs/results/data/PLAN --render docs/results/PLAN.md``.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import live_page
import web_pages
import writing_plugins

HERE = Path(__file__).resolve().parent


def draw_demo(out: Path) -> None:
    """What `hopefear demo` draws."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run((sys.executable, "-m", "hopefear", "demo", "-o", folder), check=True)
        for name in ("bleu-per-update.png", "hope-and-fear.png", "corrections.png"):
            shutil.copy(Path(folder) / name, out)


def draw_features(out: Path) -> None:
    """What the features of the tutorial bought."""
    with tempfile.TemporaryDirectory() as folder:
        writing_plugins.draw(Path(folder), out)


WEB = {
    "report": web_pages.take_report,
    "derivation": web_pages.take_derivation,
    "board": web_pages.take_board,
    "experiment": web_pages.take_experiment,
}
"""Pictures of pages that have light and dark colours."""
PICTURES: dict[str, Callable[[Path], None]] = {
    "demo": draw_demo,
    "features": draw_features,
    "desk": live_page.draw,
    **{name: partial(take, dark=False) for name, take in WEB.items()},
}


def main() -> None:
    parser = argparse.ArgumentParser(description="Make the pictures of docs/images.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"only these: {', '.join(PICTURES)}")
    parser.add_argument("-o", dest="out", type=Path, default=HERE, metavar="FOLDER", help="to write to")
    parser.add_argument(
        "--dark", action="store_true", help=f"in dark colours: only {', '.join(WEB)}; with -o"
    )
    given = parser.parse_args()
    known = {name: partial(take, dark=True) for name, take in WEB.items()} if given.dark else PICTURES
    if given.dark and given.out == HERE:
        parser.error("--dark needs -o: the pages show the light pictures")
    if unknown := set(given.names) - known.keys():
        parser.error(f"expected {', '.join(known)}, got {', '.join(sorted(unknown))}")
    given.out.mkdir(parents=True, exist_ok=True)
    for name in given.names or known:
        print(name, flush=True)
        known[name](given.out)


if __name__ == "__main__":
    main()
