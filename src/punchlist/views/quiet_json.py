"""quiet-shell's documented JSON: one command's answer, and the list of templates."""

from collections.abc import Iterable
from typing import Any

from punchlist.model import How, exit_status
from punchlist.views.masking import mask

SUPPRESSED = "passed with exit code 0; its output was not asked for"


def execute_result(
    how: How,
    output: str,
    *,
    template: str | None = None,
    suppress: bool = True,
    output_file: str | None = None,
    output_file_error: str | None = None,
) -> dict[str, Any]:
    """Shape the answer of `execute_command`, always with these six fields.

    `result` is success only for a process that exited by itself with 0; a signal's code is 128 + its number.
    With `suppress` the output of a success is replaced by one sentence.
    """
    code = how.exit_code if how.ending == "exit" and how.exit_code is not None else exit_status(how, "error")
    success = code == 0
    return {
        "result": "success" if success else "failure",
        "exit_code": code,
        "output": SUPPRESSED if success and suppress else mask(output),
        "template_used": template,
        "output_file": output_file,
        "output_file_error": output_file_error,
    }


def list_templates(templates: Iterable[tuple[str, str, str, int]]) -> dict[str, Any]:
    """Shape the answer of `list_templates` from (name, description, include_regex, tail_paragraphs)."""
    listed = [
        {"name": name, "description": description, "include_regex": regex, "tail_paragraphs": tail}
        for name, description, regex, tail in templates
    ]
    return {"templates": listed, "count": len(listed)}
