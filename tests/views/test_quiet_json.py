"""quiet-shell's shapes."""

import pytest

from punchlist.model import How
from punchlist.views.quiet_json import SUPPRESSED, execute_result, list_templates


def test_a_success_is_suppressed_with_all_six_fields() -> None:
    assert execute_result(How(ending="exit", exit_code=0), "lots") == {
        "result": "success",
        "exit_code": 0,
        "output": SUPPRESSED,
        "template_used": None,
        "output_file": None,
        "output_file_error": None,
    }


def test_a_success_is_shown_when_asked() -> None:
    assert execute_result(How(ending="exit", exit_code=0), "lots", suppress=False)["output"] == "lots"


@pytest.mark.parametrize(
    ("how", "code"),
    [
        (How(ending="exit", exit_code=2), 2),
        (How(ending="signal", signal=9), 137),
        (How(ending="signal", signal=11), 139),
        (How(ending="timeout"), 124),
        (How(ending="not_found"), 127),
        (How(ending="exit", exit_code=137), 137),
    ],
)
def test_whatever_did_not_exit_with_zero_is_a_failure(how: How, code: int) -> None:
    answer = execute_result(how, "out", template="tsc")
    assert (answer["result"], answer["exit_code"], answer["output"]) == ("failure", code, "out")


def test_templates_are_counted() -> None:
    assert list_templates([("tsc", "d", "error", 1)]) == {
        "templates": [{"name": "tsc", "description": "d", "include_regex": "error", "tail_paragraphs": 1}],
        "count": 1,
    }
