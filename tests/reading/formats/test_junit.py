"""JUnit XML as its many writers spell it."""
# ruff: noqa: E501  the reports stand as they are written

import pytest

from punchlist.model import Diagnostic, Report
from punchlist.reading.reader import read

SUREFIRE = b"""<testsuite name="shop.CartTest" tests="2" errors="0" failures="1">
  <testcase name="adds" classname="shop.CartTest">
    <failure message="expected: &lt;1&gt; but was: &lt;2&gt;" type="org.opentest4j.AssertionFailedError"><![CDATA[
org.opentest4j.AssertionFailedError: expected: <1> but was: <2>
\tat org.junit.jupiter.api.Assertions.fail(Assertions.java:1)
\tat shop.CartTest.adds(CartTest.java:40)
]]></failure>
    <rerunFailure message="expected: &lt;1&gt; but was: &lt;3&gt;" type="org.opentest4j.AssertionFailedError"/>
  </testcase>
  <testcase name="again" classname="shop.CartTest">
    <flakyError message="first time only" type="java.lang.RuntimeException"><stackTrace><![CDATA[
java.lang.RuntimeException: first time only
\tat shop.CartTest.again(CartTest.java:18)
]]></stackTrace></flakyError>
  </testcase>
</testsuite>
"""
UNITTEST = b"""<testsuite name="TestShop-1" tests="2" failures="1">
  <testcase classname="TestShop" name="test_total" file="tests/test_shop.py" line="23">
    <failure type="AssertionError" message="failed"><![CDATA[Traceback (most recent call last):
  File "/home/dev/shop/tests/test_shop.py", line 24, in test_total
    self.fail("failed")
AssertionError: failed
]]></failure>
  </testcase>
  <testcase classname="TestShop" name="test_known"><skipped type="XFAIL" message="known"/></testcase>
</testsuite>
"""
PYTEST = b"""<?xml version="1.0" encoding="utf-8"?><testsuites><testsuite name="pytest" errors="1" failures="1" tests="2">
<testcase classname="tests.test_cart.TestCart" name="test_total[a::b]"><failure message="assert 1 == 2&#10; +  where 1 = f()">
def test_total():
>       assert f() == 2
E       assert 1 == 2

tests/test_cart.py:12: AssertionError</failure></testcase>
<testcase classname="" name="tests.test_broken"><error message="collection failure">ImportError while importing test module
'/home/dev/shop/tests/test_broken.py'.
E   ModuleNotFoundError: No module named 'nope'</error></testcase></testsuite></testsuites>
"""
GO = b"""<testsuites tests="1" failures="1">
<testsuite name="shop/cart" tests="1" failures="1">
<testcase classname="shop/cart" name="TestTotal/two_mugs"><failure message="Failed"><![CDATA[
=== RUN   TestTotal/two_mugs
    cart_test.go:31: got 3, want 4
    --- FAIL: TestTotal/two_mugs (0.00s)
]]></failure></testcase></testsuite></testsuites>
"""
PHPUNIT = b"""<testsuites><testsuite name="unit" tests="1"><testsuite name="Shop\\CartTest" file="/home/dev/shop/tests/CartTest.php">
<testcase name="testTotal with data set #0" file="/home/dev/shop/tests/CartTest.php" line="10" class="Shop\\CartTest"
 classname="Shop.CartTest"><failure type="PHPUnit\\Framework\\ExpectationFailedException">Shop\\CartTest::testTotal with data set #0
Failed asserting that 3 is identical to 4.

/home/dev/shop/tests/CartTest.php:14</failure></testcase></testsuite></testsuite></testsuites>
"""
PLAYWRIGHT = """<testsuites><testsuite name="tests/shop.spec.ts" tests="1" failures="1">
<testcase name="cart › pays" classname="tests/shop.spec.ts"><failure message="shop.spec.ts:8:3 pays" type="FAILURE">
<![CDATA[  [chromium] › tests/shop.spec.ts:8:3 › cart › pays ──

    Error: expect(locator).toHaveText(expected) failed

        at /home/dev/shop/tests/shop.spec.ts:9:20

    Retry #1 ──

    Error: another
]]></failure></testcase></testsuite></testsuites>
""".encode()
REPEATED = b"""<testsuites><testsuite name="Tickets">
<testcase classname="Tickets" name="keeps"><failure message="Tickets.swift:48: Expectation failed"/>
<properties><property name="repetition" value="Repetition 1 of 3"/></properties></testcase>
<testcase classname="Tickets" name="keeps"><properties><property name="repetition" value="Repetition 2 of 3"/></properties></testcase>
</testsuite></testsuites>
"""
ESLINT = b"""<testsuites><testsuite package="org.eslint" name="/home/dev/shop/a.js" tests="1" errors="1">
<testcase time="0" name="org.eslint.no-undef" classname="/home/dev/shop/a"><failure message="&apos;x&apos; is not defined.">
<![CDATA[line 3, col 9, Warning - &apos;x&apos; is not defined. (no-undef)]]></failure></testcase></testsuite></testsuites>
"""
# (log, outcome, counts, findings: file, line, rule, test, message, state)
CASES = {
    "surefire with reruns": (
        SUREFIRE,
        "failed",
        {"passed": 1, "failed": 1, "flaky": 1},
        [
            ("CartTest.java", 40, None, "shop.CartTest.adds",
             "org.opentest4j.AssertionFailedError: expected: <1> but was: <2>", ""),
            ("CartTest.java", 18, None, "shop.CartTest.again", "java.lang.RuntimeException: first time only", "flaky"),
        ],
    ),
    "unittest": (
        UNITTEST,
        "failed",
        {"failed": 1, "xfailed": 1},
        [("tests/test_shop.py", 24, None, "TestShop.test_total", "AssertionError: failed", "")],
    ),
    "pytest": (
        PYTEST,
        "failed",
        {"failed": 1, "errors": 1},
        [
            ("tests/test_broken.py", None, None, "tests/test_broken.py", "ModuleNotFoundError: No module named 'nope'", ""),
            ("tests/test_cart.py", 12, None, "tests/test_cart.py::TestCart::test_total[a::b]", "assert 1 == 2", ""),
        ],
    ),
    "go": (
        GO,
        "failed",
        {"failed": 1},
        [("cart_test.go", 31, None, "shop/cart.TestTotal/two_mugs", "got 3, want 4", "")],
    ),
    "phpunit": (
        PHPUNIT,
        "failed",
        {"failed": 1},
        [("tests/CartTest.php", 14, None, "Shop\\CartTest::testTotal with data set #0",
          "Failed asserting that 3 is identical to 4.", "")],
    ),
    "playwright": (
        PLAYWRIGHT,
        "failed",
        {"failed": 1},
        [("tests/shop.spec.ts", 9, None, "tests/shop.spec.ts > cart › pays",
          "Error: expect(locator).toHaveText(expected) failed", "")],
    ),
    "a repetition that passed": (
        REPEATED,
        "passed",
        {"passed": 1, "flaky": 1},
        [("Tickets.swift", 48, None, "Tickets.keeps", "Tickets.swift:48: Expectation failed", "flaky")],
    ),
    "eslint": (
        ESLINT,
        "passed",
        {"warnings": 1},
        [("a.js", 3, "no-undef", None, "'x' is not defined.", "")],
    ),
}  # fmt: skip


def told(d: Diagnostic) -> tuple[object, ...]:
    return d.file, d.line, d.rule, d.test, d.message, d.state


def report(raw: bytes) -> Report:
    return read(raw, root="/home/dev/shop")


@pytest.mark.parametrize("name", CASES)
def test_each_writer_is_understood(name: str) -> None:
    raw, outcome, counts, findings = CASES[name]
    found = report(raw)
    assert sorted(map(told, found.diagnostics), key=str) == sorted(findings, key=str)
    assert {key: count for key, count in found.counts.items() if count} == counts
    assert found.outcome == outcome


def test_a_cut_report_is_partial_and_no_pass() -> None:
    found = report(SUREFIRE[: SUREFIRE.index(b"<rerunFailure")])
    assert found.partial
    assert found.outcome == "failed"
    assert report(b'<testsuites>\n<testsuite name="a">\n<testcase name="b"/>\n').outcome != "passed"
