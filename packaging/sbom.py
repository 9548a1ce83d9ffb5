"""The software bill of materials: what a package is made of and needs, as CycloneDX 1.6 in JSON."""

from __future__ import annotations

import json
import time
import tomllib
import uuid
from typing import Any

from environment import ROOT

NAME = "batchscope"


def bill_of_materials(version: str, epoch: int) -> str:
    """The document, made from `uv.lock`: all that is needed at run time, with the hashes of its files."""
    locked = locked_packages()
    needed = needed_packages(locked)
    components = [_component(locked[name]) for name in needed if name != NAME]
    edges = [{"ref": _reference(locked[name]), "dependsOn": _edges(locked[name], locked)} for name in needed]
    when = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(epoch))
    own = {"type": "application", "bom-ref": _reference(locked[NAME]), "name": NAME, "version": version}
    document = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"timestamp": when, "component": own | {"licenses": [{"license": {"id": "MIT"}}]}},
        "components": components,
        "dependencies": edges,
    }
    number = uuid.uuid5(uuid.NAMESPACE_OID, json.dumps(document, sort_keys=True))
    return json.dumps({"serialNumber": f"urn:uuid:{number}", **document}, indent=1) + "\n"


def locked_packages() -> dict[str, Any]:
    """The packages of `uv.lock` for this Python and system, by name."""
    document = tomllib.loads((ROOT / "uv.lock").read_text("utf-8"))
    here = [package for package in document["package"] if _holds(*package.get("resolution-markers", []))]
    return {package["name"]: package for package in here}


def _holds(*markers: str) -> bool:
    """True if one of these markers is true here, or there are none."""
    from packaging.markers import Marker

    return not markers or any(Marker(text).evaluate() for text in markers)


def needed_packages(locked: dict[str, Any], name: str = NAME) -> list[str]:
    """The packages that a package needs at run time on this system, including itself, by name."""
    todo, found = [name], set()
    while todo:
        at = todo.pop()
        if at not in found:
            found.add(at)
            todo += [entry["name"] for entry in _dependencies(locked[at])]
    return sorted(found)


def _dependencies(package: dict[str, Any]) -> list[dict[str, Any]]:
    """Those of this system."""
    entries = package.get("dependencies", [])
    return [entry for entry in entries if "marker" not in entry or _holds(entry["marker"])]


def _edges(package: dict[str, Any], locked: dict[str, Any]) -> list[str]:
    return sorted({_reference(locked[entry["name"]]) for entry in _dependencies(package)})


def _reference(package: dict[str, Any]) -> str:
    return f"pkg:pypi/{package['name']}@{package.get('version', '0')}"


def _component(package: dict[str, Any]) -> dict[str, Any]:
    digests = sorted({wheel["hash"].removeprefix("sha256:") for wheel in package.get("wheels", [])})
    return {
        "type": "library",
        "bom-ref": _reference(package),
        "name": package["name"],
        "version": package["version"],
        "purl": _reference(package),
        "properties": [{"name": "wheel:sha256", "value": digest} for digest in digests],
    }
