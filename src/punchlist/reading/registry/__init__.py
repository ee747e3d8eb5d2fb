"""Every parser there is: explicit rows, one module an ecosystem, imported by name when a log needs one.

Order matters where two parsers claim the same lines: the earlier row is the more specific one.
"""

from punchlist.reading.registry import (
    c_family,
    compiled_languages,
    formats,
    generic,
    go,
    infrastructure,
    javascript_build,
    javascript_test,
    jvm_dotnet,
    markup,
    other_languages,
    python_lint,
    python_test,
    ruby_php,
    rust,
)
from punchlist.reading.registry.record import Parser

PARSERS: tuple[Parser, ...] = (
    *formats.PARSERS,
    *other_languages.FIRST,
    *compiled_languages.FIRST,
    *infrastructure.FIRST,
    *python_test.PARSERS,
    *python_lint.PARSERS,
    *jvm_dotnet.PARSERS,
    *ruby_php.PARSERS,
    *javascript_test.PARSERS,
    *javascript_build.PARSERS,
    *rust.PARSERS,
    *go.PARSERS,
    *c_family.PARSERS,
    *other_languages.PARSERS,
    *compiled_languages.PARSERS,
    *markup.PARSERS,
    *infrastructure.PARSERS,
    *compiled_languages.LAST,
    *formats.LAST,
    *python_test.LAST,
    *ruby_php.LAST,
    *generic.PARSERS,
)

BY_NAME: dict[str, Parser] = {parser.name: parser for parser in PARSERS}
if len(BY_NAME) != len(PARSERS):
    raise AssertionError("two parsers have one name")

__all__ = ["BY_NAME", "PARSERS", "Parser"]
