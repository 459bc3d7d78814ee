"""The selection of plugins' features: which of them may fire, and under which names."""

from __future__ import annotations

import fnmatch
import json
import os
import re
import stat
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from functools import cached_property

from hopefear.base.errors import InputError, naming_file
from hopefear.base.stored import parse_json
from hopefear.base.typed import refuse_unknown, typed
from hopefear.base.unpacking import DAMAGED, unpacked
from hopefear.plugins.names import name_hash

_MARK = "# hopefear selection "


@dataclass(frozen=True)
class FeatureSelection:
    """The selection and hashing of plugins' features; the model's own features are not affected.

    A weights file records in a comment how its features were selected, so that a tuned model decodes with the
    same selection.

    Attributes
    ----------
    allow : tuple of str
        Patterns (``*``, ``?``, ``[...]``; case-sensitive) of names that may fire; empty for all names.
    deny : tuple of str
        Patterns of names that may not fire, even if allowed.
    hash_bits : int
        If above 0, names are hashed into 2**hash_bits features ``H<bits>#<hexadecimal>``, the same in every
        process.
    frozen : bool
        Whether only features fire whose (hashed) names are in the weights already.

    Raises
    ------
    InputError
        A pattern is not a text, or `hash_bits` is not between 0 and 30.
    """

    allow: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()
    hash_bits: int = 0
    frozen: bool = False

    def __post_init__(self) -> None:
        for name in ("allow", "deny"):
            patterns = getattr(self, name)
            if isinstance(patterns, str) or not all(p and isinstance(p, str) for p in patterns):
                raise InputError(f"{name} must be patterns such as 'R:*', got {patterns!r}")
            object.__setattr__(self, name, tuple(patterns))
        if type(self.hash_bits) is not int or not 0 <= self.hash_bits <= 30:
            raise InputError(f"hash_bits must be a whole number from 0 to 30, got {self.hash_bits!r}")
        if not isinstance(self.frozen, bool):
            raise InputError(f"frozen must be true or false, got {self.frozen!r}")

    @property
    def keeps_all(self) -> bool:
        """Whether every feature fires under its own name."""
        return not (self.allow or self.deny or self.hash_bits or self.frozen)

    def allows(self, name: str) -> bool:
        """Tell whether the patterns allow a name."""
        if self._allow is not None and not self._allow.match(name):
            return False
        return self._deny is None or not self._deny.match(name)

    def hashed(self, name: str) -> str:
        """Return the hashed name of a feature."""
        return f"H{self.hash_bits}#{name_hash(name, self.hash_bits)}"

    def comment(self) -> str:
        """Return the comment line for a weights file; empty if every feature fires under its own name."""
        return "" if self.keeps_all else _MARK + json.dumps(asdict(self))

    def check_agrees(self, other: FeatureSelection, path: str | os.PathLike[str] | None = None) -> None:
        """Refuse weights whose features are hashed with another number of bits.

        Raises
        ------
        InputError
            The selection `other` of the weights has other `hash_bits`.
        """
        if self.hash_bits != other.hash_bits:
            message = f"expected features with hash_bits={self.hash_bits}, got hash_bits={other.hash_bits}"
            raise InputError(message, path=path)

    @cached_property
    def _allow(self) -> re.Pattern[str] | None:
        return _compiled(self.allow)

    @cached_property
    def _deny(self) -> re.Pattern[str] | None:
        return _compiled(self.deny)


def read_selection(path: str | os.PathLike[str]) -> FeatureSelection | None:
    """Read the selection from the comments above the weights; None if there is no such comment."""
    try:
        if stat.S_ISFIFO(os.stat(path).st_mode):
            raise InputError("expected a file, got a pipe: weights are read more than once", path=path)
        with naming_file(path), unpacked(path) as lines:
            for number, line in enumerate(lines, 1):
                if not line.startswith(b"#"):
                    return None
                if line.startswith(_MARK.encode()):
                    return _parsed(line[len(_MARK) :], path, number)
    except InputError:
        raise
    except (*DAMAGED, OSError, ValueError):
        pass  # reading the weights reports the error
    return None


def _parsed(text: bytes, path: str | os.PathLike[str], line: int) -> FeatureSelection:
    try:
        selection = typed(FeatureSelection, values := parse_json(text))
        refuse_unknown(FeatureSelection, values, "selection")
        return selection
    except ValueError as error:
        raise InputError(f"expected a selection of features as JSON: {error}", path=path, line=line) from None


def _compiled(patterns: Iterable[str]) -> re.Pattern[str] | None:
    return re.compile("|".join(map(fnmatch.translate, patterns))) if patterns else None
