"""Systems built from a small parallel text, and their folds."""

from __future__ import annotations

import gzip
import json
import re
import shutil
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from pathlib import Path
from threading import Barrier
from types import SimpleNamespace
from typing import Any

import pytest
from support.world import write_parallel_text

from hopefear.base import InputError
from hopefear.decoder import Decoder, Segment, read_config
from hopefear.grammars.bitext import Bitext
from hopefear.grammars.build import Learned, Recipe, build
from hopefear.grammars.built import DESCRIPTION, Build
from hopefear.grammars.extracting_decoder import ExtractingDecoder
from hopefear.grammars.extractor import CHIANG_FEATURES, GrammarExtractor
from hopefear.grammars.folds import TrainingFold
from hopefear.grammars.stages import RECORD, Stages

Make = Callable[..., Build]
SENTENCES = 60
PARTS = ("source", "target", "alignment")


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Build a system of the small text in a folder; `stages` collects the names of those that had work."""
    write_parallel_text(tmp_path, SENTENCES)

    def call(
        folder: str = "system", *, stages: list[str] | None = None, learn: Any = None, **changes: Any
    ) -> Build:
        def report(name: str, seconds: float) -> None:
            if stages is not None and seconds:
                stages.append(name)

        settings = {
            "source": tmp_path / "train.f",
            "target": tmp_path / "train.e",
            "alignment": tmp_path / "train.align",
            "inputs": (tmp_path / "test.f",),
            "order": 3,
            "discount_fallback": True,
        }
        return build(Recipe(**(settings | changes)), tmp_path / folder, report=report, learn=learn)

    return call


def lines(path: Path) -> list[str]:
    text = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    return text.decode().splitlines()


def outputs(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_the_system_translates(tmp_path: Path, make: Make) -> None:
    make()
    decoder = Decoder(tmp_path / "system" / "cdec.ini")
    found = [decoder.translate(source).viterbi() for source in lines(tmp_path / "test.f")]
    assert found == lines(tmp_path / "test.e")


def test_every_rule_feature_has_a_weight(make: Make) -> None:
    for folder, extraction in (("cdec", {}), ("chiang", {"features": list(CHIANG_FEATURES)})):
        system = make(folder, extraction=extraction)
        weights = {line.split()[0] for line in lines(system.folder / "weights.init")}
        forest = system.decoder().translate("veo la casa desconocida")
        fired = chain.from_iterable(forest.rule(edge).features for edge in range(len(forest.edges)))
        assert set(fired) <= weights and set(extraction.get("features", ())) <= weights


def test_the_grammar_is_what_the_inputs_need(tmp_path: Path, make: Make) -> None:
    make(extraction={"top": 2, "max_span": 6})
    extractor = GrammarExtractor(
        Bitext.read(*(tmp_path / f"train.{end}" for end in ("f", "e", "align"))), top=2, max_span=6
    )
    needed = {
        line
        for source in lines(tmp_path / "test.f")
        for line in extractor.grammar(source.split()).text().splitlines()
    }
    written = lines(tmp_path / "system" / "grammar.gz")
    assert set(written) == needed and len(written) == len(needed)
    assert "scfg_max_span_limit=6" in lines(tmp_path / "system" / "cdec.ini")


def test_without_inputs_there_is_no_grammar(tmp_path: Path, make: Make) -> None:
    system = make(inputs=())
    assert not [*system.folder.glob("grammar.*")]
    assert "grammar" not in (system.folder / "cdec.ini").read_text()
    source, target = (lines(tmp_path / f"test.{end}")[0] for end in "fe")
    assert system.decoder().translate(source).viterbi() == target


def test_rules_extracted_on_demand_are_those_of_the_grammar(tmp_path: Path, make: Make) -> None:
    system = make()
    with_file, on_demand = Decoder(system.config), system.decoder()
    for source in lines(tmp_path / "test.f"):
        one, other = with_file.translate(source), on_demand.translate(source)
        assert one.viterbi() == other.viterbi()
        assert one.viterbi_score() == pytest.approx(other.viterbi_score())


def test_links_the_other_way_round(tmp_path: Path, make: Make) -> None:
    pairs = [[link.split("-") for link in line.split()] for line in lines(tmp_path / "train.align")]
    turned = [" ".join(f"{target}-{source}" for source, target in pair) for pair in pairs]
    (tmp_path / "turned").write_text("".join(f"{line}\n" for line in turned))
    make()
    make("turned-system", alignment=tmp_path / "turned", reverse=True)
    grammars = [lines(tmp_path / folder / "grammar.gz") for folder in ("system", "turned-system")]
    assert grammars[0] == grammars[1]
    assert len(Build.open(tmp_path / "turned-system").extractor.bitext) == SENTENCES


def test_a_fold_never_sees_itself(tmp_path: Path, make: Make) -> None:
    """Its models are those that a text without it gives."""
    system = make(folds=3, monolingual=(tmp_path / "test.e",))
    for index, fold in enumerate(system.folds):
        assert fold.sentences == range(20 * index, 20 * index + 20)
        for end in ("f", "e", "align"):
            rest = lines(tmp_path / f"train.{end}")
            del rest[20 * index : 20 * index + 20]
            (tmp_path / f"rest.{end}").write_text("".join(f"{line}\n" for line in rest), "utf-8")
        other = make(
            "other",
            source=tmp_path / "rest.f",
            target=tmp_path / "rest.e",
            alignment=tmp_path / "rest.align",
            monolingual=(tmp_path / "test.e",),
        )
        own_model = lines(system.folder / f"fold-{index + 1}" / "lm.arpa.gz")
        assert sorted(own_model) == sorted(lines(other.folder / "lm.arpa.gz"))
        decoder, without = fold.decoder(), other.decoder()
        for segment in list(fold.segments)[:5]:
            forest, expected = decoder.translate(segment), without.translate(segment)
            assert forest.viterbi() == expected.viterbi()
            assert forest.viterbi_score() == pytest.approx(expected.viterbi_score())
            assert len(forest.edges) == len(expected.edges)


def test_segments_of_a_fold(tmp_path: Path, make: Make) -> None:
    (tmp_path / "train.f").write_text("\t".join(["a\u00a0b", "c"]) + "\r\n" + "x  y \n" * 59, "utf-8")
    (tmp_path / "train.align").write_text("\n" * 60)
    segments = make(folds=2, inputs=()).folds[0].segments
    assert len(segments) == 30
    for _ in range(2):
        first, second, *others = segments
        assert (first.tokens, first.id, first.index) == (("a\u00a0b", "c"), 0, 0)
        assert first.references == (lines(tmp_path / "train.e")[0],)
        assert second.tokens == ("x", "y") and second.where == f"{tmp_path / 'train.f'}:2"
        assert [segment.id for segment in others] == [*range(2, 30)]


def test_fingerprints_tell_training_data_apart(tmp_path: Path, make: Make) -> None:
    def fingerprints(**changes: Any) -> list[str]:
        return [fold.segments.fingerprint for fold in make(folds=2, inputs=(), **changes).folds]

    first = fingerprints()
    assert first[0] != first[1]
    assert fingerprints(order=2) == first
    assert [fold.segments.fingerprint for fold in Build.open(tmp_path / "system").folds] == first
    assert not {*first} & {*fingerprints(extraction={"top": 1})}
    for name, word, other in (("f", "casa", "cosa"), ("e", "house", "mouse"), ("align", "0-0", "0-2")):
        path = tmp_path / f"train.{name}"
        text = path.read_text("utf-8")
        path.write_text(text.replace(word, other, 1), "utf-8")  # as long as before
        assert not {*first} & {*fingerprints()}
        path.write_text(text, "utf-8")
    assert fingerprints() == first


def test_threads_get_one_extractor(make: Make) -> None:
    system = Build.open(make(folds=4).folder)
    start = Barrier(4)

    def decoder(fold: TrainingFold) -> ExtractingDecoder:
        start.wait()
        return fold.decoder()

    with ThreadPoolExecutor(4) as pool:
        decoders = list(pool.map(decoder, system.folds))
    assert len({id(decoder.extractor) for decoder in decoders}) == 1


def test_folds_by_the_id_of_a_segment(make: Make) -> None:
    folds = make(folds=7).folds
    assert len(folds) == 7 and folds[1:3] == (folds[1], folds[2])
    assert sorted({len(fold.sentences) for fold in folds}) == [8, 9]
    for fold in folds:
        for segment in fold.segments:
            assert folds.of(segment) is fold
    for wrong in (60, -1, "x"):
        with pytest.raises(InputError, match=f"expected the id of a sentence of the folds, got {wrong!r}"):
            folds.of(Segment(("a",), id=wrong))


def test_decoders_of_folds_share_weights(make: Make) -> None:
    system = make(folds=2)
    decoder = system.decoder()
    shared = [fold.decoder(weights=decoder.weights) for fold in system.folds]
    assert all(other.weights is decoder.weights for other in shared)
    assert decoder.weights["LanguageModel"] == 0.1


def test_only_what_changed_is_built(tmp_path: Path, make: Make) -> None:
    def built(**changes: Any) -> list[str]:
        make(stages=(stages := []), **changes)
        return stages

    whole = built(folds=2)
    before = outputs(tmp_path / "system")
    assert whole == [
        "n-gram counts",
        *(f"n-gram model {folder}lm.arpa.gz" for folder in ("", "fold-1/", "fold-2/")),
        "grammar",
        "compiled grammar",
        "configuration",
    ]
    assert built(folds=2) == []
    assert built(folds=2, extraction={"top": 1}) == ["grammar", "compiled grammar"]
    assert built(folds=2) == ["grammar", "compiled grammar"]
    assert outputs(tmp_path / "system") == before
    (tmp_path / "test.f").write_text("la casa\n")
    assert built(folds=2) == ["grammar", "compiled grammar"]
    assert built(folds=2, prune=(0, 0, 1)) == whole[1:4]
    assert built() == ["n-gram counts", "n-gram model lm.arpa.gz", "configuration"]
    assert not [*(tmp_path / "system").glob("fold-*")]
    assert [path.name for path in (tmp_path / "system" / "counts").iterdir()] == ["part-1.npz"]


@pytest.mark.parametrize(
    ("name", "line", "message"),
    [
        ("align", b"0-99", "expected links between 7 and 8 words, got 0-99"),
        ("align", b"0-0 1:1", "expected links such as 0-0 1-2, got '1:1'"),
        ("align", b"0-0\0", "expected text, got a zero byte"),
        ("f", b"la \0 casa", "expected text, got a zero byte"),
        ("e", b"the \xff", "expected UTF-8, got byte 0xff at byte 5"),
    ],
)
@pytest.mark.parametrize("inputs", [(), ("test.f",)])
def test_wrong_lines_are_found_before_there_is_work(
    tmp_path: Path, make: Make, inputs: tuple[str, ...], name: str, line: bytes, message: str
) -> None:
    (tmp_path / "train.f").write_text("a b c d e f g\n" * SENTENCES)
    (tmp_path / "train.e").write_text("a b c d e f g h\n" * SENTENCES)
    path = tmp_path / f"train.{name}"
    content = b"0-0\n" * SENTENCES if name == "align" else path.read_bytes()
    (tmp_path / "train.align").write_bytes(b"0-0\n" * SENTENCES)
    rows = content.splitlines()
    path.write_bytes(b"\n".join([*rows[:40], line, *rows[41:]]) + b"\n")
    stages: list[str] = []
    with pytest.raises(InputError, match=re.escape(f"{path}:41: {message}")):
        make(inputs=tuple(tmp_path / name for name in inputs), stages=stages)
    assert not stages and not [*(tmp_path / "system").glob("counts")]
    if name != "align" and b"\0" in line:
        with pytest.raises(InputError, match=re.escape(f"{path}:41: {message}")):
            make(inputs=(), alignment=None)


def test_a_byte_order_mark_is_no_word(tmp_path: Path, make: Make) -> None:
    plain = make(inputs=(tmp_path / "test.f",), folds=2)
    for name in ("train.f", "train.e", "train.align", "test.f"):
        path = tmp_path / name
        path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    marked = make("marked", inputs=(tmp_path / "test.f",), folds=2)
    for name in ("grammar.gz", "lm.arpa.gz", "fold-2/lm.arpa.gz"):
        assert (marked.folder / name).read_bytes() == (plain.folder / name).read_bytes()
    segments, expected = ([*system.folds[0].segments] for system in (marked, plain))
    assert [(s.tokens, s.references) for s in segments] == [(s.tokens, s.references) for s in expected]
    assert marked.extractor.bitext.source(0) == plain.extractor.bitext.source(0)


def test_an_alignment_that_an_earlier_build_made_may_be_given(tmp_path: Path, make: Make) -> None:
    make()
    ours = tmp_path / "system" / "alignment.gz"
    ours.write_bytes((tmp_path / "train.align").read_bytes())
    record = tmp_path / "system" / RECORD
    stages = json.loads(record.read_text())
    stages["word alignment"] = {"made from": {}, "outputs": {"alignment.gz": ""}}
    record.write_text(json.dumps(stages))
    for inputs in ((tmp_path / "test.f",), ()):
        assert len(make(alignment=ours, inputs=inputs).extractor.bitext) == SENTENCES


def test_one_build_at_a_time(tmp_path: Path, make: Make) -> None:
    message = "system: another build is using this folder"
    with Stages(tmp_path / "system").alone(), pytest.raises(InputError, match=message):
        make()
    assert not (tmp_path / "system" / "counts").exists()
    make()


def test_a_build_that_was_ended_leaves_no_system(tmp_path: Path, make: Make) -> None:
    """Its models may be of other folds than the description of the one before it says."""
    make(folds=2)
    (tmp_path / "lattice").write_text("((('a',1,1),),)\n")
    with pytest.raises(InputError, match="lattice:1"):
        make(folds=3, inputs=(tmp_path / "lattice",))
    with pytest.raises(InputError, match=r"build\.json: cannot be read"):
        Build.open(tmp_path / "system")
    assert len(make(folds=3).folds) == 3


def test_a_text_that_changes_during_the_build_is_noticed(tmp_path: Path, make: Make) -> None:
    def change(name: str, seconds: float) -> None:
        if name == "configuration":
            (tmp_path / "train.e").write_text("x\n" * SENTENCES)

    texts = {part: tmp_path / f"train.{end}" for part, end in zip(PARTS, ("f", "e", "align"), strict=True)}
    with pytest.raises(InputError, match=r"train\.e: has changed"):
        build(Recipe(**texts, discount_fallback=True), tmp_path / "system", report=change)


def test_a_segments_own_rules_count_too(tmp_path: Path, make: Make) -> None:
    own = GrammarExtractor(Bitext.from_pairs([(["nuevo"], ["new"], [(0, 0)])])).grammar(["nuevo"])
    decoder = make().decoder()
    assert decoder.translate("la nuevo").viterbi() == "the nuevo"
    segment = Segment(("la", "nuevo"), rules=own)
    assert decoder.translate(segment).viterbi() == "the new"
    assert decoder.parse(segment).viterbi() == "the new"


def test_rules_are_extracted_for_sentences_only(make: Make) -> None:
    with pytest.raises(InputError, match="expected a sentence, got a lattice"):
        make().decoder().translate("((('la',0,1),),)")


def test_texts_of_one_name(tmp_path: Path, make: Make) -> None:
    texts = []
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        texts.append(tmp_path / folder / "more.e")
        texts[-1].write_text(f"{folder} {folder}\n")
    system = make(monolingual=tuple(texts))
    model = lines(system.folder / "lm.arpa.gz")
    assert {"a", "b"} <= {line.split("\t")[1] for line in model if "\t" in line}
    make(monolingual=tuple(texts), stages=(again := []))
    assert again == []


def test_eflomal_aligns_where_no_alignment_is_given(tmp_path: Path, make: Make) -> None:
    pytest.importorskip("eflomal", reason="eflomal is not installed")
    stages: list[str] = []
    system = make(alignment=None, stages=stages)
    assert len(lines(system.folder / "alignment.gz")) == SENTENCES and "word alignment" in stages
    source, target = (lines(tmp_path / f"test.{end}")[0] for end in "fe")
    # eflomal samples, and takes no seed: a word may be aligned otherwise.
    found = set(Decoder(system.config).translate(source).viterbi().split())
    assert len(found & set(target.split())) > len(found ^ set(target.split()))
    make(alignment=None, stages=(again := []))
    assert again == []


def test_an_alignment_that_is_made_needs_no_aligner(
    tmp_path: Path, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Aligner:
        def align(self, source: list[str], target: list[str], *files: str, quiet: bool) -> None:
            for file in files:
                shutil.copy(tmp_path / "train.align", file)

    monkeypatch.setitem(sys.modules, "eflomal", SimpleNamespace(Aligner=Aligner))
    built = outputs(make(alignment=None).folder)
    monkeypatch.setitem(sys.modules, "eflomal", None)
    make(alignment=None, stages=(again := []))
    assert again == []
    with pytest.raises(InputError, match="the aligner eflomal is not installed"):
        make(alignment=None, symmetrisation="union", stages=again)
    assert again == [] and outputs(tmp_path / "system") == built  # the system is whole


def test_the_folder_may_be_moved_with_its_texts(tmp_path: Path, make: Make) -> None:
    make(folds=2)
    moved = tmp_path / "moved"
    moved.mkdir()
    for path in [*tmp_path.iterdir()]:
        if path != moved:
            path.rename(moved / path.name)
    assert len(Build.open(moved / "system").folds[0].decoder().extractor.bitext) == SENTENCES
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "link").symlink_to(moved / "system")
    assert Build.open(tmp_path / "elsewhere" / "link").texts == Build.open(moved / "system").texts


def test_a_text_that_changed_is_refused(tmp_path: Path, make: Make) -> None:
    make(folds=2)
    with (tmp_path / "train.e").open("a") as file:
        file.write("more\n")
    place = re.escape(str(tmp_path / "train.e"))
    with pytest.raises(InputError, match=rf"^{place}: has changed since .* build it again"):
        Build.open(tmp_path / "system")


SHORT = '{"texts": ["a", "b", "c"], "reverse": false, "extraction": {}, "ends": [], "checksums": []}'


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"texts": []}', '{"texts": 1}', '{"texts": [1]}', SHORT])
def test_a_damaged_description(tmp_path: Path, text: str) -> None:
    (tmp_path / DESCRIPTION).write_text(text)
    with pytest.raises(InputError, match=r"build\.json: expected the description of a system"):
        Build.open(tmp_path)


def test_no_system(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"build\.json: cannot be read: No such file"):
        Build.open(tmp_path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"source": "missing"}, "missing: cannot be read: No such file"),
        ({"inputs": ["test.f", "missing"]}, "missing: cannot be read: No such file"),
        ({"target": "test.e"}, "test.e:6: expected as many lines as in the other files"),
        (
            {"source": "empty", "target": "empty", "alignment": "empty"},
            "empty: expected sentences, got an empty file",
        ),
        ({"alignment": "test.e"}, "test.e:1: expected links such as 0-0 1-2"),
        ({"alignment": "far"}, "far:1: expected links between"),
        ({"folds": 1}, r"expected 0 folds, or 2 to 60 \(one per sentence\), got 1"),
        ({"folds": 61}, "got 61"),
        ({"order": 1}, "expected n-gram models of order 2 to 6, got 1"),
        ({"order": 7}, "expected n-gram models of order 2 to 6, got 7"),
        ({"extraction": {"samples": 1 << 40}}, "expected settings of the extraction: samples must be from 1"),
        ({"extraction": {"max_span": 0}}, "expected settings of the extraction: .*max_span"),
        ({"extraction": {"features": ["X"]}}, "expected settings of the extraction: .*X"),
        ({"extraction": {"features": ["CountEF", "CountEF"]}}, "each feature once, got CountEF again"),
        ({"extraction": {"features": ["PostEditSupport"]}}, "features of a text, got PostEditSupport"),
        ({"extraction": {"spam": 0}}, "expected settings of the extraction: .*spam"),
        ({"prune": (2, 1)}, "expected pruning thresholds from 0 that do not decrease"),
        ({"target": "special", "alignment": "first"}, "special:2: expected a word, got <s>"),
        ({"inputs": ["lattice"]}, "lattice:1: expected a sentence, got a lattice"),
    ],
)
def test_bad_input_is_named(tmp_path: Path, make: Make, change: dict[str, Any], message: str) -> None:
    (tmp_path / "empty").write_text("")
    (tmp_path / "far").write_text("0-99\n" * SENTENCES)
    (tmp_path / "first").write_text("0-0\n" * SENTENCES)
    (tmp_path / "special").write_text("a\n<s> b\n" + "a\n" * (SENTENCES - 2))
    (tmp_path / "lattice").write_text("((('a',1,1),),)\n")
    for name in change.keys() & {"source", "target", "alignment"}:
        change = {**change, name: tmp_path / change[name]}
    if "inputs" in change:
        change = {"inputs": tuple(tmp_path / name for name in change["inputs"])}
    with pytest.raises(InputError, match=message):
        make(**change)
    assert not [*(tmp_path / "system").rglob("*.part")]
    assert not (tmp_path / "system" / DESCRIPTION).exists()


def test_what_is_learned_is_in_the_configuration(make: Make, tmp_path: Path) -> None:
    def learn(stages: Stages) -> Learned:
        (stages.folder / "mine").write_text("WordPenalty -2\nR:X_la_|||_the 3\n")
        return Learned(("RuleIndicators", "RuleShape"), "mine")

    plain = make("plain").config
    system = make(learn=learn)
    config = read_config(tmp_path / "system" / "cdec.ini")
    learned, base, without = config.passes[0], system.config.passes[0], plain.passes[0]
    assert learned.weights == tmp_path / "system" / "mine"
    assert learned.features == [*base.features, "RuleIndicators", "RuleShape"]
    assert base.features == without.features and base.weights == tmp_path / "system" / "weights.init"
    assert make().config.passes[0] == base
    assert not (tmp_path / "system" / "base.ini").exists()
