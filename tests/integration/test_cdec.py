"""Plugins inside a real cdec against the engine: the same translations, features and scores."""

from __future__ import annotations

import os
import shutil
import subprocess
import zlib
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from support import bridge_features
from support.cdec_conversation import LISTED, WEIGHTS, talk
from support.k_best_lists import assert_same, named
from support.recorded_cdec import FOLDER, player, recorder
from support.small_sample import small_sample

from hopefear.cdec import CdecProcess, write_forest
from hopefear.cdec.bridge import Bridge, build
from hopefear.decoder import Decoder, Segment, Weights, parse_line
from hopefear.tuners import ForestHopeFear, KBestLocal, Mira

K = 10
SENTENCES = 50
LEARNED = 40
SHORT = 10
"""So many short sentences are learned from with oracles of the forest, which search it exhaustively."""
WITH_MODEL = 4
"""So many sentences are searched exhaustively with a language model: those of the smallest forests."""
WITH_STATES = 3
"""So many beginnings of two words, and of three, are searched exhaustively with plugins that have states."""

LIVE = "live.weights"
PLUGINS = """\
feature_function=RuleIndicators
feature_function=SoftSyntax trees={folder}/dev.trees
feature_function=StructuralDistortion
"""
STATEFUL = """\
feature_function=TargetBigrams
feature_function=bridge_features:Pairs
feature_function=bridge_features:Depth
feature_function=StructuralDistortion
"""
BASE = """\
formalism=scfg
grammar={folder}/grammar.gz
add_pass_through_rules=true
scfg_max_span_limit=15
feature_function=WordPenalty
"""
MODEL = "feature_function=KLanguageModel {folder}/lm.arpa.gz\ncubepruning_pop_limit=1000000\n"
RECORDED = """\
formalism=scfg
grammar={folder}/grammar.gz
scfg_max_span_limit=15
feature_function=WordPenalty
feature_function=KLanguageModel {folder}/lm.arpa.gz
cubepruning_pop_limit=10
"""


def cdec_folder(variable: str) -> Path:
    if variable not in os.environ:
        pytest.skip(f"no real cdec ({variable} is not set)")
    return Path(os.environ[variable])


@pytest.fixture(scope="module")
def folder(shared: Path) -> Path:
    return shared / "data" / "tanaka" / "en-ja"


@pytest.fixture(scope="module")
def bridge(tmp_path_factory: pytest.TempPathFactory) -> Bridge:
    output = tmp_path_factory.mktemp("bridge") / "libhopefear_bridge.so"
    return build(cdec_folder("CDEC_SOURCE"), cdec_folder("CDEC_BUILD"), output)


@pytest.fixture(scope="module")
def segments(folder: Path) -> list[Segment]:
    sides = [(folder.parent / f"dev.{side}").read_text("utf-8").splitlines() for side in ("en", "ja")]
    return [
        parse_line(f"{source} ||| {target}", index=i)
        for i, (source, target) in enumerate(zip(*sides, strict=True))
    ]


def sparse_weights(decoder: Decoder, segments: list[Segment]) -> Weights:
    """Set a weight of its own, the same in all runs, for each feature of plugins in best translations."""
    for segment in segments:
        decoder.translate(segment).best_translations(K)
    weights = decoder.weights
    for name, value in list(weights):
        if value == 0.0 and name not in ("LanguageModel", "LanguageModel_OOV"):
            weights[name] = (zlib.crc32(name.encode()) % 2001 - 1000) / 2000
    return weights


def smallest(folder: Path, segments: Iterable[Segment], number: int) -> list[Segment]:
    """Choose the sentences of the smallest forests."""
    decoder = Decoder(BASE.format(folder=folder), weights=folder / "weights.tuned")
    return sorted(segments, key=lambda segment: len(decoder.parse(segment).edges))[:number]


def run_both(
    folder: Path,
    tmp_path: Path,
    bridge: Bridge,
    chosen: list[Segment],
    lines: str,
    *,
    live: bool = False,
    ahead: bool = False,
    plugins: str = PLUGINS,
) -> int:
    """Compare the engine's lists with cdec's, scored by its own weights or by live ones."""
    plugins, base = plugins.format(folder=folder), (BASE + lines).format(folder=folder)
    shutil.copy(bridge_features.__file__, tmp_path)
    (tmp_path / "plugins.ini").write_text(plugins)
    (tmp_path / "engine.ini").write_text(base + plugins)
    more = f" --live-weights {LIVE}" if live else ""
    more += " --parse-ahead cdec.ini" if ahead else ""
    (tmp_path / "cdec.ini").write_text(base + bridge.line() + more + "\n")
    decoder = Decoder(tmp_path / "engine.ini", weights=folder / "weights.tuned")
    weights = sparse_weights(decoder, chosen)
    compared = 0
    with CdecProcess(
        tmp_path / "cdec.ini",
        executable=cdec_folder("CDEC_BUILD") / "decoder" / "cdec",
        weights=folder / "weights.tuned",
        live_weights=tmp_path / LIVE if live else None,
        k=K,
    ) as cdec:
        if live:  # the bridge names a feature when it first fires
            for segment in chosen:
                cdec.translate(segment)
        cdec.weights.update(weights.nonzero())
        for segment in chosen:
            ours = decoder.translate(segment).best_translations(K)
            answer = cdec.translate(segment)
            theirs = answer.translations
            assert theirs.texts == ours.texts, segment
            for expected, got in zip(named(ours, weights), named(theirs, cdec.weights), strict=True):
                assert got.features == pytest.approx(expected.features, abs=1e-4), expected.text
                assert got.score == pytest.approx(expected.score, abs=1e-4), expected.text
            scores = ours.scores(weights.array)
            np.testing.assert_allclose(answer.scores, scores, rtol=1e-5)  # written with six digits
            compared += len(ours)
        if live:
            assert "Distortion_0_*" in (tmp_path / LIVE).read_text()
    return compared


@pytest.mark.parametrize("ahead", [False, True], ids=["one by one", "ahead"])
@pytest.mark.parametrize("live", [False, True], ids=["delta", "live"])
def test_the_same_k_best_lists(
    folder: Path, tmp_path: Path, bridge: Bridge, segments: list[Segment], live: bool, ahead: bool
) -> None:
    lines = "intersection_strategy=full\n"
    compared = run_both(folder, tmp_path, bridge, segments[:SENTENCES], lines, live=live, ahead=ahead)
    print(f"{SENTENCES} sentences without a language model: {compared} translations agree")
    assert compared >= K * SENTENCES * 0.9


def test_the_same_k_best_lists_with_a_language_model(
    folder: Path, tmp_path: Path, bridge: Bridge, segments: list[Segment]
) -> None:
    short = smallest(folder, (segment for segment in segments if segment.length <= 4), WITH_MODEL)
    compared = run_both(folder, tmp_path, bridge, short, MODEL)
    print(f"{WITH_MODEL} sentences with a language model, searched exhaustively: {compared} agree")
    assert compared > K


@pytest.mark.parametrize("live", [False, True], ids=["delta", "live"])
def test_plugins_with_states(
    folder: Path, tmp_path: Path, bridge: Bridge, segments: list[Segment], live: bool
) -> None:
    """The lists are the same, and so are the forests: cdec joins what the engine joins."""
    short = [segment for segment in segments[:200] if segment.length <= 6]
    chosen = []
    for length in (2, 3):
        beginnings = [replace(segment, tokens=segment.tokens[:length]) for segment in short]
        chosen += smallest(folder, beginnings, WITH_STATES)
    lines = "intersection_strategy=full\n"
    compared = run_both(folder, tmp_path, bridge, chosen, lines, live=live, plugins=STATEFUL)
    print(f"{len(chosen)} beginnings with plugins that have states: {compared} translations agree")
    assert compared > K * len(chosen) * 0.9
    if live:
        return
    decoder = Decoder(tmp_path / "engine.ini", weights=folder / "weights.tuned")
    settings = {"executable": executable(), "weights": folder / "weights.tuned"}
    with CdecProcess(tmp_path / "cdec.ini", **settings) as cdec:
        for segment in chosen:
            ours, theirs = decoder.translate(segment), cdec.translate(segment)
            assert theirs.npaths == ours.npaths
            assert (len(theirs.nodes), len(theirs.edges)) == (len(ours.nodes), len(ours.edges))


def test_online_mira_with_cdec_as_the_decoder(
    folder: Path, tmp_path: Path, bridge: Bridge, segments: list[Segment]
) -> None:
    """Learning with cdec's lists gives the weights that learning with the engine's gives."""
    plugins, base = PLUGINS.format(folder=folder), BASE.format(folder=folder) + "intersection_strategy=full\n"
    (tmp_path / "plugins.ini").write_text(plugins)
    (tmp_path / "engine.ini").write_text(base + plugins)
    (tmp_path / "cdec.ini").write_text(f"{base}{bridge.line()} --live-weights {LIVE}\n")

    def tuner() -> Mira:
        return Mira.paper(oracle=KBestLocal(k=K), passes=1, shuffle=False, average="none", C=0.01)

    # No two derivations have one score, and so both search engines give the same list.
    decoder = Decoder(tmp_path / "engine.ini", weights=folder / "weights.tuned")
    start = sparse_weights(decoder, segments[:LEARNED]).nonzero()
    learned = tuner().fit(decoder, segments[:LEARNED]).weights_
    with CdecProcess(
        tmp_path / "cdec.ini",
        executable=cdec_folder("CDEC_BUILD") / "decoder" / "cdec",
        weights=start,
        live_weights=tmp_path / LIVE,
        k=K,
    ) as cdec:
        with_cdec = tuner().fit(cdec, segments[:LEARNED]).weights_
    changed = [name for name, weight in learned.items() if weight != start.get(name)]
    print(f"MIRA over {LEARNED} sentences: {len(changed)} weights changed, the same with cdec")
    assert len(changed) > 100
    assert with_cdec == pytest.approx(learned, abs=1e-6)


def executable() -> Path:
    return cdec_folder("CDEC_BUILD") / "decoder" / "cdec"


@pytest.fixture
def ini(folder: Path, tmp_path: Path) -> Path:
    """A cdec.ini with a language model, as users have it; the weights are given apart."""
    path = tmp_path / "cdec.ini"
    path.write_text(BASE.format(folder=folder) + MODEL.format(folder=folder).replace("1000000", "30"))
    return path


def test_the_forest_has_what_cdec_lists(folder: Path, ini: Path, segments: list[Segment]) -> None:
    """The best of a forest are cdec's list, also after the weights have changed."""
    settings = {"executable": executable(), "weights": folder / "weights.tuned"}
    with CdecProcess(ini, **settings) as forests, CdecProcess(ini, **settings, k=K) as lists:
        for segment in segments[:SENTENCES]:
            for cdec in (forests, lists):
                cdec.weights["WordPenalty"] += 0.01
                cdec.weights["Glue"] = 0.01 * segment.index
            forest, listed = forests.translate(segment), lists.translate(segment)
            ours, theirs = forest.best_translations(K), listed.translations
            assert_same(named(ours, forests.weights), named(theirs, lists.weights))
            scores = ours.scores(forests.weights.array)
            np.testing.assert_allclose(scores, listed.scores, rtol=1e-5)  # written with six digits


def test_cdec_reads_the_forests_of_hopefear(folder: Path, tmp_path: Path, segments: list[Segment]) -> None:
    decoder = Decoder(folder / "cdec.ini", weights=folder / "weights.tuned")
    forests = [decoder.translate(segment) for segment in segments[:5]]
    for number, forest in enumerate(forests):
        write_forest(forest, tmp_path / f"{number}.bin.gz")
    lines = "".join(f"::forest:: {tmp_path / f'{number}.bin.gz'}\n" for number in range(len(forests)))
    weights = str(folder / "weights.tuned")
    command = [str(executable()), "--formalism", "rescore", "-w", weights, "-k", str(K), "-r"]
    done = subprocess.run(command, input=lines, capture_output=True, text=True, check=True)
    listed: dict[int, list[float]] = {}
    texts = set()
    for line in done.stdout.splitlines():
        number, text, _, score = line.split(" ||| ")
        listed.setdefault(int(number), []).append(float(score))
        texts.add((int(number), text))
    for number, forest in enumerate(forests):
        best = forest.best_translations(K)
        np.testing.assert_allclose(best.scores(decoder.weights.array), listed[number], rtol=1e-5)
        assert (number, forest.viterbi()) in texts


def test_forced_decoding(folder: Path, ini: Path, segments: list[Segment]) -> None:
    settings = {"executable": executable(), "weights": folder / "weights.tuned"}
    with CdecProcess(ini, **settings) as cdec:
        for segment in segments[:5]:
            forest = cdec.translate(segment)
            *_, last = forest.unique_kbest(K)
            forced = cdec.translate(segment, reference=last)
            assert set(forced.kbest(100)) == {last}


@pytest.mark.slow
def test_online_mira_with_cdecs_forests(folder: Path, tmp_path: Path, segments: list[Segment]) -> None:
    """Hope and fear from cdec's forests give the weights that those from the engine's give."""
    base = BASE.format(folder=folder) + "intersection_strategy=full\n"
    (tmp_path / "cdec.ini").write_text(base)

    def tuner() -> Mira:
        return Mira.paper(oracle=ForestHopeFear(k=K), passes=1, shuffle=False, average="none", C=0.01)

    short = [segment for segment in segments if segment.length <= 5][:SHORT]
    decoder = Decoder(base, weights=folder / "weights.tuned")
    learned = tuner().fit(decoder, short).weights_
    with CdecProcess(
        tmp_path / "cdec.ini", executable=executable(), weights=folder / "weights.tuned"
    ) as cdec:
        with_cdec = tuner().fit(cdec, short).weights_
    print(f"MIRA over {SHORT} short sentences, forest oracles: the same {len(learned)} weights with cdec")
    assert with_cdec == pytest.approx(learned, abs=1e-4)


@pytest.mark.parametrize("name", LISTED)
def test_the_recorded_session_is_what_cdec_says(name: str, tmp_path: Path) -> None:
    """cdec gives the translations of the recordings; with CDEC_RECORD=1 the recordings are made anew."""
    base = small_sample()
    (tmp_path / "cdec.ini").write_text(RECORDED.format(folder=base))
    recording = tmp_path / "recording.json"
    program = recorder(tmp_path, executable(), recording)
    with CdecProcess(tmp_path / "cdec.ini", executable=program, weights=WEIGHTS, k=LISTED[name]) as cdec:
        found = talk(cdec)
    if os.environ.get("CDEC_RECORD"):
        shutil.copy(recording, FOLDER / f"{name}.json")
    (tmp_path / "played").mkdir()
    program = player(tmp_path / "played", FOLDER / f"{name}.json")
    with CdecProcess(tmp_path / "cdec.ini", executable=program, weights=WEIGHTS, k=LISTED[name]) as cdec:
        for recorded, now in zip(talk(cdec), found, strict=True):
            assert_same(recorded, now)
