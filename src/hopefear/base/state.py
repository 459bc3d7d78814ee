"""State: fields of dataclasses that declare what is saved of an object, and in which form.

`save` and `load` read the declarations, so a class that keeps state writes neither::

    @dataclass
    class Momentum:
        updates: int = fact(0, least=0)
        velocity: NDArray[np.float64] = array(by_feature=True)

Two methods are called if a class has them: ``saving()`` before its fields are saved, to bring them up to
date, and ``restored()`` after they were loaded, to make what follows from them. `restored` raises ValueError
if the fields contradict each other.
"""

from __future__ import annotations

import copy
import inspect
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from functools import cache
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from .errors import InputError
from .typed import from_json, to_json

Value = TypeVar("Value")

State = dict[str, Any]
"""What was saved: ``{"facts": what JSON can hold, "arrays": numpy arrays by name}``."""

_KEY = "hopefear.state"


@dataclass(frozen=True, slots=True)
class _Fact:
    least: float | None
    optional: bool


@dataclass(frozen=True, slots=True)
class _Array:
    dtype: np.dtype[Any]
    dimensions: int
    least: float | None
    optional: bool
    by_feature: bool
    of_features: bool
    copied: bool

    def check(self, name: str, array: Any) -> None:
        """Refuse an array of another form."""
        if not isinstance(array, np.ndarray) or array.dtype != self.dtype or array.ndim != self.dimensions:
            got = f"{array.dtype} of shape {array.shape}" if isinstance(array, np.ndarray) else repr(array)
            wanted = f"an array of {self.dtype} with {self.dimensions} dimensions"
            raise ValueError(f"expected {name} to be {wanted}, got {got}")

    def save(self, array: NDArray[Any]) -> NDArray[Any]:
        """Return what is saved of an array."""
        if self.by_feature:
            array = array[: int(np.flatnonzero(array).max(initial=-1)) + 1]
        return array.copy() if self.copied else array

    def load(self, name: str, array: Any, numbers: NDArray[np.int64] | None) -> NDArray[Any]:
        """Return a saved array in the order, or with the numbers, that features have now."""
        self.check(name, array)
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            raise ValueError(f"expected finite numbers in {name}, got {array[~np.isfinite(array)][0]}")
        if self.least is not None and (array < self.least).any():
            raise ValueError(f"expected numbers of at least {self.least} in {name}, got {array.min()}")
        own: NDArray[Any] = array
        if numbers is not None and self.of_features:
            if len(array) and not 0 <= array.min() <= array.max() < len(numbers):
                raise ValueError(f"expected numbers of saved features in {name}")
            own = numbers.astype(own.dtype)[own]
        if numbers is not None and self.by_feature:
            if array[len(numbers) :].any():
                raise ValueError(f"expected {name} of {len(numbers)} features, got {len(array)}")
            return renumbered(array, numbers)
        return own.copy() if self.copied else own


@dataclass(frozen=True, slots=True)
class _Part:
    make: Callable[[], Any] | None
    optional: bool


class _Kept:
    """The form of a field that has a saved state."""


def fact(default: Value, *, least: float | None = None, optional: bool = False, init: bool = False) -> Value:
    """Declare a field of a dataclass that is saved as JSON and checked against its declared type.

    The type is made of bool, int, float, str, None, list, tuple, dict, dataclasses, and unions of these.

    Parameters
    ----------
    default
        The value in the beginning; of a list or a dict each object gets a copy.
    least : float, optional
        The least value of a number.
    optional : bool
        Whether a saved state of before the field was declared is loaded, too; the field stays as it is then.
    init : bool
        Whether the constructor takes the value.

    Returns
    -------
    dataclasses.Field
        The declared type is that of the default, for type checkers.
    """
    metadata = {_KEY: _Fact(least, optional)}
    if isinstance(default, (list, dict)):
        made: Value = field(default_factory=lambda: copy.copy(default), init=init, metadata=metadata)
        return made
    declared: Value = field(default=default, init=init, metadata=metadata)
    return declared


def array(
    dtype: str = "f8",
    dimensions: int = 1,
    *,
    least: float | None = None,
    optional: bool = False,
    by_feature: bool = False,
    of_features: bool = False,
    copied: bool = True,
    init: bool = False,
) -> Any:
    """Declare a field of a dataclass that is saved as an array; floats are always finite.

    Parameters
    ----------
    dtype : str
        As numpy has it: f8, i4, i8, u1, u8.
    dimensions : int
        Their number.
    least : float, optional
        The least value.
    optional : bool
        Whether the field may be None, which it is in the beginning; else it is an empty array then.
    by_feature : bool
        Whether the place of a value is a feature's number, which another process may give to another feature.
        `load` moves the values to the places of now. Zeros at the end are not saved.
    of_features : bool
        Whether the values are numbers of features, which `load` replaces by the numbers of now.
    copied : bool
        Whether a saved state has a copy. An array that is never changed in place needs none.
    init : bool
        Whether the constructor takes the value.

    Returns
    -------
    dataclasses.Field
    """
    form = _Array(np.dtype(dtype), dimensions, least, optional, by_feature, of_features, copied)
    metadata = {_KEY: form}
    if optional:
        return field(default=None, init=init, metadata=metadata)
    return field(
        default_factory=lambda: np.zeros((0,) * dimensions, form.dtype), init=init, metadata=metadata
    )


def part(
    make: Callable[[], Value] | None = None, *, optional: bool = False, init: bool | None = None
) -> Value:
    """Declare a field of a dataclass whose value is an object with state of its own, or a list of such.

    Objects are loaded into where they are; a list must be as long as the saved one. None stays None.

    Parameters
    ----------
    make : callable, optional
        Makes the object in the beginning, and an object to load into where the field is None; without it, the
        constructor must be given the object.
    optional : bool
        Whether the field may be None, which it is in the beginning.
    init : bool, optional
        Whether the constructor takes the value; if not given, where it must.

    Returns
    -------
    dataclasses.Field
        The declared type is that of the object, for type checkers.
    """
    metadata = {_KEY: _Part(make, optional)}
    init = make is None if init is None else init
    if optional:
        none: Value = field(default=None, init=init, metadata=metadata)  # type: ignore[assignment]
        return none
    if make is None:
        required: Value = field(init=init, metadata=metadata)
        return required
    declared: Value = field(default_factory=make, init=init, metadata=metadata)
    return declared


def kept() -> Any:
    """Declare a field of a dataclass whose value is a `State`, or None, as it is in the beginning.

    It is for objects that are elsewhere, or that are not made yet: who loads it into them checks it.
    """
    return field(default=None, init=False, metadata={_KEY: _Kept()})


def declared(kind: Any) -> Mapping[str, _Fact | _Array | _Part | _Kept]:
    """Return the fields of a class that declare state, by name; none if it is no dataclass."""
    return _forms(kind) if hasattr(kind, "__dataclass_fields__") else {}


def by_feature(kind: Any) -> list[str]:
    """Return the names of the arrays of a class that are by feature number."""
    return [name for name, form in declared(kind).items() if isinstance(form, _Array) and form.by_feature]


def of_features(kind: Any) -> list[str]:
    """Return the names of the arrays of a class whose values are numbers of features."""
    return [name for name, form in declared(kind).items() if isinstance(form, _Array) and form.of_features]


@cache
def _forms(kind: Any) -> dict[str, _Fact | _Array | _Part | _Kept]:
    return {each.name: each.metadata[_KEY] for each in fields(kind) if _KEY in each.metadata}


@cache
def _types(kind: Any) -> dict[str, Any]:
    """Return the types of the facts of a class; those of other fields may have no meaning at run time."""
    facts = {name for name, form in declared(kind).items() if isinstance(form, _Fact)}
    return {
        name: eval(written, vars(sys.modules[base.__module__])) if isinstance(written, str) else written
        for base in reversed(kind.__mro__)
        for name, written in inspect.get_annotations(base).items()
        if name in facts
    }


def save(owner: Any) -> State:
    """Return the state of an object: what its fields declare, by name; of parts behind the name of the field.

    Names lose underscores at their beginning.
    """
    saving = getattr(owner, "saving", None)
    if saving is not None:
        saving()
    facts: dict[str, Any] = {}
    arrays: dict[str, NDArray[Any]] = {}
    kind: Any = type(owner)
    for name, form in declared(kind).items():
        value, key = getattr(owner, name), name.lstrip("_")
        if isinstance(form, _Fact):
            facts[key] = to_json(value)
        elif value is None:
            continue
        elif isinstance(form, (_Part, _Kept)):
            several = value if isinstance(value, list) else [value]
            saved = [save(each) for each in several] if isinstance(form, _Part) else several
            facts[key] = [each["facts"] for each in saved] if several is value else saved[0]["facts"]
            for i, each in enumerate(saved):
                start = f"{key}.{i}." if several is value else f"{key}."
                arrays.update({start + inner: array for inner, array in each["arrays"].items()})
        else:
            form.check(f"{kind.__name__}.{name}", value)
            arrays[key] = form.save(value)
    return {"facts": facts, "arrays": arrays}


def load(owner: Any, state: State, *, what: str, numbers: NDArray[np.int64] | None = None) -> None:
    """Set the declared fields of an object, and of its parts, to saved values, or none of them."""
    with restoring(what):
        read: list[tuple[Any, dict[str, Any]]] = []
        _read(owner, state["facts"], state["arrays"], "", numbers, read)
        for member, values in read:
            for name, value in values.items():
                object.__setattr__(member, name, value)  # it may be frozen
        for member, _ in read:
            restored = getattr(member, "restored", None)
            if restored is not None:
                restored()


@contextmanager
def restoring(what: str) -> Iterator[None]:
    """Turn the errors of a damaged state into an `InputError`."""
    try:
        yield
    except InputError:
        raise
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError) as error:
        raise InputError(f"expected the state of {what}; missing or wrong: {error}") from None


def _read(
    owner: Any,
    facts: dict[str, Any],
    arrays: Mapping[str, NDArray[Any]],
    prefix: str,
    numbers: NDArray[np.int64] | None,
    found: list[tuple[Any, dict[str, Any]]],
) -> None:
    kind: Any = type(owner)
    values: dict[str, Any] = {}
    for name, form in declared(kind).items():
        key = name.lstrip("_")
        if isinstance(form, _Fact):
            if form.optional and key not in facts:
                continue
            values[name] = from_json(_types(kind)[name], facts[key], prefix + key, least=form.least)
        elif isinstance(form, _Kept):
            start = f"{prefix}{key}."
            inner = {full.removeprefix(start): x for full, x in arrays.items() if full.startswith(start)}
            values[name] = {"facts": facts[key], "arrays": inner} if key in facts else None
        elif isinstance(form, _Part):
            current = getattr(owner, name)
            if key not in facts and (form.optional or current is None):
                values[name] = None
                continue
            if current is None and form.make is not None:
                current = values[name] = form.make()
            if isinstance(current, list):
                for i, (member, saved) in enumerate(zip(current, facts[key], strict=True)):
                    _read(member, saved, arrays, f"{prefix}{key}.{i}.", numbers, found)
            else:
                _read(current, facts[key], arrays, f"{prefix}{key}.", numbers, found)
        elif form.optional and prefix + key not in arrays:
            values[name] = None
        else:
            values[name] = form.load(prefix + key, arrays[prefix + key], numbers)
    found.append((owner, values))


def renumbered(values: NDArray[Any], numbers: NDArray[np.int64]) -> NDArray[Any]:
    """Return values by saved feature number as values by number now, as far as numbers were saved."""
    count = min(len(values), len(numbers))
    out = np.zeros(int(numbers[:count].max(initial=-1)) + 1, values.dtype)
    out[numbers[:count]] = values[:count]
    return out
