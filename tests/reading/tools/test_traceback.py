import pytest

from punchlist.model import How, Report
from punchlist.reading.reader import read

LOGGED = """\
2026-11-30 16:51:47 ERROR worker failed
Traceback (most recent call last):
  File "/home/dev/shop/a.py", line 13, in work
    {}["sku"]
KeyError: 'sku'
"""
UNCAUGHT = """\
Traceback (most recent call last):
  File "/home/dev/shop/a.py", line 20, in <module>
    work()
  File "/home/dev/shop/a.py", line 13, in work
    {}["sku"]
KeyError: 'sku'
"""


def report(stderr: str, command: str, code: int) -> Report:
    return read(b"", stderr.encode(), command=command, how=How(ending="exit", exit_code=code), root="/home/dev/shop")


@pytest.mark.parametrize(
    ("log", "command", "code", "outcome", "places"),
    [
        (UNCAUGHT, "python a.py", 1, "failed", [("a.py", 13)]),
        (UNCAUGHT, "shop-sync --all", 1, "failed", [("a.py", 13)]),
        (LOGGED, "python a.py", 0, "passed", [("a.py", 13)]),
        (LOGGED, "python a.py", 1, "failed", [("a.py", 13)]),
    ],
)
def test_an_uncaught_exception_is_a_finding_and_a_logged_one_only_of_a_script(
    log: str, command: str, code: int, outcome: str, places: list[tuple[str, int]]
) -> None:
    found = report(log, command, code)
    assert found.outcome == outcome
    assert [(d.file, d.line) for d in found.diagnostics if d.tool == "python"] == places


def test_a_logged_exception_of_another_program_is_left_alone() -> None:
    assert "python" not in report(LOGGED, "gunicorn app", 1).tools


def test_a_message_of_several_lines_is_kept_when_it_ends_the_log() -> None:
    found = report(UNCAUGHT.replace("KeyError: 'sku'", "ValueError: bad row\n  row 3: no price"), "python a.py", 1)
    assert [d.message for d in found.diagnostics] == ["ValueError: bad row"]
    assert "row 3: no price" in found.diagnostics[0].detail


def test_a_traceback_inside_of_a_json_line_is_read() -> None:
    line = '{"level": "error", "exc_info": "' + UNCAUGHT.replace('"', '\\"').replace("\n", "\\n") + '"}\n'
    found = report(line, "python a.py", 1)
    assert [(d.file, d.line, d.message) for d in found.diagnostics] == [("a.py", 13, "KeyError: 'sku'")]


def test_a_crash_without_own_frames_is_the_tools_error() -> None:
    log = UNCAUGHT.replace("/home/dev/shop/a.py", "/usr/lib/python3/dist-packages/tool/main.py")
    assert report(log, "some-tool check", 1).outcome == "error"


def test_a_syntax_error_that_was_the_cause_tells_its_place_and_its_line() -> None:
    text = (
        'Traceback (most recent call last):\n  File "/srv/build.py", line 3, in load\n    import cart\n'
        '  File "/srv/cart.py", line 97\n    <<<<<<< theirs\n    ^^\nSyntaxError: invalid syntax\n\n'
        "The above exception was the direct cause of the following exception:\n\n"
        'Traceback (most recent call last):\n  File "/srv/build.py", line 9, in <module>\n    load()\n'
        "BuildError: could not load cart\n"
    )
    found = report(text, "python build.py", 1).diagnostics
    assert "caused by: SyntaxError: invalid syntax (/srv/cart.py:97: <<<<<<< theirs)" in found[0].detail
