"""Send random requests to hopefear serve: python tools/fuzz/web_requests.py --requests 20000 --seed 1."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests"))

from fastapi.testclient import TestClient
from support.live_server import Session, random_requests
from support.small_session import adapting_decoder, write_system

from hopefear.live import Forget
from hopefear.live.server import Access, System, Workplace, make_app
from hopefear.tuners import Mira


def main() -> None:
    """Send them, and print how often each status came; a fault of the server ends the program."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        decoder = adapting_decoder(write_system(folder))
        system = System(decoder, lambda: Mira(C=0.1), forget=Forget(most=200))
        place = Workplace(system, folder / "state")
        app, _ = make_app(place, Access(rate=1e9, burst=1e9))
        with TestClient(app, base_url="http://localhost") as client:
            session = Session(client)
            session.add()
            counts = random_requests(session, options.requests, options.seed)
    for status, count in sorted(counts.items()):
        print(f"{status}: {count}")


if __name__ == "__main__":
    main()
