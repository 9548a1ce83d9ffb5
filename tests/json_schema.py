"""What a JSON document violates of a schema: the words of JSON Schema that schemas of this project use."""

from collections.abc import Iterator
from typing import Any

_TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "boolean": (bool,),
    "null": (type(None),),
    "integer": (int,),
    "number": (int, float),
}

_KNOWN = {
    *("$schema", "title", "description", "type", "const", "minimum", "maximum"),
    *("properties", "required", "additionalProperties", "items", "if", "then", "else"),
}


def violations(value: Any, schema: Any, place: str = "document") -> Iterator[str]:
    """A line for each violation, with its place. Raises ValueError for a word that is not known here."""
    if isinstance(schema, bool):  # `true` allows every value, and `false` none
        if not schema:
            yield f"{place} must not be there"
        return
    if unknown := schema.keys() - _KNOWN:
        raise ValueError(f"the schema of {place} has words that are not checked: {sorted(unknown)}")
    kinds = schema.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if kinds and not any(_is_a(value, kind) for kind in kinds):
        yield f"{place} is {value!r}, and not {' or '.join(kinds)}"
    if "const" in schema and (value != schema["const"] or type(value) is not type(schema["const"])):
        yield f"{place} is {value!r}, and not {schema['const']!r}"
    if _is_a(value, "number") and not (schema.get("minimum", value) <= value <= schema.get("maximum", value)):
        yield f"{place} is {value!r}, which is out of its range"
    if isinstance(value, dict):
        yield from _of_object(value, schema, place)
    if isinstance(value, list):
        for number, entry in enumerate(value):
            yield from violations(entry, schema.get("items", True), f"{place}[{number}]")
    if "if" in schema:
        branch = "else" if any(violations(value, schema["if"])) else "then"
        yield from violations(value, schema.get(branch, True), place)


def _of_object(value: dict[str, Any], schema: Any, place: str) -> Iterator[str]:
    known = schema.get("properties", {})
    yield from (f"{place} lacks {name}" for name in schema.get("required", []) if name not in value)
    for name, entry in value.items():
        yield from violations(
            entry, known.get(name, schema.get("additionalProperties", True)), f"{place}.{name}"
        )


def _is_a(value: Any, kind: str) -> bool:
    """Whether a value is of a type of JSON: there `true` is no number."""
    return isinstance(value, _TYPES[kind]) and (kind == "boolean" or not isinstance(value, bool))
