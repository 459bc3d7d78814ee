"""Settings of tuners: fields of dataclasses that declare which values are allowed."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from operator import ge, gt, le, lt
from typing import Any, ClassVar, TypeVar

from hopefear.base import InputError
from hopefear.base.texts import shortened

Value = TypeVar("Value")

_KEY, _SHARED, _UNLESS = "hopefear.constraint", "hopefear.shared", "hopefear.unless"


@dataclass(frozen=True, slots=True)
class Constraint:
    """What the values of a setting must be."""

    text: str
    holds: Callable[[Any], bool]


def setting(
    default: Value,
    *,
    least: float | None = None,
    above: float | None = None,
    most: float | None = None,
    below: float | None = None,
    finite: bool = False,
    choices: Iterable[str] = (),
    shared: bool = True,
    unless: str = "",
) -> Value:
    """Declare a field of a dataclass with the values that `check_settings` allows.

    None is allowed if None is the default. A subclass that declares the field again with another default,
    ``passes: int = 25``, keeps the constraint.

    Parameters
    ----------
    default
        The value if none is given.
    least, above, most, below : float, optional
        Bounds: value >= least, value > above, value <= most, value < below. Not a number is never allowed.
    finite : bool
        Whether infinity is refused.
    choices : iterable of str
        The values that are allowed, where they are names.
    shared : bool
        Whether a resumed run must have the value of the run that it goes on with.
    unless : str
        Another setting: where that is not None, this one must have its default.

    Returns
    -------
    dataclasses.Field
        The declared type is that of the default, for type checkers.
    """
    names = tuple(choices)
    limits = [
        (word, compare, bound)
        for word, compare, bound in (
            ("at least", ge, least),
            ("above", gt, above),
            ("at most", le, most),
            ("below", lt, below),
        )
        if bound is not None
    ]
    text = " and ".join([f"{word} {bound}" for word, _, bound in limits] + ["finite"] * finite)
    if least is not None and most is not None:
        text = f"from {least} to {most}"
    if names:
        text = f"one of {', '.join(names)}"

    def holds(value: Any) -> bool:
        if value is None:
            return default is None
        if names:
            return value in names
        return all(compare(value, bound) for _, compare, bound in limits) and (not finite or value < math.inf)

    metadata: dict[str, Any] = {_SHARED: shared} | ({_KEY: Constraint(text, holds)} if text else {})
    declared: Value = field(default=default, metadata=metadata | ({_UNLESS: unless} if unless else {}))
    return declared


def constraints(kind: type) -> dict[str, Constraint]:
    """Return the constraints that the fields of a class and of its bases declare, by name of the field."""
    return _declared(kind, _KEY)


def excluded(kind: type) -> dict[str, str]:
    """Return the settings that count only unless another is given, by name with the other."""
    return _declared(kind, _UNLESS)


def _declared(kind: type, key: str) -> dict[str, Any]:
    """Return what `setting` has noted of the fields of a class and of its bases, by name of the field."""
    return {
        name: declared.metadata[key]
        for base in reversed(kind.__mro__)
        for name, declared in vars(base).get("__dataclass_fields__", {}).items()
        if key in declared.metadata
    }


def shared_settings(owner: object, **others: str) -> dict[str, str]:
    """Return the settings that a resumed run must share, as text, since JSON has no infinity.

    They are all parameters of the constructor but those whose fields say otherwise, see `setting`.
    """
    shared, kind = _declared(type(owner), _SHARED), type(owner)
    names = [x for x in inspect.signature(kind).parameters if shared.get(x, True) and x not in others]
    return {"tuner": kind.__name__, **{name: repr(getattr(owner, name)) for name in names}, **others}


def check_settings(owner: object) -> None:
    """Compare settings with what their fields declare."""
    for name, constraint in constraints(type(owner)).items():
        value = getattr(owner, name)
        if not constraint.holds(value):
            raise ValueError(f"{name} must be {constraint.text}, got {value!r}")
    usual = inspect.signature(type(owner)).parameters
    for name, other in excluded(type(owner)).items():
        if getattr(owner, other) is not None and getattr(owner, name) != usual[name].default:
            raise ValueError(f"{name} is for the default {other} only: set it in the given {other}")


def expect_settings(settings: object) -> None:
    """Compare settings that users give, as `check_settings` does, but raise an `InputError`."""
    try:
        check_settings(settings)
    except ValueError as error:
        raise InputError(str(error)) from None


class Settings:
    """What has settings: a constructor with keywords only that stores each value under its name."""

    PRESETS: ClassVar[tuple[str, ...]] = ()
    """The names of class methods that make a tuner with other settings than the defaults."""

    def __repr__(self) -> str:
        """Name the settings that differ from the defaults: ``Mira(C=0.05)``."""
        shown = []
        for name, parameter in inspect.signature(type(self)).parameters.items():
            text, default = repr(getattr(self, name, parameter.default)), repr(parameter.default)
            if text != default:
                shown.append(f"{name}={shortened(text)}")
        return f"{type(self).__name__}({', '.join(shown)})"

    def check(self) -> None:
        """Refuse settings that nothing can be learned with; for callers that want to know at the start.

        Raises
        ------
        ValueError
            A setting is out of range.
        """
        self._check_settings()

    def _check_settings(self) -> None:
        """Raise ValueError where a setting is out of range; subclasses add what depends on several."""
        check_settings(self)
