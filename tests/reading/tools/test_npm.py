"""npm's own error lines, whole or spoiled."""

import pytest

from punchlist.model import How
from punchlist.reading.reader import read


@pytest.mark.parametrize("line", ['npm errorBMissing script: "x"', "npm ERR!!", "npm errors are listed below"])
def test_a_line_that_only_begins_like_an_error_of_npm_is_passed_over(line: str) -> None:
    log = f'{line}\nnpm error Missing script: "build"\n'.encode()
    report = read(log, command="npm run build", how=How(ending="exit", exit_code=1))
    assert [d.message for d in report.diagnostics] == ['Missing script: "build"']
