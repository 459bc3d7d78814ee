"""cdec as a decoder, played by a script that speaks its protocol."""

from __future__ import annotations

import base64
import gc
import json
import os
import struct
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.fake_cdec import install
from support.other_process import copy_of

from hopefear.base import InputError, ParseFailed
from hopefear.cdec import CdecProcess
from hopefear.cdec.protocol import decode_vector, encode_vector
from hopefear.decoder import Hypergraph, Segment, Weights, parse_line
from hopefear.grammars.bitext import Bitext
from hopefear.grammars.extractor import GrammarExtractor
from hopefear.tuners import (
    BatchMira,
    Forced,
    ForestHopeFear,
    ForestMert,
    KBestLocal,
    Mira,
    ParallelMira,
    SoftRamp,
    TuningError,
)

HYPOTHESES = {
    "ein haus": {
        "a house": {"p": -1.0, "LM": -2.5, "NP=": 1.0},
        "one house": {"p": -1.5, "LM": -3.0},
        "house a": {"p": -0.5, "LM": -4.0, "Live_a": 2.0},
    },
    "das haus": {"the house": {"p": -1.0, "LM": -1.0}, "that house": {"p": -2.0, "Live_b": 1.0}},
    "nichts": {"": {}},
    "es ist ein haus": {
        "this is a little house": {"p": -1.0, "LM": -2.0},
        "it is a small house": {"p": -0.5, "LM": -3.5},
        "a small house it is": {"p": -2.0, "LM": -1.0},
    },
}
Start = Callable[..., CdecProcess]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    executable = install(tmp_path)
    (tmp_path / "cdec.ini").write_text("formalism=scfg\nweights=start # of the first pass\nshow_weights=\n")
    (tmp_path / "start").write_text("p 1\nLM\t0.5\n")
    (tmp_path / "hypotheses.json").write_text(json.dumps(HYPOTHESES), "utf-8")
    running: list[CdecProcess] = []

    def started(**options: object) -> CdecProcess:
        process = CdecProcess(tmp_path / "cdec.ini", **{"executable": executable, "k": 5, **options})  # type: ignore[arg-type]
        running.append(process)
        return process

    yield started
    for process in running:
        process.close()


def log(start_folder: Path) -> list[str]:
    return (start_folder / "log").read_text("utf-8").splitlines()


def test_translations_with_features_and_scores(start: Start) -> None:
    cdec = start()
    found = cdec.translate("ein haus")
    assert found.viterbi() == "a house"
    assert found.viterbi_score() == -2.25
    assert found.viterbi_features() == HYPOTHESES["ein haus"]["a house"]
    assert list(found.unique_kbest(2)) == ["a house", "house a"]
    assert list(found.unique_kbest_features(9 - 4))[2] == HYPOTHESES["ein haus"]["one house"]
    assert (
        found.translations.scores(cdec.weights.array).tolist() == found.scores.tolist() == [-2.25, -2.5, -3.0]
    )
    assert found.best_translations(1).texts == ["a house"]
    assert (found.source_length, found.weights is cdec.weights) == (2, True)
    assert [x.viterbi() for x in cdec.translate_all(["das haus", "nichts"])] == ["the house", ""]


def test_changed_weights_go_with_the_next_sentence(start: Start, tmp_path: Path) -> None:
    cdec = start()
    cdec.translate("ein haus")
    cdec.weights["NP="] = -7.0
    cdec.weights["p"] = 0.1
    assert cdec.translate("ein haus").viterbi() == "one house"
    assert cdec.translate("ein haus").viterbi_score() == pytest.approx(-1.65)
    first, second, third = log(tmp_path)
    assert ("delta" in first, "delta" in second, "delta" in third) == (False, True, False)
    delta = second.partition('delta="')[2].partition('"')[0]
    assert decode_vector(delta) == pytest.approx({"p": -0.9, "NP=": -7.0})


@pytest.mark.parametrize("kind", [dict, Weights])
def test_weights_to_begin_with(start: Start, kind: type) -> None:
    cdec = start(weights=kind({"p": -1.0, "S==": 0.5}))
    assert cdec.weights.nonzero() == {"p": -1.0, "S==": 0.5}
    assert cdec.translate("ein haus").viterbi() == "one house"


def test_live_weights_go_to_the_bridge(start: Start, tmp_path: Path) -> None:
    live = tmp_path / "live"
    live.write_text("of an old run\n")
    cdec = start(live_weights=live, options=["--live", str(live)])
    assert cdec.translate("ein haus").viterbi() == "a house"
    cdec.weights["Live_a"] = 3.0
    cdec.weights["Live_b"] = -1.0  # nobody has seen it yet
    cdec.weights["p"] = 2.0
    found = cdec.translate("ein haus")
    assert found.viterbi_features() == HYPOTHESES["ein haus"]["house a"]
    assert found.viterbi_score() == pytest.approx(-1.0 - 2.0 + 6.0)
    assert found.translations.scores(cdec.weights.array) == pytest.approx(found.scores)
    assert live.read_text() == "Live_a 3.0\n\n"
    cdec.translate("das haus")
    cdec.weights["Live_b"] = -3.0
    found = cdec.translate("das haus")
    assert live.read_text() == "Live_a 3.0\n\nLive_b -2.0\n\n"  # the rest cdec has already
    assert found.translations.scores(cdec.weights.array) == pytest.approx(found.scores)


def test_what_goes_into_the_tag(start: Start, tmp_path: Path) -> None:
    cdec = start()
    line = """<seg id="x9" parse='(S "a" (b > c))' delta="zzz" grammar="own">ein haus</seg> ||| a house"""
    cdec.translate(parse_line(line, index=4))
    cdec.translate("ein haus", grammar="[X] ||| ein ||| an ||| p=1\n")
    first, second = log(tmp_path)
    own = Path("own").absolute()
    tag = f'<seg id="4" parse="(S &quot;a&quot; (b &gt; c))" grammar="{own}">'
    assert first == f"{tag}ein haus</seg>"
    assert second.startswith('<seg id="0" grammar="/')
    written = Path(second.split('"')[3])
    assert written.read_text() == "[X] ||| ein ||| an ||| p=1\n"
    rules = GrammarExtractor(Bitext.from_pairs([(["ein"], ["a"], [(0, 0)])])).grammar(["ein"])
    cdec.translate(Segment(("ein", "haus"), rules=rules), grammar="[X] ||| ein ||| an ||| p=1\n")
    assert written.read_text() == rules.text() + "[X] ||| ein ||| an ||| p=1\n"
    with pytest.raises(InputError, match="no blank next to = in attribute parse"):
        cdec.translate(parse_line('<seg parse="(X =)">ein haus</seg>'))


def test_sentences_without_a_translation(start: Start) -> None:
    cdec = start()
    with pytest.raises(ParseFailed, match="no derivation covers sentence 4"):
        cdec.translate(parse_line("unbekannt", index=3))
    with pytest.raises(ParseFailed, match="it is empty"):
        cdec.translate("")
    assert cdec.translate("ein haus").viterbi() == "a house"


def test_a_cdec_that_ends_gives_its_last_words(start: Start) -> None:
    cdec = start()
    with pytest.raises(InputError, match=r"sentence 1 with status 1; its last output:\n(.*\n)*out of memory"):
        cdec.translate("crash")
    with pytest.raises(InputError, match="out of memory"):
        cdec.translate("ein haus")
    cdec.close()
    with pytest.raises(InputError, match="the CdecProcess is closed"):
        cdec.translate("ein haus")


CTRL_C = """\
import os, signal, sys
from hopefear.cdec import CdecProcess

signal.signal(signal.SIGINT, lambda *_: None)
with CdecProcess("cdec.ini", executable="bin/cdec") as cdec:
    cdec.translate("das haus")
    os.killpg(0, signal.SIGINT)
    print(cdec.translate("das haus").viterbi())
"""


def test_ctrl_c_does_not_reach_cdec(start: Start, tmp_path: Path) -> None:
    command = [sys.executable, "-c", CTRL_C]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, start_new_session=True
    )
    assert done.stdout == "the house\n", done.stderr


def test_what_cdec_cannot_do_is_said(start: Start) -> None:
    cdec = start()
    found = cdec.translate("ein haus")
    for call in (
        lambda: cdec.parse("ein haus"),
        lambda: cdec.translate("ein haus", reference="a house"),
        lambda: list(cdec.translate_all(["ein haus"], threads=2)),
        lambda: found.edges,
        lambda: found.kbest(2),
        lambda: found.prune(beam_alpha=1),
        lambda: found.best_translations(6),
        lambda: found.best_translations(2, unique=False),
    ):
        with pytest.raises(InputError, match="cdec"):
            call()
    assert not hasattr(found, "edges")
    with pytest.raises(AttributeError, match="has no attribute 'colour'"):
        found.colour  # noqa: B018


def test_what_cannot_be_started_is_refused(start: Start, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no-such-cdec: expected cdec's executable"):
        start(executable=tmp_path / "no-such-cdec")
    with pytest.raises(ValueError, match="k must be at least 1"):
        start(k=0)
    with pytest.raises(InputError, match="cannot be read"):
        CdecProcess(tmp_path / "missing.ini", executable=sys.executable)


def test_mira_learns_from_cdec(start: Start) -> None:
    segment = Segment(("ein", "haus"), references=("one house",))
    cdec = start()
    tuner = Mira.paper(oracle=KBestLocal(k=5), passes=20, C=0.1, shuffle=False, average="none")
    tuner.fit(cdec, [segment])
    assert cdec.translate(segment).viterbi() == "one house"
    assert tuner.passes_[0].updates == 1
    with pytest.raises(InputError, match="oracle KBestLocal"):
        Mira.paper(oracle=ForestHopeFear(k=5), passes=1).fit(cdec, [segment])
    with pytest.raises(InputError, match="not forests"):
        ForestMert(passes=1).fit(cdec, [segment])


def test_forests_of_cdec(start: Start, tmp_path: Path) -> None:
    cdec = start(k=None)
    found = cdec.translate(Segment(("ein", "haus"), index=7))
    assert isinstance(found, Hypergraph) and found.source_length == 2
    assert list(found.kbest(5)) == ["a house", "house a", "one house"]
    assert found.viterbi_features() == HYPOTHESES["ein haus"]["a house"]
    assert found.viterbi_score() == -2.25
    assert [x.viterbi() for x in cdec.translate_all(["das haus", "nichts"])] == ["the house", ""]
    cdec.weights["p"], cdec.weights["NP="] = 0.1, -7.0
    assert cdec.translate("ein haus").viterbi() == "one house"
    assert cdec.translate("ein haus").viterbi_score() == pytest.approx(-1.65)
    with pytest.raises(ParseFailed, match="no derivation covers sentence 4"):
        cdec.translate(parse_line("unbekannt", index=3))


def test_forced_decoding_in_forests_of_cdec(start: Start) -> None:
    cdec = start(k=None)
    assert list(cdec.translate("ein haus", reference="one house").kbest(5)) == ["one house"]
    with pytest.raises(ParseFailed, match="no derivation of sentence 1 yields the reference"):
        cdec.translate("ein haus", reference="two houses")
    with pytest.raises(InputError, match="after rescoring only"):
        cdec.parse("ein haus")


def test_forests_without_the_score_of_live_weights(start: Start, tmp_path: Path) -> None:
    live = tmp_path / "live"
    cdec = start(k=None, live_weights=live, options=["--live", str(live)])
    cdec.translate("ein haus")
    cdec.weights["Live_a"] = 3.0
    found = cdec.translate("ein haus")
    assert found.viterbi_features() == HYPOTHESES["ein haus"]["house a"]
    assert found.viterbi_score() == pytest.approx(-0.5 - 2.0 + 6.0)


@pytest.mark.parametrize(
    ("kind", "settings"),
    [
        (Mira.paper, {"oracle": ForestHopeFear(k=5), "passes": 10, "C": 0.1, "average": "none"}),
        (
            ParallelMira.paper,
            {"workers": 2, "oracle": Forced(k=5), "passes": 10, "C": 0.1, "average": "none"},
        ),
        (ForestMert, {"passes": 2}),
        (SoftRamp, {"passes": 10, "average": "none"}),
        (BatchMira, {"passes": 3, "k": 5}),
    ],
)
def test_tuners_of_forests_learn_from_cdec(start: Start, kind: type, settings: dict[str, Any]) -> None:
    reference = "it is a small house"
    segment = Segment(("es", "ist", "ein", "haus"), references=(reference,))
    cdec = start(k=None)
    assert cdec.translate(segment).viterbi() == "this is a little house"
    kind(**settings).fit(cdec, [segment, segment])
    found = cdec.translate(segment)
    assert found.viterbi() == reference
    features = HYPOTHESES["es ist ein haus"][reference]
    assert found.viterbi_score() == pytest.approx(sum(cdec.weights[n] * v for n, v in features.items()))


def test_a_replica_runs_a_cdec_of_its_own(start: Start) -> None:
    cdec = start(k=None)
    cdec.weights["p"] = 3.0
    with copy_of(cdec) as replica:
        assert replica is not cdec and replica.weights["p"] == 3.0
        assert replica.translate("ein haus").viterbi_score() == cdec.translate("ein haus").viterbi_score()


def test_a_process_that_nobody_needs_ends(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started = []

    class Seen(subprocess.Popen[Any]):
        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(*arguments, **options)
            started.append(self)

    monkeypatch.setattr(subprocess, "Popen", Seen)
    cdec = CdecProcess(tmp_path / "cdec.ini", executable=tmp_path / "bin" / "cdec")
    cdec.translate("ein haus")
    (process,) = started
    folder = Path(process.args[process.args.index("-w") + 1]).parent
    assert process.poll() is None and folder.is_dir()
    del cdec
    gc.collect()
    assert process.returncode == 0 and not folder.exists()


def test_several_cdecs_learn_in_parallel(start: Start) -> None:
    segment = Segment(("ein", "haus"), references=("one house",))
    cdec = start()
    settings = {"workers": 2, "oracle": KBestLocal(k=5), "passes": 20, "C": 0.1, "average": "none"}
    ParallelMira.paper(**settings).fit(cdec, [segment, segment])
    assert cdec.translate(segment).viterbi() == "one house"


def test_a_cdec_with_live_weights_has_no_copies(start: Start, tmp_path: Path) -> None:
    cdec = start(live_weights=tmp_path / "live")
    segment = Segment(("ein", "haus"), references=("one house",))
    with pytest.raises(TuningError, match=r"live weights cannot be copied.*: set make_decoder"):
        ParallelMira.paper(workers=2, oracle=KBestLocal(k=5), passes=1).fit(cdec, [segment, segment])


names = st.text("abcX=_:é", min_size=1, max_size=7)
values = st.one_of(
    st.floats(2.0**-14, 2.0**16),
    st.floats(-(2.0**16), -(2.0**-14)),
    st.integers(-99, 99).filter(bool).map(float),
)


@given(st.dictionaries(names, values, max_size=5))
def test_vectors_survive(vector: dict[str, float]) -> None:
    assert decode_vector(cdec_encoding(vector)) == vector
    text = encode_vector(vector)
    assert "=" not in text and len(text) % 4 == 0


def cdec_encoding(vector: dict[str, float]) -> str:
    """As cdec's ``B64::b64encode`` writes it: the third character of a group only if it has three bytes."""
    data = b"".join(name.encode() + b"\0" + struct.pack("<d", value) for name, value in vector.items())
    text = base64.b64encode(data).decode()
    return text[:-2] + "==" if len(data) % 3 == 2 else text


@pytest.mark.parametrize("text", ["é", "YQ", "YWI=", "YQAAAA=="])
def test_vectors_that_are_none(text: str) -> None:
    with pytest.raises(ValueError):
        decode_vector(text)
