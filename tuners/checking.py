"""`check_tuner`: one suite of checks that every tuner passes, built-in ones and yours.

1. ``stores``: the constructor has keyword-only parameters with defaults, and stores each value unchanged
   under the name of its parameter, without a look at it.
2. ``settings``: `check` accepts the settings of the tuner, and refuses a value that the field of a setting
   does not allow (`hopefear.tuners.setting`).
3. ``separable``: on a toy corpus that some weights translate without an error it learns such weights.
4. ``learned``: `fit` leaves the settings as they are; the name of a public attribute that `fit` adds ends
   in ``_``.
5. ``references``: a segment may have any number of references, but not none.
6. ``repeats``: two runs learn the same weights.
7. ``resumes``: so does a run that was stopped after its first pass, and resumed.
8. ``finite``: weights that are not finite are refused.

Of online tuners that name the class of their examples as `EXAMPLE`:

9. ``parallel``: two workers learn the same in two runs, and in one that was stopped and resumed.

Of batch tuners:

10. ``optimum``: on k-best lists that no weights separate without an error, it comes close to the best
   weights, which are found by a search over all directions.
11. ``zero``: weights that are all zero are refused.
"""

from __future__ import annotations

import inspect
import math
import pickle
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from hopefear.base import ForeignCode, InputError
from hopefear.base.arrays import Floats
from hopefear.base.texts import split_words
from hopefear.decoder import Decoder, KBestList, Segment
from hopefear.metrics import Bleu, PseudoDocument

from .batch import BatchTuner
from .contract import Can, TuningError, can, constraints
from .online import OnlineTuner
from .oracles import Oracle, SearchSpace
from .oracles.search_space import describe, find_hypotheses, prepare_oracle
from .parallel import BY_SEVERAL, Parallel, ParallelLoop
from .pool import Candidates

_GRAMMAR = """\
[X] ||| la ||| the ||| Right=1
[X] ||| la ||| her ||| Wrong=1
[X] ||| casa ||| house ||| Right=1
[X] ||| casa ||| home ||| Wrong=1
[X] ||| la casa ||| the home ||| Wrong=1 Phrase=1
[X] ||| verde ||| green ||| Right=1
[X] ||| verde ||| raw ||| Wrong=1
[X] ||| es ||| is ||| Right=1
[X] ||| es ||| are ||| Wrong=1
[X] ||| grande ||| big ||| Right=1
[X] ||| grande ||| tall ||| Wrong=1
[X] ||| casa verde ||| green house ||| Right=2 Swap=1
"""
_START = {"Wrong": 0.5, "Right": -0.5}
_CORPUS = [
    Segment(tuple(split_words(source)), id=i, index=i, references=references)
    for i, (source, references) in enumerate(
        [
            ("la casa verde es grande", ("the green house is big",)),
            ("la casa es grande", ("the house is big", "the house of her is big")),
            ("casa verde es grande", ("green house is big", "a big green home", "a house")),
            ("verde es la casa", ("green is the house",)),
        ]
    )
]

_DIRECTIONS = 720
"""That weights of two features are tried in."""
_GAIN = 0.9
"""The part of what the best weights gain that a batch tuner must gain."""


def check_tuner(make: Callable[[], OnlineTuner | BatchTuner]) -> None:
    """Check that a tuner keeps the contract.

    Parameters
    ----------
    make : callable
        Makes a tuner, with settings for learning from four short sentences, at least two passes of them:
        ``functools.partial(Mira, C=0.5)``. A class will do if its defaults are such.

    Raises
    ------
    TuningError
        ``NAME: check CHECK: what is wrong``.
    """
    tuner = make()
    name, kind = type(tuner).__name__, type(tuner)
    with _check(name, "stores", kind):
        _stores(tuner)
    with _check(name, "settings", kind):
        _refuses_settings(tuner)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "grammar"
        path.write_text(_GRAMMAR)

        def decoder(weights: dict[str, float] = _START) -> Decoder:
            return Decoder(
                formalism="scfg", grammar=path, feature_function="WordPenalty", weights=dict(weights)
            )

        with _check(name, "separable", kind):
            tuner = make()
            before = dict(vars(tuner))
            learned = _separable(tuner, decoder())
        with _check(name, "learned", kind):
            _keeps_settings(tuner, before)
        with _check(name, "references", kind):
            _refused(make, decoder(), [replace(_CORPUS[0], references=())], InputError)
        with _check(name, "repeats", kind):
            again = make().fit(decoder(), _CORPUS).weights_
            _must(again == learned, f"one run learned {learned}, another {again}")
        with _check(name, "resumes", kind):
            _resumes(make, decoder, learned, Path(folder) / "checkpoint")
        with _check(name, "finite", kind):
            _refused(make, decoder({"Right": math.nan}), _CORPUS, TuningError)
        alone = can(tuner, Can.LEARN_ONLINE) and not can(tuner, Can.LEARN_IN_PARALLEL)
        if isinstance(tuner, OnlineTuner) and tuner.EXAMPLE and alone:
            with _check(name, "parallel", kind):
                several = partial(_by_several, make)
                learned = several().fit(decoder(), _CORPUS).weights_
                again = several().fit(decoder(), _CORPUS).weights_
                _must(again == learned, f"one run learned {learned}, another {again}")
                _resumes(several, decoder, learned, Path(folder) / "parallel")
    if isinstance(tuner, BatchTuner):
        for seed in range(3):
            with _check(name, "optimum", kind):
                _optimum(make, seed)
        with _check(name, "zero", kind):
            _zero(make)


def check_oracle(oracle: Oracle) -> None:
    """Check that an oracle keeps the contract, for one worker and for several.

    Its checks: ``stores`` is that of `check_tuner`; ``prepare`` accepts the settings; ``answers``: of each
    sentence it finds hypotheses that a tuner can use, or nothing, and something of at least one;
    ``repeats``: a copy of the oracle finds the same; ``processes``: the oracle can be pickled.

    Parameters
    ----------
    oracle : Oracle

    Raises
    ------
    TuningError
        ``NAME: check CHECK: what is wrong``.
    """
    name, kind = type(oracle).__name__, type(oracle)
    with _check(name, "stores", kind):
        _stores(oracle)
    with _check(name, "prepare", kind):
        prepare_oracle(oracle)
    with _check(name, "processes", kind):
        copy = pickle.loads(pickle.dumps(oracle))
        _must(describe(copy) == describe(oracle), f"a copy of another process is {describe(copy)}")
    with tempfile.TemporaryDirectory() as folder:
        (path := Path(folder) / "grammar").write_text(_GRAMMAR)
        decoder = Decoder(formalism="scfg", grammar=path, weights=_START)
        with _check(name, "answers", kind):
            found = _hypotheses(oracle, decoder)
            _must(any(found), "found nothing for any sentence")
        with _check(name, "repeats", kind):
            prepare_oracle(copy)
            _must(_hypotheses(copy, decoder) == found, "a copy finds other translations")


def _hypotheses(oracle: Oracle, decoder: Decoder) -> list[tuple[tuple[str, ...], ...]]:
    """Return the translations of each role that an oracle finds for each sentence."""
    document, texts = PseudoDocument(Bleu()), []
    for segment in _CORPUS:
        space = SearchSpace(decoder, decoder.translate(segment), segment, document)
        found = find_hypotheses(oracle, space)
        roles = () if found is None else (found.best, found.hope, found.fear)
        texts.append(tuple(tuple(role.texts) for role in roles))
        document.update(space.best(1).statistics[0], segment.length)
    return texts


@contextmanager
def _check(name: str, check: str, owner: type = object) -> Iterator[None]:
    """Name the check in what is wrong, and the line of the owner's code that raised it."""
    try:
        with ForeignCode(owner, lambda what: TuningError(f"{name}: check {check}: {what}"), _Failed):
            yield
    except _Failed as failed:
        raise TuningError(f"{name}: check {check}: {failed}") from None


class _Failed(Exception):
    """A check's own finding."""


def _must(holds: bool, otherwise: str) -> None:
    if not holds:
        raise _Failed(otherwise)


def _stores(tuner: Any) -> None:
    for parameter in inspect.signature(type(tuner)).parameters.values():
        name = parameter.name
        _must(parameter.kind is parameter.KEYWORD_ONLY, f"parameter {name} is not keyword-only")
        _must(parameter.default is not parameter.empty, f"parameter {name} has no default")
        marker = object()
        stored = getattr(type(tuner)(**{name: marker}), name, None)
        _must(stored is marker, f"parameter {name} is not stored unchanged")


def _refuses_settings(tuner: Any) -> None:
    kind = type(tuner)
    tuner.check()
    for name, constraint in constraints(kind).items():
        if name not in inspect.signature(kind).parameters:
            continue
        try:
            kind(**{name: math.nan}).check()
        except ValueError:
            continue
        raise _Failed(f"parameter {name} must be {constraint.text}, but check() accepts nan")


def _keeps_settings(tuner: Any, before: dict[str, Any]) -> None:
    for name in inspect.signature(type(tuner)).parameters:
        _must(vars(tuner)[name] is before[name], f"fit changes the setting {name}")
    for name in vars(tuner).keys() - before.keys():
        _must(name.startswith("_") or name.endswith("_"), f"fit adds {name}, whose name must end in _")


def _separable(tuner: Any, decoder: Decoder) -> dict[str, float]:
    learned: dict[str, float] = tuner.fit(decoder, _CORPUS).weights_
    _must(learned == decoder.weights.nonzero(), "weights_ differs from the weights of the decoder at the end")
    _must(len(tuner.score_per_pass_) == len(tuner.passes_) > 1, "expected a record of at least two passes")
    for segment in _CORPUS:
        translation = decoder.translate(segment).viterbi()
        _must(
            translation == segment.references[0],
            f"expected {segment.references[0]!r}, got {translation!r} with {learned}",
        )
    return learned


def _refused(
    make: Callable[[], Any], decoder: Decoder, corpus: list[Segment], error: type[Exception]
) -> None:
    try:
        make().fit(decoder, corpus)
    except error:
        return
    raise _Failed(f"expected {error.__name__}, got weights {decoder.weights.nonzero()}")


def _resumes(
    make: Callable[[], Any], decoder: Callable[[], Decoder], learned: dict[str, float], checkpoint: Path
) -> None:
    class Stop(Exception):
        pass

    def stop(record: object) -> None:
        raise Stop

    with suppress(Stop):
        make().fit(decoder(), _CORPUS, checkpoint=checkpoint, on_pass=stop)
    again = make().fit(decoder(), _CORPUS, checkpoint=checkpoint, resume=True).weights_
    _must(again == learned, f"a run without a stop learned {learned}, a resumed run {again}")


def _by_several(make: Callable[[], Any]) -> Any:
    """Make an online tuner that learns by two workers."""
    tuner = make()
    kind = type(tuner)
    own = {
        "LOOP": ParallelLoop,
        "can": BY_SEVERAL,
        "__module__": kind.__module__,
        "__annotations__": {"batch_size": int},
        "batch_size": field(default=1, init=False),
    }
    several: type[Any] = dataclass(kw_only=True, eq=False, repr=False)(
        type(kind.__name__, (kind, Parallel), own)
    )
    settings = {name: getattr(tuner, name) for name in inspect.signature(kind).parameters}
    settings |= {"workers": 2, "starts": 1}
    del settings["batch_size"]
    return several(**settings)


def _optimum(make: Callable[[], Any], seed: int) -> None:
    pool = noisy_pool(seed)
    start = np.array([-1.0, -0.2])
    angles = np.arange(_DIRECTIONS) * 2 * np.pi / _DIRECTIONS
    best = max(pool.corpus_score(w) for w in np.stack((np.cos(angles), np.sin(angles)), axis=1))
    before = pool.corpus_score(start)
    tuner = make().fit_candidates(pool, start)
    found = pool.corpus_score(pool.weights.array)
    _must(found == tuner.passes_[-1].pool_score, "the last score is not the score of the weights")
    _must(
        found >= before + _GAIN * (best - before),
        f"expected BLEU near {best:.2f} (before: {before:.2f}), got {found:.2f} with {tuner.weights_}",
    )


def _zero(make: Callable[[], Any]) -> None:
    pool = noisy_pool(0, tells=False)
    try:
        make().fit_candidates(pool, np.zeros(2))
    except TuningError:
        return
    raise _Failed(f"expected TuningError, got weights {pool.weights.nonzero()}")


def noisy_pool(seed: int, *, tells: bool = True) -> Candidates:
    """Make k-best lists whose two features, ``Good`` and ``Bad``, tell the quality roughly, or not at all."""
    rng = np.random.default_rng(seed)
    references = [[" ".join(rng.choice(list("abcdefgh"), 12))] for _ in range(20)]
    pool = Candidates(Bleu(), references)
    numbers = np.array([pool.weights.id("Good"), pool.weights.id("Bad")], np.int32)

    def lists() -> Iterator[tuple[int, KBestList]]:
        for segment, (reference,) in enumerate(references):
            texts, rows = [], list[Floats]()
            for errors in rng.integers(1, 11, 30).tolist():
                words = list(split_words(reference))
                for place in rng.choice(12, errors, replace=False):
                    words[place] = "x"
                texts.append(" ".join(words))
                rows.append(
                    np.array([-errors, 0.5 * errors]) + rng.normal(0, 1.5, 2) if tells else np.ones(2)
                )
            indptr = np.arange(0, 2 * len(texts) + 1, 2, dtype=np.int64)
            yield segment, KBestList(texts, indptr, np.tile(numbers, len(texts)), np.concatenate(rows))

    pool.merge(lists())
    return pool
