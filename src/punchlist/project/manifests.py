"""Read manifests (package.json, pyproject.toml ...) without trusting them: size, encoding and syntax may be bad."""

import json
import re
import stat
from pathlib import Path
from typing import Any

LARGEST = 4_000_000


def text_of(path: Path) -> str | None:
    """Return a regular file's text (bad bytes replaced), None where there is none or it is larger than 4 MB."""
    try:
        info = path.stat()
        if not stat.S_ISREG(info.st_mode) or info.st_size > LARGEST:
            return None
        return path.read_text(encoding="utf-8-sig", errors="replace")
    except (OSError, ValueError):
        return None


def json_of(path: Path) -> dict[str, Any] | None:
    """Return a JSON or JSONC object, None where the file is missing or broken."""
    text = text_of(path)
    if text is None:
        return None
    try:
        data = json.loads(text)
    except ValueError:
        try:
            data = json.loads(plain_json(text))
        except (ValueError, RecursionError):
            return None
    except RecursionError:
        return None
    return data if isinstance(data, dict) else None


_JSONC = re.compile(r'"(?:[^"\\\n]|\\.)*"|//[^\n]*|/\*.*?\*/|,(?=(?:\s|//[^\n]*|/\*.*?\*/)*[}\]])', re.S)


def plain_json(text: str) -> str:
    """Blank out comments and trailing commas of JSONC; lines and columns stay where they are."""
    return _JSONC.sub(lambda m: m[0] if m[0][0] == '"' else re.sub(r"[^\n]", " ", m[0]), text)


def toml_of(path: Path) -> dict[str, Any] | None:
    """Return a TOML table, None where the file is missing or broken."""
    text = text_of(path)
    if text is None:
        return None
    import tomllib

    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return None


def yaml_of(path: Path) -> Any:
    """Return what a YAML file holds, None where it is missing or broken."""
    text = text_of(path)
    if text is None:
        return None
    import yaml

    try:
        return yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError):
        return None


def table(data: object, *keys: str) -> dict[str, Any]:
    """Return the table at a path of keys, an empty one where anything on the way is no table."""
    for key in keys:
        data = data.get(key) if isinstance(data, dict) else None
    return data if isinstance(data, dict) else {}
