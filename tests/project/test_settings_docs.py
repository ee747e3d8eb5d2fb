import re
import tomllib
from pathlib import Path

from punchlist.project.config import load
from punchlist.project.native_tables import TABLES, settings_table

DOCUMENT = Path(__file__).parents[2] / "docs" / "configuration.md"


def test_the_document_holds_the_tables_of_the_code() -> None:
    assert settings_table() in DOCUMENT.read_text(encoding="utf-8")


def test_every_setting_is_described() -> None:
    for spec in TABLES.values():
        assert [key for key, entry in spec.items() if not entry.doc and not entry.alias_of] == []


def test_the_example_of_the_document_is_read_whole(tmp_path: Path) -> None:
    found = re.search(r"```toml\n(.*?)```", DOCUMENT.read_text(encoding="utf-8"), re.S)
    assert found
    (tmp_path / "punchlist.toml").write_text(found[1], encoding="utf-8")
    config = load(tmp_path, {})
    assert list(config.checks) == list(tomllib.loads(found[1])["checks"])
    assert config.parsers["mytool"].patterns[0].endswith("(?P<message>.*)$")
