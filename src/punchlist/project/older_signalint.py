"""Read `signalint.config.json` as its users wrote it: engines, ignore, timeoutsMs, mcpPayload, monorepoMode."""

from collections.abc import Callable
from typing import Any

from punchlist.project.older_signal import json_finder, parse_json
from punchlist.project.schema import Source, nearest
from punchlist.project.settings import EngineSetting

FILE = "signalint.config.json"
# Its keys, and the fields of `Config` they become.
OURS = {
    "engines": "engines",
    "ignore": "ignore",
    "timeoutsMs": "engines",
    "mcpPayload": "payload",
    "monorepoMode": "monorepo_mode",
}
FIELDS = tuple(OURS)
TIMEOUTS_S = {"oxlint": 30.0, "tsc": 60.0, "biome": 30.0, "eslint": 30.0}
IGNORE = ("node_modules/**", "dist/**", ".signalint/**")
FLAT_CONFIGS = tuple(f"eslint.config.{ending}" for ending in ("js", "mjs", "cjs", "ts", "mts", "cts"))


def read(text: str, name: str, exists: Callable[[str], bool]) -> dict[str, Any]:
    """Read the file into fields of `Config`; keys it leaves out get that system's documented defaults, but the payload.

    `exists` tells whether the root holds a file: an ESLint flat configuration switches that engine on.

    Raises `Trouble` with file, line and that system's own words for the mistake.
    """
    data = parse_json(text, name)
    source = Source(name, json_finder(text), text)
    if not isinstance(data, dict):
        source.problem((), f"{FILE} must contain a JSON object.")
        source.finish()
    for key in data:
        if key not in FIELDS and key != "$schema":
            source.problem((key,), f'Unknown configuration field "{key}".' + nearest(key, FIELDS))
    out: dict[str, Any] = {
        "engines": _engines(source, data.get("engines", {}), _timeouts(source, data.get("timeoutsMs", {})), exists),
        "ignore": _ignore(source, data.get("ignore", list(IGNORE))),
        "monorepo_mode": _word(source, data, "monorepoMode", ("off", "auto", "strict"), "off"),
    }
    if "mcpPayload" in data:
        out["payload"] = _word(source, data, "mcpPayload", ("both", "text", "structured"), "both")
    source.finish()
    return out


def _engines(
    source: Source, raw: object, timeouts: dict[str, float], exists: Callable[[str], bool]
) -> dict[str, EngineSetting]:
    defaults = {
        "oxlint": True,
        "tsc": True,
        "biome": False,
        "eslint": any(exists(name) for name in FLAT_CONFIGS),
    }
    if not isinstance(raw, dict):
        source.problem(("engines",), f'{FILE} field "engines" must be an object.')
        raw = {}
    formatter = False
    enabled: dict[str, bool] = dict(defaults)
    for key, value in raw.items():
        path = ("engines", key)
        if key not in defaults:
            source.problem(path, f'Unknown "engines" field "{key}".' + nearest(key, defaults))
        elif isinstance(value, bool):
            enabled[key] = value
        elif key == "biome" and isinstance(value, dict):
            enabled[key] = True
            formatter = _biome(source, value)
        else:
            wanted = 'a boolean or an object with "includeFormatter"' if key == "biome" else "a boolean"
            source.problem(path, f'{FILE} engine "{key}" must be {wanted}.')
    return {
        engine: EngineSetting(enabled=on, timeout_s=timeouts[engine], include_formatter=formatter and engine == "biome")
        for engine, on in enabled.items()
    }


def _biome(source: Source, value: dict[str, object]) -> bool:
    for key in value:
        if key != "includeFormatter":
            source.problem(
                ("engines", "biome", key), f'Unknown "biome" field "{key}".' + nearest(key, ["includeFormatter"])
            )
    formatter = value.get("includeFormatter", False)
    if not isinstance(formatter, bool):
        source.problem(("engines", "biome", "includeFormatter"), f'{FILE} field "includeFormatter" must be a boolean.')
        return False
    return formatter


def _timeouts(source: Source, raw: object) -> dict[str, float]:
    out = dict(TIMEOUTS_S)
    if not isinstance(raw, dict):
        source.problem(("timeoutsMs",), f'{FILE} field "timeoutsMs" must be an object.')
        return out
    for key, value in raw.items():
        if key not in TIMEOUTS_S:
            source.problem(("timeoutsMs", key), f'Unknown "timeoutsMs" field "{key}".' + nearest(key, TIMEOUTS_S))
        elif isinstance(value, bool) or not isinstance(value, int) or value <= 0:
            source.problem(("timeoutsMs", key), f'{FILE} timeout "{key}" must be a positive integer in milliseconds.')
        else:
            out[key] = value / 1000
    return out


def _ignore(source: Source, raw: object) -> tuple[str, ...]:
    if isinstance(raw, list) and all(isinstance(item, str) and item for item in raw):
        return tuple(raw)
    source.problem(("ignore",), f'{FILE} field "ignore" must be an array of non-empty strings.')
    return IGNORE


def _word(source: Source, data: dict[str, Any], key: str, words: tuple[str, ...], default: str) -> str:
    value = data.get(key, default)
    if value in words:
        return str(value)
    source.problem((key,), f'{FILE} field "{key}" must be one of {", ".join(words)}.')
    return default
