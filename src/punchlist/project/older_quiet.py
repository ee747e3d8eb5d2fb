"""Read `.quiet-shell/config.yaml`: output templates that extend and override the built-in ones."""

from collections.abc import Callable
from typing import Any

from punchlist.model import Trouble
from punchlist.project.positions import KeyPath, line_of
from punchlist.project.schema import Source, Spec, boolean, integer, kind, read_map, read_table, string
from punchlist.project.settings import Template

FILE = ".quiet-shell/config.yaml"
TEMPLATE: Spec = {
    "description": string("when to use it"),
    "include_regex": string("lines to keep, a JavaScript regular expression"),
    "tail_paragraphs": integer("paragraphs kept from the end", least=0),
    "suppress_output_on_success": boolean("say one line only when the command passes"),
}
MAX_POSITIONS = 10_000  # aliases that multiply would never end
REQUIRED = ("description", "include_regex", "tail_paragraphs")


def read(text: str, name: str) -> dict[str, Template]:
    """Read the templates; raises `Trouble` with file, line and nearest valid key."""
    data = parse_yaml(text, name)
    source = Source(name, _finder(text), text)
    if data is None:
        return {}
    if not isinstance(data, dict):
        source.problem((), f"must be a table with `templates`, not {kind(data)}.")
        source.finish()
    out: dict[str, Template] = {}
    for title, path, raw in read_map(source, ("templates",), data.get("templates")):
        values: dict[str, Any] = read_table(source, path, raw, TEMPLATE)
        missing = [key for key in REQUIRED if isinstance(raw, dict) and key not in raw]
        if missing:
            source.problem(path, f'template "{title}" needs {", ".join(missing)}.')
        if all(key in values for key in REQUIRED):
            out[title] = Template(name=title, file=name, line=source.line_of((*path, "include_regex")), **values)
    source.finish()
    return out


def parse_yaml(text: str, name: str) -> Any:
    """Parse YAML (no object tags), or raise `Trouble` with file, line and column."""
    import yaml

    try:
        return yaml.safe_load(text)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f":{mark.line + 1}:{mark.column + 1}" if mark else ""
        said = error.problem or error.context or "cannot be read"
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        place, said = "", str(error).splitlines()[0]
    raise Trouble(
        f"{name}{place}: not valid YAML: {said}. Mend it; it is read again at the next call.", "invalid_configuration"
    )


def _finder(text: str) -> Callable[[KeyPath], int | None]:
    lines: dict[KeyPath, int] = {}

    def find(path: KeyPath) -> int | None:
        if not lines:
            lines.update(yaml_lines(text))
        return line_of(lines, path, text)

    return find


def yaml_lines(text: str) -> dict[KeyPath, int]:
    """Map the keys of a valid YAML text to their lines."""
    import yaml

    lines: dict[KeyPath, int] = {}

    def walk(node: Any, path: KeyPath) -> None:
        if len(path) > 6 or len(lines) > MAX_POSITIONS:
            return
        if isinstance(node, yaml.MappingNode):
            for key, value in node.value:
                here = (*path, str(key.value))
                lines.setdefault(here, key.start_mark.line + 1)
                walk(value, here)
        elif isinstance(node, yaml.SequenceNode):
            for index, item in enumerate(node.value):
                lines.setdefault((*path, index), item.start_mark.line + 1)
                walk(item, (*path, index))

    walk(yaml.compose(text, Loader=yaml.SafeLoader), ())
    return lines
