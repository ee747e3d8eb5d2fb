"""Data classes that cost next to nothing until they are used: the same decorator, `field`, `replace` and `fields`.

The standard library's writes and compiles half a dozen functions for each class while a module is imported, about
0.7 ms a class and 20 ms for itself; with a hundred classes that was most of what a short command had to wait for.
Here a class gets shared functions, and its `__init__` is compiled when the first instance is made. The standard
library's own `replace`, `fields` and `asdict` know these classes as well.
"""

from collections.abc import Callable
from operator import attrgetter
from typing import Any, TypeVar, dataclass_transform, overload

T = TypeVar("T")
Namespace = dict[str, Any]


class _Missing:
    def __repr__(self) -> str:
        return "<no default>"


MISSING = _Missing()


class Field:
    """What is known of one field; `default` is MISSING where there is none."""

    __slots__ = ("compare", "default", "default_factory", "kw_only", "name", "repr")
    init = True

    def __init__(self, default: Any, default_factory: Any, repr: bool, compare: bool) -> None:  # noqa: A002
        self.name, self.kw_only = "", False
        self.default, self.default_factory, self.repr, self.compare = default, default_factory, repr, compare

    @property
    def _field_type(self) -> object:
        import dataclasses

        return vars(dataclasses)["_FIELD"]


def field(
    *,
    default: Any = MISSING,
    default_factory: Callable[[], Any] | _Missing = MISSING,
    repr: bool = True,  # noqa: A002
    compare: bool = True,
) -> Any:
    """Describe a field: its default, or what makes one for each instance; whether it is shown and compared."""
    return Field(default, default_factory, repr, compare)


@overload
def dataclass(cls: type[T], /) -> type[T]: ...
@overload
def dataclass(
    *, frozen: bool = False, slots: bool = True, kw_only: bool = False, order: bool = False, eq: bool = True
) -> Callable[[type[T]], type[T]]: ...
@dataclass_transform(field_specifiers=(field,))
def dataclass(
    cls: type[T] | None = None,
    /,
    *,
    frozen: bool = False,
    slots: bool = True,
    kw_only: bool = False,
    order: bool = False,
    eq: bool = True,
) -> type[T] | Callable[[type[T]], type[T]]:
    """Make a data class, always with slots; the arguments mean what they mean in the standard library."""

    def decorate(one: type[T]) -> type[T]:
        return _made(one, frozen=frozen, kw_only=kw_only, order=order, eq=eq)

    assert slots, "every data class here has slots"
    return decorate if cls is None else decorate(cls)


def _made(cls: type[T], *, frozen: bool, kw_only: bool, order: bool, eq: bool) -> type[T]:
    inherited: dict[str, Field] = {}
    for base in reversed(cls.__mro__[1:]):
        inherited.update(base.__dict__.get("__dataclass_fields__", {}))
    space = {name: value for name, value in cls.__dict__.items() if name not in ("__dict__", "__weakref__")}
    own = {}
    for name, hint in cls.__annotations__.items():
        if "ClassVar" not in str(hint):
            default = space.pop(name, MISSING)
            one = own[name] = default if isinstance(default, Field) else Field(default, MISSING, True, True)
            one.name, one.kw_only = name, kw_only
    known = {**inherited, **own}
    space["__slots__"] = tuple(name for name in own if name not in inherited)
    space["__dataclass_fields__"] = known
    space.setdefault("__match_args__", tuple(name for name, one in known.items() if not one.kw_only))
    for name, value in _methods(known, frozen=frozen, order=order, eq=eq).items():
        space.setdefault(name, value)
    if eq and not frozen:
        space.setdefault("__hash__", None)
    made: Any = type.__new__(type(cls), cls.__name__, cls.__bases__, space)
    made.__qualname__ = cls.__qualname__
    if "__init__" not in cls.__dict__:
        made.__init__ = _init_when_needed(made, known)
    done: type[T] = made
    return done


def _methods(known: dict[str, Field], *, frozen: bool, order: bool, eq: bool) -> Namespace:
    shown = tuple(name for name, one in known.items() if one.repr)
    methods: Namespace = {"__repr__": _repr_of(shown), "__getstate__": _getstate, "__setstate__": _setstate}
    if eq:
        methods |= _comparisons(tuple(name for name, one in known.items() if one.compare), frozen=frozen, order=order)
    if frozen:
        methods |= {"__setattr__": _refuse_to_set, "__delattr__": _refuse_to_delete}
    return methods


def _comparisons(names: tuple[str, ...], *, frozen: bool, order: bool) -> Namespace:
    get: Callable[[Any], Any] = attrgetter(*names) if names else lambda _: ()

    def equal(self: Any, other: Any) -> Any:
        return get(self) == get(other) if other.__class__ is self.__class__ else NotImplemented

    def less(self: Any, other: Any) -> Any:
        return get(self) < get(other) if other.__class__ is self.__class__ else NotImplemented

    def at_most(self: Any, other: Any) -> Any:
        return get(self) <= get(other) if other.__class__ is self.__class__ else NotImplemented

    methods: Namespace = {"__eq__": equal}
    if frozen:
        methods["__hash__"] = lambda self: hash(get(self))
    if order:  # the two others are these two with their sides changed
        methods |= {"__lt__": less, "__le__": at_most}
        methods |= {"__gt__": lambda self, other: less(other, self), "__ge__": lambda self, other: at_most(other, self)}
    return methods


def _repr_of(shown: tuple[str, ...]) -> Callable[[Any], str]:
    def represent(self: Any) -> str:
        return f"{type(self).__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in shown)})"

    return represent


def _init_when_needed(cls: type, known: dict[str, Field]) -> Callable[..., None]:
    def __init__(self: Any, *arguments: Any, **named: Any) -> None:  # noqa: N807
        made = _compiled_init(cls, known)
        cls.__init__ = made  # type: ignore[misc]
        made(self, *arguments, **named)

    return __init__


def _compiled_init(cls: type, known: dict[str, Field]) -> Callable[..., None]:
    """Compile `__init__`: it stores through the slots themselves, which a frozen class lets nobody else do."""
    space: Namespace = {"MISSING": MISSING}
    plain: list[str] = []
    named: list[str] = []
    body = []
    for name, one in known.items():
        space[f"set_{name}"] = getattr(cls, name).__set__
        value, default = name, ""
        if one.default_factory is not MISSING:
            space[f"make_{name}"] = one.default_factory
            value, default = f"make_{name}() if {name} is MISSING else {name}", " = MISSING"
        elif one.default is not MISSING:
            space[f"default_{name}"] = one.default
            default = f" = default_{name}"
        (named if one.kw_only else plain).append(name + default)
        body.append(f"    set_{name}(self, {value})")
    if hasattr(cls, "__post_init__"):
        body.append("    self.__post_init__()")
    arguments = ", ".join(["self", *plain, *(["*", *named] if named else [])])
    exec(f"def __init__({arguments}):\n" + "\n".join(body or ["    pass"]), space)  # noqa: S102 - names of fields only
    made: Callable[..., None] = space["__init__"]
    made.__qualname__ = f"{cls.__qualname__}.__init__"
    return made


def _refuse_to_set(self: Any, name: str, _: Any) -> None:
    raise AttributeError(f"cannot assign to field {name!r} of a frozen {type(self).__name__}")


def _refuse_to_delete(self: Any, name: str) -> None:
    raise AttributeError(f"cannot delete field {name!r} of a frozen {type(self).__name__}")


def _getstate(self: Any) -> list[Any]:
    return [getattr(self, name) for name in self.__dataclass_fields__]


def _setstate(self: Any, state: list[Any]) -> None:
    for name, value in zip(self.__dataclass_fields__, state, strict=True):
        object.__setattr__(self, name, value)


def fields(cls: Any) -> tuple[Field, ...]:
    """Return the fields of a data class (or of an instance) in order."""
    return tuple(cls.__dataclass_fields__.values())


def replace(one: T, /, **changes: Any) -> T:
    """Return a copy with some fields changed; raises TypeError for a name that is no field."""
    known: dict[str, Field] = one.__dataclass_fields__  # type: ignore[attr-defined]
    return type(one)(**{**{name: getattr(one, name) for name in known}, **changes})
