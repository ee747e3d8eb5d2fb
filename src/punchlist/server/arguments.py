"""Hold a call's arguments against a tool's schema: strict, with every fault named at once."""

from collections.abc import Mapping
from typing import Any

from punchlist.model import Trouble

TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
}


def checked(arguments: Mapping[str, Any], schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments, or raise a Trouble (`invalid_arguments`) that names every fault and the valid names."""
    faults = list(_faults(arguments, schema, ""))
    if faults:
        raise Trouble("; ".join(faults), "invalid_arguments")
    return {name: value for name, value in arguments.items() if value is not None}


def _faults(value: Any, schema: Mapping[str, Any], path: str) -> list[str]:
    name = path or "arguments"
    kind = schema.get("type")
    if kind and (not isinstance(value, TYPES[kind]) or (isinstance(value, bool) and kind in ("integer", "number"))):
        return [f"{name}: expected {kind}, received {_kind(value)}"]
    if "enum" in schema and value not in schema["enum"]:
        return [f"{name}: {value!r} is none of {', '.join(map(str, schema['enum']))}"]
    if "minimum" in schema and value < schema["minimum"]:
        return [f"{name}: must be at least {schema['minimum']}"]
    if kind == "string" and len(value) < schema.get("minLength", 0):
        return [f"{name}: must not be empty"]
    if kind == "array":
        return _items(value, schema, path)
    return _members(value, schema, path) if kind == "object" and "properties" in schema else []


def _items(value: list[Any], schema: Mapping[str, Any], path: str) -> list[str]:
    if len(value) < schema.get("minItems", 0):
        return [f"{path}: must have at least {schema['minItems']} items"]
    return [fault for at, item in enumerate(value) for fault in _faults(item, schema.get("items", {}), f"{path}.{at}")]


def _members(value: Mapping[str, Any], schema: Mapping[str, Any], path: str) -> list[str]:
    properties = schema["properties"]
    dot = f"{path}." if path else ""
    faults = [f"{dot}{name}: required" for name in schema.get("required", ()) if value.get(name) is None]
    for name, item in value.items():
        if name in properties:
            faults += _faults(item, properties[name], f"{dot}{name}") if item is not None else []
        elif schema.get("additionalProperties") is False:
            known = ", ".join(properties) or "none"
            faults.append(f"{path or 'arguments'}: unknown key {name!r} (valid: {known})")
    return faults


def _kind(value: Any) -> str:
    names = {bool: "boolean", int: "integer", float: "number", str: "string", list: "array", dict: "object"}
    return names.get(type(value), "null")
