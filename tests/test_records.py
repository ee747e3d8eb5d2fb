import copy
import dataclasses
import pickle
import subprocess
import sys

import pytest

from punchlist.records import dataclass, field, fields, replace


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """Frozen, named arguments only."""

    a: int
    b: str = "x"
    c: list[int] = field(default_factory=list)
    d: int = field(default=4, repr=False, compare=False)

    @property
    def double(self) -> int:
        return self.a * 2


@dataclass(frozen=True, slots=True, order=True)
class Ordered:
    x: int
    y: str = "y"


@dataclass(slots=True)
class Mutable:
    x: int
    seen: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.seen["made"] = self.x


@dataclass(frozen=True)
class Child(Ordered):
    z: float = 0.5


@dataclass
class Empty:
    pass


def test_instances_are_made_shown_and_compared_as_expected():
    one = Named(a=1)
    assert (one.a, one.b, one.c, one.d, one.double) == (1, "x", [], 4, 2)
    assert repr(one) == "Named(a=1, b='x', c=[])"
    assert one == Named(a=1, d=5)
    assert one != Named(a=2)
    assert one != Ordered(1)
    assert repr(Empty()) == "Empty()"
    assert Empty() == Empty()


def test_each_instance_gets_a_default_of_its_own():
    assert Named(a=1).c is not Named(a=1).c
    assert Mutable(3).seen == {"made": 3}


@pytest.mark.parametrize("wrong", [lambda: Named(1), lambda: Named(a=1, e=2), Named, Ordered])
def test_wrong_arguments_are_refused(wrong):
    with pytest.raises(TypeError):
        wrong()


def test_frozen_means_frozen():
    one = Named(a=1)
    with pytest.raises(AttributeError, match="frozen Named"):
        one.a = 2
    with pytest.raises(AttributeError, match="frozen Named"):
        del one.a
    with pytest.raises(AttributeError):
        one.other = 2
    mutable = Mutable(1)
    mutable.x = 2
    with pytest.raises(AttributeError):
        mutable.other = 2


def test_order_is_that_of_the_fields():
    assert sorted([Ordered(2, "a"), Ordered(1, "b"), Ordered(1, "a")]) == [
        Ordered(1, "a"),
        Ordered(1, "b"),
        Ordered(2, "a"),
    ]
    assert Ordered(1) < Ordered(2) and Ordered(2) > Ordered(1) and Ordered(1) <= Ordered(1) and Ordered(1) >= Ordered(1)
    with pytest.raises(TypeError):
        assert Ordered(1) < Named(a=1)


def test_frozen_ones_are_hashed_by_value_and_mutable_ones_not_at_all():
    assert len({Ordered(1), Ordered(1), Ordered(2)}) == 2
    with pytest.raises(TypeError):
        hash(Mutable(1))


def test_a_child_has_its_parents_fields_first():
    assert [one.name for one in fields(Child)] == ["x", "y", "z"]
    assert repr(Child(1, "q", 2.0)) == "Child(x=1, y='q', z=2.0)"


@pytest.mark.parametrize("tool", [replace, dataclasses.replace])
def test_replace_changes_what_is_named(tool):
    assert tool(Named(a=1, b="q"), a=2) == Named(a=2, b="q")
    with pytest.raises(TypeError):
        tool(Named(a=1), nothing=2)


def test_the_standard_library_knows_them():
    assert dataclasses.is_dataclass(Named)
    assert [one.name for one in dataclasses.fields(Named)] == ["a", "b", "c", "d"]
    assert dataclasses.asdict(Child(1)) == {"x": 1, "y": "y", "z": 0.5}


@pytest.mark.parametrize("one", [Named(a=1, c=[1]), Ordered(3), Mutable(1), Child(1)])
def test_copies_and_pickles_are_equal(one):
    assert copy.copy(one) == one
    assert copy.deepcopy(one) == one
    assert pickle.loads(pickle.dumps(one)) == one


def test_matching_by_position_works():
    match Ordered(1, "b"):
        case Ordered(x, y):
            assert (x, y) == (1, "b")


def test_neither_the_standard_data_classes_nor_inspect_are_imported():
    code = "import sys, punchlist.records; print([m for m in ('dataclasses', 'inspect', 're') if m in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", f"import sys; sys.path[:] = {sys.path!r}; {code}"], capture_output=True
    )
    assert b"dataclasses" not in done.stdout
    assert b"inspect" not in done.stdout, done
