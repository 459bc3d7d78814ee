"""Compiled grammars, and the compiled copies of text grammars that all processes of a machine share."""

from __future__ import annotations

import fcntl
import json
import os
import stat
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

from hopefear import _native
from hopefear.base.errors import InputError
from hopefear.base.files import written_whole
from hopefear.base.signatures import check_exports

from .config import Config, make_config
from .weights import Weights

SUFFIX = ".hfg"
"""How the names of compiled grammars end."""

CACHE = "HOPEFEAR_CACHE"
"""The environment variable that names the folder of shared copies."""


def compile_grammars(grammars: Iterable[str | os.PathLike[str]], output: str | os.PathLike[str]) -> int:
    """Compile text grammars into one file, which processes map into memory."""
    if not is_compiled(output):
        raise InputError(f"expected a name that ends in {SUFFIX}", path=output)
    config = make_config([("formalism", "scfg", None)])
    return _compile(config, [Path(grammar) for grammar in grammars], Path(output))


def check_compiled(path: str | os.PathLike[str]) -> None:
    """Check the whole file of a compiled grammar; a decoder checks rules when it first needs them."""
    _native.check_compiled_grammar(os.fspath(path))


def is_compiled(path: str | os.PathLike[str]) -> bool:
    """Tell whether a path names a compiled grammar."""
    return Path(path).suffix == SUFFIX


def make_engine(config: Config, weights: Weights) -> _native.Engine:
    """Make an engine with the grammars of a configuration."""
    left = list(config.grammars)
    main = next(filter(is_compiled, left), None)
    if main is not None:
        left.remove(main)
        with config.naming(f"grammar {main}"):
            engine = engine_without_grammars(config, weights, main)
    elif config.share_grammars and (copy := _shared_copy(config)) is not None:
        left.clear()
        engine = engine_without_grammars(config, weights, copy)
    else:
        engine = engine_without_grammars(config, weights)
    for grammar in left:
        with config.naming(f"grammar {grammar}"):
            if is_compiled(grammar):
                engine.add_compiled_grammar(os.fspath(grammar))
            else:
                engine.read_grammar(os.fspath(grammar))
    if config.extra_glue is not None:
        with config.naming(f"scfg_extra_glue_grammar {config.extra_glue}"):
            engine.read_glue(os.fspath(config.extra_glue))
    engine.finish()
    return engine


def engine_without_grammars(config: Config, weights: Weights, compiled: Path | None = None) -> _native.Engine:
    """Make an engine with the settings of a configuration, and with a compiled grammar if one is named."""
    return _native.Engine(
        weights.native,
        goal=config.goal,
        default_nonterminal=config.default_nt,
        max_span=config.max_span,
        glue=config.glue,
        pass_through=config.pass_through,
        extra_pass_through_features=config.extra_pass_through_features,
        compiled_grammar="" if compiled is None else os.fspath(compiled),
    )


def _compile(config: Config, grammars: Iterable[Path], output: Path) -> int:
    engine = engine_without_grammars(config, Weights())
    for grammar in grammars:
        with config.naming(f"grammar {grammar}"):
            engine.read_grammar(os.fspath(grammar))
    engine.finish()
    with written_whole(output) as part:
        return engine.write_compiled_grammar(os.fspath(part))


def _shared_copy(config: Config) -> Path | None:
    """Return the compiled copy of all grammars of a configuration, made by the first process that asks."""
    try:
        facts = [os.stat(path) for path in config.grammars]
        folder = _cache()
    except OSError:
        return None
    if folder is None or not facts or not all(stat.S_ISREG(fact.st_mode) for fact in facts):
        return None
    files = [
        (os.path.realpath(path), fact.st_dev, fact.st_ino, fact.st_size, fact.st_mtime_ns, fact.st_ctime_ns)
        for path, fact in zip(config.grammars, facts, strict=True)
    ]
    made_from = [_native.COMPILED_GRAMMAR, config.goal, config.default_nt, files]
    copy = folder / (sha256(json.dumps(made_from).encode()).hexdigest()[:32] + SUFFIX)
    try:
        with _in_turn(folder / "lock"):
            if not copy.exists():
                _compile(config, config.grammars, copy)
    except OSError:  # a full disk, or a file system without locks
        return None
    except InputError as error:
        if error.path != os.fspath(copy):
            raise
        return None  # the copy could not be written
    return copy


def _cache() -> Path | None:
    """Return the folder of copies, made if it is missing; None if it belongs to somebody else."""
    named = os.environ.get(CACHE)
    folder = Path(named) if named else Path(tempfile.gettempdir(), f"hopefear-{os.getuid()}")
    folder.mkdir(mode=0o700, parents=bool(named), exist_ok=True)
    return folder if folder.lstat().st_uid == os.getuid() and folder.is_dir() else None


@contextmanager
def _in_turn(lock: Path) -> Iterator[None]:
    """Wait until no other process has the lock, and hold it."""
    number = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(number, fcntl.LOCK_EX)
        yield
    finally:
        os.close(number)


check_exports(__name__)
