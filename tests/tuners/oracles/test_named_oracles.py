"""Oracles and metrics by name, and those of somebody else's module from the name to the weights."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from support import CHECKOUT

from hopefear import Decoder, Segment, metrics, tuners
from hopefear.base import PluginError
from hopefear.metrics import create_metric
from hopefear.tuners.catalogue import make_tuner
from hopefear.tuners.oracles import create_oracle
from hopefear.tuners.oracles.catalogue import oracles

MODULE = """
from pathlib import Path
from hopefear.metrics import Ter
from hopefear.tuners import Hypotheses, Oracle

class SecondBest(Oracle):
    '''The second of the k best by the metric, away from the worst.'''

    def __init__(self, *, k: int = 10, name: str = ""):
        self.k = k
        self.name = name

    def prepare(self):
        if self.k < 2:
            raise ValueError(f"k must be at least 2, got {self.k}")

    def find(self, space):
        best = space.best(self.k)
        if len(best) < 2:
            return None
        ranked = best.ranked(0.0, self.k)
        return Hypotheses(space.segment, best, ranked.take([1]), ranked.take([len(ranked) - 1]))

class Errors(Ter):
    def signature(self):
        return "Errors|of:mine"

class Lazy(Oracle):
    pass

class Odd(Oracle):
    def find(self):
        pass

class Positional(Oracle):
    def __init__(self, k):
        pass
    def find(self, space):
        pass

class Picky(SecondBest):
    def __init__(self, *, size: int = 0):
        raise OSError("no such size")

def function():
    pass
"""


@pytest.fixture(autouse=True)
def clean(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield
    sys.modules.pop("my_oracles_of_test", None)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "my_oracles_of_test.py").write_text(MODULE)
    return tmp_path


def install(folder: Path, package: str, group: str, line: str) -> None:
    info = folder / f"{package}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[{group}]\n{line}\n")


def test_built_ins() -> None:
    assert set(oracles.known()) == {
        "ConsensusHope",
        "Forced",
        "ForestHopeFear",
        "KBestLocal",
        "LeastWork",
        "MaxBleu",
    }
    assert {"Bleu", "BleuPlusOne", "Cer", "Chrf", "Nist", "Ribes", "Ssk", "Ter", "Wer"} <= set(
        metrics.catalogue.metrics.known()
    )
    assert "Metric" not in metrics.catalogue.metrics.known()
    for name in oracles.known():
        assert create_oracle(name) == getattr(tuners, name)()
    for name in metrics.catalogue.metrics.known():
        assert create_metric(name) == getattr(metrics, name)()


def test_lines_with_arguments() -> None:
    assert create_oracle("KBestLocal --k 100 --loss-augmented") == tuners.KBestLocal(
        k=100, loss_augmented=True
    )
    assert create_oracle("foresthopefear hope_mu=0.2") == tuners.ForestHopeFear(hope_mu=0.2)
    assert create_oracle("Forced --fallback local") == tuners.Forced(fallback="local")
    assert create_metric("bleu --smoothing add-one") == metrics.Bleu(smoothing="add-one")


def test_names_of_installed_packages(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(folder, "theirs", "hopefear.oracles", "Second = my_oracles_of_test:SecondBest")
    install(folder, "others", "hopefear.metrics", "Ter = my_oracles_of_test:Errors")
    monkeypatch.syspath_prepend(str(folder))
    assert "Second" in oracles.known()
    assert "my_oracles_of_test" not in sys.modules  # read when asked for
    assert type(create_oracle("Second")).__name__ == "SecondBest"
    with pytest.raises(
        PluginError, match=r"ter: several metrics have this name: .*:Ter of .* and my_.* of package others"
    ):
        create_metric("ter")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("KBest", "KBest: unknown oracle, near: KBestLocal"),
        (
            "",
            ": unknown oracle, known: ConsensusHope, Forced, ForestHopeFear, KBestLocal, LeastWork, MaxBleu",
        ),
        ("MaxBleu --hope-mu 1", "MaxBleu: unknown argument --hope-mu, known are --k"),
        ("KBestLocal --k x", "KBestLocal: --k must be a whole number, got 'x'"),
        ("no_such_module:Foo", "no_such_module:Foo: cannot import no_such_module"),
        ("my_oracles_of_test:SecondBets", ".* has no SecondBets, near: SecondBest"),
        ("my_oracles_of_test:Lazy", "my_oracles_of_test:Lazy: must define find"),
        ("my_oracles_of_test:Odd", r".*:Odd: must have find\(self, space\), got find\(self\)"),
        ("my_oracles_of_test:Path", r".*:Path: must have prepare\(self\), has none"),
        ("my_oracles_of_test:function", ".*:function: must be a class, got"),
        ("my_oracles_of_test:Positional", ".*constructor parameters must be keyword-only"),
        ("my_oracles_of_test:Picky", ".*:Picky: cannot be made: OSError: no such size"),
    ],
)
def test_errors(line: str, message: str, folder: Path) -> None:
    with pytest.raises(PluginError, match=f"^{message}"):
        create_oracle(line, base=folder)


def test_a_metric_is_one(folder: Path) -> None:
    with pytest.raises(PluginError, match=r"SecondBest: must be a subclass of hopefear.metrics.Metric, got"):
        create_metric("my_oracles_of_test:SecondBest", base=folder)


def test_from_a_module_to_the_weights(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    tuner = make_tuner(
        "mira C=1 average=none",
        ["oracle=my_oracles_of_test:SecondBest --k 2", "metric=my_oracles_of_test:Errors"],
        passes=1,
    )
    decoder = Decoder(formalism="scfg", weights={"Good": 0.0, "Bad": 0.125})
    grammar = "[X] ||| a ||| right ||| Good=1\n[X] ||| a ||| wrong ||| Bad=1\n"
    segment = Segment(("a",), id=5, references=("right",))
    found = tuner.hypotheses(decoder, decoder.translate(segment, grammar), segment)
    assert (found.best.texts, found.hope.texts, found.fear.texts) == (
        ["wrong", "right"],
        ["wrong"],
        ["wrong"],
    )

    # By hand: O is an edit in a word and |f| = 1, so B(right) = -1/2 and B(wrong) = -1. The oracle is
    # "wrong", h = (Bad 1); against "right", the loss is -1/2 and the margin 1/8: nothing is violated.
    record = tuner.partial_fit(decoder, decoder.translate(segment, grammar), segment)
    assert (record.hinge, record.change, record.segments) == (0.0, 0.0, (5,))
    assert record.loss == 0.0
    assert tuner.get_state()["facts"]["settings"]["metric"] == "Errors|of:mine"

    # Where the model wants "right" by 2, it must come down to -1/2 + 1/2: w·(h(wrong) - h(right)) >= -1/2.
    decoder.weights["Good"], decoder.weights["Bad"] = 2.0, 0.0
    tuner = make_tuner("mira C=1", ["oracle=my_oracles_of_test:SecondBest --k 2", "metric=ter"])
    record = tuner.partial_fit(decoder, decoder.translate(segment, grammar), segment)
    assert record.hinge == pytest.approx(1.5)
    assert decoder.weights["Good"] == pytest.approx(2 - 0.75, abs=1e-4)
    assert decoder.weights["Bad"] == pytest.approx(0.75, abs=1e-4)
    assert record.change == pytest.approx(0.75 * math.sqrt(2), abs=1e-4)


def test_its_own_check_is_asked(folder: Path) -> None:
    oracle = create_oracle("my_oracles_of_test:SecondBest --k 1", base=folder)
    with pytest.raises(ValueError, match="k must be at least 2, got 1"):
        tuners.Mira.paper(oracle=oracle).fit(Decoder(formalism="scfg"), [Segment(("a",), references=("b",))])


def test_the_documented_oracle_works(tmp_path: Path) -> None:
    page = CHECKOUT / "docs" / "use" / "oracles.md"
    (code,) = re.findall(r"```python\n(.*?)```", page.read_text("utf-8"), re.DOTALL)
    (tmp_path / "my_oracles_of_test.py").write_text(code)
    oracle = create_oracle("my_oracles_of_test:WithinReach --margin 3", base=tmp_path)
    (tmp_path / "grammar").write_text(
        "[X] ||| a ||| w ||| Bad=1\n[X] ||| a ||| r ||| Good=1\n[X] ||| b ||| b |||\n"
    )
    decoder = Decoder(formalism="scfg", grammar=[str(tmp_path / "grammar")], weights={"Bad": 2.0})
    corpus = [Segment(("a",), id=0, references=("r",)), Segment(("b",), id=1, references=("b",))]
    tuner = tuners.Mira.paper(C=1, passes=6, oracle=oracle, metric=metrics.Ter()).fit(decoder, corpus)
    assert decoder.translate(corpus[0]).viterbi() == "r"
    assert [record.without_oracle for record in tuner.passes_[:2]] == [1, 1]
