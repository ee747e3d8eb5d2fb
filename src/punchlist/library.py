"""The public library: read any log into diagnostics."""

from punchlist.model import Diagnostic, Edit, Fix, How, Related, Report, Span, Trouble

__all__ = ["Diagnostic", "Edit", "Fix", "How", "Related", "Report", "Span", "Trouble", "read_log"]


def read_log(
    log: bytes | str,
    *,
    stderr: bytes | str = b"",
    command: str = "",
    exit_code: int | None = None,
    root: str = "",
    parser: str | None = None,
) -> Report:
    """Read what a tool printed into a report.

    `command` is the command as a person would type it and `exit_code` its exit code, where they are known; `root` the
    folder that absolute paths in the log start with; `parser` the one parser to use. Text is taken as UTF-8. Any bytes
    can be read; what cannot be understood gives `outcome` "unknown" (or "error" with a bad exit code) and an excerpt.
    Raises Trouble (`unknown_parser`) for a parser that does not exist.
    """
    from punchlist.reading.reader import read

    how = How() if exit_code is None else How(ending="exit", exit_code=exit_code)
    return read(_bytes(log), _bytes(stderr), command=command, how=how, root=root, parser=parser)


def _bytes(text: bytes | str) -> bytes:
    return text.encode("utf-8", "surrogateescape") if isinstance(text, str) else text
