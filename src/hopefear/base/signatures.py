"""Arguments of public functions, checked by their annotations where a call comes from outside of hopefear."""

from __future__ import annotations

import builtins
import inspect
import re
import sys
import typing
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import is_dataclass
from functools import reduce, wraps
from numbers import Integral, Number, Real
from types import FunctionType, MethodType, ModuleType, NoneType, SimpleNamespace, UnionType
from typing import (
    Annotated,
    Any,
    ForwardRef,
    Literal,
    NewType,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

import numpy as np
from msgspec import Meta
from numpy.typing import ArrayLike

from .errors import is_ours

Count = Annotated[int, Meta(ge=0)]
"""How many there are, or how many are wanted at most."""

Positive = Annotated[int, Meta(ge=1)]
"""How many there are, at least one."""

Finite = Annotated[float, Meta(gt=-sys.float_info.max, lt=sys.float_info.max)]
"""A number that is not infinite, and a number at all."""

Checked = TypeVar("Checked", bound=Callable[..., Any])

Test = Callable[[Any], bool]
"""Tells whether a value fits an annotation."""

_ARRAYS = (np.ndarray, np.generic, Sequence)
_HELD: tuple[Any, ...] = (list, tuple, dict, set, frozenset, str, bytes, range, np.ndarray)
"""Collections whose members can be looked at twice."""
_OPERATORS = ("__call__", "__getitem__", "__setitem__")
_NUMBERS = {np.integer: "biu", np.floating: "biuf"}
"""Kinds of arrays that become arrays of a type without a loss."""
_KINDS: dict[Any, Any] = {
    int: (int, Integral),
    float: (float, Real),
    bool: (bool, np.bool_),
    tuple: Iterable,  # constructors make tuples
    Sequence: (Collection, np.ndarray),
    Collection: (Collection, np.ndarray),
}


def check_exports(package: str, *, methods: bool = True) -> None:
    """Let what a package exports check its arguments; without `methods`, classes check their constructors."""
    module = sys.modules[package]
    for name in exported(module):
        setattr(module, name, checking(getattr(module, name), methods=methods))


def exported(module: ModuleType) -> list[str]:
    """Return the names that a module exports: without ``__all__``, those of its functions and classes."""
    return getattr(module, "__all__", None) or [
        name
        for name, each in vars(module).items()
        if not name.startswith("_")
        and isinstance(each, (FunctionType, type))
        and each.__module__.startswith(module.__name__)
    ]


def checking(exported: Any, *, methods: bool = True) -> Any:
    """Let a function, or the methods of a class, check arguments: an error names the one that is wrong.

    Returns
    -------
    object
        The class, or the function that takes the place of the other one in its module.
    """
    if isinstance(exported, FunctionType):
        module, checked = sys.modules[exported.__module__], _checked(exported)
        if getattr(module, checked.__name__, None) is exported:
            setattr(module, checked.__name__, checked)
        return checked
    if isinstance(exported, MethodType):
        return MethodType(_checked(exported.__func__), exported.__self__)
    for kind in exported.__mro__ if isinstance(exported, type) else ():
        if is_ours(kind.__module__):
            _check_methods(kind, methods)
    return exported


def _check_methods(owner: type, methods: bool) -> None:
    for name, member in list(vars(owner).items()):
        if name != "__init__" and not (methods and (name in _OPERATORS or not name.startswith("_"))):
            continue
        if isinstance(member, (classmethod, staticmethod)):
            setattr(owner, name, type(member)(_checked(member.__func__, owner)))
        elif isinstance(member, FunctionType) and is_ours(member.__module__):
            setattr(owner, name, _checked(member, owner))
        elif isinstance(member, property) and member.fset is not None:
            setattr(owner, name, member.setter(_checked(member.fset, owner)))


def _checked(function: Any, owner: type | None = None) -> Any:
    if hasattr(function, "checks_arguments") or inspect.iscoroutinefunction(function):
        return function
    signature: _Signature | None = None

    @wraps(function)
    def call(*args: Any, **named: Any) -> Any:
        caller = sys._getframe().f_back
        if caller is None or not is_ours(caller.f_globals.get("__name__", "")):
            nonlocal signature
            if signature is None:
                signature = _Signature(function, owner)
            signature.check(args, named)
        return function(*args, **named)

    vars(call)["checks_arguments"] = True
    return call


def refusing(words: str) -> Callable[[Checked], Checked]:
    """Let errors of a function's arguments begin with words, in which ``{}`` is the wrong type."""

    def mark(function: Checked) -> Checked:
        vars(function)["refusal"] = f"{words}: "
        return function

    return mark


class _Argument:
    """A parameter, and the values that it may have."""

    def __init__(self, parameter: inspect.Parameter, annotation: Any, refusal: str = "") -> None:
        written = parameter.annotation
        self.name, self.refusal = parameter.name, refusal
        self.expected = written if isinstance(written, str) else _written(written)
        if get_origin(annotation) is Annotated:
            self.expected = _written(get_args(annotation)[0])
        self.annotation = annotation
        self.fits = _test(annotation)
        self.is_whole = self.fits is not None and not self.fits(0.5)
        members = _members(annotation)
        self.limits = [
            limit for each in members if get_origin(each) is Annotated for limit in each.__metadata__
        ]

    def check(self, value: Any) -> None:
        if self.fits is not None and not self.fits(value):
            name, annotation, wrong = _innermost(self.name, self.annotation, value)
            expected = self.expected if name == self.name else _written(annotation)
            kind = _kind_of(wrong)
            refusal = self.refusal.format(kind)
            raise TypeError(f"{refusal}expected {name} to be of type {expected}, got {kind}")
        if self.is_whole and isinstance(value, int) and value.bit_length() > 63:
            raise ValueError(f"expected {self.name} to be a number of 64 bits, got {value}")
        for limit in self.limits:
            if value is not None and limit.ge is not None and value < limit.ge:
                raise ValueError(f"expected {self.name} to be at least {limit.ge}, got {value!r}")
            if value is not None and limit.lt is not None and not limit.gt < value < limit.lt:
                raise ValueError(f"expected {self.name} to be finite, got {value!r}")
            if limit.min_length is not None and len(value) < limit.min_length:
                raise ValueError(f"expected {self.name} to have at least {limit.min_length}, got {value!r}")


class _Signature:
    """The parameters of a function."""

    def __init__(self, function: Any, owner: type | None) -> None:
        self.positional: list[_Argument] = []
        self.named: dict[str, _Argument] = {}
        self.more: _Argument | None = None
        self.more_named: _Argument | None = None
        annotations = _annotations(function, owner)
        refusal = getattr(function, "refusal", "")
        for parameter in inspect.signature(function).parameters.values():
            argument = _Argument(parameter, annotations.get(parameter.name, Any), refusal)
            if parameter.kind is parameter.VAR_POSITIONAL:
                self.more = argument
            elif parameter.kind is parameter.VAR_KEYWORD:
                self.more_named = argument
            else:
                self.named[parameter.name] = argument
                if parameter.kind is not parameter.KEYWORD_ONLY:
                    self.positional.append(argument)

    def check(self, args: tuple[Any, ...], named: Mapping[str, Any]) -> None:
        for number, value in enumerate(args):
            argument = self.positional[number] if number < len(self.positional) else self.more
            if argument is not None:
                argument.check(value)
        for name, value in named.items():
            argument = self.named.get(name, self.more_named)
            if argument is not None:
                argument.check(value)


class _Unknown:
    """A type, or a module of types, that only type checkers import."""

    def __getattr__(self, name: str) -> _Unknown:
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __call__(self) -> None:
        """Be callable, as types are."""

    def __getitem__(self, item: Any) -> _Unknown:
        return self

    def __or__(self, other: Any) -> _Unknown:
        return self

    __ror__ = __or__


class _Names(dict[str, Any]):
    """The names of a module."""

    def __missing__(self, name: str) -> Any:
        return getattr(builtins, name, _Unknown())


def _annotations(function: Any, owner: type | None) -> dict[str, Any]:
    """Return the types of the parameters of a function; a dataclass may inherit some from other modules."""
    inner = inspect.unwrap(function)
    written = [(inner.__annotations__, inner.__globals__)]
    if owner is not None and _makes_constructor(owner) and inner.__name__ == "__init__":
        for kind in reversed(owner.__mro__):
            written.append((vars(kind).get("__annotations__", {}), vars(sys.modules[kind.__module__])))
    found: dict[str, Any] = {}
    for texts, names in written:
        wanted = {name: text for name, text in texts.items() if name in inner.__annotations__}
        wanted.pop("return", None)
        holder = SimpleNamespace(__annotations__=wanted)
        found.update(get_type_hints(holder, {}, _Names(names), include_extras=True))
    return found


def _makes_constructor(owner: type) -> bool:
    """Tell whether a class is a dataclass that has no constructor of its own."""
    return is_dataclass(owner) and "__init__" in vars(owner) and owner.__dataclass_params__.init  # type: ignore[attr-defined]


def _members(annotation: Any) -> tuple[Any, ...]:
    """Return the members of a union, or the annotation."""
    return get_args(annotation) if get_origin(annotation) in (Union, UnionType) else (annotation,)


def _test(annotation: Any) -> Test | None:
    """Make the test of an annotation; None if anything fits."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if annotation is ArrayLike:
        return lambda value: isinstance(value, (*_ARRAYS, Number)) or hasattr(value, "__array__")
    if origin is Annotated:
        return _test(arguments[0])
    if origin in (Union, UnionType):
        members: tuple[Any, ...] = arguments
        if all(each in members for each in get_args(ArrayLike)):  # a union that is a part of this one
            members = (ArrayLike, *(each for each in members if each not in get_args(ArrayLike)))
        tests = [_test(member) for member in members]
        return None if None in tests else reduce(_either, filter(None, tests))
    if origin is Literal:
        kinds = tuple({type(choice) for choice in arguments})
        return lambda value: isinstance(value, kinds)
    if isinstance(annotation, TypeVar):
        bound = annotation.__bound__
        if isinstance(bound, ForwardRef):
            bound = vars(sys.modules[annotation.__module__])[bound.__forward_arg__.partition("[")[0]]
        return _test(bound) if bound else None
    if isinstance(annotation, NewType):
        return _test(annotation.__supertype__)
    kind: Any = annotation if origin is None else origin
    kind = NoneType if kind is None else kind
    if kind in (typing.IO, typing.TextIO, typing.BinaryIO):
        return lambda value: hasattr(value, "read") or hasattr(value, "write")
    if kind in (object, Any) or not isinstance(kind, type):
        return None
    if kind is np.ndarray:
        return _array_test(arguments)
    if _has_doubles(kind) and is_ours(kind.__module__):
        return _protocol_test(kind)
    kinds = _kinds(kind, arguments)
    fit = _members_test(kind, arguments)
    if fit is None:
        return lambda value: isinstance(value, kinds)
    return lambda value: isinstance(value, kinds) and (not isinstance(value, _HELD) or fit(value))


def _kinds(kind: Any, arguments: tuple[Any, ...]) -> Any:
    """Return the types of values that fit; members with a type each have an order."""
    return (Sequence, np.ndarray) if _has_places(kind, arguments) else _KINDS.get(kind, kind)


def _has_places(kind: type, arguments: tuple[Any, ...]) -> bool:
    """Tell whether each member of a tuple has a type."""
    return kind is tuple and bool(arguments) and ... not in arguments


def _members_test(kind: type, arguments: tuple[Any, ...]) -> Test | None:
    """Make the test of the members of a collection; None if anything fits."""
    tests = [_test(each) or (lambda value: True) for each in arguments if each is not ...]
    if _has_places(kind, arguments):
        return lambda value: (
            (
                np.shape(value)[:1] == (len(tests),)
                if isinstance(value, np.ndarray)
                else len(value) == len(tests)
            )
            and all(test(each) for test, each in zip(tests, value, strict=True))
        )
    if not any(map(_test, arguments)) or not issubclass(kind, Iterable):
        return None
    if issubclass(kind, Mapping):
        return lambda value: all(map(tests[0], value)) and all(map(tests[1], value.values()))
    unordered = (dict, set, frozenset) if kind is Sequence else ()
    return lambda value: not isinstance(value, unordered) and all(map(tests[0], _different(value)))


def _different(value: Any) -> Any:
    """Return the members of a collection; the first if all are of one type."""
    if isinstance(value, np.ndarray):
        return (value if value.dtype == object else value[:1]) if value.ndim else [value]
    return value[:1] if isinstance(value, (str, bytes, range)) else value


def _array_test(arguments: tuple[Any, ...]) -> Test:
    """Make the test of an array, or of what becomes one."""
    number: Any = get_args(arguments[1])[0] if arguments else None
    kinds = next((_NUMBERS[kind] for kind in _NUMBERS if kind in getattr(number, "__mro__", ())), None)

    def test(value: Any) -> bool:
        if not isinstance(value, _ARRAYS) or isinstance(value, (str, bytes)):
            return False
        if kinds is None or not isinstance(value, (*_HELD, np.generic)):
            return True
        try:
            array = np.asarray(value)
        except ValueError:
            return False
        return array.dtype.kind in kinds or array.size == 0

    return test


def _innermost(name: str, annotation: Any, value: Any) -> tuple[str, Any, Any]:
    """Find the innermost part of a value that does not fit: its name, its annotation and itself."""
    if get_origin(annotation) is Annotated:
        annotation = get_args(annotation)[0]
    for member in _members(annotation):
        for inner, part, each in _parts(name, member, value):
            fits = _test(part)
            if fits is not None and not fits(each):
                return _innermost(inner, part, each)
    return name, annotation, value


def _parts(name: str, annotation: Any, value: Any) -> Iterator[tuple[str, Any, Any]]:
    """Iterate over the members of a value of the right type: name, annotation, member."""
    kind, arguments = get_origin(annotation), get_args(annotation)
    if not isinstance(kind, type) or not issubclass(kind, Iterable) or kind is np.ndarray:
        return
    if not isinstance(value, _HELD) or not isinstance(value, _kinds(kind, arguments)):
        return
    if isinstance(value, np.ndarray) and value.ndim == 0:
        return
    if issubclass(kind, Mapping):
        for key, each in value.items():
            yield f"a key of {name}", arguments[0], key
            yield f"{name}[{key!r:.40}]", arguments[1], each
    elif not _has_places(kind, arguments) or len(value) == len(arguments):
        parts = arguments if _has_places(kind, arguments) else arguments[:1] * len(value)
        for place, (part, each) in enumerate(zip(parts, value, strict=True)):
            yield f"a member of {name}" if isinstance(value, (dict, Set)) else f"{name}[{place}]", part, each


def _written(annotation: Any) -> str:
    """Write an annotation without the modules of its types."""
    return re.sub(r"[\w.]+\.(?=\w)", "", inspect.formatannotation(annotation))


def _kind_of(value: Any) -> str:
    """Name the type of a value for an error."""
    if isinstance(value, np.ndarray):
        return f"{value.ndim}-dimensional array of {value.dtype}"
    return type(value).__name__ + (f" of length {len(value)}" if isinstance(value, tuple) else "")


def _either(one: Test, other: Test) -> Test:
    """Make the test of a union."""
    return lambda value: one(value) or other(value)


def _has_doubles(kind: type) -> bool:
    """Tell whether other objects may stand in for those of a class, as for those of a protocol."""
    return any(vars(kind).get(name, False) for name in ("_is_protocol", "has_doubles"))


def _protocol_test(protocol: Any) -> Test:
    """Make the test of a protocol: a value has some of its members, a collection all of them.

    A double in a test may lack others.
    """
    members = {
        name
        for kind in protocol.__mro__
        if _has_doubles(kind)
        for name in (*vars(kind), *vars(kind).get("__annotations__", ()))
        if not re.match("_(?!_(call|len|iter|getitem|getattr)__)", name)
    }

    def test(value: Any) -> bool:
        if isinstance(value, _HELD):
            return all(hasattr(type(value), name) for name in members)
        return any(
            hasattr(type(value), name) or name in getattr(value, "__dict__", ())
            for name in (*members, "__getattr__")
        )

    return test
