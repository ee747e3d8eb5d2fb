"""List the output templates: the built-in ones and the project's own."""

import argparse

from punchlist.cli import common


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's arguments."""
    parser.add_argument("--root", help="root of the project")


def run(options: argparse.Namespace) -> int:
    """Print one line a template."""
    from punchlist.reading.templates import list_templates

    config = common.session(options.root).project.config
    found = list_templates(config)
    common.out("\n".join(f"{t.name}  {t.description}  /{t.include_regex}/ + {t.tail_paragraphs}" for t in found))
    return 0
