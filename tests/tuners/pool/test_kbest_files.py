"""K-best lists of other decoders, hand-written and real."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from hopefear.base import InputError
from hopefear.base.arrays import Floats
from hopefear.decoder import Weights
from hopefear.metrics import Bleu
from hopefear.tuners.pool.kbest_files import read_candidates, read_kbest

Named = dict[str, float]


def read(path: Path) -> list[tuple[int, list[str], list[Named]]]:
    weights = Weights()
    out = []
    for segment, found in read_kbest(path, weights):
        rows = [
            {weights.name(f): v for f, v in zip(found.features[a:b], found.values[a:b], strict=True)}
            for a, b in zip(found.indptr[:-1], found.indptr[1:], strict=True)
        ]
        assert all(
            np.all(np.diff(found.features[a:b]) > 0)
            for a, b in zip(found.indptr[:-1], found.indptr[1:], strict=True)
        )
        out.append((segment, found.texts, rows))
    return out


MOSES = """\
0 ||| he  goes  ||| LM0= -3.5 WordPenalty0= -2 TM0= -1 0 -2e-1 rule_a= 1 ||| -7.5
0 ||| it goes ||| LM0= -4 WordPenalty0= -2 TM0= 0 0 0.5 ||| -8 ||| 0-0 1-1
3 ||| ||| LM0= 0 WordPenalty0= 0 TM0= 1 2 3 ||| 0
"""
MOSES_READ = [
    (
        0,
        ["he goes", "it goes"],
        [
            {"LM0": -3.5, "WordPenalty0": -2.0, "TM0_0": -1.0, "TM0_2": -0.2, "rule_a": 1.0},
            {"LM0": -4.0, "WordPenalty0": -2.0, "TM0_2": 0.5},
        ],
    ),
    (3, [""], [{"TM0_0": 1.0, "TM0_1": 2.0, "TM0_2": 3.0}]),
]


def test_moses(tmp_path: Path) -> None:
    path = tmp_path / "nbest"
    path.write_text(MOSES)
    assert read(path) == MOSES_READ
    packed = tmp_path / "nbest.gz"
    packed.write_bytes(gzip.compress(MOSES.encode()))
    assert read(packed) == MOSES_READ


def test_joshua_and_cdec_and_zmert(tmp_path: Path) -> None:
    path = tmp_path / "nbest"
    path.write_text(
        "0 ||| le chat ||| tm_pt_0=-1.25 lm_0=-20 NP==2 ||| -3.5\n"
        "1 ||| le ||| LanguageModel=-2.5 Glue=0 ||| -1\n"
        "0 ||| chat ||| lm_0=1e1 ||| 1\n"
    )
    assert read(path) == [
        (0, ["le chat"], [{"tm_pt_0": -1.25, "lm_0": -20.0, "NP=": 2.0}]),
        (1, ["le"], [{"LanguageModel": -2.5}]),
        (0, ["chat"], [{"lm_0": 10.0}]),
    ]
    path.write_text("0 ||| le chat ||| -1.25 -20 0\n")
    assert read(path) == [(0, ["le chat"], [{"0": -1.25, "1": -20.0}])]


def test_lists_come_one_by_one(tmp_path: Path) -> None:
    path = tmp_path / "nbest"
    path.write_text("0 ||| a ||| f=1\n1 ||| b ||| f=1\n2 ||| c ||| f=1\n2 ||| d\n")
    lists = read_kbest(path, Weights())
    assert [next(lists)[0], next(lists)[0]] == [0, 1]
    with pytest.raises(InputError):
        next(lists)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("0 ||| a b", "expected number ||| translation ||| features"),
        ("x ||| a ||| f=1", "expected the number of a sentence, from 0, got 'x'"),
        ("-1 ||| a ||| f=1", "expected the number of a sentence"),
        (f"{'9' * 5000} ||| a ||| f=1", "expected the number of a sentence"),
        ("0 ||| a ||| f=one", "expected a feature's value, got 'one'"),
        ("0 ||| a ||| f=nan", "expected a finite feature value, got nan"),
        ("0 ||| a ||| d= 1 -inf", "expected a finite feature value, got -inf"),
        ("0 ||| a ||| f=1e39", "expected a feature value of at most 3.40282e+38 in size, got 1e39"),
        ("0 ||| a ||| f=1 f=2", "feature f is given twice"),
        ("0 ||| a ||| d= 1 2 3", "expected 2, as in line 1, got 3 values of d"),
        ("0 ||| a ||| e= d= 1 2", "expected at least one, got 0 values of e"),
    ],
)
def test_errors_name_file_and_line(tmp_path: Path, line: str, message: str) -> None:
    path = tmp_path / "nbest"
    path.write_text(f"0 ||| a ||| d= 1 2\n{line}\n")
    with pytest.raises(InputError) as error:
        read(path)
    assert str(error.value).startswith(f"{path}:2: ")
    assert message in str(error.value)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read(tmp_path / "nowhere")
    (tmp_path / "cut.gz").write_bytes(gzip.compress(MOSES.encode() * 50)[:-30])
    with pytest.raises(InputError, match=r"cut.gz:\d+: expected a whole gz file"):
        read(tmp_path / "cut.gz")
    (tmp_path / "latin").write_bytes(b"0 ||| a ||| f=1\n0 ||| \xe9 ||| f=1\n")
    with pytest.raises(InputError, match="latin:2: expected UTF-8, got byte 0xe9"):
        read(tmp_path / "latin")


def test_sentences_without_references_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "nbest"
    path.write_text("0 ||| a ||| f=1\n2 ||| b ||| f=1\n")
    with pytest.raises(InputError, match="a sentence from 0 to 1, as in the references, got 2"):
        read_candidates([path], [["a"], ["b"]], Bleu())
    pool = read_candidates([path, path], [["a"], ["b"], ["c"]], Bleu())
    assert pool.counts.tolist() == [1, 0, 1]


def test_real_lists(shared: Path) -> None:
    folder = shared / "data" / "kbest"
    references = [[line.lower()] for line in (folder / "reference.txt").read_text().splitlines()[:100]]
    pool = read_candidates([folder / "nbest.out"], references, Bleu())
    names = sorted(pool.weights.name(int(feature)) for feature in pool.active)
    wanted = {"d": 7, "lm": 2, "tm": 5}
    assert names == sorted([*(f"{name}_{i}" for name, size in wanted.items() for i in range(size)), "w"])
    assert pool.counts.tolist() == [100] * 100
    # The file's own scores are h·w, but for what all candidates of a sentence share (Moses's unknown words).
    lines = (folder / "nbest.out").read_text().splitlines()
    scores = np.array([float(line.rsplit("|||", 1)[1]) for line in lines])
    h = pool.dense()
    h, scores = (centred(x, pool.offsets) for x in (h, scores))
    fitted, *_ = np.linalg.lstsq(h, scores, rcond=None)
    np.testing.assert_allclose(h @ fitted, scores, atol=1e-3)
    best = pool.best(h @ fitted)
    np.testing.assert_allclose(scores[best], scores[pool.offsets[:-1]], atol=1e-3)


def centred(rows: Floats, offsets: NDArray[np.int64]) -> Floats:
    return np.concatenate([part - part.mean(axis=0) for part in np.split(rows, offsets[1:-1])])
