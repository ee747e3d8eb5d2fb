from dataclasses import dataclass, field

import pytest

from punchlist.model import Trouble
from punchlist.reading import templates
from punchlist.reading.templates import BUILT_IN, Template, filter_output, find_template, list_templates, suppresses

MAVEN_TEST = (
    r"(\[ERROR\]|\[INFO\] Results:|\[INFO\] Tests run:(?!.*-- in)|\[INFO\] BUILD (SUCCESS|FAILURE)|"
    r"\[INFO\] Total time:|\[INFO\] Finished at:)"
)


def template(regex: str, tail: int = 0) -> Template:
    return Template("own", "", regex, tail, None, ".quiet-shell/config.yaml", 4)


@dataclass
class Settings:
    templates: dict[str, Template] = field(default_factory=dict)


def kept(text: str, regex: str, tail: int = 0, failed: bool = True) -> list[str]:
    return filter_output(text.splitlines(), template(regex, tail), failed)


def test_the_built_in_templates_have_the_documented_expressions() -> None:
    assert {t.name: (t.include_regex, t.tail_paragraphs) for t in list_templates()} == {
        "tsc": (r"(error TS|TS[0-9]+:|Found [0-9]+ error)", 1),
        "vitest": (r"(FAIL|ERROR|✖|❯.*failed|Test Files\s+\d+|Tests\s+\d+|Tasks:|Cached:|Time:)", 0),
        "maven-build": (
            r"(\[ERROR\]|\[INFO\] BUILD (SUCCESS|FAILURE)|\[INFO\] Total time:|\[INFO\] Finished at:)",
            0,
        ),
        "maven-test": (
            MAVEN_TEST,
            0,
        ),
    }


def test_own_templates_extend_the_built_in_ones_and_override_by_name() -> None:
    own = Settings({"jest": template("(FAIL|●)"), "vitest": template("mine", 3)})
    found = list_templates(own)
    assert [t.name for t in found] == ["tsc", "vitest", "maven-build", "maven-test", "jest"]
    assert (found[1].include_regex, found[1].tail_paragraphs) == ("mine", 3)


def test_an_unknown_template_is_refused_with_the_names_there_are() -> None:
    with pytest.raises(Trouble) as raised:
        find_template("nope", Settings({"jest": template("x")}))
    assert raised.value.code == "unknown_template"
    assert str(raised.value) == (
        'Template "nope" not found. Use list_templates tool to see available templates. '
        "Available: tsc, vitest, maven-build, maven-test, jest"
    )


@pytest.mark.parametrize("regex", ["(?i)error", "(", "[a", "*a", "a**", r"\p{L}", "(?P<x>a)", "(?>a)", r"x\\\u{1F600}"])
def test_an_expression_that_cannot_be_used_is_refused_with_its_place(regex: str) -> None:
    with pytest.raises(Trouble) as raised:
        list_templates(Settings({"own": template(regex)}))
    assert str(raised.value).startswith('.quiet-shell/config.yaml:4: template "own": include_regex cannot be used')
    assert raised.value.code == "invalid_configuration"


DOCUMENTED = """\
✓ test 1 passed
✓ test 2 passed
✖ test 51 failed
  expected: true
  received: false
✖ test 52 failed
  error: timeout

Tests: 50 passed, 2 failed, 52 total
Time: 5.2 s
"""


def test_the_documented_example_gives_the_documented_lines() -> None:
    assert kept(DOCUMENTED, "(FAIL|ERROR|✖|❯.*failed)", 1) == [
        "✖ test 51 failed",
        "  expected: true",
        "  received: false",
        "✖ test 52 failed",
        "  error: timeout",
        "Tests: 50 passed, 2 failed, 52 total",
        "Time: 5.2 s",
    ]


def test_lines_stay_in_their_order_and_come_once_where_match_and_tail_overlap() -> None:
    assert kept("error X\nat 3\n\nnoise\n\ntail one\nerror X", "error X", 1) == ["error X", "tail one", "error X"]


def test_equal_lines_of_different_failures_all_stay() -> None:
    text = "FAIL a\n  Expected: true\n\nFAIL b\n  Expected: true\n\nFAIL a\n"
    assert kept(text, "FAIL") == ["FAIL a", "  Expected: true", "FAIL b", "  Expected: true", "FAIL a"]


def test_equal_lines_one_after_the_other_become_one_with_their_number() -> None:
    assert kept("ERROR x\nERROR x\nERROR x\nERROR y\n", "ERROR") == ["ERROR x (×3)", "ERROR y"]


@pytest.mark.parametrize("tail", [0, 1])
def test_a_failure_of_which_nothing_matches_is_shown_whole(tail: int) -> None:
    assert kept("sh: vitest: not found\n", "FAIL", tail) == ["sh: vitest: not found"]


def test_of_a_long_output_that_matches_nothing_the_last_lines_are_shown_and_the_rest_is_counted() -> None:
    lines = kept("\n".join(f"line {n}" for n in range(100)), "FAIL", 1)
    assert lines[0] == "[70 lines before these]"
    assert lines[1:] == [f"line {n}" for n in range(70, 100)]


def test_a_success_shows_what_matches_and_no_more() -> None:
    assert kept("built in 3 s\nnoise\n", "built", failed=False) == ["built in 3 s"]
    assert kept("noise\n", "built", failed=False) == []
    assert kept("a\n\nb\nc\n", "built", 1, failed=False) == ["b", "c"]


VITEST = """\
 RUN  v2.1.8 /app

 ❯ src/math.test.ts (2 tests | 1 failed) 5ms
   × adds 4ms
     → expected 3 to be 4 // Object.is equality

⎯⎯⎯⎯⎯⎯⎯ Failed Tests 1 ⎯⎯⎯⎯⎯⎯⎯

 FAIL  src/math.test.ts > adds
AssertionError: expected 3 to be 4 // Object.is equality

- Expected
+ Received

- 4
+ 3

 ❯ src/math.test.ts:5:17
      3|
      4| test('adds', () => {
      5|   expect(add(1, 2)).toBe(4);

 Test Files  1 failed (1)
      Tests  1 failed | 1 passed (2)
"""


def test_a_failing_test_comes_with_its_message_and_its_place() -> None:
    found = filter_output(VITEST.splitlines(), find_template("vitest"), True)
    assert "AssertionError: expected 3 to be 4 // Object.is equality" in found
    assert " ❯ src/math.test.ts:5:17" in found
    assert found[-1] == "      Tests  1 failed | 1 passed (2)"
    assert "RUN" not in "\n".join(found)


def test_continuation_lines_of_a_compiler_stay_with_their_error() -> None:
    text = (
        "a.ts(1,1): error TS2345: Argument\n  Type 'string'\n    is not 'number'.\nplain\n\n"
        "b.ts(2,2): error TS2322: Type\n\nFound 2 errors."
    )
    assert filter_output(text.splitlines(), find_template("tsc"), True) == [
        "a.ts(1,1): error TS2345: Argument",
        "  Type 'string'",
        "    is not 'number'.",
        "b.ts(2,2): error TS2322: Type",
        "Found 2 errors.",
    ]


@pytest.mark.parametrize(
    "line",
    [
        "\x1b[31mFAIL\x1b[0m x",
        "\x1b[96mFA\x1b[0mIL x",
        "10%\r50%\rFAIL x",
        "FAIL x\r\n",
        "\x1b]8;;file:///x\x07FAIL x\x1b]8;;\x07",
    ],
)
def test_colours_links_and_overwritten_text_do_not_hide_a_line(line: str) -> None:
    assert filter_output([line], template("^FAIL x$"), True) == ["FAIL x"]


def test_an_expression_that_never_ends_is_given_up_and_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(templates, "TIME_LIMIT_S", 0.1)
    lines = kept("a" * 70 + "b\nlast line\n", "(a|aa)+$")
    assert lines[:2] == ["a" * 70 + "b", "last line"]
    assert "took too long" in lines[-1]


@pytest.mark.parametrize(
    ("own", "asked", "expected"),
    [
        (None, None, True),
        (False, None, False),
        (True, None, True),
        (False, True, True),
        (True, False, False),
        (None, False, False),
    ],
)
def test_a_template_decides_about_passing_output_unless_the_call_does(
    own: bool | None, asked: bool | None, expected: bool
) -> None:
    assert suppresses(Template("x", "", "x", 0, own), asked) is expected


def test_without_a_template_passing_output_is_left_out() -> None:
    assert suppresses(None, None) is True


@pytest.mark.parametrize("text", ["", "\n\n", "   \n"])
@pytest.mark.parametrize("own", [*BUILT_IN, template("x", 2)])
def test_no_output_gives_no_lines(text: str, own: Template) -> None:
    assert filter_output(text.splitlines(), own, True) == []


def test_more_paragraphs_than_there_are_give_all() -> None:
    assert kept("a\n\nFAIL\n", "FAIL", 9) == ["a", "FAIL"]


def test_a_last_paragraph_without_end_never_brings_the_whole_log() -> None:
    lines = kept("error 1\n" + "\n".join(f"noise {n}" for n in range(500)), "error", 1)
    assert lines == ["error 1", *(f"noise {n}" for n in range(460, 500))]


def test_a_long_log_is_no_reason_to_give_an_expression_up() -> None:
    lines = kept("ok line\n" * 200_000 + "FAIL x\n", r"^\s*(at .*|.*FAIL.*)$")
    assert lines == ["FAIL x"]
