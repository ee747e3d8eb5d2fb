import pytest

from punchlist.running.environment import PRESENTATION, composed, nested


def test_only_looks_are_changed():
    base = {"PATH": "/bin", "HOME": "/root", "FORCE_COLOR": "1", "LANG": "de_DE.UTF-8"}
    env = composed(base)
    assert {name: env.get(name) for name in ("PATH", "HOME", "LANG")} == {k: base[k] for k in ("PATH", "HOME", "LANG")}
    assert "FORCE_COLOR" not in env
    assert env["NO_COLOR"] == "1"
    assert set(env) - set(base) <= {variable.name for variable in PRESENTATION}
    assert "CI" not in env


def test_what_is_set_on_purpose_wins():
    env = composed({}, {"FORCE_COLOR": "1", "COLUMNS": "60"})
    assert (env["FORCE_COLOR"], env["COLUMNS"]) == ("1", "60")


@pytest.mark.parametrize("value", ["off", "0", "no"])
def test_all_of_it_can_be_switched_off(value):
    base = {"FORCE_COLOR": "1", "PUNCHLIST_PRESENTATION": value}
    assert composed(base) == base
    assert composed({"A": "b"}, presentation=False) == {"A": "b"}


def test_each_can_be_switched_off():
    env = composed(
        {"TERM": "xterm", "PUNCHLIST_PRESENTATION": "-term, -FORCE_COLOR", "FORCE_COLOR": "1"}, keep=("COLUMNS",)
    )
    assert (env["TERM"], env["FORCE_COLOR"], "COLUMNS" in env) == ("xterm", "1", False)
    assert env["NO_COLOR"] == "1"


def test_a_nested_run_is_recognised():
    assert nested(composed({}, run_id="test-3")) == "test-3"
    assert nested({}) == ""


def test_the_table_says_why():
    assert all(variable.why for variable in PRESENTATION)
    assert len({variable.name for variable in PRESENTATION}) == len(PRESENTATION)
