"""Speaks cdec's ``mr_mira_compat`` protocol: ranks translations that stand in ``hypotheses.json``.

That file gives, for each input text, {translation: {feature: value}}. Every line of input goes to ``log``.
The word "crash" ends the process. With ``--live FILE`` features whose names begin with "Live" are scored as
the bridge scores them. With ``-O DIR`` the translations go to a forest, too: an edge for each.
"""

from __future__ import annotations

import argparse
import base64
import gzip
import json
import re
import stat
import struct
import sys
from pathlib import Path

from support.cdec_archives import Archive, Edge, Rule

from . import CHECKOUT


def encode(features: dict[str, float]) -> str:
    data = b"".join(name.encode() + b"\0" + struct.pack("<d", value) for name, value in features.items())
    text = base64.b64encode(data).decode()
    if len(data) % 3 == 2:  # cdec loses four bits
        text = text[:-2] + "=="
        last = base64.b64decode(text)
        assert len(last) == len(data) - 1
    return text


def decode(text: str) -> dict[str, float]:
    data = base64.b64decode(text + "=" * (-len(text) % 4)) if "=" not in text else b""
    values = {}
    while data and data[0]:
        name, data = data.split(b"\0", 1)
        values[name.decode()], data = struct.unpack("<d", data[:8])[0], data[8:]
    return values


def weights_of(path: str) -> dict[str, float]:
    weights = {}
    for line in Path(path).read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            # As cdec: the last tab or equals sign of a line ends the name.
            name, value = re.fullmatch(r"(.*)[\t=]([^\t=]*)", line).groups()  # type: ignore[union-attr]
            weights[name] = float(value)
    return weights


def live_weights(path: str, names: list[str]) -> dict[str, float]:
    Path(path + ".names").write_text("".join(name + "\n" for name in names))
    lines = Path(path).read_text("utf-8").rpartition("\n\n")[0].split("\n")
    return {line.split()[0]: float(line.split()[1]) for line in lines if line}


def write_forest(folder: str, number: int, source: list[str], found: dict[str, dict[str, float]]) -> None:
    path = Path(folder, f"{number}.bin.gz")
    assert not path.exists(), "cdec would join both forests"
    rules = [Rule("X", source, translation.split(), features) for translation, features in found.items()]
    edges = [Edge(0, [], n, rule.features, (0, len(source))) for n, rule in enumerate(rules)]
    goal = Edge(1, [0], len(rules), {}, (0, len(source)))
    archive = Archive(["X", "Goal"], [*rules, Rule("Goal", [("X",)], [0])], [*edges, goal])
    path.write_bytes(gzip.compress(archive.data, 1))


def install(folder: Path, module: str = "support.fake_cdec", call: str = "main()") -> Path:
    """Make a program ``bin/cdec`` that calls a function of a module of the tests: here, it plays cdec."""
    program = folder / "bin" / "cdec"
    program.parent.mkdir()
    tests = str(CHECKOUT / "tests")
    program.write_text(
        f"#!{sys.executable}\nimport sys\nsys.path.append({tests!r})\nimport {module}\n{module}.{call}\n",
        "utf-8",
    )
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return program


def main() -> None:
    parser = argparse.ArgumentParser()
    for flag in ("-c", "-i", "-w", "-k", "-O", "--live"):
        parser.add_argument(flag)
    for flag in ("-r", "--mr_mira_compat"):
        parser.add_argument(flag, action="store_true", required=True)
    arguments = parser.parse_args()
    print("weights from", arguments.w, file=sys.stderr)
    weights = weights_of(arguments.w)
    table = json.loads(Path("hypotheses.json").read_text("utf-8"))
    live_names: list[str] = []

    sys.stdin.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    for line in sys.stdin:
        with open("log", "a", encoding="utf-8") as log:
            log.write(line)
        tag, text = re.fullmatch(r"<seg(.*?)>(.*)</seg>\n", line).groups()  # type: ignore[union-attr]
        attributes = dict(re.findall(r' (\w+)="([^"]*)"', tag))
        if "crash" in text:
            sys.exit("out of memory")
        for name, change in decode(attributes.get("delta", "")).items():
            weights[name] = weights.get(name, 0.0) + change
        if text not in table:
            print(flush=True)
            continue
        hypotheses = {translation: dict(features) for translation, features in table[text].items()}
        live_names += sorted(
            {n for f in hypotheses.values() for n in f if n.startswith("Live")} - {*live_names}
        )
        live = live_weights(arguments.live, live_names) if arguments.live else {}
        for features in hypotheses.values():
            if score := sum(live.get(name, 0.0) * value for name, value in features.items()):
                features["HopefearPlugins"] = score
        scored = sorted(
            (-sum(weights.get(name, 0.0) * value for name, value in features.items()), translation)
            for translation, features in hypotheses.items()
        )
        if arguments.O:
            write_forest(arguments.O, int(attributes["id"]), text.split(), hypotheses)
        k = int(arguments.k)
        print(k)
        for score, translation in scored[:k]:
            fields = (
                attributes["id"],
                len(text.split()),
                translation,
                encode(hypotheses[translation]),
                f"{-score:g}",
            )
            print(" ||| ".join(map(str, fields)))
        print("\n" * (k - len(scored)), end="", flush=True)
